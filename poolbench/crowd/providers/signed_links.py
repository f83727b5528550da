"""Links signed by HMAC-SHA256: the text that is signed, signing, checking.

The signed text is the path of the link, ``?``, and all parameters but ``sig``, sorted by name and
percent-encoded as in a URL (RFC 3986: everything but letters, digits and ``-._~``), joined by
``&``. ``sig`` is the HMAC-SHA256 of that text under the key called ``kid``, in hexadecimal digits.
"""

import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from urllib.parse import quote, urlencode

from poolbench.crowd.providers.base import (
    SKEW_SECONDS,
    Arrival,
    ArrivalKeys,
    ArrivalRefused,
    Settings,
    check_id,
    expiry_error,
    link_error,
    signature_error,
)

ACCEPTED = frozenset({"wid", "uid", "exp", "kid", "sig", "mode"})
"""The parameters of a signed link."""


def build_signed_text(scope: str, fields: Mapping[str, str]) -> str:
    """The text that is signed: ``scope`` is the path of the link."""
    rest = sorted((name, value) for name, value in fields.items() if name != "sig")
    return f"{scope}?{urlencode(rest, quote_via=quote, safe='')}"


def sign_link(secret: str, scope: str, fields: Mapping[str, str]) -> str:
    """The signature of a link, 64 hexadecimal digits."""
    text = build_signed_text(scope, fields)
    return hmac.new(secret.encode(), text.encode(), sha256).hexdigest()


def read_signed_arrival(
    query: Mapping[str, str], keys: ArrivalKeys, _settings: Settings, now: datetime
) -> Arrival:
    """The arrival of a signed link.

    Raises ``ArrivalRefused``: "bad-link", "unknown-key", "retired-key", "bad-signature" or
    "expired-link". The signature is checked before anything else is believed.
    """
    if unknown := sorted(query.keys() - ACCEPTED):
        raise link_error(f"The link has an unknown parameter: {unknown[0][:40]}.")
    secret = find_secret(query.get("kid", ""), keys)
    expected = sign_link(secret, keys.scope, query)
    if not hmac.compare_digest(expected.encode(), query.get("sig", "").encode()):
        raise signature_error()
    check_expiry(query.get("exp", ""), now)
    mode = query.get("mode", "")
    if mode not in ("", "preview", "next"):
        raise link_error("The link has an unknown mode.")
    if mode == "preview":
        return Arrival("", "", preview=True)
    worker = check_id(query.get("wid", ""), "worker ID (wid)")
    if mode == "next":
        return Arrival(worker, "", takes_next=True, is_signed=True)
    return Arrival(worker, check_id(query.get("uid", ""), "unit ID (uid)"), is_signed=True)


def find_secret(kid: str, keys: ArrivalKeys) -> str:
    if kid in keys.retired:
        message = "The key of this link is no longer in use."
        raise ArrivalRefused("retired-key", message, "Ask the organizer for a new link.")
    if not kid or kid not in keys.links:
        message = "The link names no key of this study."
        raise ArrivalRefused("unknown-key", message, "Ask the organizer for a new link.")
    return keys.links[kid]


def check_expiry(text: str, now: datetime) -> None:
    """Raise unless ``text`` is a time, in Unix seconds, that has not passed; clocks may differ."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise link_error("The link has no valid expiry (exp).")
    if now.timestamp() > int(text) + SKEW_SECONDS:
        raise expiry_error()
