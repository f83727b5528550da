"""From the entries of a file to judgments: labels to grades, names to accounts, one per pair."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from poolbench.files.faults import FaultReport
from poolbench.judging.exchange.duplicates import (
    DuplicateCount,
    ImportedBallot,
    ImportedBallots,
    merge_duplicates,
)
from poolbench.judging.exchange.entry_table import EntryTable
from poolbench.judging.exchange.fields import JudgmentEntry
from poolbench.judging.exchange.grades import LEAVE_OUT, GradeProposal, Scale, propose_grades
from poolbench.judging.exchange.label_studio import AUTOMATIC, CANCELLED

Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
GRADE, SKIP, WITHDRAWN = "grade", "skip", "withdrawn"
UNGRADED_KINDS = (SKIP, WITHDRAWN)
HUMAN = ("", "judge")
"""Purposes of human judgments; files of other tools have none."""
_NO_TOPIC, _OFF_SCALE, _NO_DOCNO = "EJ01", "EJ02", "EJ12"
_NO_GRADE, _UNKNOWN, _NO_ASSESSOR, _BAD_VALUE = "EJ08", "EJ10", "EJ11", "EJ14"
_CANCELED = (
    "The annotation was canceled; it counts as skipped.",
    "No action needed if this is intended.",
)
_NO_LABEL = (
    "The record has no label; it is ignored.",
    "No action needed if it is unjudged; otherwise add the label and import again.",
)
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

    ballots: ImportedBallots
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
    table = entries if isinstance(entries, EntryTable) else EntryTable(entries)
    rows = select_entries(table, choices, report)
    proposals = propose_grades(count_labels(table, rows), lookup.scale, choices.labels)
    noted = mark_values(table, "labels", partial(has_note, {p.label: p for p in proposals}, lookup))
    report_labels(table.read(rows[noted[rows]].tolist()), proposals, lookup.scale, report)
    cast, unlabeled = cast_ballots(table, rows, proposals, lookup, choices, report)
    ballots, duplicates = merge_duplicates(cast, choices.duplicates, report)
    names = list_file_names(table, rows, lookup, choices)
    return ResolvedImport(ballots, proposals, names, duplicates, unlabeled)


def mark_values(table: EntryTable, name: str, test: Callable[[Any], bool]) -> Mask:
    """The rows whose value of the field ``name`` passes ``test``."""
    passed = np.fromiter(map(test, table.values(name)), np.bool_)
    marked: Mask = passed[table.codes(name)]
    return marked


def count_labels(table: EntryTable, rows: Ints) -> Counter[str]:
    counts = Counter[str]()
    values = table.values("labels")
    for labels, count in zip(values, np.bincount(table.codes("labels")[rows]), strict=False):
        for label in labels if count else ():
            counts[label] += int(count)
    return counts


def has_note(
    by_label: Mapping[str, GradeProposal], lookup: CampaignLookup, labels: tuple[str, ...]
) -> bool:
    """Whether ``report_labels`` may have something to say on a record with these labels."""
    scale = {grade for grade, _ in lookup.scale}
    proposals = [by_label[label] for label in labels if label in by_label]
    return any(p.why == "text" or p.grade not in {*scale, LEAVE_OUT} for p in proposals)


def cast_ballots(
    table: EntryTable,
    rows: Ints,
    proposals: Iterable[GradeProposal],
    lookup: CampaignLookup,
    choices: ImportChoices,
    report: FaultReport,
) -> tuple[ImportedBallots, int]:
    """The ballots of the entries at ``rows``, and the number of those without a label.

    Most entries have one label, whose grade is on the scale, and nothing to report: their ballots
    are columns of the table. The others are looked at one by one.
    """
    grades = {proposal.label: proposal.grade for proposal in proposals}
    scale = {grade for grade, _ in lookup.scale}
    people = [choices.assessor or lookup.people.get(n, "") for n in table.values("assessor")]
    plain = mark_values(table, "rest", partial(is_plain_grade, lookup))
    plain &= mark_values(
        table, "labels", lambda labels: len(labels) == 1 and grades.get(labels[0]) in scale
    )
    plain &= np.array([bool(who) for who in people], np.bool_)[table.codes("assessor")]
    plain &= mark_values(table, "topic", lookup.topics.__contains__)
    plain &= ~mark_values(table, "docno", lookup.missing.__contains__)
    others: list[tuple[int, ImportedBallot]] = []
    unlabeled = 0
    odd_rows = rows[~plain[rows]].tolist()
    for row, entry in zip(odd_rows, table.read(odd_rows), strict=True):
        cast = resolve_entry(entry, grades, scale, lookup, choices, report)
        unlabeled += cast is None
        others += [(row, ballot) for ballot in cast or ()]
    return join_ballots(table, rows[plain[rows]], people, grades, others), unlabeled


def join_ballots(
    table: EntryTable,
    plain: Ints,
    people: Sequence[str],
    grades: Mapping[str, int | str | None],
    others: Sequence[tuple[int, ImportedBallot]],
) -> ImportedBallots:
    """The ballots of the rows ``plain``, and ``others`` with their rows, in the order of rows.

    ``people`` are usernames by the code of the assessor, ``grades`` by label.
    """
    names = list(dict.fromkeys([*people, *(ballot.assessor for _, ballot in others)]))
    code = {name: number for number, name in enumerate(names)}
    whose = np.array([code[name] for name in people], np.int64)[table.codes("assessor")[plain]]
    first = [grades.get(labels[0]) if labels else None for labels in table.values("labels")]
    value = np.array([grade if isinstance(grade, int) else 0 for grade in first], np.int64)
    rows = np.r_[plain, np.array([row for row, _ in others], np.int64)]
    order = np.argsort(rows, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    own = np.array([code[ballot.assessor] for _, ballot in others], np.int64)
    return ImportedBallots(
        table,
        names,
        rows[order],
        np.r_[whose, own][order],
        np.r_[value[table.codes("labels")[plain]], np.zeros(len(others), np.int64)][order],
        {int(place[len(plain) + at]): ballot for at, (_, ballot) in enumerate(others)},
    )


def is_plain_grade(lookup: CampaignLookup, rest: Sequence[Any]) -> bool:
    """Whether the fields of a record beside the label are a grade's, and have no fault."""
    entry = JudgmentEntry(0, "", "", (), "", *rest)
    return entry.kind in ("", GRADE) and entry.reason != CANCELLED and not list_wrong(entry, lookup)


def resolve_entry(
    entry: JudgmentEntry,
    grades: Mapping[str, int | str | None],
    scale: Collection[int],
    lookup: CampaignLookup,
    choices: ImportChoices,
    report: FaultReport,
) -> list[ImportedBallot] | None:
    """The ballots of one entry; None if it has no label."""
    opinions = [grades[label] for label in entry.labels if grades[label] != LEAVE_OUT]
    if entry.kind in UNGRADED_KINDS:
        opinions = [None]
        if entry.reason == CANCELLED:
            report.add(_SKIPPED, *_CANCELED, line=entry.line, excerpt=entry.excerpt)
    elif not opinions:
        report.add(_UNLABELLED, *_NO_LABEL, line=entry.line, excerpt=entry.excerpt)
        return None
    who = resolve_assessor(entry, lookup, choices, report)
    if not check_entry(entry, lookup, report) or not who:
        return []
    named = entry._replace(reason="other") if entry.reason == CANCELLED else entry
    return [
        ImportedBallot(who, named, entry.kind or GRADE, grade if isinstance(grade, int) else None)
        for grade in opinions
        if grade in scale or entry.kind in UNGRADED_KINDS
    ]


def select_entries(table: EntryTable, choices: ImportChoices, report: FaultReport) -> Ints:
    """The rows to import: of human assessors or of a model; the others are reported."""
    purposes = [JudgmentEntry(0, "", "", (), "", *rest).purpose for rest in table.values("rest")]
    of_models = AUTOMATIC in purposes
    groups = [group_purpose(purpose, choices, of_models) for purpose in purposes]
    counts = np.bincount(table.codes("rest"), minlength=len(groups)).tolist()
    left = Counter[str]()
    for group, count in zip(groups, counts, strict=True):
        left[group] += count
    if left["models"]:
        message = f"Automatic judgments ignored: {left['models']:,}."
        report.add(_OF_MODELS, message, "Import them for an automatic assessor.")
    if left["people"]:
        message = f"Human judgments ignored: {left['people']:,}."
        report.add(_OF_MODELS, message, "Import them for their assessors.")
    if left["others"]:
        message = f"Repeats, adjudications and training judgments ignored: {left['others']:,}."
        report.add(_OTHERS, message, "No action needed; only first judgments are imported.")
    selected = np.array([group == "" for group in groups], np.bool_)
    return np.flatnonzero(selected[table.codes("rest")])


def group_purpose(purpose: str, choices: ImportChoices, of_models: bool) -> str:
    """Which judgments these are if they are not imported, as ``models``."""
    is_model = purpose == AUTOMATIC
    if choices.automatic and of_models and not is_model:
        return "people"
    if not choices.automatic and is_model:
        return "models"
    return "others" if not is_model and purpose not in HUMAN else ""


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
    if wrong := list_wrong(entry, lookup):
        message = f"Unknown kind, flag or skip reason: {', '.join(wrong)}."
        allowed = ", ".join([*lookup.flags, *lookup.reasons])
        report.add(_BAD_VALUE, message, f"Use one of: {allowed}.", **place)
    return report.counts.total() == before


def list_wrong(entry: JudgmentEntry, lookup: CampaignLookup) -> list[str]:
    """The flags, the skip reason and the kind that are unknown."""
    wrong = [flag for flag in entry.flags if flag not in lookup.flags]
    if entry.kind == SKIP and entry.reason not in {*lookup.reasons, "", CANCELLED}:
        wrong.append(entry.reason)
    if entry.kind not in ("", GRADE, SKIP, WITHDRAWN):
        wrong.append(entry.kind)
    return wrong


def list_file_names(
    table: EntryTable, rows: Ints, lookup: CampaignLookup, choices: ImportChoices
) -> list[tuple[str, int, str]]:
    """``(name in the file, number of records, username)``, in order of appearance."""
    counted = np.unique(table.codes("assessor")[rows], return_index=True, return_counts=True)
    listed = sorted(zip(*(each.tolist() for each in counted), strict=True), key=itemgetter(1))
    names = table.values("assessor")
    return [
        (names[code], count, choices.assessor or lookup.people.get(names[code], ""))
        for code, _, count in listed
    ]
