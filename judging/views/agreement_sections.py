"""What the agreement page says first, and the list of its sections with their states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.core.natural_sort import natural_sort_key
from campaigns.models import Campaign
from campaigns.services.verdicts import get_campaign_verdict
from campaigns.views.verdicts import PageSection, VerdictPanel, build_current_panel
from common.charts.chart import Chart
from common.charts.gauge import Gauge
from common.verdicts import Verdict
from judging.core.agreement.report import AgreementReport
from judging.views.agreement_charts import MOST_LINES, build_agreement_intervals
from judging.views.agreement_choice import AgreementChoice

AGREEMENT = "agreement"
LEAST_TAU, LEAST_ALPHA = "agreement-tau", "agreement-alpha"


@dataclass(frozen=True)
class TauRow:
    """The ranking by one assessor against that by the campaign's judgments."""

    name: str
    tau: float | None
    gauge: Gauge


@dataclass(frozen=True)
class TopicLink:
    """A topic with a low coefficient."""

    number: str
    value: float
    query: str


@dataclass(frozen=True)
class AgreementVerdictPart:
    """``taus`` and ``verdict`` are of the whole campaign, whatever the page compares; ``low``
    topics lie below ``least_alpha`` by the coefficient of the page.
    """

    verdict: VerdictPanel
    sections: Sequence[PageSection]
    taus: Sequence[TauRow]
    by_topic: Chart | None
    low: Sequence[TopicLink]
    least_alpha: float
    in_words: str


def build_verdict_part(
    campaign: Campaign, choice: AgreementChoice, report: AgreementReport
) -> AgreementVerdictPart:
    current = get_campaign_verdict(campaign, AGREEMENT)
    limits = read_limits(current.verdict)
    low = list_low_topics(choice, report, limits[LEAST_ALPHA])
    taus = list_tau_rows(current.figures, limits[LEAST_TAU])
    return AgreementVerdictPart(
        verdict=build_current_panel(campaign, current),
        sections=list_sections(report, choice, taus, low, limits),
        taus=taus,
        by_topic=build_agreement_by_topic(choice, report),
        low=low,
        least_alpha=limits[LEAST_ALPHA],
        in_words=describe_choice(choice),
    )


def read_limits(verdict: Verdict) -> dict[str, float]:
    """The thresholds that sections use; the defaults before the verdict has its own."""
    return {LEAST_TAU: 0.9, LEAST_ALPHA: 0.667} | {t.name: t.value for t in verdict.thresholds}


def list_tau_rows(figures: Any, least: float) -> list[TauRow]:
    taus = figures.taus if figures is not None else ()
    return [
        TauRow(each.name, each.tau, Gauge(each.tau, (0.5, 1.0), good=(least, 1.0))) for each in taus
    ]


def list_low_topics(
    choice: AgreementChoice, report: AgreementReport, least: float
) -> list[TopicLink]:
    """Lowest first."""
    values = list_topic_coefficients(choice, report)
    low = [(value, topic) for topic, value in values.items() if value is not None and value < least]
    return [TopicLink(topic, value, choice.but(topic=topic)) for value, topic in sorted(low)]


def list_topic_coefficients(
    choice: AgreementChoice, report: AgreementReport
) -> dict[str, float | None]:
    """The chosen coefficient by topic with documents of two assessors."""
    values = {}
    for topic in sorted(report.by_topic, key=natural_sort_key):
        panel = report.by_topic[topic]
        if panel.overall["percent"].n:
            row = panel.overall if choice.by in panel.overall else panel.means
            values[topic] = row[choice.by].value
    return values


def build_agreement_by_topic(choice: AgreementChoice, report: AgreementReport) -> Chart | None:
    """Lowest first; None without topics, or with too many to read."""
    values = list_topic_coefficients(choice, report)
    if not values or len(values) > MOST_LINES:
        return None
    ordered = sorted(values, key=lambda topic: (values[topic] is None, values[topic] or 0.0))
    return build_agreement_intervals(
        "topics",
        f"{choice.card.title} by topic",
        [(topic, values[topic], None, None, "all grades are the same") for topic in ordered],
        caption=f"Lowest first. {choice.card.reading}",
        axis=choice.card.title,
        row_name="topic",
    )


def list_sections(
    report: AgreementReport,
    choice: AgreementChoice,
    taus: Sequence[TauRow],
    low: Sequence[TopicLink],
    limits: dict[str, float],
) -> list[PageSection]:
    pairs = [row[choice.by].value for row in report.pairs.values()]
    low_pairs = any(value is not None and value < limits[LEAST_ALPHA] for value in pairs)
    known = [row.tau for row in taus if row.tau is not None]
    effect = "" if not known else ("good" if min(known) >= limits[LEAST_TAU] else "bad")
    return [
        PageSection("topics", "Topics", "amber" if low else "good"),
        PageSection("map", "Assessors", "amber" if low_pairs else "good"),
        PageSection("effect", "Effect on the ranking", effect),
        PageSection("coefficients", "All coefficients"),
        PageSection("computed", "How it is computed"),
    ]


def describe_choice(choice: AgreementChoice) -> str:
    """What is compared, in words."""
    grades = "binary grades" if choice.binary else "grades as judged"
    where = f"topic {choice.topic}" if choice.topic else "all topics"
    third = ", with third judgments" if choice.third else ""
    return f"{choice.card.title}, {grades}, relevant from grade {choice.level}, {where}{third}"
