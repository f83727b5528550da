"""Agreement between assessors: every coefficient with n and interval, never a lone number."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.attachments import attachment
from campaigns.core.cards import Card
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.core.agreement.coefficient import Coefficient
from judging.core.agreement.formats import json_text
from judging.core.agreement.labels import Labels
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport, Panel, Row
from judging.core.quality.report import quality_report
from judging.queries.agreement import labels_of
from judging.queries.quality import record_of_campaign
from judging.views.agreement_charts import MOST_LEGS, Legs, heat_of_confusion, heat_of_pairs, legs
from judging.views.agreement_choice import Choice, choice_from

SIDE = ("percent", "kappa", "ac1", "alpha-ordinal", "overlap")
"""What tables show beside the chosen coefficient, so that it never stands alone."""
TITLES = {
    "agreement-pair": "Two assessors",
    "agreement-topics": "By topic",
    "agreement-assessors": "One by one",
}
HEAD = ("coefficient", "value", "low", "high", "n", "prevalence", "topics", "reason", "no_interval")


def opened(request: SignedIn, slug: str) -> tuple[Campaign, Choice, Labels]:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return campaign, choice_from(request.GET, campaign), labels_of(campaign)


def shared(campaign: Campaign, choice: Choice, labels: Labels, here: str) -> dict[str, Any]:
    """What every page of agreement shows: the choices, and where else to look."""
    return {
        "campaign": campaign,
        "crumbs": [("Agreement", None)]
        if here == "agreement"
        else [("Agreement", reverse("agreement", args=[campaign.slug])), (TITLES[here], None)],
        "here": here,
        "choice": choice,
        "coefficients": [coefficient.card for coefficient in COEFFICIENTS.values()],
        "levels": campaign.grades.filter(value__gt=0),
        "topics": labels.topics,
        "names": labels.assessors,
    }


@require_safe
def agreement(request: SignedIn, slug: str) -> HttpResponse:
    campaign, choice, labels = opened(request, slug)
    report = choice.report(labels)
    shown = beside(choice.by)
    context = shared(campaign, choice, labels, "agreement") | {
        "report": report,
        "rows": lines(report.panel, report.topic_means),
        "legs": legs_of(report.panel),
        "prevalence": report.overall["percent"].prevalence,
        "heat": heat_of_pairs(report, choice.by),
        "shown": [COEFFICIENTS[name].card for name in shown],
        "pairs": [
            (pair, [row[name] for name in shown], choice.but(a=pair[0], b=pair[1]))
            for pair, row in report.pairs.items()
        ],
    }
    return render(request, "judging/agreement.html", context)


@require_safe
def pair(request: SignedIn, slug: str) -> HttpResponse:
    """Two assessors: their grades against each other, every coefficient, and topic by topic."""
    campaign, choice, labels = opened(request, slug)
    if not (choice.a or choice.b) and len(labels.assessors) > 1:
        choice = replace(choice, a=labels.assessors[0], b=labels.assessors[1])
    context = shared(campaign, choice, labels, "agreement-pair")
    if choice.a in labels.assessors and choice.b in labels.assessors and choice.a != choice.b:
        a, b = labels.assessors.index(choice.a), labels.assessors.index(choice.b)
        context |= of_two(choice, labels.only(a, b))
    return render(request, "judging/agreement_pair.html", context)


def of_two(choice: Choice, two: Labels) -> dict[str, Any]:
    report = choice.report(two)
    shown = beside(choice.by)
    grades = [str(grade) for grade in report.scale]
    table = report.confusion[choice.a, choice.b]
    row = report.pairs[choice.a, choice.b]
    return {
        "report": report,
        "row": [(COEFFICIENTS[name].card, found) for name, found in row.items()],
        "n": row["percent"].n,
        "heat": heat_of_confusion(table, grades),
        "confusion": list(zip(grades, table, strict=True)),
        "grades": grades,
        "shown": [COEFFICIENTS[name].card for name in shown],
        "by_topic": [
            (topic, int(report_n(panel)), [panel.means[name] for name in shown])
            for topic, panel in report.by_topic.items()
            if report_n(panel)
        ],
    }


def report_n(panel: Panel) -> int:
    """The pairs of a topic that two or more judged."""
    return panel.overall["percent"].n


@require_safe
def topics(request: SignedIn, slug: str) -> HttpResponse:
    campaign, choice, labels = opened(request, slug)
    whole = Choice(choice.level, choice.binary, choice.by)
    report = whole.report(labels)
    shown = beside(choice.by)
    found = []
    alone = [topic for topic, panel in report.by_topic.items() if not report_n(panel)]
    for topic, panel in report.by_topic.items():
        if not report_n(panel):
            continue
        cells = [told(panel, name) for name in shown]
        found.append((topic, panel.overall["percent"], cells, whole.but(topic=topic)))
    firsts = [(topic, cells[0]) for topic, _, cells, _ in found]
    marks = ((topic, it.value, None, None, it.reason or "") for topic, it in firsts)
    context = shared(campaign, whole, labels, "agreement-topics") | {
        "report": report,
        "by_topic": found,
        "alone": alone,
        "legs": legs(marks) if len(firsts) <= MOST_LEGS else None,
        "shown": [COEFFICIENTS[name].card for name in shown],
        "means": [told(report.topic_means, name) for name in shown] if found else [],
    }
    return render(request, "judging/agreement_topics.html", context)


def beside(by: str) -> list[str]:
    """The chosen coefficient, and those that stand beside it."""
    return [by, *(name for name in SIDE if name != by)]


def told(panel: Panel, name: str) -> Coefficient:
    """Over all assessors where the coefficient can, else the mean over pairs of them."""
    return panel.overall[name] if name in panel.overall else panel.means[name]


Line = tuple[Card, Coefficient | None, Coefficient, Coefficient | None]


def lines(panel: Panel, topic_means: Panel) -> list[Line]:
    """Of each coefficient the card, the value over all, the mean over pairs, and over topics."""
    return [
        (
            COEFFICIENTS[name].card,
            panel.overall.get(name),
            mean,
            told(topic_means, name) if topic_means.means else None,
        )
        for name, mean in panel.means.items()
    ]


def legs_of(panel: Panel) -> Legs:
    found = {name: told(panel, name) for name in panel.means}
    return legs(
        (COEFFICIENTS[name].card.title, it.value, it.low, it.high, it.reason or "")
        for name, it in found.items()
    )


@require_safe
def download(request: SignedIn, slug: str, fmt: str) -> HttpResponse:
    """JSON holds everything that the command tells; CSV a line a coefficient."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    choice = choice_from(request.GET, campaign)
    if fmt == "json":
        record = record_of_campaign(campaign)
        quality = quality_report(record, choice.level).as_dict()
        return attachment(
            json_text(choice.report(record.people), quality), f"{slug}-agreement.json"
        )
    if fmt != "csv":
        raise Http404
    rows = [
        [place, a, b, *cells]
        for place, a, b, row in rows_of(choice.report(labels_of(campaign)))
        for cells in cells_of(row)
    ]
    return csv_of(["between", "assessor_a", "assessor_b", *HEAD], rows, f"{slug}-agreement.csv")


@require_safe
def topics_download(request: SignedIn, slug: str) -> HttpResponse:
    _, choice, labels = opened(request, slug)
    report = Choice(choice.level, choice.binary).report(labels)
    rows = [
        [topic, place, *cells]
        for topic, panel in report.by_topic.items()
        for place, row in (("all", panel.overall), ("mean", panel.means))
        for cells in cells_of(row)
    ]
    return csv_of(["topic", "between", *HEAD], rows, f"{slug}-agreement-topics.csv")


def rows_of(report: AgreementReport) -> list[tuple[str, str, str, Row]]:
    rows = [("all", "", "", report.overall), ("mean", "", "", report.means)]
    return rows + [("pair", a, b, row) for (a, b), row in report.pairs.items()]


def cells_of(row: Row) -> Iterable[list[str]]:
    for name, it in row.items():
        values = [number(x) for x in (it.value, it.low, it.high)]
        yield [
            name,
            *values,
            str(it.n),
            number(it.prevalence),
            str(it.topics),
            it.reason or "",
            it.no_interval or "",
        ]


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def csv_of(head: list[str], rows: Iterable[list[str]], name: str) -> HttpResponse:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows(rows)
    return attachment(out.getvalue(), name)
