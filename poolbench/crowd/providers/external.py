"""The protocol of external questions: unsigned IDs, a frame, a form posted at the end.

Amazon Mechanical Turk introduced it and closed on 30 September 2026; other marketplaces have
copied its shape.
"""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

from poolbench.cards import Card
from poolbench.crowd.providers.base import (
    Arrival,
    ArrivalKeys,
    ArrivalRefused,
    Provider,
    ProviderSetting,
    ReturnForm,
    Settings,
    check_plain_id,
    check_return_template,
    read_setting,
)

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
CARD = Card(
    name="external",
    title="External question",
    formula="assignmentId, hitId, workerId, turkSubmitTo; at the end: POST assignmentId, receipt",
    reading="A page in the marketplace's frame, for marketplaces that pass IDs in the address.",
    source="ExternalQuestion of Amazon Mechanical Turk, closed on 30 September 2026.",
    range="a link opens the study, or is refused with a code",
    edge_cases=(
        "Nothing is signed: anybody can invent a worker; pay what the marketplace itself lists.",
        "The receipt in the marketplace's results proves the work.",
        "An assignment belongs to the first worker seen with it; another worker is refused.",
        f"assignmentId={PREVIEW} is a preview; it claims nothing, whatever workerId says.",
        "The form is never posted to turkSubmitTo, but to the platform that the settings name.",
    ),
)


def parse_platforms(text: str) -> dict[str, str]:
    """Addresses by name, from lines "name address"."""
    pairs = (line.split(None, 1) for line in text.splitlines() if line.strip())
    return {pair[0]: pair[1].strip() if len(pair) == 2 else "" for pair in pairs}


def check_platforms(text: str) -> str:
    """What is wrong with the list of platforms, or ""."""
    for name, url in parse_platforms(text).items():
        fault = "Use no placeholders." if "{" in url else check_return_template(url)
        if fault:
            return f"{name[:40]}: {fault}"
    return ""


PLATFORMS = ProviderSetting(
    "platforms", "Platforms",
    "The only addresses to which results are posted, one per line: a name, a space, an address.",
    kind="long", required=True, check=check_platforms,
)  # fmt: skip
PLATFORM = ProviderSetting(
    "platform", "Platform in use", "A name of the list above.", required=True
)
SETTINGS = (PLATFORMS, PLATFORM)


def find_platform(settings: Settings) -> str:
    """The address of the platform in use; empty if the list has no such name."""
    platforms = parse_platforms(read_setting(settings, PLATFORMS))
    url = platforms.get(read_setting(settings, PLATFORM), "")
    return "" if check_return_template(url) or "{" in url else url


def read_external_arrival(
    query: Mapping[str, str], _keys: ArrivalKeys, settings: Settings, _now: datetime
) -> Arrival:
    """The arrival of an unsigned link. Raises ``ArrivalRefused``: "bad-link", "wrong-platform"."""
    target, platform = query.get("turkSubmitTo", ""), find_platform(settings)
    if target and get_origin(target) != get_origin(platform):
        message = "The link names another platform than this study works with."
        raise ArrivalRefused("wrong-platform", message, "Open the task on its platform.")
    assignment = check_plain_id(query.get("assignmentId", ""), "assignment ID")
    if assignment == PREVIEW:
        return Arrival("", "", preview=True)
    worker = check_plain_id(query.get("workerId", ""), "worker ID")
    return Arrival(worker, assignment, fields={"hit": query.get("hitId", "")[:200]})


def get_origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.lower()}"


def make_external_return(
    settings: Settings, _outcome: str, fields: Mapping[str, str]
) -> ReturnForm | None:
    """A form to the platform of the settings; nothing of its address comes from the request."""
    url = find_platform(settings)
    sent = {"assignmentId": fields["unit"], "receipt": fields["receipt"]}
    return ReturnForm("post", url, sent) if url else None


def list_external_frames(settings: Settings) -> tuple[str, ...]:
    url = find_platform(settings)
    return (get_origin(url),) if url else ()


def check_external_settings(settings: Settings) -> dict[str, str]:
    names = parse_platforms(read_setting(settings, PLATFORMS))
    if read_setting(settings, PLATFORM) in names:
        return {}
    return {PLATFORM.name: "Use a name of the list of platforms."}


PROVIDER = Provider(
    "external", "External question", CARD, SETTINGS, read_external_arrival, make_external_return,
    list_frame_hosts=list_external_frames, check_settings=check_external_settings,
)  # fmt: skip
