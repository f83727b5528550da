"""The judgment log of a campaign in memory, as columns that grow with it.

Judgments belong to a higher layer; only the reverse relation is used here. The log is
append-only, so what was read once stays, and later only new rows are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Max, Q, QuerySet
from numpy.typing import NDArray

from campaigns.models import Campaign
from campaigns.services.rows import AT_ONCE, iter_batches
from poolbench.cache import Cache
from poolbench.reading.docnos import DocnoArray
from poolbench.shared_reads import read_once

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
NONE = np.iinfo(np.int64).min
"""In place of a missing number."""
NUMBERS = ("pk", "topic_id", "assessor_id", "grade", "slot_id")
WORDS = ("purpose", "kind", "source")
MOST_ROWS = 1_000_000
_logs: "Cache[tuple[object, ...], JudgmentLog]" = Cache(MOST_ROWS, len)
"""By campaign; a million rows take some 150 MB."""


@dataclass(frozen=True, eq=False)
class JudgmentLog:
    """The rows in the order of the log. ``numbers`` are columns by name, ``NONE`` where a row has
    none; ``WORDS`` of each row are places in ``names``. ``pair`` numbers the pairs, which are
    ``pair_topics``, a topic's ID each, with ``pair_docnos``. ``third``, ``flagged``, ``units`` and
    ``originals`` are what few rows have: the IDs of third judgments and of rows with flags, and by
    ID the work unit, and the document of which it is a duplicate.

    ``version`` is another one after any change of the log.
    """

    version: tuple[Any, ...]
    numbers: dict[str, Ints]
    names: tuple[str, ...]
    pair: Ints
    pair_topics: Ints
    pair_docnos: list[str]
    third: frozenset[int]
    flagged: frozenset[int]
    units: dict[int, int]
    originals: dict[int, str]

    def __len__(self) -> int:
        return len(self.pair)

    def name_pairs(self, pairs: Ints, numbers: Mapping[int, str]) -> list[tuple[str, str]]:
        """(topic, docno) of ``pairs``; ``numbers``: topic numbers by ID."""
        topics = map(numbers.__getitem__, self.pair_topics[pairs].tolist())
        return list(zip(topics, map(self.pair_docnos.__getitem__, pairs.tolist()), strict=True))

    def sort_pairs(
        self, pairs: Ints, numbers: Mapping[int, str]
    ) -> tuple[list[tuple[str, str]], Ints]:
        """(topic, docno) of ``pairs``, ascending, and by number of a pair its place among them."""
        docnos = DocnoArray.from_ids(map(self.pair_docnos.__getitem__, pairs.tolist()))
        ids = self.pair_topics[pairs]
        distinct, topic = np.unique(ids, return_inverse=True)
        names = [numbers[each] for each in distinct.tolist()]
        rank = np.argsort(sorted(range(len(names)), key=names.__getitem__))
        order = np.lexsort((docnos.ranks(), rank[topic]))
        place = np.zeros(len(self.pair_docnos), np.int64)
        place[pairs[order]] = np.arange(len(order))
        return self.name_pairs(pairs[order], numbers), place

    @property
    def last(self) -> int:
        """The ID of the last row; 0 without one."""
        return int(self.numbers["pk"][-1]) if len(self) else 0

    def list_assessors(self) -> list[int]:
        """The IDs of all who have judged."""
        ids: list[int] = np.unique(self.numbers["assessor_id"]).tolist()
        return ids

    def list_pairs(self, rows: Ints | Mask) -> Ints:
        """The numbers of the distinct pairs of ``rows``, ascending."""
        # Not by ``numpy.unique``, whose hashing of 100,000 numbers takes ten times as long.
        return np.flatnonzero(np.bincount(self.pair[rows], minlength=len(self.pair_docnos)))

    def select_rows(self, purpose: str, kind: str = "") -> Mask:
        """The rows of a purpose and, if not empty, of a kind."""
        rows = self._find_word("purpose", purpose)
        return rows & self._find_word("kind", kind) if kind else rows

    def select_kind(self, kind: str) -> Mask:
        return self._find_word("kind", kind)

    def select_source(self, source: str) -> Mask:
        return self._find_word("source", source)

    def _find_word(self, column: str, word: str) -> Mask:
        place = self.names.index(word) if word in self.names else NONE
        rows: Mask = self.numbers[column] == place
        return rows


def read_judgment_log(campaign: Campaign) -> JudgmentLog:
    """All judgments of the campaign: of any purpose and kind, also those set aside."""
    return read_once(("log", campaign.pk), lambda: _read_log(campaign))


def count_log_rows(campaign: Campaign) -> tuple[int, int | None]:
    """The number of rows and the last one, which a page asks the database for once."""
    rows = campaign.judgments.order_by()
    return read_once(
        ("log rows", campaign.pk),
        lambda: tuple(rows.aggregate(n=Count("pk"), last=Max("pk")).values()),
    )


def identify_log(campaign: Campaign) -> tuple[Any, ...]:
    """What is another one after any change of the log, without reading it."""
    size, last = count_log_rows(campaign)
    rows = campaign.judgments.order_by().filter(pk=last or 0)
    token = rows.values_list("client_uuid", flat=True).first()
    # With the token of the last row: after a rollback its number may be given again.
    return campaign.pk, campaign.created_at, size, last, token


def _read_log(campaign: Campaign) -> JudgmentLog:
    version = identify_log(campaign)
    return _logs.renew(version[:2], lambda log: _renew_log(campaign, version, log))


def _renew_log(
    campaign: Campaign, version: tuple[Any, ...], log: JudgmentLog | None
) -> JudgmentLog:
    """``log`` if it is of ``version``, else with the rows after its last one, else read anew."""
    if log is not None and log.version == version:
        return log
    if log is not None and len(log):
        _, _, _, last, token = log.version
        later = _load_rows(campaign, last)
        # A row of a transaction that ended late may have a smaller number than the last one.
        same = campaign.judgments.filter(pk=last, client_uuid=token).exists()
        if same and len(log) + len(later.docnos) == version[2]:
            return _append_rows(campaign, log, later, version)
    return _append_rows(campaign, None, _load_rows(campaign), version)


class _Rows(NamedTuple):
    docnos: list[str]
    numbers: dict[str, Ints]


def _load_rows(campaign: Campaign, after: Any = 0) -> _Rows:
    """The rows after ``after``, some at a time: 300,000 of them take 150 MB as objects, and what is
    kept of them would lie scattered in these for good.
    """
    # Only columns that need no conversion: there are many rows.
    rows = campaign.judgments.filter(pk__gt=after).order_by("pk").values_list("docno", *NUMBERS)
    docnos, parts = list[str](), [[np.empty(0, np.int64)] * len(NUMBERS)]
    for part in iter_batches(rows.iterator(chunk_size=AT_ONCE), AT_ONCE):
        some, *columns = zip(*part, strict=True)
        docnos += some
        parts.append([*map(_pack_numbers, columns)])
    joined = map(np.concatenate, zip(*parts, strict=True))
    return _Rows(docnos, dict(zip(NUMBERS, joined, strict=True)))


def _append_rows(
    campaign: Campaign, log: JudgmentLog | None, rows: _Rows, version: tuple[object, ...]
) -> JudgmentLog:
    docnos, numbers = rows.docnos, dict(rows.numbers)
    later = campaign.judgments.filter(pk__gt=log.last if log else 0).order_by()
    words, names, rare = _load_rare(later, numbers["pk"], log)
    numbers |= dict(zip(WORDS, words, strict=True))
    topics = numbers["topic_id"]
    pair, pair_topics, pair_docnos = _number_pairs(topics, docnos)
    if log is not None:
        pair, pair_topics, pair_docnos = _merge_pairs(log, pair, pair_topics, pair_docnos)
        numbers = {k: np.concatenate([log.numbers[k], each]) for k, each in numbers.items()}
        pair = np.concatenate([log.pair, pair])
    third = frozenset(pk for pk, is_third, *_ in rare if is_third)
    flagged = frozenset(pk for pk, _, flags, *_ in rare if flags)
    units = {pk: unit for pk, _, _, unit, _ in rare if unit is not None}
    originals = {pk: docno for pk, *_, docno in rare if docno}
    return JudgmentLog(
        version,
        numbers,
        names,
        pair,
        pair_topics,
        pair_docnos,
        log.third | third if log else third,
        log.flagged | flagged if log else flagged,
        log.units | units if log else units,
        log.originals | originals if log else originals,
    )


def _pack_numbers(values: Sequence[int | None]) -> Ints:
    if None in values:
        values = [NONE if value is None else value for value in values]
    return np.array(values, np.int64)


def _load_rare(
    later: QuerySet[Any], pks: Ints, log: JudgmentLog | None
) -> tuple[list[Ints], tuple[str, ...], list[tuple[Any, ...]]]:
    """Of the rows ``pks``, which follow ``log``, the ``WORDS`` as places in the names, which begin
    with those of ``log``; and of those that have any: ID, third, flags, unit and original.

    Most rows have the words of the one before them, so only those of the others are read.
    """
    former = log.names if log else ()
    if not len(pks):
        return [np.empty(0, np.int64) for _ in WORDS], former, []
    if log is not None and len(log):
        usual = {word: former[log.numbers[word][-1]] for word in WORDS}
    else:
        usual = later.filter(pk=int(pks[0])).values(*WORDS).get()
    special = ~Q(**usual) | Q(third=True) | Q(unit__isnull=False) | ~Q(flags=[])
    special |= ~Q(duplicate_of="")
    fields = ("pk", "third", "flags", "unit", "duplicate_of")
    rare = list(later.filter(special).values_list(*fields, *WORDS))
    names = {name: at for at, name in enumerate(former)}
    columns = [np.full(len(pks), names.setdefault(word, len(names))) for word in usual.values()]
    rows = np.searchsorted(pks, np.array([pk for pk, *_ in rare], np.int64))
    for row, (pk, _, _, _, _, *words) in zip(rows.tolist(), rare, strict=True):
        # Others may have come since the rows were read.
        if row < len(pks) and pks[row] == pk:
            for column, word in zip(columns, words, strict=True):
                column[row] = names.setdefault(word, len(names))
    return columns, tuple(names), [row[: len(fields)] for row in rare]


def _number_pairs(topics: Ints, docnos: Sequence[str]) -> tuple[Ints, Ints, list[str]]:
    """The pair of each row, numbered as they first occur, and the topics and docnos of pairs."""
    numbers = dict(zip(dict.fromkeys(docnos), count()))
    codes = np.fromiter(map(numbers.__getitem__, docnos), np.int64, len(docnos))
    keys = topics * len(numbers) + codes
    _, first, pair = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    rows = first[order]
    return place[pair], topics[rows], [docnos[row] for row in rows.tolist()]


def _merge_pairs(
    log: JudgmentLog, pair: Ints, topics: Ints, docnos: list[str]
) -> tuple[Ints, Ints, list[str]]:
    """``_number_pairs`` of later rows, after the pairs of ``log``; only its pairs of these topics
    are looked at, as a judgment at a time comes.
    """
    alike = np.flatnonzero(np.isin(log.pair_topics, topics)).tolist()
    known = {(int(log.pair_topics[at]), log.pair_docnos[at]): at for at in alike}
    pairs = zip(topics.tolist(), docnos, strict=True)
    place = np.array([known.get(each, -1) for each in pairs], np.int64)
    fresh = np.flatnonzero(place < 0)
    place[fresh] = len(log.pair_docnos) + np.arange(len(fresh))
    return (
        place[pair],
        np.concatenate([log.pair_topics, topics[fresh]]),
        [*log.pair_docnos, *(docnos[at] for at in fresh.tolist())],
    )
