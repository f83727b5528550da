"""A stratified sample: of each window of ranks a number of documents, drawn by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Ints, Mask, TopicCandidates
from pooling.core.method import DocumentSample, PoolingMethod, Values
from pooling.core.random_keys import apportion, draw_random_keys
from pooling.core.windows import parse_windows

STRATA = Card(
    name="strata",
    title="Stratified sample",
    formula="stratum(d) = the window that min over runs r of rank_r(d) is in; of the N_s documents "
    "of stratum s, n_s are drawn without replacement: probability n_s / N_s",
    reading="Top ranks are judged throughout and deeper ones in part; xinfAP, infNDCG and statAP "
    "estimate from it what all judgments would have said.",
    source="Yilmaz, Kanoulas and Aslam 2008 (xinfAP). Fixed sizes, where others throw a coin for "
    "each document (Bernoulli), since the estimators go by the counts.",
    range="1 / N_s to 1",
    parameters=(
        Parameter(
            "windows", "First and last rank of each stratum, ascending: `1-10` or `[1, 10]`.",
            kind="windows",
        ),
        Parameter(
            "sample",
            "Of each window: a number of documents, a rate between 0 and 1, or `all`; without it, "
            "what `documents` or the budget leaves is shared in proportion to N_s.",
            kind="sample",
            optional=True,
        ),
    ),
    edge_cases=(
        ("Drawn are the n_s documents with the smallest seeded hash, of a hash that is used for "
        "nothing else: for a random seed this is a simple random sample."),
        ("Documents that earlier steps chose are certain (stratum 0, probability 1); N_s counts "
        "the others only. What is in no window is not in the frame."),
        "A number above N_s takes all; rate · N_s is rounded, half up, to 1 at least.",
        ("Where the sizes exceed `documents` or the budget they are cut in proportion, by largest "
        "remainders, so that they add up exactly."),
        ("A stratum that has documents gets one at least, as far as the number goes; with fewer "
        "than one a stratum, some have probability 0 and estimates miss what is in them."),
    ),
)  # fmt: skip


def strata_sample(
    candidates: TopicCandidates,
    values: Values,
    available: Mask,
    documents: int | None,
) -> DocumentSample:
    """The frame comes by stratum, then best rank."""
    first, last = np.array(parse_windows(values), np.int64).T
    window = np.searchsorted(first, candidates.min_rank, side="right")
    order = candidates.best_first(-candidates.min_rank.astype(float))
    within = available & (window > 0) & (candidates.min_rank <= last[window - 1])
    frame = order[within[order]]
    stratum = window[frame]
    sizes = np.bincount(stratum, minlength=len(first) + 1)[1:]
    wanted = sizes if values["sample"] is None else stratum_sizes(values["sample"], sizes)
    taken = apportion(int(sizes.sum()) if documents is None else documents, wanted)
    lot = np.lexsort((draw_random_keys(candidates, frame), stratum))
    place = np.empty(len(frame), np.int64)
    place[lot] = np.arange(len(frame)) - (np.cumsum(sizes) - sizes)[stratum[lot] - 1]
    probability = taken[stratum - 1] / sizes[stratum - 1]
    return DocumentSample(frame, stratum, probability, place < taken[stratum - 1])


def stratum_sizes(sample: Sequence[Any], sizes: Ints) -> Ints:
    """How many of each stratum the spec asks for, of those that it has."""
    return np.array(
        [total_requested(share, int(n)) for share, n in zip(sample, sizes, strict=True)]
    )


def total_requested(share: Any, size: int) -> int:
    if share == "all":
        return size
    return min(size, share if isinstance(share, int) else max(1, int(share * size + 0.5)))


def last_rank_by_run(candidates: TopicCandidates, values: Values) -> Ints:
    """Every run is looked at down to the end of the last window."""
    return np.full(len(candidates.runs), parse_windows(values)[-1][1])


METHOD = PoolingMethod(STRATA, sample=strata_sample, reach=last_rank_by_run)
