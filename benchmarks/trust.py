"""What it costs and brings to show the plain order of runs where a machine favours a team.

``OMP_NUM_THREADS=1 python -m benchmarks.trust DATA [SAMPLES [NAME]]``: on DL19, tau with full
judging of the plain order, of the order drawn in for all runs and of that for the others than the
favoured teams', in samples with a team alarm and without, and how many places too high the
favoured teams' runs stand in each.
"""

import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.sampled_scores import (
    JudgedCollection,
    copy_run,
    load_dl19,
    load_machine,
    shuffle_machine,
    size_pairs,
)
from benchmarks.witness import COPIED, SEVEN, list_teams
from poolbench.estimation.design import draw_order
from poolbench.estimation.diagnostics.circularity import compute_team_excess
from poolbench.estimation.diagnostics.excess import share_pairs
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.evaluation.comparison.rankings import tau
from poolbench.statistics.inclusion import inclusion_probabilities

SHARES = 0.05, 0.1, 0.2
HEADER = "measure", "alarm", "samples", "plain", "all", "others", "lift plain", "all", "others"


def find_alarmed(
    sample: JudgedSample, machines: Sequence[MachineInput], teams: Mapping[str, str]
) -> set[str]:
    """The teams that any of the machines favours."""
    excess = (compute_team_excess(share_pairs(sample, own), teams) for own in machines)
    return {each.team for rows in excess for each in rows if each.is_alarm}


def place_runs(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(-values, kind="stable"))


def simulate_orders(
    collection: JudgedCollection, machines: Sequence[MachineInput], share: float, samples: int
) -> list[tuple[str, bool, float, float, float, float, float, float]]:
    """A row for each sample and measure, as ``HEADER`` but for the number of samples."""
    teams = list_teams(collection)
    own_team = np.array([teams[run] for run in collection.frame.runs])
    z = size_pairs(collection, machines)
    number = round(share * len(z))
    pi = inclusion_probabilities(z, number)
    rows = []
    for seed in range(samples):
        counted = draw_order(collection.frame, z, seed)[:number]
        sample = build_sample(collection.frame, collection.grades, counted, pi, collection.top)
        alarmed = find_alarmed(sample, machines, teams)
        favoured = np.isin(own_team, sorted(alarmed))
        report = compute_estimates(sample, machines, collection.measures, seed).report
        for each in report.measures:
            truth = collection.truth[each.measure]
            by_run = {row.run: row for row in each.runs}
            own = [by_run[run] for run in collection.frame.runs]
            plain = np.array([row.estimate.value for row in own])
            ordering = np.array(
                [row.estimate.value if row.drawn_in is None else row.drawn_in for row in own]
            )
            mixed = np.where(favoured, plain, ordering)
            orders = plain, ordering, mixed
            taus = [tau(values.tolist(), truth.tolist()) for values in orders]
            lifts = [
                float((place_runs(truth) - place_runs(values))[favoured].mean())
                if alarmed
                else float("nan")
                for values in orders
            ]
            rows.append((each.measure, bool(alarmed), *taus, *lifts))
    return rows


def print_orders(rows: Sequence[tuple], title: str) -> None:
    print(f"\n{title}")
    print("".join(f"{name:>13}" for name in HEADER))
    for measure in dict.fromkeys(row[0] for row in rows):
        for alarm in (True, False):
            own = [row[2:] for row in rows if row[:2] == (measure, alarm)]
            if own:
                means = np.array(own).mean(axis=0)
                cells = (f"{value:13.3f}" for value in means)
                print(f"{measure:>13}{alarm!s:>13}{len(own):13}", *cells, sep="", flush=True)


def main(data: Path, samples: int = 20, only: str = "") -> None:
    """``only``: the machines with this in their names."""
    dl19 = load_dl19(data)
    by_truth = np.argsort(dl19.truth["ndcg_cut_10"])
    middle, weak = (dl19.frame.runs[int(by_truth[at])] for at in (len(by_truth) // 2, 5))
    seven = [load_machine(data, dl19, name) for name in SEVEN]
    settings = {
        SEVEN[0]: seven[:1],
        f"the run {COPIED}": [copy_run(dl19, COPIED)],
        SEVEN[2]: seven[2:3],
        "all seven": seven,
        "shuffled": [shuffle_machine(seven[0])],
        f"the middling run {middle}": [copy_run(dl19, middle)],
        f"the weak run {weak}": [copy_run(dl19, weak)],
    }
    settings = {name: own for name, own in settings.items() if only in name}
    for name, machines in settings.items():
        for share in SHARES:
            rows = simulate_orders(dl19, machines, share, samples)
            print_orders(rows, f"{name}, {share:.0%}")
    print(f"\nCPU {sum(resource.getrusage(resource.RUSAGE_SELF)[:2]):.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:4])
