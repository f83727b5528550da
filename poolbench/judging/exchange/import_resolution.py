"""From the entries of a file to judgments: labels to grades, names to accounts, one per pair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from poolbench.files.faults import FaultReport
from poolbench.judging.exchange.fields import JudgmentEntry
from poolbench.judging.exchange.grades import LEAVE_OUT, GradeProposal, Scale, propose_grades
from poolbench.judging.exchange.label_studio import AUTOMATIC, CANCELLED

RULES = {
    "refuse": "reject the file",
    "first": "keep the first label",
    "last": "keep the last label",
}
"""Rules for different grades by one assessor for one pair."""
_DIFFERENT, _SEVERAL = "EJ03", "EJ09"
_SAME, _SEVERAL_SAME, _SKIP_TOO, _MERGED, _OLDER = "WJ02", "WJ05", "WJ07", "WJ08", "WJ11"


@dataclass(frozen=True, slots=True)
class ImportedBallot:
    """A judgment by ``assessor``; ``grade`` is None unless ``kind`` is grade."""

    assessor: str
    entry: JudgmentEntry
    kind: str
    grade: int | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.assessor, self.entry.topic, self.entry.docno


@dataclass(frozen=True)
class DuplicateCount:
    """``pairs`` that an assessor labeled more than once, ``same`` of them with equal grades."""

    assessor: str
    pairs: int
    same: int

    @property
    def percent(self) -> float:
        """The percentage of these pairs with equal grades."""
        return 100 * self.same / self.pairs


def merge_duplicates(
    cast: Iterable[ImportedBallot], rule: str, report: FaultReport
) -> tuple[list[ImportedBallot], list[DuplicateCount]]:
    """One ballot per assessor and pair, and per assessor how often duplicate labels agree.

    The last of numbered revisions counts (WJ11). A grade overrides a skip (WJ07). Equal grades
    are merged (WJ02, WJ05); different ones are an error (EJ03, EJ09) unless ``rule`` is first or
    last (WJ08), by time of judging if every record has one, else by position in the file.
    """
    groups: dict[tuple[str, str, str], list[ImportedBallot]] = defaultdict(list)
    for ballot in cast:
        groups[ballot.key].append(ballot)
    merged: list[ImportedBallot] = []
    agreeing: dict[str, list[bool]] = defaultdict(list)
    for (assessor, _, _), ballots in groups.items():
        current = drop_skips(latest_revisions(ballots, report), report)
        if len(current) > 1:
            agreeing[assessor].append(len({ballot.grade for ballot in current}) == 1)
            current = choose_ballot(current, rule, report)
        merged += [ballot for ballot in current if ballot.kind != "withdrawn"]
    duplicates = [
        DuplicateCount(who, len(seen), sum(seen)) for who, seen in sorted(agreeing.items())
    ]
    return merged, duplicates


def latest_revisions(ballots: list[ImportedBallot], report: FaultReport) -> list[ImportedBallot]:
    """The last revision, or all ballots if they have no distinct revision numbers."""
    numbers = {ballot.entry.revision for ballot in ballots}
    if len(ballots) < 2 or None in numbers or len(numbers) < len(ballots):
        return ballots
    last = max(ballots, key=lambda ballot: ballot.entry.revision or 0)
    message = "Earlier revisions of a judgment are ignored."
    place: dict[str, Any] = {"line": last.entry.line, "excerpt": last.entry.excerpt}
    report.add(_OLDER, message, "No action needed; the last revision counts.", **place)
    return [last]


def drop_skips(ballots: list[ImportedBallot], report: FaultReport) -> list[ImportedBallot]:
    """The grades of a pair, if any; else the last skip."""
    grades = [ballot for ballot in ballots if ballot.grade is not None]
    if not grades:
        return ballots[-1:]
    if len(grades) < len(ballots):
        skip = next(ballot for ballot in ballots if ballot.grade is None).entry
        message = "The pair is skipped here and graded elsewhere; the grade is kept."
        fix = "No action needed if the grade is intended."
        report.add(_SKIP_TOO, message, fix, line=skip.line, excerpt=skip.excerpt)
    return grades


def choose_ballot(
    ballots: Sequence[ImportedBallot], rule: str, report: FaultReport
) -> list[ImportedBallot]:
    """The ballot that counts of several; none if the rule is to refuse.

    By time of judging if all have one, else in file order.
    """
    listed = list(ballots)
    if all(ballot.entry.judged_at for ballot in ballots):
        listed.sort(key=lambda ballot: ballot.entry.judged_at)  # ISO 8601 sorts as text.
    first = listed[0]
    same = len({ballot.grade for ballot in listed}) == 1
    place: dict[str, Any] = {"line": listed[1].entry.line, "column": listed[1].entry.columns[2]}
    row = all(ballot.entry.line == first.entry.line for ballot in listed)
    grades = ", ".join(str(ballot.grade) for ballot in listed)
    where = "in one record" if row else f"first on line {first.entry.line}"
    message = f"{first.assessor} labeled this pair {len(listed)} times ({where}): grades {grades}"
    excerpt = listed[1].entry.excerpt
    if same:
        code = _SEVERAL_SAME if row else _SAME
        fix = "No action needed; the grades are equal, and one is kept."
        report.add(code, f"{message}.", fix, **place, excerpt=excerpt)
    elif rule not in ("first", "last"):
        code = _SEVERAL if row else _DIFFERENT
        fix = "Remove the wrong labels, or choose to keep the first or the last."
        report.add(code, f"{message}.", fix, **place, excerpt=excerpt)
        return []
    else:
        choice = listed[0 if rule == "first" else -1]
        fix = "No action needed if this is intended; the log records the rule."
        report.add(_MERGED, f"{message}; {choice.grade} is kept.", fix, **place, excerpt=excerpt)
        return [choice]
    return [first]


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
                report.add(_SKIPPED, *_CANCELED, line=entry.line, excerpt=entry.excerpt)
        elif not opinions:
            unlabeled += 1
            report.add(_UNLABELLED, *_NO_LABEL, line=entry.line, excerpt=entry.excerpt)
            continue
        who = resolve_assessor(entry, lookup, choices, report)
        if check_entry(entry, lookup, report) and who:
            named = replace(entry, reason="other") if entry.reason == CANCELLED else entry
            cast += [
                ImportedBallot(
                    who, named, entry.kind or GRADE, grade if isinstance(grade, int) else None
                )
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


def list_file_names(
    selected: Iterable[JudgmentEntry], lookup: CampaignLookup, choices: ImportChoices
) -> list[tuple[str, int, str]]:
    """``(name in the file, number of records, username)``, in order of appearance."""
    counts = Counter(entry.assessor for entry in selected)
    return [
        (name, count, choices.assessor or lookup.people.get(name, ""))
        for name, count in counts.items()
    ]
