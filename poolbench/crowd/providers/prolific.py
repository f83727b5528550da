"""Prolific: links signed as JSON Web Tokens, completion codes, signed webhooks."""

import base64
import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from poolbench.cards import Card
from poolbench.crowd.providers.base import (
    Arrival,
    ArrivalKeys,
    ArrivalRefused,
    Provider,
    ProviderSetting,
    ReturnForm,
    Settings,
    check_id,
    check_plain_id,
    is_switched_on,
    link_error,
    read_setting,
    signature_error,
)
from poolbench.crowd.providers.key_sets import check_key_set, read_token_claims

COMPLETE_URL = "https://app.prolific.com/submissions/complete"
WEBHOOK_SECONDS = 300
"""How old, or how far ahead, a webhook's time may be."""
UNSIGNED = {"worker": "PROLIFIC_PID", "study": "STUDY_ID", "unit": "SESSION_ID"}
CARD = Card(
    name="prolific",
    title="Prolific",
    formula="RS256 over header.payload, by the key whose kid the header names; aud, exp and the"
    " IDs of participant, study and session are required",
    reading="A worker is who the signed token of the Secured External URL says.",
    source="docs.prolific.com: study JWKS, webhooks (verifying), submissions; RFC 7519.",
    range="a link opens the study, or is refused with a code",
    edge_cases=(
        "No algorithm but RS256 is accepted, whatever the token says.",
        "Unsigned parameters are refused unless the organizer has switched them on.",
        "Where they are on, anybody can make up participants.",
        "Unsigned parameters beside a token must say the same as the token.",
    ),
)


def check_https(url: str) -> str:
    plain = url.isascii() and not any(sign <= " " for sign in url)
    return "" if plain and url.startswith("https://") else "Use an address with https://."


def check_code(code: str) -> str:
    plain = code.isascii() and code.replace("-", "").replace("_", "").isalnum()
    return "" if plain and len(code) <= 40 else "Use letters, digits, - and _, at most 40."


def _claim(name: str, label: str, default: str) -> ProviderSetting:
    note = f"Name of the claim in the token, or PATH.NAME. Usually {default}."
    return ProviderSetting(name, label, note, default=default)


def _code(name: str, label: str, *, required: bool = False) -> ProviderSetting:
    note = "The completion code of your study on Prolific for this end."
    return ProviderSetting(name, label, note, required=required, check=check_code)


AUDIENCE = ProviderSetting(
    "audience", "Audience",
    "The domain of this site, as the token names it (aud). Required for signed links.",
)  # fmt: skip
TOKEN = ProviderSetting(
    "token_parameter", "Parameter with the token", "Usually prolific_token.",
    check=check_code, default="prolific_token",
)  # fmt: skip
STUDY_ID = ProviderSetting(
    "external_study", "Study ID on Prolific",
    "Links of other studies are refused. Required for signed links: Prolific signs the links of"
    " everybody's studies with the same keys.",
)  # fmt: skip
CLAIMS = {
    "worker": _claim("claim_worker", "Claim: participant", "prolific.participant_id"),
    "study": _claim("claim_study", "Claim: study", "prolific.study_id"),
    "unit": _claim("claim_unit", "Claim: session", "prolific.session_id"),
}
CODES = {
    "completed": _code("code_completed", "Code: completed", required=True),
    "screened": _code("code_screened", "Code: screened out"),
    "failed": _code("code_failed", "Code: failed"),
}
KEY_SET = ProviderSetting(
    "key_set", "Key set", "The JSON Web Key Set of Prolific, pasted. It wins over the address.",
    kind="long", check=check_key_set,
)  # fmt: skip
KEY_SET_URL = ProviderSetting(
    "key_set_url", "Address of the key set",
    "Fetched at least daily, in the background; never while a worker waits. Usually"
    " https://api.prolific.com/.well-known/study/jwks.json",
    check=check_https,
)  # fmt: skip
UNSIGNED_SWITCH = ProviderSetting(
    "unsigned", "Accept unsigned links",
    "Anybody who knows the address can then invent participants and use the IDs of others. Pay"
    " only submissions that Prolific itself lists.",
    kind="switch",
)  # fmt: skip
WEBHOOK_SECRET = ProviderSetting(
    "webhook_secret", "Secret of webhooks", "Empty: webhooks are refused.", kind="secret"
)
SETTINGS = (
    STUDY_ID, AUDIENCE, KEY_SET_URL, KEY_SET, *CODES.values(), UNSIGNED_SWITCH, WEBHOOK_SECRET,
    TOKEN, *CLAIMS.values(),
)  # fmt: skip


def read_prolific_arrival(
    query: Mapping[str, str], keys: ArrivalKeys, settings: Settings, now: datetime
) -> Arrival:
    """The arrival of a link with a signed token, or of an unsigned one if that is allowed."""
    token = query.get(read_setting(settings, TOKEN), "")
    unsigned = {name: query[key] for name, key in UNSIGNED.items() if query.get(key)}
    if token:
        audience = read_setting(settings, AUDIENCE)
        claims = read_token_claims(token, keys.key_set, audience=audience, now=now.timestamp())
        ids = {name: find_claim(claims, read_setting(settings, at)) for name, at in CLAIMS.items()}
        if any(ids[name] != value for name, value in unsigned.items()):
            raise signature_error()
    elif is_switched_on(settings, UNSIGNED_SWITCH.name):
        ids = {name: unsigned.get(name, "") for name in CLAIMS}
    else:
        message = "The link is not signed."
        raise ArrivalRefused("not-signed", message, "Open the study on Prolific.")
    return build_arrival(ids, read_setting(settings, STUDY_ID), is_signed=bool(token))


def build_arrival(ids: Mapping[str, str], study: str, *, is_signed: bool) -> Arrival:
    """The arrival, if it is of ``study``; which may be open for unsigned links alone."""
    if (study or is_signed) and ids["study"] != study:
        raise ArrivalRefused(
            "wrong-study", "The link is of another study.", "Open the study on Prolific."
        )
    check = check_id if is_signed else check_plain_id
    worker, unit = check(ids["worker"], "participant ID"), check(ids["unit"], "session ID")
    return Arrival(worker, unit, is_signed=is_signed, fields={"study": ids["study"]})


def find_claim(claims: Mapping[str, Any], path: str) -> str:
    """The text at ``path`` ("claim" or "claim.name"). Raises "bad-link" where there is none."""
    value: Any = claims
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, str) or not value:
        raise link_error(f"The token has no {path}.")
    return value


def make_prolific_return(
    settings: Settings, outcome: str, _fields: Mapping[str, str]
) -> ReturnForm | None:
    """A link to Prolific with the completion code of the outcome; None if it has no code."""
    code = find_prolific_code(settings, outcome)
    return ReturnForm("get", f"{COMPLETE_URL}?{urlencode({'cc': code})}") if code else None


def find_prolific_code(settings: Settings, outcome: str) -> str:
    """The completion code of the settings; empty if the outcome has none."""
    return read_setting(settings, CODES[outcome])


def check_prolific_settings(settings: Settings) -> dict[str, str]:
    """Faults of settings that need each other."""
    faults: dict[str, str] = {}
    signed = any(read_setting(settings, each) for each in (KEY_SET, KEY_SET_URL))
    if signed and not read_setting(settings, AUDIENCE):
        faults[AUDIENCE.name] = "Audience is required for signed links."
    if signed and not read_setting(settings, STUDY_ID):
        faults[STUDY_ID.name] = "The study ID is required for signed links."
    if not signed and not is_switched_on(settings, UNSIGNED_SWITCH.name):
        faults[KEY_SET_URL.name] = "Give a key set or its address, or accept unsigned links."
    codes = [code for each in CODES.values() if (code := read_setting(settings, each))]
    if len(set(codes)) < len(codes):
        faults[CODES["completed"].name] = "Use a different code for each end."
    return faults


def sign_webhook(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a webhook: base64 of the HMAC-SHA256 of timestamp and body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, sha256).digest()
    return base64.b64encode(digest).decode()


def is_webhook_valid(
    secret: str, timestamp: str, signature: str, body: bytes, now: datetime
) -> bool:
    """Whether a webhook is signed under ``secret`` and ``WEBHOOK_SECONDS`` old at most."""
    if not secret or not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    expected = sign_webhook(secret, timestamp, body)
    fresh = abs(now.timestamp() - int(timestamp)) <= WEBHOOK_SECONDS
    return hmac.compare_digest(expected.encode(), signature.encode()) and fresh


PROVIDER = Provider(
    "prolific", "Prolific", CARD, SETTINGS, read_prolific_arrival, make_prolific_return,
    check_settings=check_prolific_settings, find_code=find_prolific_code,
)  # fmt: skip
