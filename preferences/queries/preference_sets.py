"""Sets of preferences of a campaign, and what they say about runs and documents.

A set comes from click logs or from judged comparisons of documents. It is never a source of qrels:
nothing here writes, and qrels read judgments only.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Sum

from campaigns.models import Campaign, Run
from campaigns.services.matrices import load_run_table
from poolbench.cache import Cache
from poolbench.preferences.click_log import ClickLogTable
from poolbench.preferences.interleaved_runs import InterleavingOutcome
from poolbench.preferences.preference_pairs import PreferenceRecord, group_preferences
from poolbench.preferences.preference_score import (
    PreferenceScore,
    Rankings,
    count_own_lists,
    score_run_by_preferences,
)
from poolbench.preferences.strengths import StrengthReport, compute_strengths
from preferences.models import ClickLog, ClickPreference, ComparisonPlan, Preference
from preferences.queries.comparisons import compare_outcomes, list_choices, list_topic_outcomes

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

    key = (campaign.pk, campaign.created_at, preferences.source, preferences.state, runs)
    scores: Sequence[PreferenceScore] = _results.get_or_compute(key, compute)  # type: ignore[assignment]
    return scores


def compute_set_strengths(
    campaign: Campaign, preferences: PreferenceSet, prior: float
) -> StrengthReport:
    """Strengths of the documents of each topic. Raises ``ValueError`` for too many documents."""
    key = (campaign.pk, campaign.created_at, preferences.source, preferences.state, "prior", prior)
    report: StrengthReport = _results.get_or_compute(  # type: ignore[assignment]
        key, lambda: compute_strengths(preferences.records, prior)
    )
    return report


def list_run_comparisons(campaign: Campaign) -> list[tuple[ComparisonPlan, InterleavingOutcome]]:
    """Each plan that compares two runs and has an answer, with its outcome."""
    plans = campaign.comparison_plans.exclude(kind=ComparisonPlan.Kind.DOCUMENTS)
    return [
        (plan, compare_outcomes(outcomes))
        for plan in plans.select_related("run_a", "run_b", "campaign")
        if (outcomes := list_topic_outcomes(plan))
    ]


def iter_run_rankings(
    campaign: Campaign, topics: Collection[str]
) -> Iterator[tuple[Run, Rankings]]:
    """Each accepted run with the docnos of these topics from the top, one run at a time."""
    for run in Run.objects.filter(campaign=campaign).accepted().order_by("tag"):
        run.campaign = campaign
        table = load_run_table(run)
        yield (
            run,
            {
                topic: table.docnos[table.rows(at)]
                for at, topic in enumerate(table.topics)
                if topic in topics
            },
        )


def count_own_lists_by_run(campaign: Campaign, log: ClickLogTable) -> dict[str, int]:
    """By run tag, the sessions of ``log`` that showed a list of the run."""
    counts = dict(log.runs)
    for run, rankings in iter_run_rankings(campaign, log.first_lines):
        if own := count_own_lists(log, run.tag, rankings):
            counts[run.tag] = own
    return counts
