"""The slots that many judgments at once may fill, as columns: chosen in memory, then taken."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import uuid4

import numpy as np
from django.db.models import BigAutoField, Case, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, User
from campaigns.services.rows import match_keys
from judging.models import Purpose, Slot
from judging.queries.slots import free_slots
from judging.rules import THIRD_K
from pooling.models import PoolItem

Pair = tuple[int, str]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
BATCH = 500
TAKEN_AT_ONCE = 5_000
"""Slots that an import locks in a statement."""
FEW = 1_000
"""Up to so many keys each is looked up; for more, all rows of their topics are read."""
AT_ONCE = 20_000
NONE = -1
NUMBER = BigAutoField()
"""Django would convert each value of a computed ``IntegerField`` to the number that it is."""
COLUMNS = ("pair", "pk", "k", "holder", "reserved", "free")


@dataclass
class SlotTable:
    """The slots of ``pairs``, which are numbered, sorted by pair; users by ID or 0 for none."""

    campaign: Campaign
    pairs: dict[Pair, int]
    columns: dict[str, Ints]

    @classmethod
    def load(cls, campaign: Campaign, pairs: Collection[Pair]) -> "SlotTable":
        """The slots for first judgments of ``pairs`` in all plans of the campaign."""
        numbers = {pair: number for number, pair in enumerate(pairs)}
        return cls(campaign, numbers, read_slots(campaign, numbers))

    def choose(self, assessor: int, numbers: Ints, thirds: Mask) -> Ints:
        """By pair of ``numbers``, the place of the slot that this assessor's judgment fills, or
        ``NONE``: their own, otherwise a free one; a third judgment that of one if there is any,
        all others a planned one.
        """
        slots = self.columns
        first = np.searchsorted(slots["pair"], numbers)
        counts = np.searchsorted(slots["pair"], numbers, "right") - first
        rows = np.repeat(np.arange(len(numbers)), counts)
        skipped = np.cumsum(counts) - counts
        places = np.arange(len(rows)) + np.repeat(first - skipped, counts)
        other = slots["holder"][places] != assessor
        may = np.isin(slots["reserved"][places], (0, assessor)) & (slots["free"][places] > 0)
        usable = ~other | may
        rows, places, other = rows[usable], places[usable], other[usable]
        misfit = (slots["k"][places] == THIRD_K) != thirds[rows]
        order = np.lexsort((slots["pk"][places], slots["k"][places], misfit, other, rows))
        chosen = np.full(len(numbers), NONE)
        fitting, best = np.unique(rows[order], return_index=True)
        chosen[fitting] = places[order][best]
        return chosen

    def take(self, assessor: User, places: Ints, state: str) -> Ints:
        """Move the slots at ``places`` to ``assessor`` and ``state``; return the places of
        those that another has taken since they were read.
        """
        theirs = free_slots() | Q(assessor=assessor)
        order = places[np.argsort(self.columns["pk"][places])]
        lost: list[int] = []
        for first in range(0, len(order), TAKEN_AT_ONCE):
            part = order[first : first + TAKEN_AT_ONCE]
            slots = Slot.objects.filter(match_keys(Slot, self.columns["pk"][part].tolist()))
            token = uuid4()
            taken = slots.filter(theirs).update(
                state=state,
                assessor=assessor,
                token=token,
                leased_at=None,
                expires_at=None,
                unit=None,
                unit_position=None,
            )
            if taken < len(part):
                ours = list(slots.filter(token=token).values_list("pk", flat=True))
                is_kept = np.isin(self.columns["pk"][part], ours)
                lost += part[~is_kept].tolist()
                part = part[is_kept]
            self.columns["holder"][part] = assessor.pk
            self.columns["free"][part] = 0
        return np.array(lost, np.int64)

    def reload(self, numbers: Ints) -> None:
        """Read the slots of some pairs again."""
        names = list(self.pairs)
        again = {names[number]: number for number in numbers.tolist()}
        fresh = read_slots(self.campaign, again)
        rest = ~np.isin(self.columns["pair"], numbers)
        joined = {name: np.r_[self.columns[name][rest], fresh[name]] for name in COLUMNS}
        self.columns = sort_columns(joined)


def read_slots(campaign: Campaign, pairs: dict[Pair, int]) -> dict[str, Ints]:
    """By name of ``COLUMNS``, the values of the slots of ``pairs``, sorted by pair."""
    numbers = number_items(campaign, pairs)
    slots = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.JUDGE).order_by()
    free = Case(When(free_slots(), then=Value(1)), default=Value(0), output_field=NUMBER)
    users = (Coalesce(name, 0, output_field=NUMBER) for name in ("assessor", "reserved_for"))
    names = ("item", "pk", "k", *users, free)
    topics = sorted({topic for topic, _ in pairs})
    parts = iter_row_parts(slots, "item", list(numbers), topics, names)
    read = [np.array(rows, np.int64) for rows in parts]
    table = np.concatenate(read) if read else np.empty((0, len(COLUMNS)), np.int64)
    items = np.fromiter(numbers, np.int64, len(numbers))
    order = np.argsort(items)
    at = np.searchsorted(items[order], table[:, 0])
    known = items[order][np.minimum(at, len(items) - 1)] == table[:, 0] if len(items) else at < 0
    codes = np.fromiter(numbers.values(), np.int64, len(numbers))[order]
    columns = dict(zip(COLUMNS, table[known].T.copy(), strict=True))
    columns["pair"] = codes[at[known]]
    return sort_columns(columns)


def sort_columns(columns: dict[str, Ints]) -> dict[str, Ints]:
    order = np.argsort(columns["pair"], kind="stable")
    return {name: values[order] for name, values in columns.items()}


def number_items(campaign: Campaign, pairs: dict[Pair, int]) -> dict[int, int]:
    """The number of the pair by pool item, of all pools of the campaign."""
    items = PoolItem.objects.filter(pool__campaign=campaign).order_by()
    docnos, topics = list({docno for _, docno in pairs}), sorted({topic for topic, _ in pairs})
    numbered: dict[int, int] = {}
    if len(docnos) <= FEW:
        items = items.filter(topic__in=topics)
    for rows in iter_row_parts(items, "docno", docnos, topics, ("pk", "topic", "docno")):
        for pk, topic, docno in rows:
            if (number := pairs.get((topic, docno))) is not None:
                numbered[pk] = number
    return numbered


def iter_row_parts(
    rows: QuerySet[Any],
    name: str,
    keys: Sequence[Any],
    topics: Sequence[int],
    fields: Sequence[Any],
) -> Iterator[list[Any]]:
    """Lists of ``fields`` of the ``rows`` whose ``name`` is one of ``keys``; for many keys of all
    rows of ``topics``.
    """
    name, keys = (name, keys) if len(keys) <= FEW else ("topic", topics)
    for first in range(0, len(keys), BATCH):
        some = rows.filter(**{f"{name}__in": keys[first : first + BATCH]})
        values = some.values_list(*fields).iterator(chunk_size=AT_ONCE)
        while part := list(islice(values, AT_ONCE)):
            yield part
