"""Addresses to which workers return: templates that only organizers write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

PLACEHOLDERS = ("code", "uid")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?")


def check_return_template(template: str) -> str:
    """What is wrong with a return address, or "".

    It is an https address (http for this machine only) with ``{code}`` and ``{uid}`` as the only
    placeholders, which may not be part of the host.
    """
    parts = urlsplit(template)
    names = _PLACEHOLDER.findall(template)
    local = parts.hostname in ("localhost", "127.0.0.1")
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        return "Use an address that begins with https://."
    if not _HOST.fullmatch(parts.netloc.lower()):
        return "Use a plain host name: no user name, no placeholder."
    if any(name not in PLACEHOLDERS for name in names) or "{" in _PLACEHOLDER.sub("", template):
        return "Use no placeholders but {code} and {uid}."
    if not template.isascii() or any(sign <= " " or sign in "\\\"'<>`" for sign in template):
        return "Use no spaces, quotation marks or backslashes."
    return ""


def fill_return_template(template: str, values: Mapping[str, str]) -> str:
    """The address with its placeholders filled in; values cannot leave their place.

    Raises ``ValueError`` for a template that ``check_return_template`` faults.
    """
    if fault := check_return_template(template):
        raise ValueError(fault)
    return _PLACEHOLDER.sub(lambda match: quote(values.get(match[1], ""), safe=""), template)
