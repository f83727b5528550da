"""JSON Web Key Sets and the tokens signed under them (RFC 7515, 7517, 7519): RS256 alone."""

import json
import math
from collections.abc import Mapping
from typing import Any

from poolbench.crowd.providers.base import (
    SKEW_SECONDS,
    ArrivalRefused,
    expiry_error,
    signature_error,
)

ALGORITHM = "RS256"
MIN_BITS = 2048
MAX_TOKEN, MAX_KEY_SET = 6_000, 100_000
"""Characters of a token and of a key set."""


def parse_key_set(text: str) -> dict[str, Any]:
    """A JSON Web Key Set. ``ValueError`` with what is wrong with it."""
    if len(text) > MAX_KEY_SET:
        raise ValueError("The key set is too long.")
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ValueError("The key set is not JSON.") from error
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, dict) for key in keys):
        raise ValueError('A key set is an object with a list of objects as "keys".')
    if not any(is_signing_key(key) for key in keys):
        raise ValueError("The key set has no RSA key with a key ID (kid).")
    if any("d" in key for key in keys):
        raise ValueError("The key set has a private key. Use the public one.")
    return {"keys": keys}


def is_signing_key(key: Mapping[str, Any]) -> bool:
    """Whether it is a public RSA key with a key ID, for signatures by RS256."""
    return (
        key.get("kty") == "RSA"
        and isinstance(key.get("kid"), str)
        and key.get("use", "sig") == "sig"
        and key.get("alg", ALGORITHM) == ALGORITHM
    )


def check_key_set(text: str) -> str:
    """What is wrong with a key set, or ""."""
    try:
        parse_key_set(text)
    except ValueError as error:
        return str(error)
    return ""


def read_token_claims(
    token: str, key_set: Mapping[str, Any], *, audience: str, now: float
) -> dict[str, Any]:
    """The claims of a token, after its signature, audience and expiry are checked.

    ``now`` is in Unix seconds; clocks may differ by ``SKEW_SECONDS``. Raises ``ArrivalRefused``:
    "bad-signature", "unknown-key", "wrong-audience" or "expired-link".
    """
    import jwt

    if len(token) > MAX_TOKEN or not audience:
        raise signature_error()
    try:
        key = find_token_key(jwt.get_unverified_header(token), key_set)
        claims = jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            audience=audience,
            # The moments are checked below, against the caller's clock.
            options={
                "require": ["exp", "aud"],
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
    except jwt.InvalidAudienceError as error:
        message = "The link was made for another site."
        raise ArrivalRefused("wrong-audience", message, "Tell the organizer.") from error
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise signature_error() from error
    expiry, start = claims["exp"], claims.get("nbf", 0)
    if not (is_moment(expiry) and is_moment(start)) or now < start - SKEW_SECONDS:
        raise signature_error()
    if now > expiry + SKEW_SECONDS:
        raise expiry_error()
    return dict(claims)


def find_token_key(header: Mapping[str, Any], key_set: Mapping[str, Any]) -> Any:
    """The public key that the header of a token names; it must be one of RSA, for RS256."""
    from jwt import PyJWK

    if header.get("alg") != ALGORITHM:
        raise signature_error()
    keys = [key for key in key_set.get("keys", []) if is_signing_key(key)]
    data = next((key for key in keys if key["kid"] == header.get("kid")), None)
    if data is None:
        message = "The link is signed with a key that is not known."
        raise ArrivalRefused("unknown-key", message, "Try again later, or tell the organizer.")
    key = PyJWK(data, algorithm=ALGORITHM).key
    if getattr(key, "key_size", 0) < MIN_BITS:
        raise signature_error()
    return key


def is_moment(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)  # type: ignore[arg-type]
