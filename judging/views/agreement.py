"""Inter-assessor agreement: every coefficient with n and interval, never alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models.query import QuerySet
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import attachment_response, report_response
from campaigns.core.cards import Card
from campaigns.core.natural_sort import sort_items_naturally, sort_naturally
from campaigns.models import Campaign, Grade
from campaigns.queries.lists import get_campaign_for
from campaigns.services.verdicts import compute_campaign_verdict
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from common.charts.chart import Chart
from common.report.csv import write_csv
from judging.core.agreement.coefficient import CoefficientValue
from judging.core.agreement.formats import AGREEMENT_FORMATS, build_topics_report
from judging.core.agreement.labels import LabelTable
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport, CoefficientPanel
from judging.core.quality.report import quality_report
from judging.queries.agreement import load_labels
from judging.queries.quality import load_judging_record
from judging.views.agreement_charts import (
    MOST_LINES,
    build_agreement_intervals,
    build_confusion_heat_map,
    build_pair_heat_map,
)
from judging.views.agreement_choice import AgreementChoice, parse_agreement_choice
from judging.views.agreement_sections import AGREEMENT, build_verdict_part

SIDE = ("percent", "kappa", "ac1", "alpha-ordinal", "overlap")
"""Coefficients that tables show in addition to the selected one."""


def load_agreement_page(
    request: SignedInRequest, slug: str
) -> tuple[Campaign, AgreementChoice, LabelTable]:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    return campaign, choice, load_labels(campaign, third=choice.third)


@dataclass(frozen=True)
class AgreementFrame:
    campaign: Campaign
    here: str
    choice: AgreementChoice
    coefficients: list[Card]
    levels: QuerySet[Grade]
    topics: tuple[str, ...]
    names: tuple[str, ...]
    thirds: int
    third_switch: str


def build_agreement_frame(
    campaign: Campaign, choice: AgreementChoice, labels: LabelTable, here: str
) -> AgreementFrame:
    """The context of every agreement page: selection and navigation."""
    return AgreementFrame(
        campaign=campaign,
        here=here,
        choice=choice,
        coefficients=[coefficient.card for coefficient in COEFFICIENTS.values()],
        levels=campaign.grades.filter(value__gt=0),
        topics=tuple(sort_naturally(labels.topics)),
        names=labels.assessors,
        thirds=labels.thirds or labels.left_out,
        third_switch=choice.but(third=not choice.third),
    )


@dataclass(frozen=True)
class AgreementPage:
    report: AgreementReport
    rows: list[tuple[Card, CoefficientValue | None, CoefficientValue, CoefficientValue | None]]
    intervals: Chart
    prevalence: float | None
    multiply: int
    heat: Chart | None
    columns: list[Card]
    pairs: list[tuple[tuple[str, str], list[CoefficientValue], str]]


@require_safe
def agreement_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign, choice, labels = load_agreement_page(request, slug)
    report = choice.report(labels)
    names = companion_coefficients(choice.by)
    frame = build_agreement_frame(campaign, choice, labels, "agreement")
    page = AgreementPage(
        report=report,
        rows=coefficient_rows(report.panel, report.topic_means),
        intervals=coefficient_caterpillar(report.panel),
        prevalence=report.overall["percent"].prevalence,
        multiply=report.overall["percent"].n,
        heat=build_pair_heat_map(
            report,
            choice.by,
            choice.card.title,
            f"{choice.card.title}. {choice.card.reading}",
        ),
        columns=[COEFFICIENTS[name].card for name in names],
        pairs=[
            (pair, [row[name] for name in names], choice.but(a=pair[0], b=pair[1]))
            for pair, row in report.pairs.items()
        ],
    )
    part = build_verdict_part(campaign, choice, report)
    return render_page(request, "judging/agreement.html", frame, page, part)


@require_safe
def agreement_pair_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Two assessors: confusion matrix, all coefficients, and agreement by topic."""
    campaign, choice, labels = load_agreement_page(request, slug)
    if not (choice.a or choice.b) and len(labels.assessors) > 1:
        choice = replace(choice, a=labels.assessors[0], b=labels.assessors[1])
    frame = build_agreement_frame(campaign, choice, labels, "agreement-pair")
    page = None
    if choice.a in labels.assessors and choice.b in labels.assessors and choice.a != choice.b:
        a, b = labels.assessors.index(choice.a), labels.assessors.index(choice.b)
        page = compare_assessors(choice, labels.select_assessors(a, b))
    return render_page(request, "judging/agreement_pair.html", frame, page)


@dataclass(frozen=True)
class TwoAssessors:
    report: AgreementReport
    row: list[tuple[Card, CoefficientValue]]
    n: int
    heat: Chart
    confusion: list[tuple[str, list[int]]]
    grades: list[str]
    columns: list[Card]
    by_topic: list[tuple[str, int, list[CoefficientValue]]]


def compare_assessors(choice: AgreementChoice, two: LabelTable) -> TwoAssessors:
    report = choice.report(two)
    names = companion_coefficients(choice.by)
    grades = [str(grade) for grade in report.scale]
    table = report.confusion[choice.a, choice.b]
    row = report.pairs[choice.a, choice.b]
    return TwoAssessors(
        report=report,
        row=[(COEFFICIENTS[name].card, value) for name, value in row.items()],
        n=row["percent"].n,
        heat=build_confusion_heat_map(table, grades, describe_confusion(choice, row["percent"].n)),
        confusion=list(zip(grades, table, strict=True)),
        grades=grades,
        columns=[COEFFICIENTS[name].card for name in names],
        by_topic=[
            (topic, int(count_multiply_judged(panel)), [panel.means[name] for name in names])
            for topic, panel in sort_items_naturally(report.by_topic)
            if count_multiply_judged(panel)
        ],
    )


def describe_confusion(choice: AgreementChoice, n: int) -> str:
    where = f" in topic {choice.topic}" if choice.topic else ""
    return (
        f"Rows: {choice.a}. Columns: {choice.b}. {n:,} documents judged by both{where}; darker "
        "cells have a larger share of their row."
    )


def count_multiply_judged(panel: CoefficientPanel) -> int:
    """Pairs of a topic judged by at least two assessors."""
    return panel.overall["percent"].n


@dataclass(frozen=True)
class AgreementTopicsPage:
    report: AgreementReport
    by_topic: list[tuple[str, CoefficientValue, list[CoefficientValue], str]]
    alone: list[str]
    intervals: Chart | None
    columns: list[Card]
    means: list[CoefficientValue]


@require_safe
def agreement_topics_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign, choice, labels = load_agreement_page(request, slug)
    whole = replace(choice, topic="", a="", b="")
    report = whole.report(labels)
    names = companion_coefficients(choice.by)
    rows = []
    by_topic = sort_items_naturally(report.by_topic)
    alone = [topic for topic, panel in by_topic if not count_multiply_judged(panel)]
    for topic, panel in by_topic:
        if not count_multiply_judged(panel):
            continue
        cells = [get_overall_or_mean(panel, name) for name in names]
        rows.append((topic, panel.overall["percent"], cells, whole.but(topic=topic)))
    firsts = [(topic, cells[0]) for topic, _, cells, _ in rows]
    marks = ((topic, value.value, None, None, value.reason or "") for topic, value in firsts)
    intervals = build_agreement_intervals(
        "agreement-by-topic",
        f"{choice.card.title} by topic",
        marks,
        axis=choice.card.title,
        row_name="topic",
        caption=f"{choice.card.title} by topic. {choice.card.reading}",
    )
    frame = build_agreement_frame(campaign, whole, labels, "agreement-topics")
    page = AgreementTopicsPage(
        report=report,
        by_topic=rows,
        alone=alone,
        intervals=intervals if len(firsts) <= MOST_LINES else None,
        columns=[COEFFICIENTS[name].card for name in names],
        means=[get_overall_or_mean(report.topic_means, name) for name in names] if rows else [],
    )
    return render_page(request, "judging/agreement_topics.html", frame, page)


def companion_coefficients(by: str) -> list[str]:
    """The selected coefficient, followed by those always shown with it."""
    return [by, *(name for name in SIDE if name != by)]


def get_overall_or_mean(panel: CoefficientPanel, name: str) -> CoefficientValue:
    """Over all assessors if the coefficient allows it, otherwise the mean over assessor pairs."""
    return panel.overall[name] if name in panel.overall else panel.means[name]


Line = tuple[Card, CoefficientValue | None, CoefficientValue, CoefficientValue | None]


def coefficient_rows(panel: CoefficientPanel, topic_means: CoefficientPanel) -> list[Line]:
    """Per coefficient: card, value over all assessors, mean over pairs, mean over topics."""
    return [
        (
            COEFFICIENTS[name].card,
            panel.overall.get(name),
            mean,
            get_overall_or_mean(topic_means, name) if topic_means.means else None,
        )
        for name, mean in panel.means.items()
    ]


def coefficient_caterpillar(panel: CoefficientPanel) -> Chart:
    values = {name: get_overall_or_mean(panel, name) for name in panel.means}
    lines = [
        (COEFFICIENTS[name].card.title, value.value, value.low, value.high, value.reason or "")
        for name, value in values.items()
    ]
    return build_agreement_intervals(
        "coefficients",
        "All coefficients with 95 % intervals",
        lines,
        axis="agreement",
        row_name="coefficient",
        caption="Over all assessors, or the mean over assessor pairs for coefficients of two "
        "assessors. Lines are 95\u00a0% intervals over topics.",
    )


@require_safe
def agreement_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    """JSON has everything that the command prints; the others have agreement alone."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    name = f"{slug}-agreement.{fmt}"
    if fmt == "json":
        record = load_judging_record(campaign, third=choice.third)
        quality = quality_report(record, choice.level).as_dict()
        whole = compute_campaign_verdict(campaign, AGREEMENT).verdict
        return report_response(
            name, AGREEMENT_FORMATS, choice.report(record.people), quality, verdict=whole
        )
    report = choice.report(load_labels(campaign, third=choice.third))
    settings = {"campaign": slug, "third_judgments": choice.third}
    verdict = None if fmt == "csv" else compute_campaign_verdict(campaign, AGREEMENT).verdict
    return report_response(name, AGREEMENT_FORMATS, report, settings=settings, verdict=verdict)


@require_safe
def agreement_topics_download_view(request: SignedInRequest, slug: str) -> HttpResponse:
    _, choice, labels = load_agreement_page(request, slug)
    report = replace(choice, topic="").report(labels)
    settings = {"campaign": slug, "third_judgments": choice.third}
    text = write_csv(build_topics_report(report, settings))
    return attachment_response(text, f"{slug}-agreement-topics.csv")
