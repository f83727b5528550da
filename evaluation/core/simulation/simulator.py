"""Replay pool specs on a finished campaign: what would have been found, and who would have led."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.core.comparison.estimate import ComparisonEstimate
from evaluation.core.comparison.rank_drop import RankDrop
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.disagreement.ballots import ABSENT, Grades
from evaluation.core.disagreement.panel import DisagreementPanel
from evaluation.core.disagreement.rankings import choose_tau_ap, drop_from_base
from evaluation.core.disagreement.report import can_rank_runs
from evaluation.core.judgments import Floats, Ints
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.simulation.finished_campaign import FinishedCampaign, reseed_ties
from evaluation.core.simulation.replay import Replay, replay_spec
from evaluation.core.simulation.report import (
    RECALLS,
    SEEDS,
    SHARES,
    BudgetPoint,
    FullQrelsAgreement,
    Progress,
    RecallEffort,
    SeedRange,
    Simulation,
    SimulationFacts,
    SpecResult,
)
from pooling.core.spec import PoolSpec, method_in_words

NEVER_FOUND = "so many are never found"
NOTHING_RELEVANT = "the qrels have no relevant document"
Specs = Mapping[str, PoolSpec]
Replays = Mapping[str, Sequence[Replay]]


def ignore_progress(what: str, done: int, of: int) -> None:
    """Tell nobody."""


def parse_ranking_measures(names: Sequence[str]) -> tuple[Measure, ...]:
    """The measures of those names. Raises ``ValueError`` for what is none, or ranks no runs."""
    found = parse_measures(names)
    if strange := [measure.name for measure in found if not can_rank_runs(measure)]:
        raise ValueError(f"Runs are not ranked by {', '.join(strange)}.")
    return found


def simulate_specs(
    finished: FinishedCampaign,
    specs: Specs,
    measures: Sequence[Measure],
    *,
    seeds: int = SEEDS,
    budgets: Sequence[int] = (),
    progress: Progress = ignore_progress,
) -> Simulation:
    """Replay each of ``specs``, by name, with ``seeds`` seeds from its own (or 0) on.

    ``budgets`` are judgments in all; without any, ``SHARES`` of what the deepest spec judges.
    Raises ``ValueError`` for what cannot be simulated, before anything is computed.
    """
    check_simulation(finished, specs, measures, seeds, budgets)
    replays = replay_specs(finished, specs, seeds, progress)
    cuts = tuple(sorted(set(budgets))) or default_budgets(replays)
    rankings = {
        measure.name: score_replays(finished, measure, replays, cuts, progress)
        for measure in measures
    }
    return Simulation(
        facts=collect_simulation_facts(
            finished, seeds, {name: found.tau_ap for name, found in rankings.items()}
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
    """Raise ``ValueError`` for what cannot be simulated."""
    if not specs or not measures:
        raise ValueError("there is no spec, or no measure")
    if seeds < 1 or any(budget < 1 for budget in budgets):
        raise ValueError("seeds and budgets are 1 or more")
    if len(finished.tags) < 2:
        raise ValueError("there is no ranking of fewer than two runs")
    if not finished.relevant.any():
        raise ValueError(NOTHING_RELEVANT)
    for name, spec in specs.items():
        teams = {run.team for run in finished.feeders}
        if lost := spec.runs.list_unknown(finished.pooled, teams):
            told = f"no run that may feed the pool has what {name} names"
            raise ValueError(f"{told}: {', '.join(lost)}")
        if not finished.answers(finished.feeding(spec)):
            raise ValueError(f"no run that feeds {name} answers a topic of the qrels")
        check_steps_simulable(finished, name, spec)


def check_steps_simulable(finished: FinishedCampaign, name: str, spec: PoolSpec) -> None:
    """Raise ``ValueError`` where a method lacks something, which it says when it begins."""
    for step in spec.steps:
        if step.method.player is not None:
            try:
                step.method.player(finished.listing(spec).topic(0), step.values)
            except ValueError as wrong:
                raise ValueError(f"no replay of {name}: {wrong}") from wrong


def replay_specs(
    finished: FinishedCampaign, specs: Specs, seeds: int, progress: Progress
) -> dict[str, list[Replay]]:
    """By spec: its replays, one a seed."""
    found: dict[str, list[Replay]] = {name: [] for name in specs}
    for number, (name, spec) in enumerate(specs.items()):
        for seed in range(seeds):
            listing = reseed_ties(finished.listing(spec), (spec.seed or 0) + seed)
            found[name].append(replay_spec(spec, listing, finished))
            progress(f"replaying {name}", number * seeds + seed + 1, len(specs) * seeds)
    return found


def default_budgets(replays: Replays) -> tuple[int, ...]:
    """``SHARES`` of what the deepest spec judges with any seed, rounded up."""
    deepest = max(len(each) for found in replays.values() for each in found)
    return tuple(sorted({max(1, -(-deepest * share // 100)) for share in SHARES}))


class RankingStanding(NamedTuple):
    """One ranking of all runs against that by the full qrels."""

    tau_b: ComparisonEstimate
    tau_ap: ComparisonEstimate
    drop: RankDrop | None


@dataclass(frozen=True)
class RankedReplays:
    """By spec, seed and budget: how all runs are ranked by what was judged by then."""

    tau_ap: str
    found: Mapping[str, Sequence[Sequence[RankingStanding]]]


def score_replays(
    finished: FinishedCampaign,
    measure: Measure,
    replays: Replays,
    budgets: Sequence[int],
    progress: Progress,
) -> RankedReplays:
    """Score all runs by the judgments of each replay at each budget."""
    panel = finished.panel(measure)
    full = panel.means(panel.by_topic(panel.ballots.made))
    listed = [each for found in replays.values() for each in found]
    ends = np.array([each.judged_at(len(finished.qrels)) for each in listed])
    means = panel.means(score_at_budgets(panel, ends, np.array(budgets), progress))
    tau_ap = choose_tau_ap(full)
    rows = iter(means.reshape(len(listed), len(budgets), len(finished.tags)))
    found = {
        name: [[compare_with_full(panel, full, way, tau_ap) for way in next(rows)] for _ in each]
        for name, each in replays.items()
    }
    return RankedReplays(tau_ap, found)


def score_at_budgets(
    panel: DisagreementPanel, ends: Ints, budgets: Ints, progress: Progress
) -> Floats:
    """Topics × (replays · budgets) × runs; ``ends`` is replays × pairs, ``Replay.judged_at``."""
    topics = panel.ballots.topics
    scores = np.empty((len(topics), len(ends) * len(budgets), len(panel.tags)))
    for at in range(len(topics)):
        rows = panel.ballots.rows(at)
        judged = ends[:, None, rows] <= budgets[None, :, None]
        ways: Grades = np.where(judged, panel.ballots.made[rows], np.int32(ABSENT))
        scores[at] = panel.score(at, ways.reshape(-1, ways.shape[-1]))
        progress(f"scoring by {panel.measure.name}", at + 1, len(topics))
    return scores


def compare_with_full(
    panel: DisagreementPanel, full: Floats, means: Floats, tau_ap: str
) -> RankingStanding:
    """``full`` and ``means`` are the figures of all runs."""
    one, two = panel.better * full, panel.better * means
    tau_b, ap = (CORRELATIONS[name].of_scores(one, two) for name in ("tau-b", tau_ap))
    return RankingStanding(tau_b, ap, drop_from_base(panel, full, means))


def collect_simulation_facts(
    finished: FinishedCampaign, seeds: int, tau_ap: dict[str, str]
) -> SimulationFacts:
    by_topic = known_relevant_by_topic(finished)
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


def known_relevant_by_topic(finished: FinishedCampaign) -> Ints:
    starts = finished.qrels.starts
    return np.diff(np.concatenate(([0], np.cumsum(finished.relevant)))[starts])


def summarize_spec(
    finished: FinishedCampaign,
    name: str,
    spec: PoolSpec,
    replays: Sequence[Replay],
    budgets: Sequence[int],
    rankings: Mapping[str, RankedReplays],
) -> SpecResult:
    by_topic = known_relevant_by_topic(finished)
    return SpecResult(
        name=name,
        steps=method_in_words(spec.as_dict()),
        spec=spec.as_dict(),
        runs=len(finished.feeding(spec)),
        judged=SeedRange.of([len(each) for each in replays]),
        relevant=SeedRange.of([int(each.relevant.sum()) for each in replays]),
        holes=SeedRange.of([int((each.row < 0).sum()) for each in replays]),
        points=tuple(
            budget_point(
                replays, budget, int(by_topic.sum()), agreement_by_measure(rankings, name, at)
            )
            for at, budget in enumerate(budgets)
        ),
        efforts=tuple(effort_to_recall(replays, percent, by_topic) for percent in RECALLS),
    )


def agreement_by_measure(
    rankings: Mapping[str, RankedReplays], spec: str, at: int
) -> dict[str, FullQrelsAgreement]:
    """By measure, at the budget in that place."""
    return {
        name: agreement_with_full([seed[at] for seed in ranked.found[spec]])
        for name, ranked in rankings.items()
    }


def agreement_with_full(seeds: Sequence[RankingStanding]) -> FullQrelsAgreement:
    drops = [seed.drop for seed in seeds if seed.drop is not None]
    return FullQrelsAgreement(
        tau_b=SeedRange.of([seed.tau_b.value for seed in seeds], seeds[0].tau_b.reason),
        tau_ap=SeedRange.of([seed.tau_ap.value for seed in seeds], seeds[0].tau_ap.reason),
        drop=SeedRange.of([seed.drop.places if seed.drop else 0 for seed in seeds]),
        worst=max(drops, key=lambda drop: (drop.places, -drop.before), default=None),
    )


def budget_point(
    replays: Sequence[Replay], budget: int, known: int, rankings: dict[str, FullQrelsAgreement]
) -> BudgetPoint:
    """``known`` is the number of relevant documents in the full qrels."""
    found = [int(each.relevant[:budget].sum()) for each in replays]
    return BudgetPoint(
        budget=budget,
        spent=SeedRange.of([min(budget, len(each)) for each in replays]),
        relevant=SeedRange.of(found),
        share=SeedRange.of([relevant / known for relevant in found]),
        holes=SeedRange.of([int((each.row[:budget] < 0).sum()) for each in replays]),
        rankings=rankings,
    )


def effort_to_recall(replays: Sequence[Replay], percent: int, by_topic: Ints) -> RecallEffort:
    """``by_topic`` has the known relevant documents of each topic."""
    totals = [each.needed(percent_rounded_up(percent, int(by_topic.sum()))) for each in replays]
    topics = [topics_needed(each, percent, by_topic) for each in replays]
    means = [float(np.mean(found)) if found else None for found in topics]
    return RecallEffort(
        percent=percent,
        total=SeedRange.of(totals, NEVER_FOUND),
        by_topic=SeedRange.of(means, NEVER_FOUND),
        reached=SeedRange.of([len(found) for found in topics]),
    )


def topics_needed(found: Replay, percent: int, by_topic: Ints) -> list[int]:
    """The judgments of each topic that gets there; topics without a relevant document do not."""
    needed = (
        found.of_topic(topic).needed(percent_rounded_up(percent, known))
        for topic, known in enumerate(by_topic.tolist())
        if known
    )
    return [judgments for judgments in needed if judgments is not None]


def percent_rounded_up(percent: int, known: int) -> int:
    """``percent`` of ``known``, rounded up."""
    return -(-known * percent // 100)
