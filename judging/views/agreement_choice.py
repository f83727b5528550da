"""The selection on the agreement pages, kept in the query string of every link."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from campaigns.models import Campaign
from judging.queries.agreement import MOST_ASSESSORS
from poolbench.cards import Card
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import AgreementReport

DEFAULT_COEFFICIENT = "alpha-ordinal"
LONGEST = 300


@dataclass(frozen=True)
class AgreementChoice:
    """Relevance level, whether grades are made binary there, the coefficient of the charts, the
    topic (empty: all), and two assessors. ``third``: third judgments count.
    """

    level: int
    binary: bool = False
    by: str = DEFAULT_COEFFICIENT
    topic: str = ""
    a: str = ""
    b: str = ""
    third: bool = False

    @property
    def card(self) -> Card:
        return COEFFICIENTS[self.by].card

    @property
    def query(self) -> str:
        """The selection as a query string, without empty parameters."""
        values = {"level": self.level, "cut": "1" if self.binary else "", "by": self.by}
        values |= {"topic": self.topic, "a": self.a, "b": self.b}
        values["third"] = "1" if self.third else ""
        return urlencode({name: value for name, value in values.items() if value})

    def but(self, **changes: str | bool) -> str:
        """The query string of this selection with changes."""
        return replace(self, **changes).query  # type: ignore[arg-type]

    @property
    def in_words(self) -> str:
        grades = "binary grades" if self.binary else "grades as judged"
        where = f"topic {self.topic}" if self.topic else "all topics"
        third = ", with third judgments" if self.third else ""
        return f"{self.card.title}, {grades}, relevant from grade {self.level}, {where}{third}"

    def labels(self, labels: LabelTable) -> LabelTable:
        """The pairs of the selected topic; all pairs if none is selected."""
        return labels.within(self.topic) if self.topic in labels.topics else labels

    def report(self, labels: LabelTable, stored: AgreementReport | None = None) -> AgreementReport:
        """The ``stored`` report of the campaign if it is of this selection, else one of
        ``labels``.
        """
        is_of_all = not (self.topic or self.third)
        if stored and is_of_all and (stored.level, stored.binary) == (self.level, self.binary):
            return stored
        return agreement_report(
            self.labels(labels), self.level, binary=self.binary, most_assessors=MOST_ASSESSORS
        )


def parse_agreement_choice(query: QueryDict, campaign: Campaign) -> AgreementChoice:
    """Invalid values fall back to the campaign's relevance level, ordinal alpha and all topics."""
    level = query.get("level", "")
    by = query.get("by", "")
    topic, a, b = (query.get(name, "").replace("\0", "")[:LONGEST] for name in ("topic", "a", "b"))
    return AgreementChoice(
        level=int(level) if level.isdecimal() and len(level) < 5 else campaign.relevance_level,
        binary=query.get("cut") == "1",
        by=by if by in COEFFICIENTS else DEFAULT_COEFFICIENT,
        topic=topic,
        a=a,
        b=b,
        third=query.get("third") == "1",
    )
