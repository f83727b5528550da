"""Judgment files as tables of grades, without a campaign: one file may hold many assessors.

The formats, names and faults are those of an import. Without a campaign there is no scale of
grades, no list of topics and no account to compare with: the file is its own reference.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from poolbench.files.faults import FaultReport, format_count
from poolbench.judging.exchange.duplicates import ImportedBallot
from poolbench.judging.exchange.entry_table import EntryTable
from poolbench.judging.exchange.fields import (
    CODES,
    IDS,
    JudgmentEntry,
    MatchedFields,
    match_field_names,
)
from poolbench.judging.exchange.grades import LEAVE_OUT, GradeProposal, propose_grades
from poolbench.judging.exchange.import_resolution import (
    CampaignLookup,
    ImportChoices,
    resolve_import,
)
from poolbench.judging.exchange.reader import JudgmentFile, read_judgments

_NO_GRADE = "EJ08"


def is_header(line: str) -> bool:
    """Whether ``line`` names columns, whatever separates them."""
    return set(match_field_names(line.replace(",", " ").split())) >= set(IDS)


def read_label_table(
    data: bytes, *, file: str, report: FaultReport, options: ImportChoices, assessor: str
) -> list[ImportedBallot]:
    """One ballot per assessor and pair, of human assessors' judgments.

    ``assessor`` has judged all if the file has no names. Raises ``InvalidFile`` for the faults of
    ``docs/formats.md`` on judgments; a label without a grade is one fault, not one per line.
    """
    report.file = file
    check_separator(data, report)
    reading = JudgmentFile("", EntryTable(), MatchedFields())
    if not report.has_errors:
        reading = read_judgments(data, report=report)
        check_label_field(reading, report)
    entries = reading.entries
    is_named = any(entry.assessor for entry in entries)
    choices = replace(options, assessor="" if is_named else assessor)
    proposals = propose_grades(
        (label for entry in entries for label in entry.labels), (), options.labels
    )
    report_unknown_labels(entries, proposals, report)
    report.raise_errors()
    ballots = resolve_import(entries, describe_entries(entries, proposals), choices, report).ballots
    report.raise_errors()
    return [ballot for ballot in ballots if ballot.grade is not None and ballot.grade >= 0]


def check_separator(data: bytes, report: FaultReport) -> None:
    """Report a header whose columns are separated by spaces: it would be read as qrels."""
    line = data.split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip()
    if is_header(line) and "\t" not in line and "," not in line:
        message = "The columns are separated by spaces."
        fix = "Separate them by tabs or commas (see docs/formats.md)."
        report.add(CODES.malformed, message, fix, line=1, excerpt=line)


def check_label_field(reading: JudgmentFile, report: FaultReport) -> None:
    """Report a file without any field of labels, once and not for each line."""
    if reading.entries and "labels" not in reading.matched.fields:
        names = ", ".join(reading.matched.unmatched)
        message = "No column or key has the labels."
        fix = f"Name it label or grade. Unknown names: {names or 'none'}."
        report.add(_NO_GRADE, message, fix, line=1)


def report_unknown_labels(
    entries: Sequence[JudgmentEntry], proposals: Iterable[GradeProposal], report: FaultReport
) -> None:
    """One fault per label without a grade, at its first line."""
    unknown = {proposal.label: proposal.count for proposal in proposals if proposal.grade is None}
    for entry in entries:
        for label in entry.labels:
            if count := unknown.pop(label, 0):
                message = f"Label without a grade: “{label}” ({format_count(count, 'judgment')})."
                fix = f"Add --map '{label}=GRADE', or --map '{label}={LEAVE_OUT}' to ignore it."
                place = {"line": entry.line, "column": entry.columns[2]}
                report.add(_NO_GRADE, message, fix, **place, excerpt=entry.excerpt)


def describe_entries(
    entries: Sequence[JudgmentEntry], proposals: Iterable[GradeProposal]
) -> CampaignLookup:
    """A lookup that knows everything the file names."""
    grades = sorted({p.grade for p in proposals if isinstance(p.grade, int)})
    return CampaignLookup(
        scale=tuple((grade, f"grade {grade}") for grade in grades),
        topics={entry.topic for entry in entries},
        people={entry.assessor: entry.assessor for entry in entries if entry.assessor},
        reasons={entry.reason for entry in entries},
        flags={flag for entry in entries for flag in entry.flags},
    )


def find_repeated_keys(
    ballots_by_file: Mapping[str, Sequence[ImportedBallot]],
) -> tuple[str, str, ImportedBallot, int] | None:
    """Two files that hold judgments of the same pairs by the same assessor: their names, the first
    such ballot and the number of such pairs in the second file; None if there are none.
    """
    first: dict[tuple[str, str, str], str] = {}
    for file, ballots in ballots_by_file.items():
        again = [ballot for ballot in ballots if ballot.key in first]
        if again:
            known = Counter(first[ballot.key] for ballot in again).most_common(1)[0][0]
            return known, file, again[0], len(again)
        first |= dict.fromkeys((ballot.key for ballot in ballots), file)
    return None
