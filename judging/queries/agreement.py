"""The grades of all assessors as a table, for the agreement coefficients."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from campaigns.models import Campaign, User
from campaigns.queries.lists import list_judging_grades
from judging.models import Purpose
from judging.queries.judgments import load_log_reader, select_current_grades
from poolbench.cache import Cache
from poolbench.judging.agreement.labels import MISSING, LabelTable
from poolbench.judging.agreement.report import CROWD, EVERYONE, STAFF
from poolbench.judging.agreement.variation import Variation, measure_variation
from pooling.queries.judgment_log import Ints, JudgmentLog

_labels: Cache[tuple[object, ...], LabelTable] = Cache(1_000_000, lambda labels: len(labels.pairs))
"""By the state of the log, the rows of it that count, names, scale and purpose."""
_variations: Cache[LabelTable, Variation] = Cache(1_000_000, lambda it: 1 + it.whole.pairs)
"""By the labels of all topics, which are read anew whenever the log changes."""
MOST_DOCUMENTS = 30
MOST_ASSESSORS = 40
"""More are not compared two by two: a page would show thousands of rows."""


def load_labels(
    campaign: Campaign,
    purpose: str = Purpose.JUDGE,
    *,
    third: bool = False,
    last: int | None = None,
    who: str = STAFF,
) -> LabelTable:
    """Current judgments, including extra ones, as of row ``last`` of the log: where staff and crowd
    have judged, those of ``who``. With another ``purpose``, those of automatic assessors, etc.

    Third judgments only if ``third``: they exist where two assessors disagreed, so any figure of
    agreement over them is selected by its outcome.
    """
    reader, scale = load_log_reader(campaign), list_judging_grades(campaign)

    def build() -> LabelTable:
        rows = select_current_grades(reader.log, reader.mark_rows(last), purpose)
        rows = select_people(reader.log, rows, who)
        labels = build_label_table(reader.log, rows, reader.people, reader.numbers, scale)
        return labels if third else labels.without_third()

    return _labels.get_or_compute((*reader.identify(last), scale, purpose, third, who), build)


def load_variation(labels: LabelTable) -> Variation:
    """Of ``labels`` as they were loaded, with the ``MOST_DOCUMENTS`` widest pairs alone."""

    def measure() -> Variation:
        variation = measure_variation(labels)
        return replace(variation, pairs=variation.pairs[:MOST_DOCUMENTS])

    return _variations.get_or_compute(labels, measure)


def select_people(log: JudgmentLog, rows: Ints, who: str) -> Ints:
    """Of the places ``rows`` of the log those of ``who``, if both staff and crowd have some."""
    crowd = np.isin(log.numbers["pk"][rows], list(log.units))
    if who == EVERYONE or crowd.all() or not crowd.any():
        return rows
    return rows[crowd if who == CROWD else ~crowd]


def find_default_people(campaign: Campaign, last: int | None = None) -> str:
    """``STAFF`` if staff and crowd have both judged; empty if there is nothing to tell apart."""
    reader = load_log_reader(campaign)
    rows = select_current_grades(reader.log, reader.mark_rows(last), Purpose.JUDGE)
    return STAFF if len(select_people(reader.log, rows, STAFF)) < len(rows) else ""


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
    pairs, column = log.sort_pairs(log.list_pairs(rows), numbers)
    places = np.array([row[each] for each in ids.tolist()], np.int64), column[log.pair[rows]]
    grades = np.full((len(names), len(pairs)), MISSING, np.int32)
    grades[places] = log.numbers["grade"][rows]
    thirds = np.zeros(grades.shape, np.bool_)
    thirds[places] = np.isin(log.numbers["pk"][rows], list(log.third))
    return LabelTable(tuple(names), tuple(pairs), grades, scale, thirds if thirds.any() else None)


def usernames_by_id(users: set[int]) -> dict[int, str]:
    """Usernames by primary key."""
    return dict(User.objects.filter(pk__in=users).values_list("pk", "username"))


def topic_numbers_by_id(campaign: Campaign) -> dict[int, str]:
    """Topic numbers by primary key."""
    return dict(campaign.topics.values_list("pk", "number"))
