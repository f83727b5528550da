"""Keys: of a campaign, for the IDs of its workers, and of a study, for its links."""

import secrets
from collections.abc import Sequence
from datetime import date, datetime
from functools import partial
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services.decisions import check_decision
from campaigns.services.events import log_event
from crowd.models import CrowdKey, LinkKey, Payment, Study
from crowd.queries.confirmations import describe_key_retirement
from crowd.queries.keys import (
    find_crowd_key,
    get_fake_secret,
    get_fernet,
    get_link_path,
    hash_under,
)
from crowd.queries.payment_sheet import compute_unpaid_amount
from poolbench.crowd.providers.fake import FAKE_KID
from poolbench.crowd.providers.signed_links import sign_link
from poolbench.crowd.receipts import ReceiptFields, check_receipt, make_receipt

SECRET_BYTES = 48


def get_or_create_key(campaign: Campaign) -> CrowdKey:
    """The campaign's key in use; a new one if there is none or the last is destroyed."""
    key = find_crowd_key(campaign)
    if key is not None:
        return key
    try:
        with transaction.atomic():
            secret = secrets.token_urlsafe(SECRET_BYTES)
            return CrowdKey.objects.create(campaign=campaign, secret=secret)
    except IntegrityError:  # another request was first
        return CrowdKey.objects.get(campaign=campaign, destroyed_at=None)


def hash_external(campaign: Campaign, text: str) -> str:
    """The HMAC-SHA256 of a provider's ID under the campaign's key, in hexadecimal digits. Makes a
    key if none is in use: for arrivals, not look-ups.
    """
    return hash_under(get_or_create_key(campaign), [text])[0]


def seal_external(campaign: Campaign, text: str) -> str:
    """``text`` encrypted (Fernet: AES-128-CBC and HMAC-SHA256) under the campaign's key."""
    return get_fernet(get_or_create_key(campaign)).encrypt(text.encode()).decode()


def destroy_key(*, actor: User | None, campaign: Campaign) -> bool:
    """Empty the campaign's key for ever; False if there is none in use.

    What was sealed can never be read again, and no ID of a provider leads to a pseudonym.
    Judgments, pseudonyms and amounts remain. ``actor`` is None for the retention date. The log
    says what was still owed.
    """
    if actor is not None:
        require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        changed = CrowdKey.objects.filter(campaign=campaign, destroyed_at=None).update(
            secret="", destroyed_at=timezone.now()
        )
        if changed:
            owed = compute_unpaid_amount(Payment.objects.filter(study__campaign=campaign))
            data = {"unpaid": f"{owed:.2f}"} if owed else {}
            log_event(campaign=campaign, actor=actor, code="crowd.key_destroyed", **data)
    return bool(changed)


def destroy_expired_keys(*, today: date | None = None) -> int:
    """Destroy the keys of campaigns none of whose studies needs it any more.

    A study needs it while it runs, and until its retention date has passed. One that was never
    started needs none, and a campaign without started studies keeps its key, of trials.
    """
    today = today or timezone.now().date()
    started = Study.objects.filter(campaign=OuterRef("campaign"), started_at__isnull=False)
    needed = started.filter(
        Q(state=Study.State.RUNNING) | Q(retention_until=None) | Q(retention_until__gte=today)
    )
    keys = CrowdKey.objects.filter(Exists(started), ~Exists(needed), destroyed_at=None)
    return sum(
        destroy_key(actor=None, campaign=key.campaign) for key in keys.select_related("campaign")
    )


def rotate_link_key(*, actor: User, study: Study) -> LinkKey:
    """Add a key that signs new links. Links under the earlier ones open until those retire."""
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        key = LinkKey.objects.create(
            study=study,
            kid=f"k{secrets.token_hex(4)}",
            secret=secrets.token_urlsafe(SECRET_BYTES),
            created_by=actor,
        )
        log_event(
            campaign=study.campaign, actor=actor, code="study.key_added",
            subject=study.title, kid=key.kid,
        )  # fmt: skip
    return key


def retire_link_key(
    *, actor: User, study: Study, kid: str, decision: Decision | None = None
) -> None:
    """From now on, links under this key open nothing. Retired keys stay retired."""
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        now = timezone.now()
        active = LinkKey.objects.filter(study=study, kid=kid, retired_at=None)
        if not active.update(retired_at=now):
            raise ActionRefused("no-key", f"No key {kid[:12]} is in use.", "Reload the page.")
        confirmed = check_decision(partial(describe_key_retirement, study, kid), decision)
        log_event(
            campaign=study.campaign, actor=actor, code="study.key_retired",
            subject=study.title, kid=kid, **confirmed,
        )  # fmt: skip


def make_link(
    *, study: Study, worker: str, unit: str, expires: datetime, preview: bool = False
) -> str:
    """Path and query of a signed link to the study, under its newest key; without ``unit`` it
    hands out one unit after the other.
    """
    tasks = [(worker, unit)]
    return make_links(study=study, tasks=tasks, expires=expires, preview=preview)[0]


def make_links(
    *, study: Study, tasks: Sequence[tuple[str, str]], expires: datetime, preview: bool = False
) -> list[str]:
    """The link of each worker and unit, as ``make_link`` makes them."""
    key = LinkKey.objects.filter(study=study, retired_at=None).first()
    if key is None:
        fix = "Add a key for links first."
        raise ActionRefused("no-key", "The study has no key for signing links.", fix)
    return [
        sign_query(study, key.kid, key.secret, worker, unit, expires, preview=preview)
        for worker, unit in tasks
    ]


def make_fake_link(
    *, study: Study, worker: str, unit: str, expires: datetime, preview: bool = False
) -> str:
    """Path and query of a link of the fake platform."""
    get_or_create_key(study.campaign)
    secret = get_fake_secret(study)
    return sign_query(study, FAKE_KID, secret, worker, unit, expires, preview=preview)


def sign_query(
    study: Study, kid: str, secret: str, worker: str, unit: str, expires: datetime, *, preview: bool
) -> str:
    scope = get_link_path(study)
    fields = {"exp": str(int(expires.timestamp())), "kid": kid}
    if preview:
        fields["mode"] = "preview"
    else:
        fields |= {"wid": worker} | ({"uid": unit} if unit else {"mode": "next"})
    query = fields | {"sig": sign_link(secret, scope, fields)}
    return f"{scope}?{urlencode(query, quote_via=quote, safe='')}"


def sign_receipt(fields: ReceiptFields) -> str:
    """The receipt of a unit, under the key of the installation: it outlives the campaign's key."""
    return make_receipt(get_receipt_secret(), fields)


def is_receipt_valid(fields: ReceiptFields, receipt: str) -> bool:
    """Whether the receipt is ours and belongs to exactly these fields."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(check_receipt(get_receipt_secret(key), fields, receipt) for key in keys)


def get_receipt_secret(key: str | bytes | None = None) -> bytes:
    return salted_hmac("crowd.receipt", "1", secret=key, algorithm="sha256").digest()
