"""The text to which workers consent: a default, and its placeholders."""

import re
from collections.abc import Mapping

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
AMOUNT = re.compile(r"(?<![\w.,])(\d+\.\d{2} [A-Z]{3})(?!\w)")
MINUTES = re.compile(r"(?<![\w.,])(\d+)\s+minutes\b")
DATE = re.compile(
    r"(?<!\w)(\d{1,2} (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December) \d{4})(?!\w)"
)
PLACEHOLDERS = {
    "title": "title of the study",
    "documents": "documents of a unit, gold and repeats included",
    "minutes": "expected minutes of a unit, at the median",
    "unit_minutes": "minutes until a unit closes",
    "units_per_worker": "most units of one worker",
    "pay": "pay for a unit, with currency",
    "screen_out_pay": "pay for practice at most, with currency",
    "hourly": "hourly minimum, with currency",
    "retention": "date until which the way back to the provider's IDs is kept",
    "contact": "contact of the study",
}
DEFAULT_CONSENT = """\
**What you do.** You read short texts and say how well each one answers a question. A piece of work
is {documents} texts. You need about {minutes} minutes for it, and it closes after {unit_minutes}
minutes. You can do up to {units_per_worker} pieces.

**What we pay.** {pay} for each piece. We promise at least {hourly} for an hour of work at the
usual speed. Practice is paid by its time, up to {screen_out_pay}, also if it shows that this task
is not for you. If you stop early, we pay for the part you have done.

**Checks.** For some texts we know the answer already. They show us whether the task is clear. If
too many of your answers are wrong, the work ends, and we pay for what you have done.

**You can stop.** Taking part is your choice. You can stop at any time and need give no reason:
close the page.

**What we keep.** Your answers, when you gave them and how long they took, under a made-up name. The
ID that your platform gives us is encrypted; we need it to pay you. We do not ask for your name,
address or age, and we set no cookies.

**What we publish.** The answers, under made-up names, so that others can check our research. No
IDs.

**What we delete.** After {retention}, or later if this project then still collects answers, we
destroy the key to the encrypted IDs. After that, it is not possible to find out which answers were
yours. Until then, write to us and we leave your answers out; you are still paid for what you did.

**Questions or complaints.** {contact}
"""


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """``text`` with ``{name}`` replaced by ``values[name]``; unknown names stay as they are."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def list_unknown_placeholders(text: str) -> list[str]:
    """The names in braces that are no placeholders, each once, in the order of the text."""
    names = dict.fromkeys(PLACEHOLDER.findall(text))
    return [name for name in names if name not in PLACEHOLDERS]


def list_old_values(text: str, values: Mapping[str, str]) -> list[str]:
    """The amounts, minutes and dates of a filled ``text`` that are none of ``values`` any more.

    They are compared as a whole: 11.50 EUR is not 1.50 EUR. ``values`` are those of the
    placeholders. A text that names none of them has no old ones.
    """
    current = (
        (AMOUNT, "", ("pay", "screen_out_pay", "hourly")),
        (MINUTES, " minutes", ("minutes", "unit_minutes")),
        (DATE, "", ("retention",)),
    )
    return [
        part + unit
        for pattern, unit, names in current
        for part in dict.fromkeys(pattern.findall(text))
        if part not in {values[name] for name in names}
    ]


def has_amount(text: str, amount: str) -> bool:
    """Whether ``text`` names ``amount``, such as 1.50 EUR, as a whole."""
    return amount in AMOUNT.findall(text)
