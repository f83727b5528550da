"""An assessor's own judgments, to go over them again: all, or those that a filter selects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import overload

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, User
from campaigns.queries.duplicates import load_text_groups
from judging.models import Judgment, Purpose
from judging.queries.judgments import ON_SCREEN, select_last_rows
from pooling.queries.judgment_log import Ints, JudgmentLog, Mask, read_judgment_log

KINDS = {
    "unsure": _("unsure"),
    "comment": _("with a comment"),
    "changed": _("changed"),
    "fast": _("judged fast"),
    "contradicts": _("other grade for the same text"),
}
"""What can be selected beside topic, grade and day. Fast: in less than half of the assessor's
median time, of at least ``LEAST_TIMED`` documents.
"""
LEAST_TIMED = 10


@dataclass(frozen=True, eq=False)
class OwnJudgments(Sequence[Judgment]):
    """The judgments at the places ``rows`` of ``log``, loaded as far as they are shown."""

    campaign: Campaign
    assessor: User
    log: JudgmentLog
    rows: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, part: int) -> Judgment: ...
    @overload
    def __getitem__(self, part: slice) -> list[Judgment]: ...
    def __getitem__(self, part: int | slice) -> Judgment | list[Judgment]:
        if isinstance(part, int):
            return self[part : part + 1 or None][0]
        ids = self.log.numbers["pk"][self.rows[part]].tolist()
        by_id = self.campaign.judgments.select_related("topic").in_bulk(ids)
        return [by_id[pk] for pk in ids]

    def select_topic(self, number: str) -> OwnJudgments:
        topics = list(self.campaign.topics.filter(number=number).values_list("pk", flat=True))
        return self._select(np.isin(self.log.pair_topics[self.log.pair[self.rows]], topics))

    def select_grade(self, grade: int) -> OwnJudgments:
        return self._select(self.log.numbers["grade"][self.rows] == grade)

    def select_skips(self) -> OwnJudgments:
        skips = self.log.select_kind(Judgment.Kind.SKIP)
        return self._select(skips[self.rows])

    def select_since(self, day: date) -> OwnJudgments:
        """Those of ``day`` and later."""
        return self._select_ids(self._list_ids(judged_at__date__gte=day))

    def select_kind(self, name: str) -> OwnJudgments:
        """Those of a kind of ``KINDS``."""
        select = {
            "unsure": self._list_unsure,
            "comment": lambda: self._list_ids(comment__gt=""),
            "changed": self._list_changed,
            "fast": self._list_fast,
            "contradicts": self._list_contradictions,
        }
        return self._select_ids(select[name]())

    def list_pairs(self, most: int) -> list[tuple[str, str]]:
        """(topic, docno) of the first ``most``."""
        numbers = dict(self.campaign.topics.values_list("pk", "number"))
        return self.log.name_pairs(self.log.pair[self.rows[:most]], numbers)

    def _own(self) -> QuerySet[Judgment]:
        return self.campaign.judgments.filter(
            assessor=self.assessor, purpose__in=ON_SCREEN
        ).order_by()

    def _list_ids(self, **conditions: object) -> list[int]:
        return list(self._own().filter(**conditions).values_list("pk", flat=True))

    def _list_unsure(self) -> list[int]:
        flagged = self.log.flagged.intersection(self.log.numbers["pk"][self.rows].tolist())
        rows = self._own().filter(pk__in=flagged).values_list("pk", "flags")
        return [pk for pk, flags in rows if "unsure" in flags]

    def _list_changed(self) -> list[int]:
        """Of pairs that have had another grade in a judgment of the same purpose."""
        log = self.log
        keys = log.pair * len(log.names) + log.numbers["purpose"]
        own = log.numbers["assessor_id"] == self.assessor.pk
        graded = np.flatnonzero(own & log.select_kind(Judgment.Kind.GRADE))
        grades = np.unique(np.stack((keys[graded], log.numbers["grade"][graded]), 1), axis=0)
        several, counts = np.unique(grades[:, 0], return_counts=True)
        changed = self.rows[np.isin(keys[self.rows], several[counts > 1])]
        ids: list[int] = log.numbers["pk"][changed].tolist()
        return ids

    def _list_fast(self) -> list[int]:
        rows = self._own().values_list("pk", "active_seconds")
        seconds = {pk: value for pk, value in rows if value is not None}
        if len(seconds) < LEAST_TIMED:
            return []
        limit = median(seconds.values()) / 2
        return [pk for pk, taken in seconds.items() if taken < limit]

    def _list_contradictions(self) -> list[int]:
        """Of documents whose text another of the topic has, with another grade."""
        log = self.log
        graded = self.rows[log.select_kind(Judgment.Kind.GRADE)[self.rows]]
        pairs = log.pair[graded].tolist()
        docnos = [log.pair_docnos[pair] for pair in pairs]
        members = load_text_groups(self.campaign, docnos)
        by_text: dict[tuple[int, str], list[int]] = defaultdict(list)
        for row, pair, docno in zip(graded.tolist(), pairs, docnos, strict=True):
            if member := members.get(docno):
                by_text[int(log.pair_topics[pair]), member.text].append(row)
        grades, ids = log.numbers["grade"], log.numbers["pk"]
        differing = (rows for rows in by_text.values() if len({int(grades[at]) for at in rows}) > 1)
        return [int(ids[at]) for rows in differing for at in rows]

    def _select_ids(self, ids: Iterable[int]) -> OwnJudgments:
        return self._select(np.isin(self.log.numbers["pk"][self.rows], list(ids)))

    def _select(self, mask: Mask) -> OwnJudgments:
        return OwnJudgments(self.campaign, self.assessor, self.log, self.rows[mask])


def list_own_judgments(campaign: Campaign, assessor: User) -> OwnJudgments:
    """As ``current_judgments_by``, from the log in memory."""
    log = read_judgment_log(campaign)
    own = log.select_rows(Purpose.JUDGE) | log.select_rows(Purpose.REPEAT)
    rows = np.flatnonzero(own & (log.numbers["assessor_id"] == assessor.pk))
    keys = log.pair[rows] * len(log.names) + log.numbers["purpose"][rows]
    rows = select_last_rows(rows, keys)
    answers = log.select_kind(Judgment.Kind.GRADE) | log.select_kind(Judgment.Kind.SKIP)
    rows = rows[answers[rows]]
    rows = select_last_rows(rows, log.pair[rows])
    return OwnJudgments(campaign, assessor, log, rows[::-1])
