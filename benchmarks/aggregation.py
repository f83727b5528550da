"""Measure the models of aggregation: accuracy on simulated crowds, and seconds.

aggregation.py                  accuracy on 2,000 items x 3 of 30 workers, 4 spammers, 10 seeds
aggregation.py --seconds        100,000 labels, and Dawid-Skene in plain Python beside it
aggregation.py --nyt DATA       the two crowds of nyt-crowd below DATA: agreement, uncertainty
"""

import argparse
import math
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from poolbench.judging.aggregation.base import LabelMatrix, aggregate_labels  # noqa: E402
from poolbench.judging.aggregation.registry import MODELS  # noqa: E402
from tests.poolbench.judging.crowd_files import read_nyt_crowd  # noqa: E402
from tests.poolbench.judging.crowd_simulation import simulate_crowd  # noqa: E402

SEEDS = 10
ROUNDS = 10


def print_accuracy() -> None:
    shares: dict[str, list[float]] = {name: [] for name in MODELS}
    for seed in range(SEEDS):
        crowd = simulate_crowd(seed)
        for name, values in shares.items():
            result = aggregate_labels(MODELS[name], crowd.matrix, crowd.options)
            values.append(crowd.accuracy(result))
    print("| model | accuracy | sd | above majority | sd |\n|---|--:|--:|--:|--:|")
    for name, values in shares.items():
        gains = np.array(values) - np.array(shares["majority"])
        row = (np.mean(values), np.std(values, ddof=1), gains.mean(), gains.std(ddof=1))
        print(f"| `{name}` | " + " | ".join(f"{value:.4f}" for value in row) + " |")


def print_claims() -> None:
    """What a model claims, the mean probability of its grades, beside how often it is right, in
    small crowds: 300 pairs with 3 of 20 workers each.
    """
    print("| model | claimed | right |\n|---|--:|--:|")
    crowds = [simulate_crowd(seed, items=300, workers=20, spammers=3) for seed in range(SEEDS)]
    for name, model in MODELS.items():
        results = [aggregate_labels(model, crowd.matrix, crowd.options) for crowd in crowds]
        claimed = np.mean([result.posterior.max(axis=1).mean() for result in results])
        right = np.mean([c.accuracy(r) for c, r in zip(crowds, results, strict=True)])
        print(f"| `{name}` | {claimed:.3f} | {right:.3f} |")


def print_seconds() -> None:
    crowd = simulate_crowd(0, items=33_334, workers=300, spammers=40)
    print(f"{len(crowd.matrix):,} labels\n\n| model | seconds | iterations | accuracy |")
    print("|---|--:|--:|--:|")
    for name, model in MODELS.items():
        began = time.perf_counter()
        result = aggregate_labels(model, crowd.matrix, crowd.options)
        seconds = time.perf_counter() - began
        right = crowd.accuracy(result)
        print(f"| `{name}` | {seconds:.2f} | {result.fit.iterations} | {right:.4f} |")
    began = time.perf_counter()
    run_plain_dawid_skene(crowd.matrix, ROUNDS)
    plain = (time.perf_counter() - began) / ROUNDS
    began = time.perf_counter()
    result = aggregate_labels(MODELS["dawid-skene"], crowd.matrix)
    own = (time.perf_counter() - began) / result.fit.iterations
    print(f"\nDawid-Skene, seconds per iteration: {own:.4f}, in plain Python {plain:.4f}: ", end="")
    print(f"{plain / own:.0f} times as fast")


def run_plain_dawid_skene(matrix: LabelMatrix, rounds: int) -> list[list[float]]:
    """The same model with lists and loops."""
    grades = range(len(matrix.scale))
    codes = (matrix.item_codes, matrix.worker_codes, matrix.label_codes)
    labels = list(zip(*(column.tolist() for column in codes), strict=True))
    posterior = (matrix.votes / matrix.votes.sum(axis=1, keepdims=True)).tolist()
    for _ in range(rounds):
        counts: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0 for _ in grades])
        sums: dict[int, list[float]] = defaultdict(lambda: [0.0 for _ in grades])
        for item, worker, label in labels:
            for grade in grades:
                counts[worker, label][grade] += posterior[item][grade]
                sums[worker][grade] += posterior[item][grade]
        prior = [sum(row[grade] for row in posterior) / len(posterior) for grade in grades]
        logs = [[math.log(max(prior[grade], 1e-10)) for grade in grades] for _ in posterior]
        for item, worker, label in labels:
            for grade in grades:
                share = max(counts[worker, label][grade], 1e-10) / max(sums[worker][grade], 1e-10)
                logs[item][grade] += math.log(share)
        for item, row in enumerate(logs):
            scaled = [math.exp(value - max(row)) for value in row]
            posterior[item] = [value / sum(scaled) for value in scaled]
    return posterior


def print_crowds(data: Path) -> None:
    for name in ("3P", "2P"):
        matrix = read_nyt_crowd(data / "nyt-crowd" / f"crowd-{name}-Doc-NoHigh.tsv")
        base = aggregate_labels(MODELS["majority"], matrix)
        print(
            f"{name}: {len(matrix)} labels, {len(matrix.items)} pairs, "
            f"{len(matrix.workers)} workers"
        )
        print("\n| model | pairs by grade | differ from majority | ties | mean entropy |")
        print("|---|---|--:|--:|--:|")
        for model in MODELS.values():
            if model.needs_gold:
                continue
            result = aggregate_labels(model, matrix)
            grades = ", ".join(str(int((result.grades == g).sum())) for g in matrix.scale)
            differ = int((result.grades != base.grades).sum())
            entropy = f"{result.mean_entropy:.3f}"
            print(
                f"| `{model.name}` | {grades} | {differ} | {int(result.ties.sum())} | {entropy} |"
            )
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("--nyt", type=Path, metavar="DATA")
    options = parser.parse_args()
    if options.nyt:
        print_crowds(options.nyt)
    elif options.seconds:
        print_seconds()
    else:
        print_accuracy()
        print_claims()


if __name__ == "__main__":
    main()
