"""Comparison of qrels versions."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from campaigns.models import Campaign
from judging.models import Audience, Purpose, Qrels
from judging.queries.judgments import qrels_table
from poolbench.cache import Cache
from poolbench.judging.policy_rules import CROWD_RULES, CrowdRule
from poolbench.reports.csv import format_csv
from pooling.queries.judgment_log import read_judgment_log

Changes = list[tuple[str, str, int | None, int | None]]
Flows = Counter[tuple[int | None, int | None]]
_comparisons: Cache[tuple[str, str], tuple[Changes, Flows]] = Cache(
    200_000, lambda compared: len(compared[0])
)
"""By the hashes of two versions, which never change."""


@dataclass(frozen=True)
class QrelsComparison:
    """``flows`` counts pairs by (grade before, grade after), including unchanged ones. ``changes``
    are pairs with different grades: topic, docno, before, after; None: not in that version.
    """

    before: Qrels
    after: Qrels
    changes: Changes
    flows: Flows

    @property
    def same(self) -> int:
        return sum(count for (before, after), count in self.flows.items() if before == after)

    @property
    def regraded(self) -> int:
        return sum(None not in row for row in self.changes)

    @property
    def added(self) -> int:
        return sum(before is None for *_, before, _after in self.changes)

    @property
    def dropped(self) -> int:
        return sum(after is None for *_, after in self.changes)


def compare_qrels_versions(before: Qrels, after: Qrels) -> QrelsComparison:
    """All pairs of either version; the changes sorted by topic and docno."""
    key = before.sha256, after.sha256
    changes, flows = _comparisons.get_or_compute(key, lambda: list_grade_changes(before, after))
    return QrelsComparison(before, after, changes, flows)


def list_grade_changes(before: Qrels, after: Qrels) -> tuple[Changes, Flows]:
    """``changes`` and ``flows`` of the comparison."""
    old, new = qrels_table(before).by_pair(), qrels_table(after).by_pair()
    flows: Flows = Counter()
    changes: Changes = []
    for pair in sorted(old.keys() | new.keys()):
        was, now = old.get(pair), new.get(pair)
        flows[was, now] += 1
        if was != now:
            changes.append((*pair, was, now))
    return changes, flows


def format_qrels_changes(comparison: QrelsComparison) -> str:
    """One line per changed pair; no grade: the pair is not in that version."""
    before, after = comparison.before, comparison.after
    conditions = {
        "campaign": before.campaign.slug,
        "before": {"version": before.version, "policy": before.policy, "sha256": before.sha256},
        "after": {"version": after.version, "policy": after.policy, "sha256": after.sha256},
    }
    return format_csv(
        "qrels changes", ("topic", "docno", "before", "after"), comparison.changes, conditions
    )


def list_crowd_rules(campaign: Campaign) -> list[CrowdRule]:
    """The rules for all pairs together, if pairs may have several judgments; those that need gold
    if there is any.
    """
    if not campaign.plans.filter(Q(overlap__gt=1) | Q(audience=Audience.CROWD)).exists():
        return []
    has_gold = bool(read_judgment_log(campaign).select_rows(Purpose.GOLD).any())
    return [rule for rule in CROWD_RULES.values() if has_gold or not rule.model.needs_gold]


def find_study_model(campaign: Campaign) -> str:
    """The model that the latest crowd study with judgments has chosen; empty without one."""
    if not read_judgment_log(campaign).units:
        return ""
    judged = campaign.judgments.filter(purpose=Purpose.JUDGE, unit__plan=OuterRef("pk"))
    plans = campaign.plans.filter(Exists(judged.exclude(unit__trial=True)), study__isnull=False)
    return plans.order_by("-pk").values_list("study__aggregation", flat=True).first() or ""
