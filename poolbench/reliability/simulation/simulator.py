"""Replay pool specs on a finished campaign: relevant documents, cost and run rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poolbench.evaluation.comparison.rank_drop import RankDrop, find_largest_drop
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.stated_scale import state_highest_grade
from poolbench.pooling.spec import PoolSpec, method_in_words
from poolbench.reliability.disagreement.ballots import ABSENT, Grades
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.reliability.disagreement.rankings import choose_tau_ap
from poolbench.reliability.progress import Progress, ignore_progress
from poolbench.reliability.simulation.finished_campaign import FinishedCampaign
from poolbench.reliability.simulation.replay import Replay, replay_spec
from poolbench.reliability.simulation.report import (
    RECALLS,
    SEEDS,
    SHARES,
    BudgetPoint,
    FullQrelsAgreement,
    RecallEffort,
    SeedRange,
    Simulation,
    SimulationFacts,
    SpecResult,
)
from poolbench.statistics.estimate import Estimate

NEVER_FOUND = "the spec never finds that many"
NOTHING_RELEVANT = "the qrels have no relevant document"
Specs = Mapping[str, PoolSpec]
Replays = Mapping[str, Sequence[Replay]]


def simulate_specs(
    finished: FinishedCampaign,
    specs: Specs,
    measures: Sequence[Measure],
    *,
    seeds: int = SEEDS,
    budgets: Sequence[int] = (),
    progress: Progress = ignore_progress,
    replays: Replays | None = None,
) -> Simulation:
    """Replay each of ``specs``, by name, with ``seeds`` consecutive seeds from its own (or 0).

    ``budgets`` are total judgments; default: ``SHARES`` of the judgments of the deepest spec.
    ``replays`` are those by ``replay_seed``, if they were computed before. Raises ``ValueError``
    for an invalid simulation before anything is computed.
    """
    check_simulation(finished, specs, measures, seeds, budgets)
    measures = state_highest_grade(measures, finished.options, finished.qrels.grades)
    if replays is None:
        replays = replay_specs(finished, specs, seeds, progress)
    cuts = tuple(sorted(set(budgets))) or default_budgets(replays)
    rankings = {
        measure.name: score_replays(finished, measure, replays, cuts, progress)
        for measure in measures
    }
    return Simulation(
        facts=collect_simulation_facts(
            finished, seeds, {name: tau_ap for name, (tau_ap, _) in rankings.items()}
        ),
        budgets=cuts,
        measures=tuple(rankings),
        specs=tuple(
            summarize_spec(finished, name, spec, replays[name], cuts, rankings)
            for name, spec in specs.items()
        ),
    )


def check_simulation(
    finished: FinishedCampaign,
    specs: Specs,
    measures: Sequence[Measure],
    seeds: int,
    budgets: Sequence[int],
) -> None:
    """Raise ``ValueError`` for an invalid simulation."""
    if not specs or not measures:
        raise ValueError("no spec or no measure")
    if seeds < 1 or any(budget < 1 for budget in budgets):
        raise ValueError("seeds and budgets must be at least 1")
    if len(finished.tags) < 2:
        raise ValueError("a ranking needs at least two runs")
    if not finished.relevant.any():
        raise ValueError(NOTHING_RELEVANT)
    for name, spec in specs.items():
        teams = {run.team for run in finished.contributing_runs}
        if missing := spec.runs.list_unknown(finished.pooled, teams):
            message = f"no contributing run matches spec {name}"
            raise ValueError(f"{message}: {', '.join(missing)}")
        if not finished.answers(finished.select_runs(spec)):
            raise ValueError(f"no contributing run of spec {name} answers a topic of the qrels")
        check_steps_simulable(finished, name, spec)


def check_steps_simulable(finished: FinishedCampaign, name: str, spec: PoolSpec) -> None:
    """Raise ``ValueError`` if a method lacks an input, which it reports when it starts."""
    for step in spec.steps:
        if step.method.player is not None:
            try:
                step.method.player(finished.listing(spec).topic(0), step.values)
            except ValueError as error:
                raise ValueError(f"spec {name} cannot be replayed: {error}") from error


def replay_specs(
    finished: FinishedCampaign, specs: Specs, seeds: int, progress: Progress
) -> dict[str, list[Replay]]:
    """Replays by spec, one per seed."""
    replays: dict[str, list[Replay]] = {name: [] for name in specs}
    for number, (name, spec) in enumerate(specs.items()):
        for seed in range(seeds):
            replays[name].append(replay_seed(finished, spec, seed))
            progress(f"replaying {name}", number * seeds + seed + 1, len(specs) * seeds)
    return replays


def replay_seed(finished: FinishedCampaign, spec: PoolSpec, seed: int) -> Replay:
    """The replay with the seed that is ``seed`` after the spec's own."""
    # The same rankings, with ties broken by another seed.
    listing = replace(finished.listing(spec), seed=(spec.seed or 0) + seed)
    return replay_spec(spec, listing, finished)


def default_budgets(replays: Replays) -> tuple[int, ...]:
    """``SHARES`` of the judgments of the deepest spec over all seeds, rounded up."""
    deepest = max(len(each) for each_spec in replays.values() for each in each_spec)
    return tuple(sorted({max(1, -(-deepest * share // 100)) for share in SHARES}))


class RankingComparison(NamedTuple):
    """One ranking of all runs compared with that by the full qrels."""

    tau_b: Estimate
    tau_ap: Estimate
    drop: RankDrop | None


Comparisons = Mapping[str, Sequence[Sequence[RankingComparison]]]
"""By spec, seed and budget."""


def score_replays(
    finished: FinishedCampaign,
    measure: Measure,
    replays: Replays,
    budgets: Sequence[int],
    progress: Progress,
) -> tuple[str, Comparisons]:
    """All runs ranked by the judgments of each replay at each budget; the name of tau_AP first."""
    panel = finished.panel(measure)
    full = panel.means(panel.by_topic(panel.ballots.policy_grades))
    listed = [each for comparisons in replays.values() for each in comparisons]
    ends = np.array([each.judged_at(len(finished.qrels)) for each in listed])
    means = panel.means(score_at_budgets(panel, ends, np.array(budgets), progress))
    tau_ap = choose_tau_ap(full)
    rows = iter(means.reshape(len(listed), len(budgets), len(finished.tags)))
    return tau_ap, {
        name: [[compare_with_full(panel, full, way, tau_ap) for way in next(rows)] for _ in each]
        for name, each in replays.items()
    }


def score_at_budgets(
    panel: DisagreementPanel, ends: Ints, budgets: Ints, progress: Progress
) -> Floats:
    """Topics × (replays · budgets) × runs; ``ends`` is replays × pairs, ``Replay.judged_at``."""
    topics = panel.ballots.topics
    scores = np.empty((len(topics), len(ends) * len(budgets), len(panel.tags)))
    for at in range(len(topics)):
        rows = panel.ballots.rows(at)
        judged = ends[:, None, rows] <= budgets[None, :, None]
        ways: Grades = np.where(judged, panel.ballots.policy_grades[rows], np.int32(ABSENT))
        scores[at] = panel.score(at, ways.reshape(-1, ways.shape[-1]))
        progress(f"scoring by {panel.measure.name}", at + 1, len(topics))
    return scores


def compare_with_full(
    panel: DisagreementPanel, full: Floats, means: Floats, tau_ap: str
) -> RankingComparison:
    """``full`` and ``means`` are the scores of all runs."""
    reference, other = panel.better * full, panel.better * means
    tau_b, ap = (CORRELATIONS[name].of_scores(reference, other) for name in ("tau-b", tau_ap))
    return RankingComparison(tau_b, ap, find_largest_drop(panel.tags, reference, other))


def collect_simulation_facts(
    finished: FinishedCampaign, seeds: int, tau_ap: dict[str, str]
) -> SimulationFacts:
    by_topic = finished.relevant_by_topic
    return SimulationFacts(
        runs=len(finished.tags),
        pooled=len(finished.pooled),
        topics=len(finished.qrels.topics),
        answered=int(np.count_nonzero(by_topic)),
        judged=int(np.count_nonzero(finished.qrels.grades >= 0)),
        relevant=int(by_topic.sum()),
        level=finished.level,
        seeds=seeds,
        tau_ap=tau_ap,
    )


def summarize_spec(
    finished: FinishedCampaign,
    name: str,
    spec: PoolSpec,
    replays: Sequence[Replay],
    budgets: Sequence[int],
    rankings: Mapping[str, tuple[str, Comparisons]],
) -> SpecResult:
    by_topic = finished.relevant_by_topic
    return SpecResult(
        name=name,
        steps=method_in_words(spec.as_dict()),
        spec=spec.as_dict(),
        runs=len(finished.select_runs(spec)),
        judged=SeedRange.from_values([len(each) for each in replays]),
        relevant=SeedRange.from_values([int(each.relevant.sum()) for each in replays]),
        holes=SeedRange.from_values([int((each.row < 0).sum()) for each in replays]),
        points=tuple(
            budget_point(
                replays,
                budget,
                int(by_topic.sum()),
                {
                    measure: agreement_with_full([seed[at] for seed in comparisons[name]])
                    for measure, (_, comparisons) in rankings.items()
                },
            )
            for at, budget in enumerate(budgets)
        ),
        efforts=tuple(effort_to_recall(replays, percent, by_topic) for percent in RECALLS),
    )


def agreement_with_full(seeds: Sequence[RankingComparison]) -> FullQrelsAgreement:
    drops = [seed.drop for seed in seeds if seed.drop is not None]
    return FullQrelsAgreement(
        tau_b=SeedRange.from_values([seed.tau_b.value for seed in seeds], seeds[0].tau_b.why),
        tau_ap=SeedRange.from_values([seed.tau_ap.value for seed in seeds], seeds[0].tau_ap.why),
        drop=SeedRange.from_values([seed.drop.places if seed.drop else 0 for seed in seeds]),
        worst=max(drops, key=lambda drop: (drop.places, -drop.before), default=None),
    )


def budget_point(
    replays: Sequence[Replay],
    budget: int,
    relevant_total: int,
    rankings: dict[str, FullQrelsAgreement],
) -> BudgetPoint:
    """``relevant_total`` is the number of relevant documents in the full qrels."""
    relevant_counts = [int(each.relevant[:budget].sum()) for each in replays]
    return BudgetPoint(
        budget=budget,
        spent=SeedRange.from_values([min(budget, len(each)) for each in replays]),
        relevant=SeedRange.from_values(relevant_counts),
        share=SeedRange.from_values([relevant / relevant_total for relevant in relevant_counts]),
        holes=SeedRange.from_values([int((each.row[:budget] < 0).sum()) for each in replays]),
        rankings=rankings,
    )


def effort_to_recall(replays: Sequence[Replay], percent: int, by_topic: Ints) -> RecallEffort:
    """``by_topic`` has the known relevant documents of each topic."""
    totals = [
        each.judgments_needed(percent_rounded_up(percent, int(by_topic.sum()))) for each in replays
    ]
    topics = [topics_needed(each, percent, by_topic) for each in replays]
    means = [float(np.mean(counts)) if counts else None for counts in topics]
    return RecallEffort(
        percent=percent,
        total=SeedRange.from_values(totals, NEVER_FOUND),
        by_topic=SeedRange.from_values(means, NEVER_FOUND),
        reached=SeedRange.from_values([len(counts) for counts in topics]),
    )


def topics_needed(replay: Replay, percent: int, by_topic: Ints) -> list[int]:
    """The judgments of each topic that reaches ``percent``; topics without a relevant document
    do not.
    """
    needed = (
        replay.for_topic(topic).judgments_needed(percent_rounded_up(percent, relevant))
        for topic, relevant in enumerate(by_topic.tolist())
        if relevant
    )
    return [judgments for judgments in needed if judgments is not None]


def percent_rounded_up(percent: int, count: int) -> int:
    """``percent`` of ``count``, rounded up."""
    return -(-count * percent // 100)
