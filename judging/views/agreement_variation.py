"""Variation between assessors: by document, by topic and by assessor, for any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import attachment_response
from campaigns.core.cards import Card
from campaigns.core.natural_sort import natural_sort_key
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from common.charts.axes import round_up_nice
from common.charts.chart import Chart
from common.charts.kinds import build_bar_chart
from common.report.csv import write_csv
from common.report.report import Report, Section, Table, make_columns
from judging.core.agreement.variation import (
    INTRACLASS,
    WITH_OTHERS,
    AssessorVariation,
    PairVariation,
    TopicVariation,
    Variation,
    measure_variation,
)
from judging.views.agreement import build_agreement_frame, load_agreement_page

BINS = 20
MOST_DOCUMENTS = 30


@dataclass(frozen=True)
class AgreementVariationPage:
    cards: list[Card]
    scale: tuple[int, ...]
    whole: TopicVariation
    by_topic: Sequence[TopicVariation]
    widest: Sequence[PairVariation]
    people: Sequence[AssessorVariation]
    histogram: Chart | None


@require_safe
def agreement_variation_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign, choice, labels = load_agreement_page(request, slug)
    variation = measure_variation(choice.labels(labels))
    frame = build_agreement_frame(campaign, choice, labels, "agreement-variation")
    page = AgreementVariationPage(
        cards=[INTRACLASS, WITH_OTHERS],
        scale=variation.scale,
        whole=variation.whole,
        by_topic=sorted(
            (topic for topic in variation.topics if topic.pairs),
            key=lambda topic: natural_sort_key(topic.topic),
        ),
        widest=[pair for pair in variation.pairs[:MOST_DOCUMENTS] if pair.variance > 0],
        people=variation.assessors,
        histogram=chart_agreement_with_others(variation.assessors),
    )
    return render_page(request, "judging/agreement_variation.html", frame, page)


def chart_agreement_with_others(assessors: Sequence[AssessorVariation]) -> Chart | None:
    """Assessors by their agreement with others; None if no document is shared."""
    values = [row.observed for row in assessors if row.observed is not None]
    if not values:
        return None
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    bars = [
        (f"{at / BINS:.2f}", float(count), describe_bin(at, count), "own")
        for at, count in enumerate(counts)
    ]
    return build_bar_chart(
        ("agreement-with-others", "Assessors by agreement with others"),
        ("agreement with others, from", "assessors"),
        bars,
        round_up_nice(max(counts)),
        "Each bar counts assessors by how often another assessor of the same document agrees with "
        "them. A group far to the left judges at random or by other rules.",
    )


def describe_bin(at: int, count: int) -> str:
    return f"{count} assessors agree with {at / BINS:.2f} to {(at + 1) / BINS:.2f} of the others"


@require_safe
def agreement_variation_download_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """One line for each document with several judgments."""
    _, choice, labels = load_agreement_page(request, slug)
    report = build_variation_report(measure_variation(choice.labels(labels)), slug)
    return attachment_response(write_csv(report), f"{slug}-variation.csv")


def build_variation_report(variation: Variation, slug: str) -> Report:
    counts = [f"grade_{grade}" for grade in variation.scale]
    columns = make_columns("topic", "docno", "judgments", "mean", "variance", *counts)
    rows = [
        (*row.pair, sum(row.counts), f"{row.mean:.6f}", f"{row.variance:.6f}", *row.counts)
        for row in variation.pairs
    ]
    table = Table("variation", columns, rows)
    return Report(
        title="Variation between assessors",
        sections=[Section("Documents", (table,))],
        conditions={"campaign": slug, "scale": variation.scale},
        record=table,
    )
