"""Qrels policies side by side: grades, ties, uncertainty, and pairs that differ."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolbench.judging.aggregation.base import UNDECIDED
from poolbench.judging.policies import PolicyOutcome
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats


@dataclass(frozen=True)
class PolicySummary:
    """``grades`` counts pairs by grade; ``ties`` those that a tie rule decides, None without one.
    ``mean_entropy`` is in bits, and ``overruled`` counts unanimous pairs that got another grade;
    None for a policy that decides pair by pair.
    """

    name: str
    grades: Mapping[int, int]
    pairs: int
    undecided: int
    ties: int | None
    mean_entropy: float | None
    iterations: int | None
    converged: bool | None
    overruled: int | None = None


@dataclass(frozen=True)
class PolicyComparison:
    """``differences``: by two names in their order, the pairs whose grades differ, or that are in
    only one of the two. ``skipped`` policies were left out as too slow.
    """

    policies: tuple[PolicySummary, ...]
    differences: Mapping[tuple[str, str], int]
    skipped: tuple[str, ...] = ()

    @property
    def scale(self) -> list[int]:
        """The grades that any of the policies gives, ascending."""
        return sorted({grade for policy in self.policies for grade in policy.grades})

    def list_differences(self) -> list[tuple[str, list[tuple[str, int | None]]]]:
        """The differences as a square table, None on the diagonal."""
        names = [policy.name for policy in self.policies]
        either = {**self.differences, **{(b, a): n for (a, b), n in self.differences.items()}}
        return [(name, [(other, either.get((name, other))) for other in names]) for name in names]


def compare_policies(outcomes: Mapping[str, PolicyOutcome]) -> PolicyComparison:
    """The outcomes of the same ballots by name of their policies."""
    places: dict[tuple[str, str], int] = {}
    for outcome in outcomes.values():
        for topic, docno, _ in outcome.rows:
            places.setdefault((topic, docno), len(places))
    grades = {name: place_grades(places, outcome) for name, outcome in outcomes.items()}
    differences = {
        (first, second): int(np.count_nonzero(grades[first] != grades[second]))
        for first, second in combinations(grades, 2)
    }
    policies = tuple(summarize_outcome(name, outcome) for name, outcome in outcomes.items())
    return PolicyComparison(policies, differences)


def place_grades(
    places: Mapping[tuple[str, str], int], outcome: PolicyOutcome
) -> NDArray[np.int64]:
    """The grade of each pair in ``places``; ``UNDECIDED`` where there is none."""
    grades = np.full(len(places), UNDECIDED, np.int64)
    rows = [places[topic, docno] for topic, docno, _ in outcome.rows]
    grades[rows] = [grade for _, _, grade in outcome.rows]
    return grades


def summarize_outcome(name: str, outcome: PolicyOutcome) -> PolicySummary:
    aggregated = outcome.aggregated
    return PolicySummary(
        name=name,
        grades=dict(sorted(Counter(grade for _, _, grade in outcome.rows).items())),
        pairs=len(outcome.rows),
        undecided=len(outcome.undecided),
        ties=outcome.ties,
        mean_entropy=aggregated.mean_entropy if aggregated else None,
        iterations=aggregated.fit.iterations if aggregated else None,
        converged=bool(aggregated.fit.converged) if aggregated else None,
        overruled=int(aggregated.overruled.sum()) if aggregated else None,
    )


def build_comparison_of_policies(comparison: PolicyComparison, as_of: str = "") -> Report:
    """A table of the policies, and one of the pairs that differ; ``as_of`` in words."""
    names = [policy.name for policy in comparison.policies]
    grades = make_columns(*(f"grade_{grade}" for grade in comparison.scale))
    entropy = Column("mean_entropy", "mean entropy", format="{:.3f}".format)
    rest = make_columns("pairs", "undecided", "ties", "overruled")
    columns = (Column("policy", left=True), *grades, *rest, entropy)
    record = (*columns, *make_columns(*(f"differ_from_{name}" for name in names)))
    square = [(name, *(count for _, count in row)) for name, row in comparison.list_differences()]
    head = (Column("policy", left=True), *make_columns(*names, undefined="–"))
    rows = [
        (
            *(p.name, *(p.grades.get(grade, 0) for grade in comparison.scale)),
            *(p.pairs, p.undecided, p.ties, p.overruled, p.mean_entropy),
        )
        for p in comparison.policies
    ]
    conditions = {"as_of": as_of} if as_of else {}
    both = [(*row, *cells[1:]) for row, cells in zip(rows, square, strict=True)]
    return Report(
        title="Qrels policies",
        sections=(
            Section("Policies", (Table("policies", columns, rows),), titled=True),
            Section("Pairs that differ", (Table("differences", head, square),), titled=True),
        ),
        record=Table("qrels policies", record, both),
        data=lambda: {**conditions, **policy_comparison_to_dict(comparison)},
        conditions=conditions,
    )


def policy_comparison_to_dict(comparison: PolicyComparison) -> dict[str, Any]:
    """The comparison as plain values."""
    policies = [
        {
            "policy": policy.name,
            "grades": {str(grade): count for grade, count in policy.grades.items()},
            **{k: v for k, v in vars(policy).items() if k not in ("name", "grades")},
        }
        for policy in comparison.policies
    ]
    differences = [
        {"policies": list(names), "pairs": count} for names, count in comparison.differences.items()
    ]
    return {"policies": policies, "differences": differences}


COMPARISON_FORMATS = make_formats(build_comparison_of_policies)
