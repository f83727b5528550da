"""The judgment log as a record of who said what and when: one pass, whatever the purpose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from campaigns.models import Campaign
from judging.core.agreement.labels import Labels
from judging.core.quality.consistency import Again
from judging.core.quality.report import Record
from judging.core.quality.said import Said
from judging.models import Judgment, Plan, Purpose
from judging.queries.agreement import labels_from, names_of, numbers_of, scale_of

COLUMNS = (
    "purpose", "assessor_id", "topic_id", "docno", "grade", "active_seconds", "source", "order",
)  # fmt: skip
READ = (Purpose.JUDGE, Purpose.REPEAT, Purpose.AUTOMATIC)
Key = tuple[str, tuple[str, str]]
"""Assessor and (topic, docno)."""


@dataclass(slots=True)
class Entry:
    """One pair by one assessor: what was current last, and how it was when first graded.

    ``before`` is the assessor's own judgment of the pair that stood then.
    """

    grade: int | None
    seconds: float | None
    ordered: bool
    shuffled: bool
    before: int | None = None


def record_of_campaign(campaign: Campaign) -> Record:
    """People's judgments, their blind repeats, and those of automatic assessors."""
    scale = scale_of(campaign)
    by_purpose: dict[str, dict[Key, Entry]] = {purpose: {} for purpose in READ}
    names = names_of(set(judgments_read(campaign).values_list("assessor_id", flat=True).distinct()))
    for purpose, key, entry in _log(campaign, names):
        known = by_purpose[purpose].get(key)
        if known is None:
            if entry.grade is not None:
                own = by_purpose[Purpose.JUDGE].get(key)
                entry.before = own.grade if own else None
                by_purpose[purpose][key] = entry
        else:
            known.grade = entry.grade
    current = {purpose: _standing(entries) for purpose, entries in by_purpose.items()}
    people = labels_from({key: it.grade or 0 for key, it in current[Purpose.JUDGE].items()}, scale)
    return Record(
        people,
        _said(current[Purpose.JUDGE], people),
        _repeats(current[Purpose.JUDGE], current[Purpose.REPEAT]),
        _machines(current[Purpose.AUTOMATIC], campaign, scale),
    )


def judgments_read(campaign: Campaign) -> QuerySet[Judgment]:
    return Judgment.objects.filter(campaign=campaign, purpose__in=READ).order_by()


def _log(campaign: Campaign, names: dict[int, str]) -> Iterator[tuple[str, Key, Entry]]:
    numbers = numbers_of(campaign)
    rows = judgments_read(campaign).order_by("pk").values_list(*COLUMNS)
    for purpose, name, topic, docno, grade, seconds, source, order in rows.iterator():
        ordered = source != Judgment.Source.IMPORT
        shuffled = order == Plan.Order.RANDOM
        key = names[name], (numbers[topic], docno)
        yield purpose, key, Entry(grade, seconds, ordered, shuffled)


def _standing(entries: dict[Key, Entry]) -> dict[Key, Entry]:
    """What was not skipped or taken back; a grade below 0 is no judgment."""
    return {key: it for key, it in entries.items() if it.grade is not None and it.grade >= 0}


def _said(entries: dict[Key, Entry], labels: Labels) -> Said:
    assessor = {name: at for at, name in enumerate(labels.assessors)}
    pair = {found: at for at, found in enumerate(labels.pairs)}
    pairs = np.array([pair[found] for _, found in entries], np.int64)
    rows = list(entries.values())
    seconds = [np.nan if row.seconds is None else row.seconds for row in rows]
    return Said(
        labels.assessors,
        labels.topics,
        labels.scale,
        np.array([assessor[name] for name, _ in entries], np.int64),
        labels.topic_of[pairs],
        pairs,
        np.array([row.grade for row in rows], np.int64),
        np.array(seconds, np.float64),
        np.array([row.ordered for row in rows], np.bool_),
        np.array([row.shuffled for row in rows], np.bool_),
    )


def _repeats(first: dict[Key, Entry], again: dict[Key, Entry]) -> list[Again]:
    """Each repeat beside the same assessor's own judgment as it stood when the repeat came,
    where there still is one. A change made after it may be made from memory of it.
    """
    return [
        (key[0], key[1][0], it.before, it.grade or 0)
        for key, it in sorted(again.items(), key=lambda item: item[0])
        if key in first and it.before is not None and it.before >= 0
    ]


def _machines(
    entries: dict[Key, Entry], campaign: Campaign, scale: tuple[int, ...]
) -> Labels | None:
    if not entries:
        return None
    prefix = f"{campaign.slug}."
    named = {(name.removeprefix(prefix), pair): it for (name, pair), it in entries.items()}
    return labels_from({key: it.grade or 0 for key, it in named.items()}, scale)
