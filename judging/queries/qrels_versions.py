"""Comparison of qrels versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q

from campaigns.models import Campaign
from common.report.csv import format_csv
from judging.core.crowd_policies import CROWD_RULES, CrowdRule
from judging.core.policies import Row
from judging.models import Audience, Purpose, Qrels
from judging.queries.judgments import Pair, qrels_table


@dataclass(frozen=True)
class GradeChange:
    """A pair with different grades in two versions; None: it is not in that version."""

    topic: str
    docno: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class QrelsComparison:
    """``flows`` counts pairs by (grade before, grade after), including unchanged ones."""

    before: Qrels
    after: Qrels
    changes: list[GradeChange]
    flows: Counter[tuple[int | None, int | None]]

    @property
    def same(self) -> int:
        return sum(count for (before, after), count in self.flows.items() if before == after)

    @property
    def regraded(self) -> int:
        return sum(None not in (row.before, row.after) for row in self.changes)

    @property
    def added(self) -> int:
        return sum(row.before is None for row in self.changes)

    @property
    def dropped(self) -> int:
        return sum(row.after is None for row in self.changes)


def compare_qrels_versions(before: Qrels, after: Qrels) -> QrelsComparison:
    """All pairs of either version; the changes sorted by topic and docno."""
    old, new = version_grades(before), version_grades(after)
    flows: Counter[tuple[int | None, int | None]] = Counter()
    changes = []
    for pair in sorted(old.keys() | new.keys()):
        was, now = old.get(pair), new.get(pair)
        flows[was, now] += 1
        if was != now:
            changes.append(GradeChange(*pair, was, now))
    return QrelsComparison(before, after, changes, flows)


def format_qrels_changes(comparison: QrelsComparison) -> str:
    """One line per changed pair; no grade: the pair is not in that version."""
    before, after = comparison.before, comparison.after
    conditions = {
        "campaign": before.campaign.slug,
        "before": {"version": before.version, "policy": before.policy, "sha256": before.sha256},
        "after": {"version": after.version, "policy": after.policy, "sha256": after.sha256},
    }
    rows = ((row.topic, row.docno, row.before, row.after) for row in comparison.changes)
    return format_csv("qrels changes", ("topic", "docno", "before", "after"), rows, conditions)


def version_grades(qrels: Qrels) -> dict[Pair, int]:
    table = qrels_table(qrels)
    return {
        (topic, docno): grade
        for index, topic in enumerate(table.topics)
        for docno, grade in zip(
            table.docnos[table.rows(index)], table.grades[table.rows(index)].tolist(), strict=True
        )
    }


def list_crowd_rules(campaign: Campaign) -> list[CrowdRule]:
    """The rules for all pairs together, if pairs may have several judgments; those that need gold
    if there is any.
    """
    if not campaign.plans.filter(Q(overlap__gt=1) | Q(audience=Audience.CROWD)).exists():
        return []
    has_gold = campaign.judgments.filter(purpose=Purpose.GOLD).exists()
    return [rule for rule in CROWD_RULES.values() if has_gold or not rule.model.needs_gold]


def count_differing_pairs(rows: Iterable[Row], others: Iterable[Row]) -> int:
    """The number of pairs with different grades, or in only one of the two."""
    first, second = grades_by_pair(rows), grades_by_pair(others)
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


def grades_by_pair(rows: Iterable[Row]) -> Mapping[Pair, int]:
    return {(topic, docno): grade for topic, docno, grade in rows}
