"""A stratified sample: a random number of documents from each window of ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from poolbench.cards import Parameter
from poolbench.files.yaml_files import KeyPath, is_number, is_positive
from poolbench.pooling.candidates import Ints, Mask, TopicCandidates
from poolbench.pooling.method import DocumentSample, PoolingMethod, Values
from poolbench.pooling.random_keys import apportion, draw_random_keys

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
    candidates: TopicCandidates,
    values: Values,
    available: Mask,
    documents: int | None,
) -> DocumentSample:
    """The frame is sorted by stratum, then best rank."""
    first, last = np.array(parse_windows(values), np.int64).T
    window = np.searchsorted(first, candidates.min_rank, side="right")
    order = candidates.best_first(-candidates.min_rank.astype(float))
    within = available & (window > 0) & (candidates.min_rank <= last[window - 1])
    frame = order[within[order]]
    stratum = window[frame]
    sizes = np.bincount(stratum, minlength=len(first) + 1)[1:]
    requested = sizes if values["sample"] is None else stratum_sizes(values["sample"], sizes)
    drawn = apportion(int(sizes.sum()) if documents is None else documents, requested)
    lot = np.lexsort((draw_random_keys(candidates, frame), stratum))
    place = np.empty(len(frame), np.int64)
    place[lot] = np.arange(len(frame)) - (np.cumsum(sizes) - sizes)[stratum[lot] - 1]
    probability = drawn[stratum - 1] / sizes[stratum - 1]
    return DocumentSample(frame, stratum, probability, place < drawn[stratum - 1])


def stratum_sizes(sample: Sequence[Any], sizes: Ints) -> Ints:
    """The sample size of each stratum by the spec, at most its ``sizes``."""
    return np.array(
        [total_requested(share, int(n)) for share, n in zip(sample, sizes, strict=True)]
    )


def total_requested(share: Any, size: int) -> int:
    if share == "all":
        return size
    return min(size, share if isinstance(share, int) else max(1, int(share * size + 0.5)))


def last_rank_by_run(candidates: TopicCandidates, values: Values) -> Ints:
    """By run: the last rank of the last window."""
    return np.full(len(candidates.runs), parse_windows(values)[-1][1])


METHOD = PoolingMethod(
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
