"""Signed links, for pools of one's own and for providers that can sign."""

from collections.abc import Mapping

from poolbench.cards import Card
from poolbench.crowd.providers.base import (
    Provider,
    ProviderSetting,
    ReturnForm,
    Settings,
    check_return_template,
    fill_return_template,
    read_setting,
)
from poolbench.crowd.providers.signed_links import read_signed_arrival

CARD = Card(
    name="generic",
    title="Signed links",
    formula="sig = hex(HMAC-SHA256(key kid, path + '?' + sorted, encoded parameters without sig))",
    reading="A worker is who the signature of the link says; every parameter is covered by it.",
    source="Poolbench; HMAC: RFC 2104.",
    range="a link opens the study, or is refused with a code",
    edge_cases=(
        "A link is accepted until two minutes after exp, because clocks differ.",
        "A link with mode=preview needs neither wid nor uid and claims nothing.",
        "A link with mode=next needs no uid: it opens the worker's unit, and later the next.",
        "A parameter that occurs twice, or that is unknown, is refused even if it is signed.",
    ),
)
_CODE_HELP = "Takes the place of {code} in the return address."
RETURN_URL = ProviderSetting(
    name="return_url",
    label="Return address",
    help="Where workers go at the end: an https address that may contain {code} and {uid}."
    " If it is empty, they stay on the last page, which shows their receipt.",
    check=check_return_template,
)
SETTINGS = (
    RETURN_URL,
    ProviderSetting("code_completed", "Code: completed", _CODE_HELP, default="completed"),
    ProviderSetting("code_screened", "Code: screened out", _CODE_HELP, default="screened"),
    ProviderSetting("code_failed", "Code: failed", _CODE_HELP, default="failed"),
)
_CODES = {setting.name: setting for setting in SETTINGS[1:]}


def make_generic_return(
    settings: Settings, outcome: str, fields: Mapping[str, str]
) -> ReturnForm | None:
    """A link to the return address of the settings; nothing in it comes from the request."""
    template = read_setting(settings, RETURN_URL)
    if not template:
        return None
    code = find_generic_code(settings, outcome)
    return ReturnForm("get", fill_return_template(template, {"code": code, "uid": fields["unit"]}))


def find_generic_code(settings: Settings, outcome: str) -> str:
    """The code of the settings, or its default."""
    return read_setting(settings, _CODES[f"code_{outcome}"])


PROVIDER = Provider(
    "generic", "Signed links", CARD, SETTINGS, read_signed_arrival, make_generic_return,
    find_code=find_generic_code,
)  # fmt: skip
