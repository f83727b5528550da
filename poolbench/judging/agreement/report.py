"""The agreement report: coefficients over all assessors, by pair of assessors and by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.statistics.draws import ResamplingOptions
from poolbench.statistics.estimate import UNDEFINED, Estimate, serialize_coefficient
from poolbench.statistics.least_topics import interval_rule_to_dict

Row = dict[str, Estimate]
"""Coefficients by name."""
STAFF, CROWD, EVERYONE = "staff", "crowd", "all"
PEOPLE = {STAFF: "staff assessors", CROWD: "crowd workers", EVERYONE: "assessors and crowd workers"}
"""Whose judgments are compared, where both have judged; otherwise they are called assessors."""


@dataclass(frozen=True)
class AssessorCounts:
    """How many pairs one assessor judged; ``prevalence`` is the relevant share."""

    name: str
    judged: int
    relevant: int

    @property
    def prevalence(self) -> float | None:
        return self.relevant / self.judged if self.judged else None


@dataclass(frozen=True)
class CoefficientPanel:
    """Every coefficient for the same judgments: over all assessors together, where defined for
    more than two, and as the unweighted mean over the ``n`` pairs of assessors with a value.
    """

    overall: Row
    means: Row

    def as_dict(self) -> dict[str, Any]:
        return {"overall": row_to_dict(self.overall), "mean_over_pairs": row_to_dict(self.means)}


@dataclass(frozen=True)
class OmittedRows:
    """How many assessors and pairs of assessors a report does not list."""

    assessors: int
    pairs: int


@dataclass(frozen=True)
class RankingEffect:
    """What other judgments would do to the ranking of the runs, by tau-b with the ranking by the
    campaign's judgments. ``second_opinions`` is the median over draws of a second opinion on every
    document, with the lower end; ``by_assessor`` the ranking by each assessor's own grades, the
    campaign's where there are none. ``reason`` says why there are none. ``disputes`` are documents
    with different grades and no decision.
    """

    second_opinions: Estimate = UNDEFINED
    by_assessor: Mapping[str, float | None] = field(default_factory=dict)
    disputes: int = 0
    reason: str = ""

    @property
    def lowest_tau(self) -> float | None:
        """Of a single assessor's ranking and the lower end of second opinions."""
        return self._lowest(self.second_opinions.low)

    @property
    def likely_tau(self) -> float | None:
        """Of a single assessor's ranking and the median of second opinions."""
        return self._lowest(self.second_opinions.value)

    def _lowest(self, second: float | None) -> float | None:
        taus = (*self.by_assessor.values(), second)
        return min((tau for tau in taus if tau is not None), default=None)


@dataclass(frozen=True, repr=False)
class AgreementReport(CoefficientPanel, ResultTable):
    """The coefficients over all pairs; ``pairs`` has every one by pair of assessors, ``confusion``
    the number of pairs by the two grades (rows: the first assessor), in the order of ``scale``.

    ``by_topic`` is the panel of each topic, ``topic_means`` the unweighted mean over the ``n``
    topics with a value. ``binary``: grades were first made binary at ``level``, the lowest
    relevant grade. ``thirds`` third judgments count, ``left_out`` do not.

    In a campaign as of row ``last`` of its log, with the effect on the ranking of its runs and the
    median seconds of a judgment; ``who`` is a key of ``PEOPLE``, empty if all are of one kind.
    """

    level: int
    binary: bool
    scale: tuple[int, ...]
    documents: int
    assessors: tuple[AssessorCounts, ...]
    pairs: dict[tuple[str, str], Row]
    confusion: Mapping[tuple[str, str], Sequence[Sequence[int]]]
    by_topic: dict[str, CoefficientPanel]
    topic_means: CoefficientPanel
    draws: ResamplingOptions
    thirds: int = 0
    left_out: int = 0
    last: int | None = None
    effect: RankingEffect = field(default_factory=RankingEffect)
    seconds_each: float | None = None
    who: str = ""

    @property
    def people(self) -> str:
        return PEOPLE.get(self.who, "assessors")

    def __repr__(self) -> str:
        return f"<AgreementReport: {len(self.assessors)} assessors, {self.documents:,} documents>"

    def to_frame(self) -> Frame:
        """One row per coefficient: over ``all`` assessors, as the ``mean`` over pairs of them, and
        for each pair; value, n and interval, NaN where undefined."""
        scopes = {"all": self.overall, "mean": self.means}
        scopes |= {" ~ ".join(names): row for names, row in self.pairs.items()}
        rows = [
            {"assessors": scope, "coefficient": name, **serialize_coefficient(value)}
            for scope, row in scopes.items()
            for name, value in row.items()
        ]
        return make_frame(rows)

    def largest(self, rows: int | None) -> "tuple[AgreementReport, OmittedRows]":
        """At most ``rows`` assessors and pairs of assessors, those with the most judgments, and
        the numbers left out. Figures over all of them stay; None: everything.
        """
        if rows is None or (len(self.assessors) <= rows and len(self.pairs) <= rows):
            return self, OmittedRows(0, 0)
        assessors = sorted(self.assessors, key=lambda a: -a.judged)[:rows]
        pairs = sorted(self.pairs, key=lambda names: -self.pairs[names]["percent"].n)[:rows]
        omitted = OmittedRows(len(self.assessors) - len(assessors), len(self.pairs) - len(pairs))
        report = replace(
            self, assessors=tuple(assessors), pairs={names: self.pairs[names] for names in pairs}
        )
        return report, omitted

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "level": self.level,
            "binary": self.binary,
            "grades": list(self.scale),
            "pairs_judged": self.documents,
            "third_judgments": {"counted": self.thirds, "left_out": self.left_out},
            "interval": {
                "share": 0.95,
                "over": "topics",
                **interval_rule_to_dict(),
                **draws_to_dict(self.draws),
            },
            "assessors": [{**asdict(a), "prevalence": a.prevalence} for a in self.assessors],
            **super().as_dict(),
            "pairs": [
                {"assessors": list(names), **row_to_dict(row), "confusion": self.confusion[names]}
                for names, row in self.pairs.items()
            ],
            "topics": [
                {"topic": topic, **panel.as_dict()} for topic, panel in self.by_topic.items()
            ],
            "mean_over_topics": self.topic_means.as_dict(),
        }


def draws_to_dict(draws: ResamplingOptions) -> dict[str, int]:
    return {"resamples": draws.resamples, "seed": draws.seed}


def row_to_dict(row: Row) -> dict[str, dict[str, Any]]:
    return {name: serialize_coefficient(coefficient) for name, coefficient in row.items()}
