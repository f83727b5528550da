"""The Comb family: documents by their normalized scores, combined in one of six ways."""

from collections.abc import Callable

import numpy as np

from poolbench.pooling.candidates import Floats, TopicCandidates
from poolbench.pooling.method import PoolingMethod, ScoreOrder

COMMON = (
    "v_r(d) = (score_r(d) − min_r) / (max_r − min_r): 1 for a run's top document, 0 for its last.",
    "min_r and max_r are over the run's documents for the topic within the cut-off.",
    "If all scores of a run are equal, or it lists one document, they stay unnormalized.",
    "As a result, one document with a score of 20 can outweigh one that 19 runs rank first.",
)


def normalize_scores(candidates: TopicCandidates) -> Floats:
    """By entry: the score, scaled to 0 to 1 within its run."""
    answered = candidates.lengths > 0
    half = candidates.score / 2  # keeps the difference of any two scores finite
    low, high = np.zeros(len(answered)), np.zeros(len(answered))
    # Entries of a run are sorted by score.
    high[answered] = half[candidates.bounds[:-1][answered]]
    low[answered] = half[candidates.bounds[1:][answered] - 1]
    low, width = low[candidates.run], (high - low)[candidates.run]
    flat = width == 0
    return np.where(flat, candidates.score, (half - low) / np.where(flat, 1, width))


def score_table(candidates: TopicCandidates) -> Floats:
    """Runs that answer the topic × documents: the normalized score, 0 where not listed."""
    table = np.zeros((len(candidates.runs), len(candidates)))
    table[candidates.run, candidates.doc] = normalize_scores(candidates)
    return table[candidates.lengths > 0]


def count_nonzero_scores(candidates: TopicCandidates) -> Floats:
    """By document: the number of runs with a normalized score other than 0."""
    return candidates.sums((normalize_scores(candidates) != 0).astype(float))


def comb_sum(candidates: TopicCandidates) -> Floats:
    return candidates.sums(normalize_scores(candidates))


def comb_method(
    name: str,
    title: str,
    formula: str,
    reading: str,
    most: str,
    combine: Callable[[TopicCandidates], Floats],
    *edge_cases: str,
) -> PoolingMethod:
    """A method of the family; ``most`` is the highest score if all runs are normalized."""
    return PoolingMethod(
        name=name,
        title=title,
        formula=f"score(d) = {formula}, where v_r(d) is the normalized score of d in run r, "
        "or 0 if r does not list d",
        reading=reading,
        source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
        range=f"0 to {most}; any number if a run stays unnormalized",
        edge_cases=(*COMMON, *edge_cases),
        order=ScoreOrder(lambda candidates, _: combine(candidates)),
    )


UNLISTED = (
    "A run that answers the topic without listing the document counts as 0; a run that "
    "does not answer the topic is not counted."
)
METHODS = (
    comb_method(
        "combsum", "CombSUM (sum of scores)",
        "Σ over runs r of v_r(d)",
        "Documents that many runs score highly come first.",
        "the number of runs", comb_sum,
        "Runs that do not list the document, or list it last, add nothing.",
    ),
    comb_method(
        "combmnz", "CombMNZ (sum of scores × runs)",
        "(Σ over runs r of v_r(d)) · (number of runs with v_r(d) ≠ 0)",
        "CombSUM times the number of runs that list the document, which rewards agreement.",
        "the square of the number of runs", lambda c: comb_sum(c) * count_nonzero_scores(c),
        "A run that lists the document last scores it 0 and is not counted.",
    ),
    comb_method(
        "combanz", "CombANZ (mean of scores)",
        "(Σ over runs r of v_r(d)) / (number of runs with v_r(d) ≠ 0), or 0 if there is none",
        "The mean score over the runs that list the document: a single run can put it on top.",
        "1", lambda c: comb_sum(c) / np.maximum(count_nonzero_scores(c), 1),
        "Runs that do not list the document, or list it last, are not counted.",
    ),
    comb_method(
        "combmax", "CombMAX (highest score)",
        "max over runs r of v_r(d)",
        "The highest score of any run: all documents ranked first by some run are tied.",
        "1", lambda c: score_table(c).max(axis=0), UNLISTED,
    ),
    comb_method(
        "combmed", "CombMED (median of scores)",
        "median over runs r of v_r(d)",
        "The median score over the runs.",
        "1", lambda c: np.median(score_table(c), axis=0), UNLISTED,
        "Documents listed by fewer than half of the runs score 0; ties are broken by seeded hash.",
        "With an even number of runs, the mean of the two middle scores.",
    ),
    comb_method(
        "combmin", "CombMIN (lowest score)",
        "min over runs r of v_r(d)",
        "The lowest score of any run.",
        "1", lambda c: score_table(c).min(axis=0), UNLISTED,
        "Documents not listed by every run score 0; ties are broken by seeded hash.",
    ),
)  # fmt: skip
