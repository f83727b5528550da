"""Create, find and revoke API tokens."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from campaigns import store
from campaigns.models import ApiToken, User

LIFETIMES = (7, 30, 90, 365)
"""Days that users choose from, besides ``POOLBENCH_TOKEN_DAYS``."""
USE_IS_RECORDED_EVERY = timedelta(minutes=1)


def list_token_lifetimes() -> list[int]:
    """The lifetimes in days that a user may choose; the longest is the default."""
    longest: int = settings.POOLBENCH_TOKEN_DAYS
    return [*(days for days in LIFETIMES if days < longest), longest]


def create_token(user: User, days: int | None = None) -> str:
    """Create the user's token and return its key, which is not stored.

    An older token stops working. ``days`` is cut to ``POOLBENCH_TOKEN_DAYS``, the default.
    """
    longest: int = settings.POOLBENCH_TOKEN_DAYS
    lifetime = timedelta(days=min(days or longest, longest))
    # The prefix is for people and for scanners that search files for secrets.
    key = f"poolbench_{secrets.token_urlsafe(30)}"
    with transaction.atomic():
        revoke_token(user)
        ApiToken.objects.create(
            user=user, digest=digest_key(key), expires_at=timezone.now() + lifetime
        )
    return key


def revoke_token(user: User) -> None:
    ApiToken.objects.filter(user=user).delete()


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
