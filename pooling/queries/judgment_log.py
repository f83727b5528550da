"""The judgment log of a campaign in memory, as columns that grow with it.

Judgments belong to a higher layer; only the reverse relation is used here. The log is
append-only, so what was read once stays, and later only new rows are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from django.db.models import Count, Max, Q
from numpy.typing import NDArray

from campaigns.models import Campaign
from poolbench.cache import Cache
from poolbench.shared_reads import read_once

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
NONE = np.iinfo(np.int64).min
"""In place of a missing number."""
NUMBERS = ("pk", "topic_id", "assessor_id", "grade", "slot_id")
WORDS = ("purpose", "kind", "source")
MOST_ROWS = 1_000_000
_logs: Cache[tuple[object, ...], JudgmentLog] = Cache(MOST_ROWS, len)
"""By campaign; a million rows take some 150 MB."""


@dataclass(frozen=True, eq=False)
class JudgmentLog:
    """The rows in the order of the log. ``numbers`` are columns by name, ``NONE`` where a row has
    none; ``WORDS`` of each row are places in ``names``. ``pair`` numbers the (topic ID, docno) in
    ``pairs``. ``third``, ``flagged`` and ``units`` are what few rows have: the IDs of third
    judgments and of rows with flags, and the work unit by ID.

    ``version`` is another one after any change of the log.
    """

    version: tuple[Any, ...]
    numbers: dict[str, Ints]
    names: tuple[str, ...]
    pair: Ints
    pairs: tuple[tuple[int, str], ...]
    third: frozenset[int]
    flagged: frozenset[int]
    units: dict[int, int]

    def __len__(self) -> int:
        return len(self.pair)

    @cached_property
    def pair_topics(self) -> Ints:
        """The topic's ID of each of ``pairs``."""
        return np.fromiter((topic for topic, _ in self.pairs), np.int64, len(self.pairs))

    @property
    def last(self) -> int:
        """The ID of the last row; 0 without one."""
        return int(self.numbers["pk"][-1]) if len(self) else 0

    def list_assessors(self) -> list[int]:
        """The IDs of all who have judged."""
        ids: list[int] = np.unique(self.numbers["assessor_id"]).tolist()
        return ids

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


def _read_log(campaign: Campaign) -> JudgmentLog:
    rows = campaign.judgments.order_by()
    size, last = rows.aggregate(n=Count("pk"), last=Max("pk")).values()
    token = rows.filter(pk=last).values_list("client_uuid", flat=True).first()
    # With the token of the last row: after a rollback its number may be given again.
    version = (campaign.pk, campaign.created_at, size, last, token)
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
        if same and len(log) + len(later) == version[2]:
            return _append_rows(campaign, log, later, version)
    return _append_rows(campaign, None, _load_rows(campaign), version)


def _load_rows(campaign: Campaign, after: Any = 0) -> Sequence[tuple[Any, ...]]:
    # Only columns that need no conversion: there are many rows.
    rows = campaign.judgments.filter(pk__gt=after).order_by("pk")
    return list(rows.values_list("docno", *NUMBERS, *WORDS))


def _append_rows(
    campaign: Campaign,
    log: JudgmentLog | None,
    rows: Sequence[tuple[Any, ...]],
    version: tuple[object, ...],
) -> JudgmentLog:
    columns = list(zip(*rows, strict=True)) or [()] * (1 + len(NUMBERS) + len(WORDS))
    names = {name: at for at, name in enumerate(log.names)} if log else {}
    packed = [
        *map(_pack_numbers, columns[1 : 1 + len(NUMBERS)]),
        *(_number_values(names, words) for words in columns[1 + len(NUMBERS) :]),
    ]
    pairs = {pair: at for at, pair in enumerate(log.pairs)} if log else {}
    topics = columns[1 + NUMBERS.index("topic_id")]
    pair = _number_values(pairs, list(zip(topics, columns[0], strict=True)))
    numbers = dict(zip((*NUMBERS, *WORDS), packed, strict=True))
    if log is not None:
        numbers = {k: np.concatenate([log.numbers[k], each]) for k, each in numbers.items()}
        pair = np.concatenate([log.pair, pair])
    last = log.last if log is not None else 0
    later = campaign.judgments.filter(pk__gt=last).order_by()
    special = later.filter(Q(third=True) | Q(unit__isnull=False) | ~Q(flags=[]))
    rare = list(special.values_list("pk", "third", "flags", "unit"))
    third = frozenset(pk for pk, is_third, _, _ in rare if is_third)
    flagged = frozenset(pk for pk, _, flags, _ in rare if flags)
    units = {pk: unit for pk, _, _, unit in rare if unit is not None}
    return JudgmentLog(
        version,
        numbers,
        tuple(names),
        pair,
        tuple(pairs),
        log.third | third if log else third,
        log.flagged | flagged if log else flagged,
        log.units | units if log else units,
    )


def _pack_numbers(values: Sequence[int | None]) -> Ints:
    if None in values:
        values = [NONE if value is None else value for value in values]
    return np.array(values, np.int64)


def _number_values(places: dict[Any, int], values: Sequence[Any]) -> Ints:
    """The place of each value in ``places``, which new ones join at the end."""
    fresh = [value for value in dict.fromkeys(values) if value not in places]
    places.update(zip(fresh, count(len(places))))
    return np.fromiter(map(places.__getitem__, values), np.int64, len(values))
