"""The panel: every coefficient for every pair of assessors, and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from judging.core.agreement.labels import Coefficient, Labels
from judging.core.agreement.registry import COEFFICIENTS

ALL_UNDEFINED = "undefined for every pair of assessors"
TOO_FEW = "agreement needs two assessors"


@dataclass(frozen=True)
class Assessor:
    """How much one assessor judged; ``prevalence`` is the share of it that is relevant."""

    name: str
    judged: int
    relevant: int

    @property
    def prevalence(self) -> float | None:
        return self.relevant / self.judged if self.judged else None


@dataclass(frozen=True)
class AgreementReport:
    """``pairs`` has every coefficient by pair of assessors; ``means`` their unweighted mean,
    ``n`` being the pairs of assessors with a value; ``overall`` the coefficients that take
    all assessors at once.
    """

    level: int
    documents: int
    assessors: tuple[Assessor, ...]
    pairs: dict[tuple[str, str], dict[str, Coefficient]]
    means: dict[str, Coefficient]
    overall: dict[str, Coefficient]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "level": self.level,
            "pairs_judged": self.documents,
            "assessors": [{**asdict(a), "prevalence": a.prevalence} for a in self.assessors],
            "overall": _plain(self.overall),
            "mean_over_pairs": _plain(self.means),
            "pairs": [
                {"assessors": list(names), **_plain(row)} for names, row in self.pairs.items()
            ],
        }


def agreement_report(labels: Labels, level: int) -> AgreementReport:
    """All coefficients; ``level`` is the lowest grade that is relevant."""
    rows = range(len(labels.assessors))
    pairs = {
        (labels.assessors[i], labels.assessors[j]): {
            name: coefficient.compute(labels.only(i, j), level)
            for name, coefficient in COEFFICIENTS.items()
        }
        for i, j in combinations(rows, 2)
    }
    return AgreementReport(
        level=level,
        documents=len(labels.pairs),
        assessors=tuple(_assessor(labels, row, level) for row in rows),
        pairs=pairs,
        means={name: _mean([row[name] for row in pairs.values()]) for name in COEFFICIENTS},
        overall={
            name: coefficient.compute(labels, level) if pairs else Coefficient(None, 0, TOO_FEW)
            for name, coefficient in COEFFICIENTS.items()
            if not coefficient.pairwise
        },
    )


def _mean(values: Sequence[Coefficient]) -> Coefficient:
    defined = [c.value for c in values if c.value is not None]
    if not values:
        return Coefficient(None, 0, TOO_FEW)
    if not defined:
        return Coefficient(None, 0, ALL_UNDEFINED)
    left_out = len(values) - len(defined)
    why = f"{left_out} of {len(values)} pairs of assessors are undefined" if left_out else None
    return Coefficient(sum(defined) / len(defined), len(defined), why)


def _assessor(labels: Labels, row: int, level: int) -> Assessor:
    judged = labels.judged[row]
    relevant = judged & (labels.grades[row] >= level)
    return Assessor(
        labels.assessors[row], int(np.count_nonzero(judged)), int(np.count_nonzero(relevant))
    )


def _plain(row: dict[str, Coefficient]) -> dict[str, dict[str, Any]]:
    return {name: asdict(coefficient) for name, coefficient in row.items()}
