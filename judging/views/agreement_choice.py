"""The selection on the agreement pages, kept in the query string of every link."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from campaigns.models import Campaign
from campaigns.views.helpers import read_digits
from judging.queries.agreement import MOST_ASSESSORS, find_default_people
from poolbench.cards import Card
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import CROWD, PEOPLE, STAFF, AgreementReport

DEFAULT_COEFFICIENT = "alpha-ordinal"
LONGEST = 300


@dataclass(frozen=True)
class AgreementChoice:
    """Relevance level, whether grades are made binary there, the coefficient of the charts, the
    topic (empty: all), and two assessors. ``third``: third judgments count. ``who``: whose
    judgments are compared, a key of ``PEOPLE``; empty if staff and crowd have not both judged.
    """

    level: int
    binary: bool = False
    by: str = DEFAULT_COEFFICIENT
    topic: str = ""
    a: str = ""
    b: str = ""
    third: bool = False
    who: str = ""

    @property
    def card(self) -> Card:
        return COEFFICIENTS[self.by].card

    @property
    def query(self) -> str:
        """The selection as a query string, without empty parameters."""
        values = {"level": self.level, "cut": "1" if self.binary else "", "by": self.by}
        values |= {"topic": self.topic, "a": self.a, "b": self.b}
        values |= {"third": "1" if self.third else "", "who": self.who}
        return urlencode({name: value for name, value in values.items() if value})

    def but(self, **changes: str | bool) -> str:
        """The query string of this selection with changes."""
        return replace(self, **changes).query  # type: ignore[arg-type]

    @property
    def in_words(self) -> str:
        grades = "binary grades" if self.binary else "grades as judged"
        where = f"topic {self.topic}" if self.topic else "all topics"
        third = ", with third judgments" if self.third else ""
        who = f", {PEOPLE[self.who]} only" if self.who in (STAFF, CROWD) else ""
        return f"{self.card.title}, {grades}, relevant from grade {self.level}, {where}{third}{who}"

    def labels(self, labels: LabelTable) -> LabelTable:
        """The pairs of the selected topic; all pairs if none is selected."""
        return labels.within(self.topic) if self.topic in labels.topics else labels

    def report(self, labels: LabelTable, stored: AgreementReport | None = None) -> AgreementReport:
        """The ``stored`` report of the campaign if it is of this selection, else one of
        ``labels``.
        """
        ours = (self.level, self.binary, self.who, "", False)
        if stored and ours == (stored.level, stored.binary, stored.who, self.topic, self.third):
            return stored
        report = agreement_report(
            self.labels(labels), self.level, binary=self.binary, most_assessors=MOST_ASSESSORS
        )
        return replace(report, who=self.who)


def parse_agreement_choice(query: QueryDict, campaign: Campaign) -> AgreementChoice:
    """Invalid values fall back to the campaign's relevance level, ordinal alpha and all topics."""
    level = read_digits(query.get("level", ""), 4)
    by = query.get("by", "")
    who, name = find_default_people(campaign), query.get("who", "")
    topic, a, b = (query.get(name, "").replace("\0", "")[:LONGEST] for name in ("topic", "a", "b"))
    return AgreementChoice(
        level=campaign.relevance_level if level is None else level,
        binary=query.get("cut") == "1",
        by=by if by in COEFFICIENTS else DEFAULT_COEFFICIENT,
        topic=topic,
        a=a,
        b=b,
        third=query.get("third") == "1",
        who=name if who and name in PEOPLE else who,
    )
