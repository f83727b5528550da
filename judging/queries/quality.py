"""The judgment log as a record for assessor quality, read in one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from campaigns.models import Campaign
from judging.models import Judgment, Purpose
from judging.queries.agreement import load_labels, topic_numbers_by_id, usernames_by_id
from judging.queries.exclusions import counting_judgments
from poolbench.cache import Cache
from poolbench.judging import repeats
from poolbench.judging.agreement.labels import LabelTable, build_labels
from poolbench.judging.agreement.report import STAFF
from poolbench.judging.quality.ordered_grades import OrderedGrades
from poolbench.judging.quality.report import Again, JudgingRecord

COLUMNS = (
    "purpose", "assessor_id", "topic_id", "docno", "grade", "active_seconds", "source", "third",
)  # fmt: skip
MEASURED_PURPOSES = (Purpose.JUDGE, Purpose.REPEAT, Purpose.AUTOMATIC)
Key = tuple[str, tuple[str, str]]
"""Assessor and (topic, docno)."""
_records: Cache[tuple[object, ...], JudgingRecord] = Cache(
    1_000_000, lambda record: len(record.people.pairs)
)
"""By the labels of people, which are read anew whenever the log changes."""


@dataclass(slots=True)
class GradedPair:
    """A pair by one assessor: its current grade, and the circumstances of its first grade.

    ``before`` is the assessor's own judgment of the pair at that time; a repeat is ``near`` if
    fewer than ``repeats.SOONEST`` documents came in between.
    """

    grade: int | None
    seconds: float | None
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


def _load_record(campaign: Campaign, people: LabelTable, *, third: bool) -> JudgingRecord:
    by_purpose: dict[str, dict[Key, GradedPair]] = {purpose: {} for purpose in MEASURED_PURPOSES}
    names = usernames_by_id(
        set(readable_judgments(campaign).values_list("assessor_id", flat=True).distinct())
    )
    near = NearRepeats()
    for purpose, key, entry in _log(campaign, names):
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
    current = {purpose: _select_graded(entries) for purpose, entries in by_purpose.items()}
    judged = {key: row for key, row in current[Purpose.JUDGE].items() if key[0] in people.assessors}
    if not third:
        judged = {key: graded for key, graded in judged.items() if not graded.third}
    again = current[Purpose.REPEAT]
    return JudgingRecord(
        people,
        _ordered_grades(judged, people),
        _repeats(judged, {key: row for key, row in again.items() if not row.near}),
        _machines(current[Purpose.AUTOMATIC], campaign, people.scale),
        near_repeats=_repeats(judged, {key: row for key, row in again.items() if row.near}),
    )


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


def readable_judgments(campaign: Campaign) -> QuerySet[Judgment]:
    log = Judgment.objects.filter(campaign=campaign, purpose__in=MEASURED_PURPOSES)
    return log.filter(counting_judgments()).order_by()


def _log(campaign: Campaign, names: dict[int, str]) -> Iterator[tuple[str, Key, GradedPair]]:
    numbers = topic_numbers_by_id(campaign)
    rows = readable_judgments(campaign).order_by("pk").values_list(*COLUMNS)
    for purpose, name, topic, docno, grade, seconds, source, third in rows.iterator():
        ordered = source != Judgment.Source.IMPORT
        key = names[name], (numbers[topic], docno)
        yield purpose, key, GradedPair(grade, seconds, ordered, third=third)


def _select_graded(entries: dict[Key, GradedPair]) -> dict[Key, GradedPair]:
    """Entries that were not skipped or undone; a grade below 0 is not a judgment."""
    return {
        key: graded
        for key, graded in entries.items()
        if graded.grade is not None and graded.grade >= 0
    }


def _ordered_grades(entries: dict[Key, GradedPair], labels: LabelTable) -> OrderedGrades:
    assessor = {name: at for at, name in enumerate(labels.assessors)}
    pair = {key: at for at, key in enumerate(labels.pairs)}
    pairs = np.array([pair[key] for _, key in entries], np.int64)
    rows = list(entries.values())
    seconds = [np.nan if row.seconds is None else row.seconds for row in rows]
    return OrderedGrades(
        labels.assessors,
        labels.topics,
        labels.scale,
        np.array([assessor[name] for name, _ in entries], np.int64),
        labels.topic_indices[pairs],
        pairs,
        np.array([row.grade for row in rows], np.int64),
        np.array(seconds, np.float64),
        np.array([row.ordered for row in rows], np.bool_),
    )


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
