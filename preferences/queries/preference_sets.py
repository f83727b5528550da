"""Sets of preferences of a campaign, and what they say about runs and documents.

A set comes from click logs or from judged comparisons of documents. It is never a source of qrels:
nothing here writes, and qrels read judgments only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Sum

from campaigns.models import Campaign, Run
from common.cache import Cache
from preferences.core.credit_outcome import InterleavingOutcome, compare_credits
from preferences.core.preference_pairs import PreferenceRecord, group_preferences
from preferences.core.preference_score import PreferenceScore, score_run_by_preferences
from preferences.core.strengths import StrengthReport, compute_strengths
from preferences.models import ClickLog, ClickPreference, ComparisonPlan, Preference
from preferences.queries.comparisons import list_choices, list_topic_outcomes
from preferences.queries.run_lists import iter_run_rankings

CLICKS, COMPARISONS = "clicks", "comparisons"
SOURCES = {CLICKS: "Click logs", COMPARISONS: "Judged comparisons of documents"}
_results: Cache[tuple[object, ...], object] = Cache(16)
"""By campaign, its time of creation, the state of the set, and the runs or the prior."""


@dataclass(frozen=True)
class PreferenceSet:
    """``records`` of a source; ``state`` changes whenever they do. ``own_lists``: by run tag, the
    clicked lists that the run produced.
    """

    source: str
    records: tuple[PreferenceRecord, ...]
    state: tuple[int, ...]
    own_lists: dict[str, int]

    @property
    def preferences(self) -> int:
        return sum(record.times for record in self.records if not record.tie)

    @property
    def ties(self) -> int:
        return sum(record.times for record in self.records if record.tie)

    @property
    def topics(self) -> int:
        return len({record.topic for record in self.records})


@dataclass(frozen=True)
class RunComparison:
    """The outcome of a plan that compares two runs."""

    plan: ComparisonPlan
    outcome: InterleavingOutcome


def load_preference_set(campaign: Campaign, source: str) -> PreferenceSet:
    """The preferences of ``source``, one of ``SOURCES``."""
    if source == CLICKS:
        return load_clicked_set(campaign)
    return load_compared_set(campaign)


def load_clicked_set(campaign: Campaign) -> PreferenceSet:
    """All click logs together."""
    logs = list(ClickLog.objects.filter(campaign=campaign).order_by("pk"))
    pairs = (
        ClickPreference.objects.filter(log__in=logs)
        .order_by("topic__position", "topic__number", "better", "worse")
        .values_list("topic__number", "better", "worse")
        .annotate(total=Sum("times"))
    )
    own_lists: Counter[str] = Counter()
    for log in logs:
        own_lists.update(log.own_lists)
    records = tuple(PreferenceRecord(*pair) for pair in pairs)
    return PreferenceSet(CLICKS, records, tuple(log.pk for log in logs), dict(own_lists))


def load_compared_set(campaign: Campaign) -> PreferenceSet:
    """The current choices of all plans that compare documents, by judge."""
    kind = ComparisonPlan.Kind.DOCUMENTS
    choices = [
        choice
        for plan in campaign.comparison_plans.filter(kind=kind).order_by("pk")
        for choice in list_choices(plan)
    ]
    state = tuple(sorted(choice.pk for choice in choices))
    return PreferenceSet(COMPARISONS, tuple(map(build_choice_record, choices)), state, {})


def build_choice_record(choice: Preference) -> PreferenceRecord:
    """The record of a choice between two documents."""
    compared = choice.comparison
    a, b = compared.docno_a, compared.docno_b
    better, worse = (b, a) if choice.choice == Preference.Choice.B else (a, b)
    return PreferenceRecord(
        compared.topic.number,
        better,
        worse,
        tie=choice.choice == Preference.Choice.TIE,
        judge=choice.assessor.username,
    )


def score_runs(campaign: Campaign, preferences: PreferenceSet) -> Sequence[PreferenceScore]:
    """The share of the set that each accepted run keeps, the highest macro mean first."""
    runs = tuple(
        Run.objects.filter(campaign=campaign).accepted().order_by("pk").values_list("pk", flat=True)
    )

    def compute() -> tuple[PreferenceScore, ...]:
        grouped = group_preferences(preferences.records)
        scores = [
            score_run_by_preferences(
                run.tag, rankings, grouped, own_lists=preferences.own_lists.get(run.tag, 0)
            )
            for run, rankings in iter_run_rankings(campaign, grouped)
        ]
        return tuple(sorted(scores, key=lambda score: (-(score.macro.value or 0), score.run)))

    key = (*_campaign_key(campaign), preferences.source, preferences.state, runs)
    scores: Sequence[PreferenceScore] = _results.get_or_compute(key, compute)  # type: ignore[assignment]
    return scores


def compute_set_strengths(
    campaign: Campaign, preferences: PreferenceSet, prior: float
) -> StrengthReport:
    """Strengths of the documents of each topic. Raises ``ValueError`` for too many documents."""
    key = (*_campaign_key(campaign), preferences.source, preferences.state, "prior", prior)
    report: StrengthReport = _results.get_or_compute(  # type: ignore[assignment]
        key, lambda: compute_strengths(preferences.records, prior)
    )
    return report


def _campaign_key(campaign: Campaign) -> tuple[object, ...]:
    return campaign.pk, campaign.created_at


def list_run_comparisons(campaign: Campaign) -> list[RunComparison]:
    """The outcome of each plan that compares two runs and has an answer."""
    plans = campaign.comparison_plans.exclude(kind=ComparisonPlan.Kind.DOCUMENTS)
    compared = []
    for plan in plans.select_related("run_a", "run_b", "campaign"):
        credits_by_topic = {
            row.topic.number: [(1.0, 0.0)] * row.wins_a
            + [(0.0, 1.0)] * row.wins_b
            + [(1.0, 1.0)] * row.ties
            for row in list_topic_outcomes(plan)
        }
        if credits_by_topic:
            compared.append(RunComparison(plan, compare_credits(credits_by_topic)))
    return compared
