"""A verdict: what a page says first, made by rules of a core from the figures that it was given.

A rule is a function from one frozen report to one ``Verdict``. Page, report, API and
command show the same sentence, so none of them writes one of its own. *Cannot be determined* is a
full answer, with the act that would change it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from poolbench.reports.report import Report, Section, Table, make_columns

MOST_WORDS = 30
"""A sentence that is longer is not read."""


class VerdictState(StrEnum):
    """The first four are answers of a rule; ``COMPUTING`` says that there is none yet."""

    GOOD = "good"
    AMBER = "amber"
    BAD = "bad"
    UNKNOWN = "unknown"
    COMPUTING = "computing"


ANSWERS = (VerdictState.GOOD, VerdictState.AMBER, VerdictState.BAD, VerdictState.UNKNOWN)


@dataclass(frozen=True)
class Threshold:
    """A limit that decides between states; ``source`` is a publication or a decision page."""

    name: str
    value: float
    meaning: str
    source: str


@dataclass(frozen=True)
class KeyFigure:
    """``value`` is None if undefined; ``note`` is the label in words, or the reason.

    ``low`` and ``high`` bound its 95 % interval; ``good`` bounds the region that counts as good
    and ``scale`` the gauge. ``word`` is the word of the glossary that the label uses, if any.
    """

    label: str
    value: float | None
    text: str
    note: str = ""
    low: float | None = None
    high: float | None = None
    good: tuple[float, float] | None = None
    scale: tuple[float, float] = (0.0, 1.0)
    word: str = ""


@dataclass(frozen=True)
class Act:
    """What to do, and where: ``page`` is a URL name below the campaign, ``query`` sets its filter.

    ``documents`` and ``minutes`` are what it costs, None where unknown.
    """

    label: str
    page: str
    args: tuple[Any, ...] = ()
    query: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    documents: int | None = None
    minutes: float | None = None


@dataclass(frozen=True)
class Verdict:
    """``sentence`` answers the question of the page in at most ``MOST_WORDS`` words, with the
    number that decides; ``reason`` gives the threshold and its source.
    """

    name: str
    state: VerdictState
    sentence: str
    reason: str = ""
    figures: tuple[KeyFigure, ...] = ()
    acts: tuple[Act, ...] = ()
    thresholds: tuple[Threshold, ...] = ()


def finish_verdict(verdict: Verdict, thresholds: tuple[Threshold, ...]) -> Verdict:
    """The answer of a rule, with the ``thresholds`` of the rule where it names none of its own. A
    sentence that is too long to be read ends at its colon; the rest, a reason from elsewhere, goes
    to the reason.
    """
    verdict = replace(verdict, thresholds=verdict.thresholds or thresholds)
    if len(verdict.sentence.split()) <= MOST_WORDS:
        return verdict
    head, _, rest = verdict.sentence.partition(": ")
    return replace(
        verdict,
        sentence=f"{head}.",
        reason=f"{rest[:1].upper()}{rest[1:]} {verdict.reason}".strip(),
    )


def verdict_to_data(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain JSON, for the API and for files."""
    return {
        "name": verdict.name,
        "state": verdict.state.value,
        "sentence": verdict.sentence,
        "reason": verdict.reason,
        "figures": [
            {"label": f.label, "value": f.value, "low": f.low, "high": f.high, "note": f.note}
            for f in verdict.figures
        ],
        "acts": [
            {"label": a.label, "documents": a.documents, "minutes": a.minutes} for a in verdict.acts
        ],
        "thresholds": [
            {"name": t.name, "value": t.value, "meaning": t.meaning, "source": t.source}
            for t in verdict.thresholds
        ],
    }


def build_verdict_section(verdict: Verdict) -> Section:
    """The verdict as the first section of a report."""
    figures = Table(
        "figures",
        make_columns("figure", "value", "note", left=True),
        [(f.label, f.text, f.note) for f in verdict.figures],
    )
    acts = tuple(f"To do: {act.label}" for act in verdict.acts)
    notes = tuple(filter(None, (verdict.sentence, verdict.reason, *acts)))
    return Section(
        "Verdict", (figures,) if verdict.figures else (), notes, name="verdict", titled=True
    )


def add_verdict(report: Report, verdict: Verdict) -> Report:
    """The report with its verdict as the first section, and as ``verdict`` of its JSON."""
    data = report.data
    merged = None if data is None else partial(_merge_verdict, data, verdict)
    return replace(report, sections=[build_verdict_section(verdict), *report.sections], data=merged)


def _merge_verdict(data: Callable[[], Any], verdict: Verdict) -> Any:
    values = data()
    return {"verdict": verdict_to_data(verdict), **values} if isinstance(values, dict) else values
