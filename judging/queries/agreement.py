"""The grades of all assessors as a table, for the agreement coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from campaigns.models import Campaign, User
from common.cache import Cache
from judging.core.agreement.labels import MISSING, LabelTable
from judging.models import Purpose
from judging.queries.judgments import mark_counting_rows, select_current_grades
from pooling.queries.judgment_log import Ints, JudgmentLog, Mask, read_judgment_log

_labels: Cache[tuple[object, ...], LabelTable] = Cache(1_000_000, lambda labels: len(labels.pairs))
"""By the state of the log, the rows of it that count, names, scale and purpose."""


def agreement_scale(campaign: Campaign) -> tuple[int, ...]:
    """The grades of the campaign from 0; those below are not judgments, as in qrels files."""
    values = campaign.grades.order_by("value").values_list("value", flat=True)
    return tuple(value for value in values if value >= 0)


@dataclass(frozen=True)
class CountingLog:
    """The log with the mask of its rows that count, usernames and topic numbers by ID, and the
    grades from 0.
    """

    log: JudgmentLog
    is_counted: Mask
    people: Mapping[int, str]
    topics: Mapping[int, str]
    scale: tuple[int, ...]

    def identify(self) -> tuple[object, ...]:
        """A key that changes with everything that figures of agreement depend on."""
        rows = sha256(np.packbits(self.is_counted).tobytes()).digest()
        names = tuple(sorted(self.people.items())), tuple(sorted(self.topics.items()))
        return self.log.version, rows, names, self.scale


def read_counting_log(campaign: Campaign) -> CountingLog:
    log = read_judgment_log(campaign)
    return CountingLog(
        log,
        mark_counting_rows(campaign, log),
        usernames_by_id(set(log.list_assessors())),
        topic_numbers_by_id(campaign),
        agreement_scale(campaign),
    )


def load_labels(
    campaign: Campaign, purpose: str = Purpose.JUDGE, *, third: bool = False
) -> LabelTable:
    """Current judgments of all assessors, including extra ones. With another ``purpose``, those
    of automatic assessors, the repeats, etc.

    Third judgments only if ``third``: they exist where two assessors disagreed, so any figure of
    agreement over them is selected by its outcome.
    """
    read = read_counting_log(campaign)

    def build() -> LabelTable:
        rows = select_current_grades(read.log, read.is_counted, purpose)
        labels = build_label_table(read.log, rows, read.people, read.topics, read.scale)
        return labels if third else labels.without_third()

    return _labels.get_or_compute((*read.identify(), purpose, third), build)


def build_label_table(
    log: JudgmentLog,
    rows: Ints,
    people: Mapping[int, str],
    numbers: Mapping[int, str],
    scale: tuple[int, ...],
) -> LabelTable:
    """The grades at the places ``rows`` of the log; usernames and topic numbers by ID."""
    rows = rows[log.numbers["grade"][rows] >= 0]
    ids = log.numbers["assessor_id"][rows]
    names = sorted({people[assessor] for assessor in np.unique(ids).tolist()})
    row = {people_id: names.index(name) for people_id, name in people.items() if name in names}
    judged = np.unique(log.pair[rows])
    named = {at: (numbers[log.pairs[at][0]], log.pairs[at][1]) for at in judged.tolist()}
    order = sorted(named, key=named.__getitem__)
    column = np.zeros(len(log.pairs), np.int64)
    column[order] = np.arange(len(order))
    places = np.array([row[each] for each in ids.tolist()], np.int64), column[log.pair[rows]]
    grades = np.full((len(names), len(order)), MISSING, np.int32)
    grades[places] = log.numbers["grade"][rows]
    thirds = np.zeros(grades.shape, np.bool_)
    thirds[places] = np.isin(log.numbers["pk"][rows], list(log.third))
    return LabelTable(
        tuple(names),
        tuple(named[at] for at in order),
        grades,
        scale,
        thirds if thirds.any() else None,
    )


def usernames_by_id(users: set[int]) -> dict[int, str]:
    """Usernames by primary key."""
    return dict(User.objects.filter(pk__in=users).values_list("pk", "username"))


def topic_numbers_by_id(campaign: Campaign) -> dict[int, str]:
    """Topic numbers by primary key."""
    return dict(campaign.topics.values_list("pk", "number"))
