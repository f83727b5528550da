"""How far off estimates are where a stopping rule ends topics of a sample, on DL19.

``OMP_NUM_THREADS=1 python -m benchmarks.ended_topics DATA [SAMPLES]``: without machine, a tenth and
a fifth of the pairs. A rule that reads grades chooses the size of a topic's sample by them.
"""

import resource
import sys
from pathlib import Path

import numpy as np

from benchmarks.sampled_scores import JudgedCollection, load_dl19, size_pairs
from poolbench.estimation.design import count_part, draw_order
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.sample import build_sample
from poolbench.judging.stopping import StoppingCriteria

SHARES = 0.1, 0.2
RULES = {
    "no rule": StoppingCriteria(),
    "after 15 documents": StoppingCriteria(documents=15),
    "after 6 relevant": StoppingCriteria(relevant=6),
    "after 10 without": StoppingCriteria(no_relevant_in=10),
    "after 20 without": StoppingCriteria(no_relevant_in=20),
}
HEADER = "measure", "RMSE", "bias", "coverage", "half-width"


def find_ended(
    collection: JudgedCollection, order: np.ndarray, rule: StoppingCriteria
) -> dict[str, int]:
    """How many pairs of each topic are judged, in the order of drawing, until the rule ends it."""
    frame, ended = collection.frame, {}
    for at, topic in enumerate(frame.topics):
        own = order[frame.topic_index[order] == at]
        outcomes = (collection.grades[own] >= collection.level).tolist()
        number = next((n for n in range(1, len(own)) if rule.ends(outcomes[:n])), None)
        if number is not None:
            ended[topic] = number
    return ended


def print_rule(collection: JudgedCollection, share: float, name: str, samples: int) -> None:
    z = size_pairs(collection, [])
    number, rows, judged, topics = round(share * len(z)), [], [], []
    for seed in range(samples):
        order = draw_order(collection.frame, z, seed)
        ended = find_ended(collection, order[:number], RULES[name])
        part = count_part(collection.frame, z, order, number, ended)
        sample = build_sample(
            collection.frame, collection.grades, part.pairs, part.pi, collection.top, part.strata
        )
        judged.append(len(part.pairs))
        topics.append(len(ended))
        for own, estimate in compute_estimates(
            sample, [], collection.measures, seed
        ).measures.items():
            truth, (low, high) = collection.truth[own], estimate.limits(1.96)
            covers = (low <= truth) & (truth <= high)
            gap = estimate.means - truth
            rows.append((own, (gap**2).mean(), gap.mean(), covers.mean(), estimate.errors.mean()))
    print(f"\n{name}, {share:.0%}: {np.mean(topics):.0f} topics end, {np.mean(judged):.0f} judged")
    print("".join(f"{title:>13}" for title in HEADER))
    for own in collection.measures:
        square, bias, covers, error = np.mean([row[1:] for row in rows if row[0] == own], axis=0)
        print(
            f"{own:>13}{square**0.5:13.4f}{bias:+13.4f}{covers:13.3f}{1.96 * error:13.4f}",
            flush=True,
        )


def main(data: Path, samples: int = 20) -> None:
    dl19 = load_dl19(data)
    for share in SHARES:
        for name in RULES:
            print_rule(dl19, share, name, samples)
    print(f"\nCPU {sum(resource.getrusage(resource.RUSAGE_SELF)[:2]):.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
