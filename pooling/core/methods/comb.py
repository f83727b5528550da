"""The Comb family: documents by their normalised scores, put together in one of six ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import PoolingMethod, score_based_method

COMMON = (
    "v_r(d) = (score_r(d) − min_r) / (max_r − min_r): 1 for the best of a run, 0 for its last.",
    "min_r and max_r are those of the run's documents for the topic within the cut-off.",
    "A run whose scores are all equal, or that lists one document, keeps them as they are.",
    "So one document with a score of 20 can outweigh what nineteen runs rank first.",
)


def normalize_scores(candidates: TopicCandidates) -> Floats:
    """By entry: the score from 0 to 1 within its run."""
    answered = candidates.lengths > 0
    half = candidates.score / 2  # the range of any two scores is finite then
    low, high = np.zeros(len(answered)), np.zeros(len(answered))
    # Entries of a run are sorted by score.
    high[answered] = half[candidates.bounds[:-1][answered]]
    low[answered] = half[candidates.bounds[1:][answered] - 1]
    low, width = low[candidates.run], (high - low)[candidates.run]
    flat = width == 0
    return np.where(flat, candidates.score, (half - low) / np.where(flat, 1, width))


def score_table(candidates: TopicCandidates) -> Floats:
    """Runs that answer the topic × documents: the normalised score, 0 where not listed."""
    found = np.zeros((len(candidates.runs), len(candidates)))
    found[candidates.run, candidates.doc] = normalize_scores(candidates)
    return found[candidates.lengths > 0]


def count_nonzero_scores(candidates: TopicCandidates) -> Floats:
    """By document: how many runs give it a normalised score other than 0."""
    return candidates.sums((normalize_scores(candidates) != 0).astype(float))


def comb_sum(candidates: TopicCandidates) -> Floats:
    return candidates.sums(normalize_scores(candidates))


def comb_mnz(candidates: TopicCandidates) -> Floats:
    return comb_sum(candidates) * count_nonzero_scores(candidates)


def comb_anz(candidates: TopicCandidates) -> Floats:
    return comb_sum(candidates) / np.maximum(count_nonzero_scores(candidates), 1)


def comb_med(candidates: TopicCandidates) -> Floats:
    return np.median(score_table(candidates), axis=0)


def comb_min(candidates: TopicCandidates) -> Floats:
    found: Floats = score_table(candidates).min(axis=0)
    return found


def comb_max(candidates: TopicCandidates) -> Floats:
    found: Floats = score_table(candidates).max(axis=0)
    return found


def comb_method(
    name: str,
    title: str,
    formula: str,
    reading: str,
    most: str,
    combine: Callable[[TopicCandidates], Floats],
    *edge_cases: str,
) -> PoolingMethod:
    """One of the family; ``most`` is the highest score where nothing is kept as it is."""
    card = Card(
        name=name,
        title=title,
        formula=f"score(d) = {formula}, where v_r(d) is the normalised score of d in run r, "
        "0 if r does not list d",
        reading=reading,
        source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
        range=f"0 to {most}; any number with a run that keeps its scores",
        edge_cases=(*COMMON, *edge_cases),
    )
    return score_based_method(card, lambda candidates, _: combine(candidates))


UNLISTED = (
    "A run that answers the topic without listing the document counts with 0; one that "
    "does not answer the topic does not count."
)
METHODS = (
    comb_method(
        "combsum", "CombSUM (sum of scores)",
        "Σ over runs r of v_r(d)",
        "Documents that many runs score high come first.",
        "the number of runs", comb_sum,
        "A run that does not list the document adds nothing, and nor does one that lists it last.",
    ),
    comb_method(
        "combmnz", "CombMNZ (sum of scores × runs)",
        "(Σ over runs r of v_r(d)) · (number of runs with v_r(d) ≠ 0)",
        "CombSUM with the agreement of runs counted once more.",
        "the square of the number of runs", comb_mnz,
        "A run that lists the document last gives it 0 and is not counted.",
    ),
    comb_method(
        "combanz", "CombANZ (mean of scores)",
        "(Σ over runs r of v_r(d)) / (number of runs with v_r(d) ≠ 0), or 0 if there is none",
        "The mean score over runs that list the document: one run alone can put it on top.",
        "1", comb_anz,
        "Runs that do not list the document, or list it last, are not counted.",
    ),
    comb_method(
        "combmax", "CombMAX (highest score)",
        "max over runs r of v_r(d)",
        "The score of the run that likes the document best: all first ranks are equal.",
        "1", comb_max, UNLISTED,
    ),
    comb_method(
        "combmed", "CombMED (median of scores)",
        "median over runs r of v_r(d)",
        "What the run in the middle thinks of a document.",
        "1", comb_med, UNLISTED,
        "So what fewer than half of the runs list has 0, and the hash decides.",
        "An even number of runs: the mean of the two in the middle.",
    ),
    comb_method(
        "combmin", "CombMIN (lowest score)",
        "min over runs r of v_r(d)",
        "The score of the run that likes the document least.",
        "1", comb_min, UNLISTED,
        "So what not every run lists has 0, and the hash decides.",
    ),
)  # fmt: skip
