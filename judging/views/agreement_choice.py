"""What an organizer picks on the pages of agreement; every link carries it on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from campaigns.core.cards import Card
from campaigns.models import Campaign
from judging.core.agreement.labels import LabelTable
from judging.core.agreement.panel import agreement_report
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport

BY = "alpha-ordinal"
LONGEST = 300


@dataclass(frozen=True)
class AgreementChoice:
    """The lowest relevant grade, whether grades are cut there, the coefficient that pictures
    show, the topic (all when empty), and two assessors.
    """

    level: int
    binary: bool = False
    by: str = BY
    topic: str = ""
    a: str = ""
    b: str = ""

    @property
    def card(self) -> Card:
        return COEFFICIENTS[self.by].card

    @property
    def query(self) -> str:
        """The choice as a query string, without what is not chosen."""
        chosen = {"level": self.level, "cut": "1" if self.binary else "", "by": self.by}
        chosen |= {"topic": self.topic, "a": self.a, "b": self.b}
        return urlencode({name: value for name, value in chosen.items() if value})

    def but(self, **changes: str) -> str:
        """The query string with other choices."""
        return replace(self, **changes).query  # type: ignore[arg-type]

    def labels(self, labels: LabelTable) -> LabelTable:
        """The pairs of the chosen topic; all of them where none is chosen."""
        return labels.within(self.topic) if self.topic in labels.topics else labels

    def report(self, labels: LabelTable) -> AgreementReport:
        return agreement_report(self.labels(labels), self.level, binary=self.binary)


def parse_agreement_choice(asked: QueryDict, campaign: Campaign) -> AgreementChoice:
    """Whatever is no choice falls back: to the campaign's level, ordinal alpha, all topics."""
    level = asked.get("level", "")
    by = asked.get("by", "")
    topic, a, b = (asked.get(name, "").replace("\0", "")[:LONGEST] for name in ("topic", "a", "b"))
    return AgreementChoice(
        level=int(level) if level.isdecimal() and len(level) < 5 else campaign.relevance_level,
        binary=asked.get("cut") == "1",
        by=by if by in COEFFICIENTS else BY,
        topic=topic,
        a=a,
        b=b,
    )
