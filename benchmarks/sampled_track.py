"""TREC DL 2019 judged in part, beside all its judgments: the tables of docs/estimates.md.

    python benchmarks/sampled_track.py DATA [--share 0.2] [--seed 1]

One sample, with one machine, as an organizer would have it; ``estimates.py`` has many.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import poolbench as pb
from benchmarks.dl19 import DEEPEST, MEASURES, write_judged_runs
from poolbench.estimation.results import EstimatedScores
from poolbench.pooling.sample_plans import EstimatePlan

MACHINE = "dl2019_test_4prompts_llama70b.txt.gz"
LEVEL, TOP = 2, 3
TITLES = dict(zip(MEASURES, ("nDCG@10", "AP", "bpref", "P@10"), strict=True))
SHARE, SEED = 0.2, 1


@dataclass(frozen=True)
class TrackRun:
    """A run by one measure: its estimate with the interval, and the score by full judging; its
    places by the estimates as they are, as shown, and by full judging.
    """

    run: str
    estimate: float
    low: float
    high: float
    full: float
    plain: int
    place: int
    full_place: int

    @property
    def holds(self) -> bool:
        return self.low <= self.full <= self.high


@dataclass(frozen=True)
class TrackMeasure:
    """The runs by full judging, best first. ``pairs`` of runs whose difference has an interval that
    excludes 0, and how many of them stand the ``wrong`` way round.
    """

    measure: str
    runs: tuple[TrackRun, ...]
    pairs: int
    wrong: int

    @property
    def inside(self) -> int:
        return sum(run.holds for run in self.runs)

    @property
    def half_width(self) -> float:
        return float(np.mean([(run.high - run.low) / 2 for run in self.runs]))

    @property
    def rmse(self) -> float:
        return float(np.sqrt(np.mean([(run.estimate - run.full) ** 2 for run in self.runs])))

    @property
    def largest(self) -> float:
        return max(abs(run.estimate - run.full) for run in self.runs)

    def compute_tau(self, by: str) -> float:
        """Of ``plain`` or ``place`` with full judging."""
        places = {run.run: -getattr(run, by) for run in self.runs}
        return pb.tau(places, {run.run: run.full for run in self.runs})


def plan_track(data: Path, share: float = SHARE, seed: int = SEED) -> EstimatePlan:
    with TemporaryDirectory() as name:
        write_judged_runs(data, Path(name))
        return pb.plan_estimates(
            sorted((Path(name) / "runs").iterdir()), share, MEASURES, depth=DEEPEST,
            machine=data / "llm-judges-dl19" / MACHINE, level=LEVEL, top=TOP, seed=seed,
        )  # fmt: skip


def estimate_track(data: Path, plan: EstimatePlan, seed: int = SEED) -> EstimatedScores:
    """What people's grades of the pairs of ``plan`` and the grades of one machine give."""
    source = data / "trec-dl19-passage"
    sample = plan.draw(plan.forecasts[0].number, source / "qrels.dl19-passage.txt")
    return pb.estimate(
        sorted((source / "runs-top100").iterdir()), sample, MEASURES,
        machines={"robot": data / "llm-judges-dl19" / MACHINE}, level=LEVEL, top=TOP, seed=seed,
    )  # fmt: skip


def score_track(data: Path) -> dict[str, dict[str, float]]:
    """By measure and run, by all of NIST's grades."""
    source = data / "trec-dl19-passage"
    scored = pb.evaluate_runs(
        sorted((source / "runs-top100").iterdir()), source / "qrels.dl19-passage.txt", MEASURES,
        level=LEVEL,
    )  # fmt: skip
    return {name: column.to_dict() for name, column in scored.to_frame().items()}


def compare_track(
    estimated: EstimatedScores, full: dict[str, dict[str, float]]
) -> Iterator[TrackMeasure]:
    for measure in MEASURES:
        own = {row.run: row for row in estimated[measure].runs}
        plain = rank_runs({run: row.estimate.value for run, row in own.items()})
        by_full = rank_runs(full[measure])
        runs = (
            TrackRun(
                run, row.estimate.value, row.estimate.low, row.estimate.high, full[measure][run],
                plain[run], row.place, by_full[run],
            )
            for run, row in own.items()
        )  # fmt: skip
        told = [row for row in estimated.compare(measure).rows if row.p_value < 0.05]
        wrong = [
            row
            for row in told
            if row.difference * (full[measure][row.first] - full[measure][row.second]) < 0
        ]
        ordered = sorted(runs, key=lambda run: run.full_place)
        yield TrackMeasure(measure, tuple(ordered), len(told), len(wrong))


def rank_runs(scores: dict[str, float]) -> dict[str, int]:
    ordered = sorted(scores, key=lambda run: (-scores[run], run))
    return {run: place for place, run in enumerate(ordered, 1)}


def list_rows(measures: Sequence[TrackMeasure], plan: EstimatePlan) -> Iterator[str]:
    """Markdown: a row by measure, then the runs by the first."""
    forecasts = {each.measure: each.half_width for each in plan.forecasts[0].measures}
    for own in measures:
        outside = ", ".join(
            f"`{run.run}` ({run.estimate:.3f}, {run.low:.3f} to {run.high:.3f}; {run.full:.3f})"
            for run in own.runs
            if not run.holds
        )
        taus = f"{own.compute_tau('plain'):.3f} / {own.compute_tau('place'):.3f}"
        yield (
            f"| {TITLES[own.measure]} | {own.inside} of {len(own.runs)} | {own.half_width:.3f} | "
            f"{forecasts[own.measure]:.3f} | {own.rmse:.3f} | {own.largest:.3f} | {taus} | "
            f"{own.wrong} of {own.pairs} | {outside or 'none'} |"
        )
    for own in measures[0].runs:
        yield (
            f"| `{own.run}` | {own.estimate:.3f} | {own.low:.3f} to {own.high:.3f} | "
            f"{own.full:.3f} | {own.place} | {own.full_place} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Estimates beside the scores of full judging.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--share", type=float, default=SHARE)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    plan = plan_track(options.data, options.share, options.seed)
    estimated = estimate_track(options.data, plan, options.seed)
    for line in list_rows([*compare_track(estimated, score_track(options.data))], plan):
        print(line)


if __name__ == "__main__":
    main()
