"""The campaign's key and what it sealed; the keys with which the links of a study are checked."""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.db.models import Q
from django.urls import reverse

from campaigns.models import Campaign
from crowd.models import CrowdKey, LinkKey, ProviderEvent, Study
from poolbench.crowd.providers.base import ArrivalKeys
from poolbench.crowd.providers.fake import FAKE_KID
from poolbench.crowd.providers.key_sets import check_key_set, parse_key_set

KEY_SET = "key-set"
"""The kind of event under which a fetched key set of the provider is kept."""


def find_crowd_key(campaign: Campaign) -> CrowdKey | None:
    """The campaign's key in use."""
    return CrowdKey.objects.filter(campaign=campaign, destroyed_at=None).first()


def find_key_date(study: Study) -> date | None:
    """The day after which the campaign's key is destroyed: the last one of ``study`` and of the
    campaign's other studies that were started; None while one of them has no date.
    """
    needing = Q(pk=study.pk) | Q(campaign=study.campaign_id, started_at__isnull=False)
    dates = list(Study.objects.filter(needing).values_list("retention_until", flat=True))
    known = [day for day in dates if day is not None]
    return max(known) if known and len(known) == len(dates) else None


def derive_key(key: CrowdKey, use: str) -> bytes:
    """32 bytes for one ``use`` of the key."""
    return hmac.new(key.secret.encode(), use.encode(), sha256).digest()


def hash_under(key: CrowdKey, texts: Sequence[str]) -> list[str]:
    """The HMAC-SHA256 of each text under the campaign's key, in hexadecimal digits."""
    secret = derive_key(key, "hash")
    return [hmac.new(secret, text.encode(), sha256).hexdigest() for text in texts]


def get_fernet(key: CrowdKey) -> Fernet:
    """Encryption under the key: AES-128-CBC with HMAC-SHA256."""
    return Fernet(urlsafe_b64encode(derive_key(key, "seal")))


def find_fernet(campaign: Campaign) -> Fernet | None:
    """Encryption under the campaign's key in use."""
    key = find_crowd_key(campaign)
    return get_fernet(key) if key else None


def unseal_external(campaign: Campaign, sealed: str) -> str:
    """What was sealed; empty if its key has been destroyed."""
    return read_sealed(find_fernet(campaign), sealed)


def read_sealed(fernet: Fernet | None, sealed: str) -> str:
    """What was sealed; empty without its key."""
    if fernet is None or not sealed:
        return ""
    try:
        return fernet.decrypt(sealed.encode()).decode()
    except InvalidToken:
        return ""


def get_link_path(study: Study) -> str:
    """The path of the study's link."""
    return reverse("crowd-door", args=[study.campaign.slug, study.pk])


def get_fake_secret(study: Study) -> str:
    """The fake platform's key for this study; empty, which signs nothing, without a key."""
    key = find_crowd_key(study.campaign)
    if key is None:
        return ""
    return derive_key(key, f"fake {study.pk}").hex()


def get_fake_keys(study: Study) -> ArrivalKeys:
    """What checks the links of the fake platform."""
    secret = get_fake_secret(study)
    return ArrivalKeys(get_link_path(study), {FAKE_KID: secret} if secret else {})


def get_arrival_keys(study: Study) -> ArrivalKeys:
    """What checks the links of the study's provider."""
    if study.provider == "fake":
        return get_fake_keys(study)
    rows = list(LinkKey.objects.filter(study=study))
    return ArrivalKeys(
        scope=get_link_path(study),
        links={row.kid: row.secret for row in rows if row.retired_at is None},
        retired=frozenset(row.kid for row in rows if row.retired_at is not None),
        key_set=get_key_set(study),
    )


def lacks_link_key(study: Study) -> bool:
    """Whether no link can be signed that opens the study."""
    keys = LinkKey.objects.filter(study=study, retired_at=None)
    return study.provider == "generic" and not keys.exists()


def get_key_set(study: Study) -> Mapping[str, Any]:
    """The provider's key set: the pasted one, else the latest that was fetched, else empty."""
    pasted = str(study.provider_settings.get("key_set") or "")
    if pasted and not check_key_set(pasted):
        return parse_key_set(pasted)
    latest = find_latest_key_set(study)
    return latest.body if latest else {}


def find_latest_key_set(study: Study) -> ProviderEvent | None:
    """The latest fetched key set, with its date."""
    return ProviderEvent.objects.filter(study=study, kind=KEY_SET).order_by("-pk").first()
