"""Samples: a random number of documents from each window of ranks, or unequal probabilities."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poolbench.cards import Parameter
from poolbench.files.yaml_files import KeyPath, is_number, is_positive
from poolbench.pooling.candidates import Floats, Ints, Mask, TopicCandidates
from poolbench.pooling.method import DocumentSample, PoolingMethod, Values
from poolbench.runs.hash_order import hash_order
from poolbench.statistics.inclusion import inclusion_probabilities


def draw_random_keys(candidates: TopicCandidates, documents: Ints) -> Ints:
    """A seeded random number for each of ``documents``.

    The tie-breaking hash is unsuitable: where an earlier step cut a tie by it, the remaining
    documents have the higher hashes. Docnos contain no space, so keys never coincide with it.
    """
    seed, topic = candidates.seed, candidates.topic
    drawn = [hash_order(seed, topic, f"lot {docno}") for docno in candidates.docnos.take(documents)]
    return np.array(drawn, np.int64)


def apportion(number: int, requested: ArrayLike) -> Ints:
    """Allocate ``number`` to parts in proportion to ``requested``, at most that much to each.

    The sum is the smaller of ``number`` and the total requested. What rounding down leaves goes
    to the largest remainders, ties to the first part. Every part that requests anything gets at
    least 1, as far as ``number`` allows: taken from the largest part.
    """
    parts = np.asarray(requested, np.int64)
    whole = int(parts.sum())
    if number >= whole:
        return parts
    shares, left = np.divmod(parts * number, whole)
    rest = number - int(shares.sum())
    shares[np.argsort(-left, kind="stable")[:rest]] += 1
    for empty in np.flatnonzero((shares == 0) & (parts > 0)):
        if shares.max() > 1:
            shares[np.argmax(shares)] -= 1
            shares[empty] += 1
    return shares


_WINDOW = re.compile(r"\s*([0-9]{1,9})\s*-\s*([0-9]{1,9})\s*")
WINDOWS = "a list of rank windows, such as [1-10, 11-50]"
SAMPLE = "a list of integers of at least 1, rates between 0 and 1, or all: [all, 20, 0.1]"


def parse_window(value: Any) -> tuple[int, int] | None:
    """The first and last rank of ``value``, ``"11-50"`` or ``[11, 50]``; None if invalid."""
    match = _WINDOW.fullmatch(value) if isinstance(value, str) else None
    pair = [int(rank) for rank in match.groups()] if match else value
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_positive, pair)):
        return None
    return (pair[0], pair[1]) if pair[0] <= pair[1] else None


def parse_windows(values: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The valid windows among the values of a step."""
    entries = values.get("windows")
    read = map(parse_window, entries if isinstance(entries, list) else [])
    return [window for window in read if window is not None]


def is_windows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(parse_window, value))


def is_size(value: Any) -> bool:
    return value == "all" or is_positive(value) or (is_number(value) and 0 < value < 1)


def is_sample(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_size, value))


def iter_window_faults(
    step: Mapping[str, Any], cutoff: int | None
) -> Iterator[tuple[KeyPath, str]]:
    """Inconsistencies of a step with windows: the path in it, and the message."""
    windows, sample = parse_windows(step), step.get("sample")
    for at, (first, _) in enumerate(windows):
        if at and first <= windows[at - 1][1]:
            yield ("windows", at), "does not begin after the previous window"
        if cutoff is not None and first > cutoff:
            yield ("windows", at), f"begins after the cutoff, {cutoff}"
    if sample is not None and len(sample) != len(windows):
        yield ("sample",), f"has {len(sample)} sizes for {len(windows)} windows"


def strata_sample(
    candidates: TopicCandidates, values: Values, available: Mask, documents: int | None
) -> DocumentSample:
    """The frame is sorted by stratum, then best rank."""
    first, last = np.array(parse_windows(values), np.int64).T
    window = np.searchsorted(first, candidates.min_rank, side="right")
    order = candidates.best_first(-candidates.min_rank.astype(float))
    within = available & (window > 0) & (candidates.min_rank <= last[window - 1])
    frame = order[within[order]]
    stratum = window[frame]
    sizes = np.bincount(stratum, minlength=len(first) + 1)[1:]
    requested = sizes
    if (sample := values["sample"]) is not None:
        each = zip(sample, sizes.tolist(), strict=True)
        requested = np.array([count_requested(share, n) for share, n in each])
    drawn = apportion(int(sizes.sum()) if documents is None else documents, requested)
    lot = np.lexsort((draw_random_keys(candidates, frame), stratum))
    place = np.empty(len(frame), np.int64)
    place[lot] = np.arange(len(frame)) - (np.cumsum(sizes) - sizes)[stratum[lot] - 1]
    probability = drawn[stratum - 1] / sizes[stratum - 1]
    return DocumentSample(frame, stratum, probability, place < drawn[stratum - 1])


def count_requested(share: Any, size: int) -> int:
    """The sample size of a stratum by the spec, at most its ``size``."""
    if share == "all":
        return size
    return min(size, share if isinstance(share, int) else max(1, int(share * size + 0.5)))


def last_rank_by_run(candidates: TopicCandidates, values: Values) -> Ints:
    """By run: the last rank of the last window."""
    return np.full(len(candidates.runs), parse_windows(values)[-1][1])


STRATA = PoolingMethod(
    name="strata",
    title="Stratified sample",
    formula="stratum(d) = the window that min over runs r of rank_r(d) is in; of the N_s documents "
    "of stratum s, n_s are drawn without replacement: probability n_s / N_s",
    reading="Top ranks are judged completely and deeper ranks in part; xinfAP, infNDCG and statAP "
    "estimate from the sample what complete judgments would give.",
    source="Yilmaz, Kanoulas and Aslam 2008 (xinfAP). Sizes are fixed, not Bernoulli, because the "
    "estimators use the counts.",
    range="1 / N_s to 1",
    parameters=(
        Parameter(
            "windows", "First and last rank of each stratum, ascending: `1-10` or `[1, 10]`.",
            kind="windows",
        ),
        Parameter(
            "sample",
            "Per window: a number of documents, a rate between 0 and 1, or `all`. If omitted, "
            "`documents` or the remaining budget is allocated in proportion to N_s.",
            kind="sample",
            optional=True,
        ),
    ),
    edge_cases=(
        ("The n_s documents with the smallest seeded hash are drawn, by a hash used only for "
        "sampling: for a random seed this is a simple random sample."),
        ("Documents selected by earlier steps are certain (stratum 0, probability 1) and not in "
        "N_s. Documents outside all windows are not in the sampling frame."),
        "A number above N_s takes all; rate · N_s is rounded half up, to at least 1.",
        ("If the sizes exceed `documents` or the budget, they are reduced in proportion, by "
        "largest remainders, so that they add up exactly."),
        ("Every non-empty stratum gets at least one document, as far as the number allows; with "
        "fewer documents than strata, some have probability 0 and estimates miss them."),
    ),
    sample=strata_sample,
    reach=last_rank_by_run,
)  # fmt: skip


def statap_weights(candidates: TopicCandidates) -> Floats:
    """By document: the prior weight in average precision, averaged over runs. The sum is 1."""
    length = candidates.lengths[candidates.run]
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, length.max(initial=0) + 1))))
    tail = harmonic[length] - harmonic[candidates.rank - 1]
    answered = max(1, int((candidates.lengths > 0).sum()))
    return candidates.sums((1 + tail) / (2 * length) / answered)


def statap_sample(
    candidates: TopicCandidates,
    values: Values,  # noqa: ARG001
    available: Mask,
    documents: int | None,
) -> DocumentSample:
    """The frame is sorted by descending probability and has no strata."""
    weight = statap_weights(candidates)
    order = candidates.best_first(weight)
    frame = order[available[order]]
    number = len(frame) if documents is None else min(documents, len(frame))
    probability = inclusion_probabilities(weight[frame], number)
    drawn = probability >= 1
    chance = np.flatnonzero(~drawn)
    lot = chance[np.argsort(draw_random_keys(candidates, frame[chance]), kind="stable")]
    start = hash_order(candidates.seed, candidates.topic, "where the sample starts") / 2**63
    drawn[lot] = systematic_sample(probability[lot], number - int(drawn.sum()), start)
    return DocumentSample(frame, np.zeros(len(frame), np.int64), probability, drawn)


def systematic_sample(probability: Floats, number: int, start: float) -> Mask:
    """Systematic draw of ``number`` = Σ ``probability``: those at ``start`` + 0, 1, 2, …"""
    end = np.cumsum(probability)
    # Rounding: the sum of fractions misses the integer by a few ulps.
    end[-1:] = number
    return np.diff(np.ceil(end - start), prepend=0) > 0


STATAP = PoolingMethod(
    name="statap",
    title="statAP sample",
    formula="W_r(d) = (1 + Σ for i from rank_r(d) to n_r of 1/i) / (2 n_r), n_r documents in run "
    "r; w(d) = mean over runs r of W_r(d); π(d) = min(1, c · w(d)), c such that Σ π = the sample "
    "size",
    reading="Inclusion probabilities follow the prior weight of each document in average "
    "precision, so that statAP has a low variance.",
    source="Aslam, Pavlu and Yilmaz 2006 (the weights); Hartley and Rao 1962 (systematic "
    "sampling in random order).",
    range="0 to 1",
    edge_cases=(
        (
            "The sample size is `documents` or the remaining budget; it is smaller only if there "
            "are fewer documents."
        ),
        (
            "Systematic: documents are put in a seeded random order, each with length π; those at "
            "u, u + 1, u + 2, … are drawn, with u between 0 and 1 by seed. The sample size is "
            "therefore fixed, and no document is drawn twice."
        ),
        (
            "π is exact for single documents. Joint probabilities are not known exactly: "
            "estimators of the error treat draws as independent, which is about right for statAP "
            "and too wide for counts."
        ),
        "Documents selected by earlier steps are certain (probability 1) and not in Σ π.",
        "Runs without documents for the topic have no weight.",
    ),
    sample=statap_sample,
)
