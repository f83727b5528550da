"""Replay pool specs on a finished campaign: what would have been found, and who would have led."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.core.comparison.drop import Drop
from evaluation.core.comparison.estimate import Estimate
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.disagreement.ballots import ABSENT, Grades
from evaluation.core.disagreement.panel import Panel
from evaluation.core.disagreement.rankings import drop_of, tau_ap_for
from evaluation.core.disagreement.report import ranks_runs
from evaluation.core.judged import Floats, Ints
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.simulation.finished import Finished, with_seed
from evaluation.core.simulation.replaying import Replay, replay
from evaluation.core.simulation.report import (
    RECALLS,
    SEEDS,
    SHARES,
    Agreement,
    Effort,
    Facts,
    Point,
    Progress,
    Range,
    Simulated,
    Simulation,
)
from pooling.core.spec import Spec, method_in_words

NEVER_FOUND = "so many are never found"
NOTHING_RELEVANT = "the qrels have no relevant document"
Specs = Mapping[str, Spec]
Replays = Mapping[str, Sequence[Replay]]


def silent(what: str, done: int, of: int) -> None:
    """Tell nobody."""


def measures_of(names: Sequence[str]) -> tuple[Measure, ...]:
    """The measures of those names. Raises ``ValueError`` for what is none, or ranks no runs."""
    found = parse_measures(names)
    if strange := [measure.name for measure in found if not ranks_runs(measure)]:
        raise ValueError(f"Runs are not ranked by {', '.join(strange)}.")
    return found


def simulate(
    finished: Finished,
    specs: Specs,
    measures: Sequence[Measure],
    *,
    seeds: int = SEEDS,
    budgets: Sequence[int] = (),
    progress: Progress = silent,
) -> Simulation:
    """Replay each of ``specs``, by name, with ``seeds`` seeds from its own (or 0) on.

    ``budgets`` are judgments in all; without any, ``SHARES`` of what the deepest spec judges.
    Raises ``ValueError`` for what cannot be simulated, before anything is computed.
    """
    refuse(finished, specs, measures, seeds, budgets)
    replays = replayed(finished, specs, seeds, progress)
    cuts = tuple(sorted(set(budgets))) or shares_of(replays)
    rankings = {
        measure.name: ranked(finished, measure, replays, cuts, progress) for measure in measures
    }
    return Simulation(
        facts=facts_of(finished, seeds, {name: found.tau_ap for name, found in rankings.items()}),
        budgets=cuts,
        measures=tuple(rankings),
        specs=tuple(
            simulated_of(finished, name, spec, replays[name], cuts, rankings)
            for name, spec in specs.items()
        ),
    )


def refuse(
    finished: Finished,
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
        if lost := spec.runs.unknown(finished.pooled, teams):
            told = f"no run that may feed the pool has what {name} names"
            raise ValueError(f"{told}: {', '.join(lost)}")
        if not finished.answers(finished.feeding(spec)):
            raise ValueError(f"no run that feeds {name} answers a topic of the qrels")
        refuse_steps(finished, name, spec)


def refuse_steps(finished: Finished, name: str, spec: Spec) -> None:
    """Raise ``ValueError`` where a method lacks something, which it says when it begins."""
    for step in spec.steps:
        if step.method.player is not None:
            try:
                step.method.player(finished.listing(spec).topic(0), step.values)
            except ValueError as wrong:
                raise ValueError(f"no replay of {name}: {wrong}") from wrong


def replayed(
    finished: Finished, specs: Specs, seeds: int, progress: Progress
) -> dict[str, list[Replay]]:
    """By spec: its replays, one a seed."""
    found: dict[str, list[Replay]] = {name: [] for name in specs}
    for number, (name, spec) in enumerate(specs.items()):
        for seed in range(seeds):
            listing = with_seed(finished.listing(spec), (spec.seed or 0) + seed)
            found[name].append(replay(spec, listing, finished))
            progress(f"replaying {name}", number * seeds + seed + 1, len(specs) * seeds)
    return found


def shares_of(replays: Replays) -> tuple[int, ...]:
    """``SHARES`` of what the deepest spec judges with any seed, rounded up."""
    deepest = max(len(each) for found in replays.values() for each in found)
    return tuple(sorted({max(1, -(-deepest * share // 100)) for share in SHARES}))


class Standing(NamedTuple):
    """One ranking of all runs against that by the full qrels."""

    tau_b: Estimate
    tau_ap: Estimate
    drop: Drop | None


@dataclass(frozen=True)
class Ranked:
    """By spec, seed and budget: how all runs are ranked by what was judged by then."""

    tau_ap: str
    found: Mapping[str, Sequence[Sequence[Standing]]]


def ranked(
    finished: Finished,
    measure: Measure,
    replays: Replays,
    budgets: Sequence[int],
    progress: Progress,
) -> Ranked:
    """Score all runs by the judgments of each replay at each budget."""
    panel = finished.panel(measure)
    full = panel.means(panel.by_topic(panel.ballots.made))
    listed = [each for found in replays.values() for each in found]
    ends = np.array([each.judged_at(len(finished.qrels)) for each in listed])
    means = panel.means(scores_of(panel, ends, np.array(budgets), progress))
    tau_ap = tau_ap_for(full)
    rows = iter(means.reshape(len(listed), len(budgets), len(finished.tags)))
    found = {
        name: [[standing(panel, full, way, tau_ap) for way in next(rows)] for _ in each]
        for name, each in replays.items()
    }
    return Ranked(tau_ap, found)


def scores_of(panel: Panel, ends: Ints, budgets: Ints, progress: Progress) -> Floats:
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


def standing(panel: Panel, full: Floats, means: Floats, tau_ap: str) -> Standing:
    """``full`` and ``means`` are the figures of all runs."""
    one, two = panel.better * full, panel.better * means
    tau_b, ap = (CORRELATIONS[name].of_scores(one, two) for name in ("tau-b", tau_ap))
    return Standing(tau_b, ap, drop_of(panel, full, means))


def facts_of(finished: Finished, seeds: int, tau_ap: dict[str, str]) -> Facts:
    by_topic = relevant_by_topic(finished)
    return Facts(
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


def relevant_by_topic(finished: Finished) -> Ints:
    starts = finished.qrels.starts
    return np.diff(np.concatenate(([0], np.cumsum(finished.relevant)))[starts])


def simulated_of(
    finished: Finished,
    name: str,
    spec: Spec,
    replays: Sequence[Replay],
    budgets: Sequence[int],
    rankings: Mapping[str, Ranked],
) -> Simulated:
    by_topic = relevant_by_topic(finished)
    return Simulated(
        name=name,
        steps=method_in_words(spec.as_dict()),
        spec=spec.as_dict(),
        runs=len(finished.feeding(spec)),
        judged=Range.of([len(each) for each in replays]),
        relevant=Range.of([int(each.relevant.sum()) for each in replays]),
        holes=Range.of([int((each.row < 0).sum()) for each in replays]),
        points=tuple(
            point_of(replays, budget, int(by_topic.sum()), agreements(rankings, name, at))
            for at, budget in enumerate(budgets)
        ),
        efforts=tuple(effort_of(replays, percent, by_topic) for percent in RECALLS),
    )


def agreements(rankings: Mapping[str, Ranked], spec: str, at: int) -> dict[str, Agreement]:
    """By measure, at the budget in that place."""
    return {
        name: agreement_of([seed[at] for seed in ranked.found[spec]])
        for name, ranked in rankings.items()
    }


def agreement_of(seeds: Sequence[Standing]) -> Agreement:
    drops = [seed.drop for seed in seeds if seed.drop is not None]
    return Agreement(
        tau_b=Range.of([seed.tau_b.value for seed in seeds], seeds[0].tau_b.reason),
        tau_ap=Range.of([seed.tau_ap.value for seed in seeds], seeds[0].tau_ap.reason),
        drop=Range.of([seed.drop.places if seed.drop else 0 for seed in seeds]),
        worst=max(drops, key=lambda drop: (drop.places, -drop.before), default=None),
    )


def point_of(
    replays: Sequence[Replay], budget: int, known: int, rankings: dict[str, Agreement]
) -> Point:
    """``known`` is the number of relevant documents in the full qrels."""
    found = [int(each.relevant[:budget].sum()) for each in replays]
    return Point(
        budget=budget,
        spent=Range.of([min(budget, len(each)) for each in replays]),
        relevant=Range.of(found),
        share=Range.of([relevant / known for relevant in found]),
        holes=Range.of([int((each.row[:budget] < 0).sum()) for each in replays]),
        rankings=rankings,
    )


def effort_of(replays: Sequence[Replay], percent: int, by_topic: Ints) -> Effort:
    """``by_topic`` has the known relevant documents of each topic."""
    totals = [each.needed(part_of(percent, int(by_topic.sum()))) for each in replays]
    topics = [topics_needed(each, percent, by_topic) for each in replays]
    means = [float(np.mean(found)) if found else None for found in topics]
    return Effort(
        percent=percent,
        total=Range.of(totals, NEVER_FOUND),
        by_topic=Range.of(means, NEVER_FOUND),
        reached=Range.of([len(found) for found in topics]),
    )


def topics_needed(found: Replay, percent: int, by_topic: Ints) -> list[int]:
    """The judgments of each topic that gets there; topics without a relevant document do not."""
    needed = (
        found.of_topic(topic).needed(part_of(percent, known))
        for topic, known in enumerate(by_topic.tolist())
        if known
    )
    return [judgments for judgments in needed if judgments is not None]


def part_of(percent: int, known: int) -> int:
    """``percent`` of ``known``, rounded up."""
    return -(-known * percent // 100)
