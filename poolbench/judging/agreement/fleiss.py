"""Scott's pi, Fleiss' kappa, Brennan and Prediger's coefficient: chance agreement from the
pooled grade distribution, or from the number of grades alone.
"""

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import (
    NO_OVERLAP,
    AgreementCoefficient,
    AgreementCounts,
    Floats,
    divide_or_default,
    grade_differences,
    grade_proportions,
    observed_disagreement,
    weighted_sum,
)

ONE_GRADE = "all judgments have the same grade, so chance agreement is 1"
ONE_ON_SCALE = "the scale has only one grade"


def fleiss_kappa(counts: AgreementCounts) -> Floats:
    """1 − observed / expected disagreement; expected from the mean grade shares."""
    distances = np.sign(grade_differences(counts.scale))
    shares = grade_proportions(counts)
    return 1 - divide_or_default(
        observed_disagreement(counts, distances), weighted_sum((shares @ distances) * shares)
    )


def brennan_prediger(counts: AgreementCounts) -> Floats:
    """1 − observed / expected disagreement; expected if all grades were equally likely."""
    observed = observed_disagreement(counts, np.sign(grade_differences(counts.scale)))
    size = len(counts.scale)
    return 1 - divide_or_default(observed, np.full(observed.shape, 1 - 1 / size if size else 0.0))


SCOTT = AgreementCoefficient(
    Card(
        name="scott",
        title="Scott's pi",
        formula="1 − observed / expected disagreement; expected = 1 − Σ p², p the share of a grade "
        "among the judgments of both",
        reading="Agreement beyond chance, given the grade distribution of both assessors together.",
        source="Scott 1955.",
        range="-1 to 1, 0 is chance",
        edge_cases=(
            "Never above Cohen's kappa; equal if both assessors have the same grade distribution.",
        ),
        undefined="no pair was judged by both, or all their judgments have the same grade.",
    ),
    fleiss_kappa,
    flat=ONE_GRADE,
    pairwise=True,
    empty=NO_OVERLAP,
    examples=((((0, 0, 1, 1, 2, None), (0, 1, 1, 2, 2, 0)), 1 - 0.4 / 0.66),),
)
# Three assessors; pairs with three, two and one judgments.
_VARYING = ((0, 1, 1, 2, 0), (0, 1, 2, 2, None), (0, 0, None, None, None))

FLEISS = AgreementCoefficient(
    Card(
        name="fleiss",
        title="Fleiss' kappa, any number of judgments per pair",
        formula="1 − observed / expected disagreement; observed = mean, over pairs with at least "
        "two judgments, of the share of pairs of assessors that differ; expected = 1 − Σ p², p "
        "the mean over all judged pairs of a grade's share of the pair's judgments",
        reading="Agreement of all assessors beyond chance, given their pooled grade distribution.",
        source="Fleiss 1971 for a fixed number of judgments per pair; for any number Gwet, "
        "Handbook of Inter-Rater Reliability, 2014, chapter 2.",
        range="-1 to 1, 0 is chance",
        edge_cases=(
            "With two assessors this is Scott's pi.",
            "Every pair has weight 1; pairs with one judgment count only towards expected p.",
        ),
        undefined="no pair has two judgments, or all judgments have the same grade.",
    ),
    fleiss_kappa,
    flat=ONE_GRADE,
    examples=((_VARYING, 1 - (5 / 12) / (1 - (7 / 15) ** 2 - (7 / 30) ** 2 - 0.3**2)),),
)

BRENNAN_PREDIGER = AgreementCoefficient(
    Card(
        name="brennan-prediger",
        title="Brennan and Prediger's coefficient",
        formula="1 − observed disagreement / (1 − 1/q), q the number of grades of the scale",
        reading="Agreement beyond that of assessors who pick grades at random.",
        source="Brennan and Prediger 1981; Bennett, Alpert and Goldstein's S for two assessors.",
        range="-1 to 1, 0 is chance",
        edge_cases=(
            "Independent of prevalence.",
            (
                "Depends on q: unused grades count if the scale is known. For qrels files the "
                "scale is the set of grades that occur."
            ),
        ),
        undefined="no pair has two judgments, or the scale has one grade.",
    ),
    brennan_prediger,
    flat=ONE_ON_SCALE,
    examples=((((0, 0, 1, 1, 2, None), (0, 1, 1, 2, 2, 0)), 1 - 0.4 / (2 / 3)),),
)
