"""What all crowd providers share: how a worker arrives, how they return, what has to be set."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from poolbench.cards import Card

Settings = Mapping[str, Any]
MAX_QUERY, MAX_ID = 8_192, 200
"""Characters of a query, and of an ID in it."""
SKEW_SECONDS = 120
"""How far the clock of a provider may differ from ours."""
_ID = re.compile(rf"[!-~]{{1,{MAX_ID}}}")


class ArrivalRefused(Exception):  # noqa: N818 (a refusal is not an error)
    """A link does not open the study. ``code`` is stable, ``fix`` is for the worker."""

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        self.code, self.message, self.fix = code, message, fix
        super().__init__(f"{message} {fix}".strip())


@dataclass(frozen=True)
class Arrival:
    """Who opened a link, and for which unit of work: IDs of the provider, in its own spelling.

    A ``preview`` has neither, and claims nothing. One that ``takes_next`` has no unit: the worker
    goes on with the open one, or gets the next. ``is_signed``: the IDs cannot be forged.
    ``fields`` are further values of the link that the way back needs.
    """

    worker: str
    unit: str
    preview: bool = False
    takes_next: bool = False
    is_signed: bool = field(default=False, compare=False)
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ArrivalKeys:
    """The secrets of a study with which its links are checked.

    ``scope`` is the path of its link, which signatures cover. ``links`` are secrets by key ID,
    without ``retired`` ones. ``key_set`` is a JSON Web Key Set as stored; empty if there is none.
    """

    scope: str
    links: Mapping[str, str] = field(default_factory=dict)
    retired: frozenset[str] = frozenset()
    key_set: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReturnForm:
    """How the worker's browser returns to the provider: an address and hidden fields.

    ``method`` is "get" (a link) or "post" (a form, to be submitted by the worker).
    """

    method: str
    url: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Scheme and host, for the Content-Security-Policy of the page with the form."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"


@dataclass(frozen=True)
class ProviderSetting:
    """One setting of a provider. ``check`` returns what is wrong with a value, or "".

    ``kind`` is text, long, switch or secret.
    """

    name: str
    label: str
    help: str
    kind: str = "text"
    required: bool = False
    check: Callable[[str], str] | None = None
    default: str = ""


ReadArrival = Callable[[Mapping[str, str], ArrivalKeys, Settings, datetime], Arrival]
MakeReturn = Callable[[Settings, str, Mapping[str, str]], ReturnForm | None]


@dataclass(frozen=True)
class Provider:
    """A source of crowd workers.

    ``read_arrival`` raises ``ArrivalRefused`` unless the query is one of the provider's.
    ``make_return`` gets how the unit ended and the fields ``worker``, ``unit`` and
    ``receipt``; None if there is nowhere to return to. ``find_code`` gives the provider's code of
    an outcome, with which the worker returns; empty if there is none. ``list_frame_hosts`` are the
    origins that may show our pages in a frame. ``check_settings`` returns faults by name of a
    setting, beyond those of each setting alone.
    """

    name: str
    title: str
    card: Card
    settings: tuple[ProviderSetting, ...]
    read_arrival: ReadArrival
    make_return: MakeReturn
    list_frame_hosts: Callable[[Settings], tuple[str, ...]] = lambda _settings: ()
    check_settings: Callable[[Settings], dict[str, str]] = lambda _settings: {}
    find_code: Callable[[Settings, str], str] = lambda _settings, _outcome: ""


def parse_link_query(text: str) -> dict[str, str]:
    """The parameters of a link by name; each may occur once.

    Raises ``ArrivalRefused`` ("bad-link") for a duplicate parameter, or text that is too long or
    not UTF-8.
    """
    if len(text) > MAX_QUERY:
        raise link_error("The link is too long.")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError as error:
        raise link_error("The link cannot be read.") from error
    query = dict(pairs)
    if len(query) != len(pairs):
        raise link_error("The link contains a parameter twice.")
    return query


def check_id(text: str, name: str) -> str:
    """``text`` if it can be an ID of a provider: printable ASCII without spaces."""
    if not _ID.fullmatch(text):
        raise link_error(f"The link has no valid {name}.")
    return text


def check_plain_id(text: str, name: str) -> str:
    """An unsigned ID, so that it may not hold what separates the cells of a list, nor begin like
    a formula.
    """
    if "," in text or '"' in text or text[:1] in ("=", "+", "-", "@"):
        raise link_error(f"The link has no valid {name}.")
    return check_id(text, name)


def link_error(message: str) -> ArrivalRefused:
    return ArrivalRefused("bad-link", message, "Open the link again from the page it came from.")


def signature_error() -> ArrivalRefused:
    message = "The link was changed, or was not made for this study."
    return ArrivalRefused("bad-signature", message, "Open it from the page it came from.")


def expiry_error() -> ArrivalRefused:
    message = "The link has expired."
    return ArrivalRefused("expired-link", message, "Open the study again for a new link.")


def read_setting(settings: Settings, setting: ProviderSetting) -> str:
    """The value of ``setting``, or its default."""
    return str(settings.get(setting.name) or setting.default).strip()


def is_switched_on(settings: Settings, name: str) -> bool:
    return settings.get(name) in (True, "on", "yes", "true", "1")


def find_setting_faults(provider: Provider, settings: Settings) -> dict[str, str]:
    """By name of the setting, what is wrong with its value; empty if nothing is."""
    faults: dict[str, str] = {}
    for setting in provider.settings:
        value = read_setting(settings, setting)
        if not value and setting.required:
            faults[setting.name] = f"{setting.label} is required."
        elif value and setting.check and (message := setting.check(value)):
            faults[setting.name] = message
    return provider.check_settings(settings) | faults


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
