"""The judgment log as a record for assessor quality, read in one pass."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from campaigns.models import Campaign
from judging.models import Judgment, Purpose
from judging.queries.agreement import load_labels
from judging.queries.judgments import LogReader, load_log_reader, select_last_rows
from poolbench.cache import Cache
from poolbench.judging import repeats
from poolbench.judging.agreement.coefficient import Floats
from poolbench.judging.agreement.labels import LabelTable, build_labels
from poolbench.judging.agreement.report import STAFF
from poolbench.judging.quality.ordered_grades import OrderedGrades
from poolbench.judging.quality.report import Again, JudgingRecord, QualityReport, quality_report
from pooling.queries.judgment_log import NONE, Ints

MEASURED_PURPOSES = (Purpose.JUDGE, Purpose.REPEAT, Purpose.AUTOMATIC)
Key = tuple[str, tuple[str, str]]
"""Assessor and (topic, docno)."""
_records: Cache[tuple[object, ...], JudgingRecord] = Cache(
    1_000_000, lambda record: len(record.people.pairs)
)
"""By the labels of people, which are read anew whenever the log changes."""
_reports: Cache[tuple[JudgingRecord, int], QualityReport] = Cache(4)
"""By record and the lowest relevant grade."""


@dataclass(slots=True)
class GradedPair:
    """A pair by one assessor: its current grade, and the circumstances of its first grade.

    ``before`` is the assessor's own judgment of the pair at that time; a repeat is ``near`` if
    fewer than ``repeats.SOONEST`` documents came in between.
    """

    grade: int | None
    ordered: bool
    before: int | None = None
    third: bool = False
    near: bool = False


def load_judging_record(
    campaign: Campaign, *, third: bool = False, who: str = STAFF
) -> JudgingRecord:
    """Judgments of the people of ``load_labels``, their blind repeats, and those of automatic
    assessors.

    Third judgments, their repeats and their pace only if ``third``; see ``load_labels``.
    """
    labels = load_labels(campaign, third=third, who=who)
    return _records.get_or_compute(
        (labels, campaign.slug), lambda: _load_record(campaign, labels, third=third)
    )


def load_quality_report(record: JudgingRecord, level: int) -> QualityReport:
    """Of a record as it was loaded."""
    return _reports.get_or_compute((record, level), lambda: quality_report(record, level))


def _load_record(campaign: Campaign, people: LabelTable, *, third: bool) -> JudgingRecord:
    history = JudgingHistory(load_log_reader(campaign))
    by_purpose = history.replay()
    current = {purpose: _select_graded(entries) for purpose, entries in by_purpose.items()}
    judged = {key: row for key, row in current[Purpose.JUDGE].items() if key[0] in people.assessors}
    if not third:
        judged = {key: graded for key, graded in judged.items() if not graded.third}
    again = current[Purpose.REPEAT]
    return JudgingRecord(
        people,
        history.order_grades(people, third=third),
        _repeats(judged, {key: row for key, row in again.items() if not row.near}),
        _machines(current[Purpose.AUTOMATIC], campaign, people.scale),
        near_repeats=_repeats(judged, {key: row for key, row in again.items() if row.near}),
    )


@dataclass(frozen=True, eq=False)
class JudgingHistory:
    """The measured judgments of the log, those set aside left out."""

    reader: LogReader

    def replay(self) -> dict[str, dict[Key, GradedPair]]:
        """By purpose the entries of each pair in the order of the log: of automatic assessors, and
        of the assessors who judged something again.
        """
        log, reader = self.reader.log, self.reader
        purposes = {each: log.select_rows(each) & reader.counting for each in MEASURED_PURPOSES}
        assessors = log.numbers["assessor_id"]
        purposes[Purpose.JUDGE] &= np.isin(assessors, assessors[purposes[Purpose.REPEAT]])
        by_purpose: dict[str, dict[Key, GradedPair]] = {each: {} for each in MEASURED_PURPOSES}
        near = NearRepeats()
        rows = np.flatnonzero(np.logical_or.reduce(list(purposes.values())))
        name = {
            row: each for each, mask in purposes.items() for row in np.flatnonzero(mask).tolist()
        }
        for row, key, entry in zip(rows.tolist(), *self._list_entries(rows), strict=True):
            purpose = name[row]
            near.add(purpose, key, entry)
            known = by_purpose[purpose].get(key)
            if known is None:
                if entry.grade is not None:
                    own = by_purpose[Purpose.JUDGE].get(key)
                    entry.before = own.grade if own else None
                    entry.near = key in near.found
                    by_purpose[purpose][key] = entry
            else:
                known.grade, known.third = entry.grade, entry.third
        return by_purpose

    def _list_entries(self, rows: Ints) -> tuple[list[Key], list[GradedPair]]:
        log, reader = self.reader.log, self.reader
        pairs = log.name_pairs(log.pair[rows], reader.numbers)
        people = map(reader.people.__getitem__, log.numbers["assessor_id"][rows].tolist())
        grades = [None if each == NONE else each for each in log.numbers["grade"][rows].tolist()]
        ordered = ~log.select_source(Judgment.Source.IMPORT)[rows]
        third = np.isin(log.numbers["pk"][rows], list(log.third))
        entries = map(GradedPair, grades, ordered.tolist(), third.tolist())
        return list(zip(people, pairs, strict=True)), list(entries)

    def order_grades(self, labels: LabelTable, *, third: bool) -> OrderedGrades:
        """The current grades by the people of ``labels``, in the order of the first grade of each
        pair by its assessor, with the circumstances of that.
        """
        log = self.reader.log
        first, last = self._match_revisions(labels, third=third)
        ids = log.numbers["assessor_id"][last]
        people = {pk: labels.assessors.index(self.reader.people[pk]) for pk in {*ids.tolist()}}
        place = {pair: at for at, pair in enumerate(labels.pairs)}
        named = log.name_pairs(log.pair[last], self.reader.numbers)
        pairs = np.array([*map(place.__getitem__, named)], np.int64)
        return OrderedGrades(
            labels.assessors,
            labels.topics,
            labels.scale,
            np.array([*map(people.__getitem__, ids.tolist())], np.int64),
            labels.topic_indices[pairs],
            pairs,
            log.numbers["grade"][last],
            self._load_seconds(first),
            ~log.select_source(Judgment.Source.IMPORT)[first],
        )

    def _match_revisions(self, labels: LabelTable, *, third: bool) -> tuple[Ints, Ints]:
        """The rows of the first and of the current grade of each pair by each assessor."""
        log = self.reader.log
        grades, assessors = log.numbers["grade"], log.numbers["assessor_id"]
        known = [pk for pk, name in self.reader.people.items() if name in labels.assessors]
        chosen = log.select_rows(Purpose.JUDGE) & self.reader.counting & np.isin(assessors, known)
        keys = log.pair * (int(assessors.max(initial=0)) + 1) + assessors
        rows = np.flatnonzero(chosen)
        current = select_last_rows(rows, keys[rows])
        current = current[grades[current] >= 0]
        if not third:
            current = current[~np.isin(log.numbers["pk"][current], list(log.third))]
        graded = np.flatnonzero(chosen & (grades != NONE))
        distinct, first = np.unique(keys[graded], return_index=True)
        first = graded[first[np.searchsorted(distinct, keys[current])]]
        order = np.argsort(first)
        return first[order], current[order]

    def _load_seconds(self, rows: Ints) -> Floats:
        """The active seconds of ``rows``, NaN where not measured."""
        timed = self.reader.campaign.judgments.filter(active_seconds__isnull=False).order_by()
        seconds = dict(timed.values_list("pk", "active_seconds"))
        pks = self.reader.log.numbers["pk"][rows].tolist()
        return np.array([seconds.get(pk, np.nan) for pk in pks], np.float64)


class NearRepeats:
    """Finds the repeats that came too soon, from the log row by row."""

    def __init__(self) -> None:
        self.found: set[Key] = set()
        self._repeated: set[Key] = set()
        self._latest: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def add(self, purpose: str, key: Key, entry: GradedPair) -> None:
        assessor, pair = key
        latest = self._latest[assessor]
        if purpose == Purpose.REPEAT and key not in self._repeated:
            self._repeated.add(key)
            if pair in latest:
                self.found.add(key)
        if entry.ordered and purpose != Purpose.AUTOMATIC:
            if pair in latest:
                latest.remove(pair)
            latest.append(pair)
            del latest[: -repeats.SOONEST]


def _select_graded(entries: dict[Key, GradedPair]) -> dict[Key, GradedPair]:
    """Entries that were not skipped or undone; a grade below 0 is not a judgment."""
    return {
        key: graded
        for key, graded in entries.items()
        if graded.grade is not None and graded.grade >= 0
    }


def _repeats(first: dict[Key, GradedPair], again: dict[Key, GradedPair]) -> list[Again]:
    """Each repeat with the same assessor's own judgment at that time, if there still is one. A
    later change of that judgment may be influenced by the repeat.
    """
    return [
        (key[0], key[1][0], graded.before, graded.grade or 0)
        for key, graded in sorted(again.items(), key=lambda item: item[0])
        if key in first and graded.before is not None and graded.before >= 0
    ]


def _machines(
    entries: dict[Key, GradedPair], campaign: Campaign, scale: tuple[int, ...]
) -> LabelTable | None:
    if not entries:
        return None
    prefix = f"{campaign.slug}."
    named = {(name.removeprefix(prefix), pair): graded for (name, pair), graded in entries.items()}
    return build_labels({key: graded.grade or 0 for key, graded in named.items()}, scale)
