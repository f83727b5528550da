"""From the entries of a file to judgments: labels to grades, names to accounts, one per pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from campaigns.core.faults import FaultReport
from judging.core.exchange.duplicates import DuplicateCount, ImportedBallot, merge_duplicates
from judging.core.exchange.grades import LEAVE_OUT, GradeProposal, Scale, propose_grades
from judging.core.exchange.label_studio import AUTOMATIC, CANCELLED
from judging.core.exchange.records import JudgmentEntry

GRADE, SKIP, WITHDRAWN = "grade", "skip", "withdrawn"
UNGRADED_KINDS = (SKIP, WITHDRAWN)
HUMAN = ("", "judge")
"""Purposes of human judgments; files of other tools have none."""
_NO_TOPIC, _OFF_SCALE, _NO_DOCNO = "EJ01", "EJ02", "EJ12"
_NO_GRADE, _UNKNOWN, _NO_ASSESSOR, _BAD_VALUE = "EJ08", "EJ10", "EJ11", "EJ14"
_UNLABELLED, _IN_TEXT, _SKIPPED, _OF_MODELS, _OTHERS = "WJ03", "WJ04", "WJ06", "WJ09", "WJ12"


@dataclass(frozen=True)
class CampaignLookup:
    """Names known to the campaign. ``people`` maps names in the file to usernames.

    ``missing`` are docnos of the file that are not in the collection.
    """

    scale: Scale
    topics: Collection[str]
    people: Mapping[str, str] = field(default_factory=dict)
    missing: Collection[str] = ()
    reasons: Collection[str] = ()
    flags: Collection[str] = ()


@dataclass(frozen=True)
class ImportChoices:
    """The user's choices: the assessor (default: as in the file), labels, duplicate pairs.

    ``labels`` maps a label to a grade or ``-``; ``duplicates`` is a name of ``duplicates.RULES``.
    """

    assessor: str = ""
    automatic: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    duplicates: str = "refuse"


@dataclass(frozen=True)
class ResolvedImport:
    """What would be imported, one ballot per assessor and pair; and how it was resolved."""

    ballots: list[ImportedBallot]
    labels: list[GradeProposal]
    people: list[tuple[str, int, str]]
    duplicates: list[DuplicateCount]
    unlabeled: int


def resolve_import(
    entries: Iterable[JudgmentEntry],
    lookup: CampaignLookup,
    choices: ImportChoices,
    report: FaultReport,
) -> ResolvedImport:
    """One ballot per assessor and pair of ``entries``; faults go to ``report``.

    With errors in the report, the ballots are those of the valid entries.
    """
    selected = list(select_entries(entries, choices, report))
    proposals = propose_grades(
        (label for e in selected for label in e.labels), lookup.scale, choices.labels
    )
    report_labels(selected, proposals, lookup.scale, report)
    grades = {proposal.label: proposal.grade for proposal in proposals}
    scale = {grade for grade, _ in lookup.scale}
    cast: list[ImportedBallot] = []
    unlabeled = 0
    for entry in selected:
        opinions = [grades[label] for label in entry.labels if grades[label] != LEAVE_OUT]
        if entry.kind in UNGRADED_KINDS:
            opinions = [None]
            if entry.reason == CANCELLED:
                report_cancelled(entry, report)
        elif not opinions:
            unlabeled += 1
            report_unlabeled(entry, report)
            continue
        who = resolve_assessor(entry, lookup, choices, report)
        if check_entry(entry, lookup, report) and who:
            cast += [
                build_ballot(entry, who, grade)
                for grade in opinions
                if grade in scale or entry.kind in UNGRADED_KINDS
            ]
    ballots, duplicates = merge_duplicates(cast, choices.duplicates, report)
    return ResolvedImport(
        ballots, proposals, list_file_names(selected, lookup, choices), duplicates, unlabeled
    )


def select_entries(
    entries: Iterable[JudgmentEntry], choices: ImportChoices, report: FaultReport
) -> Iterable[JudgmentEntry]:
    """The entries to import: of human assessors or of a model; the others are reported."""
    listed = list(entries)
    of_models = any(entry.purpose == AUTOMATIC for entry in listed)
    left = Counter[str]()
    for entry in listed:
        is_model = entry.purpose == AUTOMATIC
        if choices.automatic and of_models and not is_model:
            left["people"] += 1
        elif not choices.automatic and is_model:
            left["models"] += 1
        elif not is_model and entry.purpose not in HUMAN:
            left["others"] += 1
        else:
            yield entry
    if left["models"]:
        message = f"Automatic judgments ignored: {left['models']:,}."
        report.add(_OF_MODELS, message, "Import them for an automatic assessor.")
    if left["people"]:
        message = f"Human judgments ignored: {left['people']:,}."
        report.add(_OF_MODELS, message, "Import them for their assessors.")
    if left["others"]:
        message = f"Repeats, adjudications and training judgments ignored: {left['others']:,}."
        report.add(_OTHERS, message, "No action needed; only first judgments are imported.")


def report_labels(
    selected: Iterable[JudgmentEntry],
    proposals: Iterable[GradeProposal],
    scale: Scale,
    report: FaultReport,
) -> None:
    """Report labels without a grade or off the scale, and grades inferred from a text."""
    by_label = {proposal.label: proposal for proposal in proposals}
    scale_grades = {grade for grade, _ in scale}
    grades = ", ".join(str(grade) for grade, _ in scale)
    for entry in selected:
        for label in entry.labels if entry.kind not in UNGRADED_KINDS else ():
            proposal, place = by_label[label], {"line": entry.line, "column": entry.columns[2]}
            if proposal.grade is None:
                message = f"Label without a grade: “{label}”."
                fix = f"Map it to a grade ({grades}), or to {LEAVE_OUT} to ignore it."
                report.add(_NO_GRADE, message, fix, **place, excerpt=entry.excerpt)
            elif proposal.grade != LEAVE_OUT and proposal.grade not in scale_grades:
                fix = f"Use a grade of the scale: {grades}."
                message = f"Grade {proposal.grade} is not on the grade scale."
                report.add(_OFF_SCALE, message, fix, **place, excerpt=entry.excerpt)
            elif proposal.why == "text":
                message = f"Grade inferred from the label: “{label}” is read as {proposal.grade}"
                doubt = f", but {proposal.doubt}" if proposal.doubt else ""
                fix = "Confirm or change the mapping of labels to grades."
                report.add(_IN_TEXT, f"{message}{doubt}.", fix, **place, excerpt=entry.excerpt)


def resolve_assessor(
    entry: JudgmentEntry, lookup: CampaignLookup, choices: ImportChoices, report: FaultReport
) -> str:
    """The assessor's username; empty, with an error, if unknown."""
    if choices.assessor:
        return choices.assessor
    if not entry.assessor:
        fix = "Add a column assessor, or choose one assessor for the file."
        message = "This judgment has no assessor."
        report.add(_NO_ASSESSOR, message, fix, line=entry.line, excerpt=entry.excerpt)
    elif not lookup.people.get(entry.assessor):
        fix = "Map the name to an assessor of the campaign, or add the user as an assessor."
        message = f"Unknown assessor: “{entry.assessor}”."
        report.add(_UNKNOWN, message, fix, line=entry.line, excerpt=entry.excerpt)
    return lookup.people.get(entry.assessor, "")


def check_entry(entry: JudgmentEntry, lookup: CampaignLookup, report: FaultReport) -> bool:
    """Whether topic, docno, flags and reason are valid in the campaign; if not, with errors."""
    before = report.counts.total()
    topic, docno, _ = entry.columns
    place: dict[str, Any] = {"line": entry.line, "excerpt": entry.excerpt}
    if entry.topic not in lookup.topics:
        fix = "Import the topic first, or remove these rows."
        report.add(_NO_TOPIC, f"Unknown topic: {entry.topic}.", fix, column=topic, **place)
    if entry.docno in lookup.missing:
        fix = "Use the docnos of the collection, or remove these rows."
        report.add(_NO_DOCNO, f"Unknown docno: {entry.docno}.", fix, column=docno, **place)
    wrong = [flag for flag in entry.flags if flag not in lookup.flags]
    if entry.kind == SKIP and entry.reason not in {*lookup.reasons, "", CANCELLED}:
        wrong.append(entry.reason)
    if entry.kind not in ("", GRADE, SKIP, WITHDRAWN):
        wrong.append(entry.kind)
    if wrong:
        message = f"Unknown kind, flag or skip reason: {', '.join(wrong)}."
        allowed = ", ".join([*lookup.flags, *lookup.reasons])
        report.add(_BAD_VALUE, message, f"Use one of: {allowed}.", **place)
    return report.counts.total() == before


def report_cancelled(entry: JudgmentEntry, report: FaultReport) -> None:
    message = "The annotation was canceled; it counts as skipped."
    fix = "No action needed if this is intended."
    report.add(_SKIPPED, message, fix, line=entry.line, excerpt=entry.excerpt)


def report_unlabeled(entry: JudgmentEntry, report: FaultReport) -> None:
    message = "The record has no label; it is ignored."
    fix = "No action needed if it is unjudged; otherwise add the label and import again."
    report.add(_UNLABELLED, message, fix, line=entry.line, excerpt=entry.excerpt)


def build_ballot(entry: JudgmentEntry, who: str, value: object) -> ImportedBallot:
    """``entry`` as a judgment by ``who``."""
    kind = entry.kind or GRADE
    named = replace(entry, reason="other") if entry.reason == CANCELLED else entry
    return ImportedBallot(who, named, kind, value if isinstance(value, int) else None)


def list_file_names(
    selected: Iterable[JudgmentEntry], lookup: CampaignLookup, choices: ImportChoices
) -> list[tuple[str, int, str]]:
    """``(name in the file, number of records, username)``, in order of appearance."""
    counts = Counter(entry.assessor for entry in selected)
    return [
        (name, count, choices.assessor or lookup.people.get(name, ""))
        for name, count in counts.items()
    ]
