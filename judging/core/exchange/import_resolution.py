"""From what a file says to judgments: labels to grades, names to people, one word a pair."""

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
SILENT = (SKIP, WITHDRAWN)
HUMAN = ("", "judge")
"""Purposes of records that are a person's own judgments; files of others say none."""
_NO_TOPIC, _OFF_SCALE, _NO_DOCNO = "EJ01", "EJ02", "EJ12"
_NO_GRADE, _UNKNOWN, _NOBODY, _BAD_WORD = "EJ08", "EJ10", "EJ11", "EJ14"
_UNLABELLED, _IN_TEXT, _SKIPPED, _OF_MODELS, _OTHERS = "WJ03", "WJ04", "WJ06", "WJ09", "WJ12"


@dataclass(frozen=True)
class CampaignLookup:
    """What the campaign has. ``people`` gives an account by the name of a file.

    ``missing`` are docnos of the file that the collection does not have.
    """

    scale: Scale
    topics: Collection[str]
    people: Mapping[str, str] = field(default_factory=dict)
    missing: Collection[str] = ()
    reasons: Collection[str] = ()
    flags: Collection[str] = ()


@dataclass(frozen=True)
class ImportChoices:
    """What the user settles: who judged (else the file says it), labels, pairs that stand twice.

    ``labels`` gives a grade or ``-`` by label; ``duplicates`` is a name of ``twice.RULES``.
    """

    assessor: str = ""
    automatic: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    duplicates: str = "refuse"


@dataclass(frozen=True)
class ResolvedImport:
    """What would be written: one ``Ballot`` an assessor and pair; and how it was come by."""

    ballots: list[ImportedBallot]
    labels: list[GradeProposal]
    people: list[tuple[str, int, str]]
    twice: list[DuplicateCount]
    unlabelled: int


def resolve_import(
    entries: Iterable[JudgmentEntry],
    lookup: CampaignLookup,
    choices: ImportChoices,
    report: FaultReport,
) -> ResolvedImport:
    """One ballot for every assessor and pair of ``entries``; all that is wrong in ``report``.

    With faults in the report the ballots are those of the good entries.
    """
    selected = list(select_entries(entries, choices, report))
    proposals = propose_grades(
        (label for e in selected for label in e.labels), lookup.scale, choices.labels
    )
    report_labels(selected, proposals, lookup.scale, report)
    grades = {proposal.label: proposal.grade for proposal in proposals}
    scale = {grade for grade, _ in lookup.scale}
    cast: list[ImportedBallot] = []
    unlabelled = 0
    for entry in selected:
        opinions = [grades[label] for label in entry.labels if grades[label] != LEAVE_OUT]
        if entry.kind in SILENT:
            opinions = [None]
            if entry.reason == CANCELLED:
                report_cancelled(entry, report)
        elif not opinions:
            unlabelled += 1
            report_unlabelled(entry, report)
            continue
        who = resolve_assessor(entry, lookup, choices, report)
        if check_entry(entry, lookup, report) and who:
            cast += [
                build_ballot(entry, who, grade)
                for grade in opinions
                if grade in scale or entry.kind in SILENT
            ]
    ballots, twice = merge_duplicates(cast, choices.duplicates, report)
    return ResolvedImport(
        ballots, proposals, list_file_names(selected, lookup, choices), twice, unlabelled
    )


def select_entries(
    entries: Iterable[JudgmentEntry], choices: ImportChoices, report: FaultReport
) -> Iterable[JudgmentEntry]:
    """The entries that this import is about: of people, or of a model; others are told of."""
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
        message = f"{left['models']:,} predictions of models are left out."
        report.add(_OF_MODELS, message, "Import them for an automatic assessor.")
    if left["people"]:
        message = f"{left['people']:,} judgments of people are left out."
        report.add(_OF_MODELS, message, "Import them for their assessors.")
    if left["others"]:
        message = f"{left['others']:,} repeats, adjudications or training answers are left out."
        report.add(_OTHERS, message, "Nothing; only first judgments are imported.")


def report_labels(
    selected: Iterable[JudgmentEntry],
    proposals: Iterable[GradeProposal],
    scale: Scale,
    report: FaultReport,
) -> None:
    """Labels without a grade, off the scale, and grades that were found within a text."""
    by_label = {proposal.label: proposal for proposal in proposals}
    scale_grades = {grade for grade, _ in scale}
    grades = ", ".join(str(grade) for grade, _ in scale)
    for entry in selected:
        for label in entry.labels if entry.kind not in SILENT else ():
            proposal, place = by_label[label], {"line": entry.line, "column": entry.columns[2]}
            if proposal.grade is None:
                message = f"The label “{label}” stands for no grade."
                fix = f"Say which grade it is: {grades}, or {LEAVE_OUT} to leave it out."
                report.add(_NO_GRADE, message, fix, **place, excerpt=entry.shown)
            elif proposal.grade != LEAVE_OUT and proposal.grade not in scale_grades:
                fix = f"Use a grade of the scale: {grades}."
                message = "The grade is not on the scale."
                report.add(_OFF_SCALE, message, fix, **place, excerpt=entry.shown)
            elif proposal.why == "text":
                message = f"The grade stands within the label: “{label}” is taken as {proposal.grade}"
                doubt = f", though {proposal.doubt}" if proposal.doubt else ""
                fix = "Confirm the mapping of labels to grades, or change it."
                report.add(_IN_TEXT, f"{message}{doubt}.", fix, **place, excerpt=entry.shown)


def resolve_assessor(
    entry: JudgmentEntry, lookup: CampaignLookup, choices: ImportChoices, report: FaultReport
) -> str:
    """The account that judged, or nothing and a fault."""
    if choices.assessor:
        return choices.assessor
    if not entry.assessor:
        fix = "Say who judged: a column assessor, or one assessor for the file."
        message = "The file does not say who judged this."
        report.add(_NOBODY, message, fix, line=entry.line, excerpt=entry.shown)
    elif not lookup.people.get(entry.assessor):
        fix = "Say which assessor of the campaign it is, or give the account that role."
        message = f"“{entry.assessor}” is no assessor of the campaign."
        report.add(_UNKNOWN, message, fix, line=entry.line, excerpt=entry.shown)
    return lookup.people.get(entry.assessor, "")


def check_entry(entry: JudgmentEntry, lookup: CampaignLookup, report: FaultReport) -> bool:
    """Whether topic, docno and words are the campaign's; each that is not is told."""
    before = report.counts.total()
    topic, docno, _ = entry.columns
    place: dict[str, Any] = {"line": entry.line, "excerpt": entry.shown}
    if entry.topic not in lookup.topics:
        fix = "Import the campaign's topics first, or leave these rows out."
        report.add(_NO_TOPIC, "The campaign has no such topic.", fix, column=topic, **place)
    if entry.docno in lookup.missing:
        fix = "Use the collection's docnos, or leave these rows out."
        report.add(_NO_DOCNO, "The collection has no such document.", fix, column=docno, **place)
    wrong = [flag for flag in entry.flags if flag not in lookup.flags]
    if entry.kind == SKIP and entry.reason not in {*lookup.reasons, "", CANCELLED}:
        wrong.append(entry.reason)
    if entry.kind not in ("", GRADE, SKIP, WITHDRAWN):
        wrong.append(entry.kind)
    if wrong:
        message = f"{', '.join(wrong)}: no kind, flag or reason of a skip."
        allowed = ", ".join([*lookup.flags, *lookup.reasons])
        report.add(_BAD_WORD, message, f"Use one of: {allowed}.", **place)
    return report.counts.total() == before


def report_cancelled(entry: JudgmentEntry, report: FaultReport) -> None:
    message = "The annotation was cancelled; it is taken as skipped."
    fix = "Nothing, if that is what it means."
    report.add(_SKIPPED, message, fix, line=entry.line, excerpt=entry.shown)


def report_unlabelled(entry: JudgmentEntry, report: FaultReport) -> None:
    message = "The record has no label; it is left out."
    fix = "Nothing, if nobody judged it; else send it again with its label."
    report.add(_UNLABELLED, message, fix, line=entry.line, excerpt=entry.shown)


def build_ballot(entry: JudgmentEntry, who: str, value: object) -> ImportedBallot:
    """``entry`` as the word of ``who``."""
    kind = entry.kind or GRADE
    named = replace(entry, reason="other") if entry.reason == CANCELLED else entry
    return ImportedBallot(who, named, kind, value if isinstance(value, int) else None)


def list_file_names(
    selected: Iterable[JudgmentEntry], lookup: CampaignLookup, choices: ImportChoices
) -> list[tuple[str, int, str]]:
    """``(name in the file, its records, account)``, in order of appearance."""
    counts = Counter(entry.assessor for entry in selected)
    return [
        (name, count, choices.assessor or lookup.people.get(name, ""))
        for name, count in counts.items()
    ]
