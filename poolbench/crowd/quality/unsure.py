"""Which pairs get one more judgment: those whose grade is least sure."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from poolbench.cards import Card
from poolbench.judging.aggregation.base import AggregatedLabels

SURE = 0.8

UNSURE = Card(
    name="one-more",
    title="One more judgment",
    formula=f"requested where max posterior < {SURE:g}, the highest entropy first, while "
    "judgments requested on top < extra budget and judgments of the pair < maximum",
    reading=(
        "Money goes where it decides most: to the documents on which the model of the study is "
        "least sure of the grade."
    ),
    source=(
        "V. S. Sheng, F. Provost, P. G. Ipeirotis, Get another label? Improving data quality and "
        "data mining using multiple, noisy labelers, KDD 2008; uncertainty by entropy of the "
        "posterior."
    ),
    range="a list of pairs",
    edge_cases=(
        "Pairs that still wait for a judgment, and those with the maximum, get none.",
        "Equal entropies: in the order of topic and docno.",
        "Work set aside is not in the posterior.",
    ),
    undefined="no judgments yet.",
    example="Posteriors (.5 .5), (.7 .3), (.9 .1): entropies 1, .881, .469 bits. The first two "
    "are below .8; with a budget of 1 one more is requested for the first only.",
)


@dataclass(frozen=True)
class UnsurePair:
    """``best`` is the most probable grade with probability ``posterior``; entropy in bits."""

    topic: str
    docno: str
    labels: int
    best: int
    posterior: float
    entropy: float


def choose_unsure_pairs(
    aggregated: AggregatedLabels,
    room: Mapping[tuple[str, str], int] | Container[tuple[str, str]],
    budget: int,
) -> list[UnsurePair]:
    """At most ``budget`` pairs of ``room`` whose highest posterior is below ``SURE``."""
    matrix = aggregated.matrix
    pairs = [
        UnsurePair(
            topic=topic,
            docno=docno,
            labels=int(matrix.labels_per_item[at]),
            best=matrix.scale[int(aggregated.posterior[at].argmax())],
            posterior=float(aggregated.posterior[at].max()),
            entropy=float(aggregated.entropy[at]),
        )
        for at, (topic, docno) in enumerate(matrix.items)
        if (topic, docno) in room and aggregated.posterior[at].max() < SURE
    ]
    pairs.sort(key=lambda pair: (-round(pair.entropy, 9), pair.topic, pair.docno))
    return pairs[: max(budget, 0)]
