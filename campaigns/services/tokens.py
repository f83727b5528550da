"""Create, find and revoke API tokens."""

import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import ApiToken, Campaign, Scope, User

LIFETIMES = (7, 30, 90, 365)
"""Days that users choose from, besides ``POOLBENCH_TOKEN_DAYS``."""
MOST_TOKENS = 20
"""Of one user."""
USE_IS_RECORDED_EVERY = timedelta(minutes=1)


def list_token_lifetimes() -> list[int]:
    """The lifetimes in days that a user may choose; the longest is the default."""
    longest: int = settings.POOLBENCH_TOKEN_DAYS
    return [*(days for days in LIFETIMES if days < longest), longest]


def create_token(
    user: User,
    days: int | None = None,
    *,
    name: str = "API token",
    scopes: Iterable[str] = tuple(Scope),
    campaign: Campaign | None = None,
) -> str:
    """Create a token and return its key, which is not stored.

    ``scopes``: what it may be used for; ``campaign``: the only one that it is for. ``days`` is cut
    to ``POOLBENCH_TOKEN_DAYS``, the default.
    """
    longest: int = settings.POOLBENCH_TOKEN_DAYS
    lifetime = timedelta(days=min(days or longest, longest))
    # The prefix is for people and for scanners that search files for secrets.
    key = f"poolbench_{secrets.token_urlsafe(30)}"
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if user.api_tokens.count() >= MOST_TOKENS:
            message = _("You have %(n)s tokens, as many as possible.") % {"n": MOST_TOKENS}
            raise ActionRefused("too-many-tokens", message, _("Revoke one that is not used."))
        ApiToken.objects.create(
            user=user,
            name=name,
            scopes=[scope.value for scope in Scope if scope in set(scopes)],
            campaign=campaign,
            digest=digest_key(key),
            expires_at=timezone.now() + lifetime,
        )
    return key


def revoke_token(user: User, pk: int) -> bool:
    """Revoke one token; whether it was there."""
    return bool(ApiToken.objects.filter(user=user, pk=pk).delete()[0])


def find_token(key: str) -> ApiToken | None:
    """The valid token with this key, of an active user.

    The lookup is by digest: its time says nothing about a key, as no one can choose keys by
    their digests.
    """
    now = timezone.now()
    tokens = ApiToken.objects.select_related("user")
    return tokens.filter(digest=digest_key(key), expires_at__gt=now, user__is_active=True).first()


def record_token_use(token: ApiToken) -> None:
    """Record when the token was last used, to the minute: most requests write nothing."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > USE_IS_RECORDED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def digest_key(key: str) -> str:
    return store.sha256(key.encode())
