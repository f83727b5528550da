"""Parts of agreement: two assessors, topics, the variation between any number of assessors, and
what each coefficient is.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import attachment_response
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from judging.queries.agreement import MOST_DOCUMENTS, load_labels, load_variation
from judging.views.agreement import (
    build_agreement_frame,
    companion_coefficients,
    find_current_report,
    get_overall_or_mean,
)
from judging.views.agreement_charts import (
    MOST_LINES,
    build_agreement_intervals,
    build_confusion_heat_map,
)
from judging.views.agreement_choice import AgreementChoice, parse_agreement_choice
from judging.views.progress import TABLE_ROWS
from poolbench.charts.axes import round_up_nice
from poolbench.charts.chart import Chart
from poolbench.charts.kinds import build_bar_chart
from poolbench.files.natural_sort import natural_sort_key, sort_items_naturally
from poolbench.judging.agreement.coefficient import AgreementCoefficient
from poolbench.judging.agreement.formats import build_topics_report
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import CoefficientPanel
from poolbench.judging.agreement.variation import (
    INTRACLASS,
    WITH_OTHERS,
    AssessorVariation,
    Variation,
    measure_variation,
)
from poolbench.judging.quality.report import CARDS
from poolbench.reports.csv import write_csv
from poolbench.reports.report import Report, Section, Table, make_columns
from poolbench.shared_reads import share_reads

BINS = 20
LOWEST = "low"
TOPIC_ORDERS = {"": "by number", LOWEST: "lowest first"}


def load_agreement_page(
    request: SignedInRequest, slug: str
) -> tuple[Campaign, AgreementChoice, LabelTable]:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    return campaign, choice, load_labels(campaign, third=choice.third, who=choice.who)


@require_safe
@share_reads
def agreement_pair_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Two assessors: confusion matrix, all coefficients, and agreement by topic."""
    campaign, choice, labels = load_agreement_page(request, slug)
    if not (choice.a or choice.b) and len(labels.assessors) > 1:
        choice = replace(choice, a=labels.assessors[0], b=labels.assessors[1])
    frame = build_agreement_frame(campaign, choice, labels)
    page = None
    if choice.a in labels.assessors and choice.b in labels.assessors and choice.a != choice.b:
        a, b = labels.assessors.index(choice.a), labels.assessors.index(choice.b)
        page = compare_assessors(choice, labels.select_assessors(a, b))
    return render_page(request, "judging/agreement_pair.html", frame, page)


def compare_assessors(choice: AgreementChoice, two: LabelTable) -> dict[str, object]:
    report = choice.report(two)
    names = companion_coefficients(choice.by)
    grades = [str(grade) for grade in report.scale]
    table = report.confusion[choice.a, choice.b]
    row = report.pairs[choice.a, choice.b]
    count, where = row["percent"].n, f" in topic {choice.topic}" if choice.topic else ""
    return {
        "report": report,
        "row": [(COEFFICIENTS[name].card, value) for name, value in row.items()],
        "n": count,
        "heat": build_confusion_heat_map(
            table,
            grades,
            f"Rows: {choice.a}. Columns: {choice.b}. {count:,} documents judged by both{where};"
            " darker cells have a larger share of their row.",
        ),
        "confusion": list(zip(grades, table, strict=True)),
        "grades": grades,
        "columns": [COEFFICIENTS[name].card for name in names],
        "by_topic": [
            (topic, int(count_multiply_judged(panel)), [panel.means[name] for name in names])
            for topic, panel in sort_items_naturally(report.by_topic)
            if count_multiply_judged(panel)
        ],
    }


def count_multiply_judged(panel: CoefficientPanel) -> int:
    """Pairs of a topic judged by at least two assessors."""
    return panel.overall["percent"].n


@require_safe
@share_reads
def agreement_topics_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign, choice, labels = load_agreement_page(request, slug)
    whole = replace(choice, topic="", a="", b="")
    report = whole.report(labels, find_current_report(campaign))
    panels = list(sort_items_naturally(report.by_topic))
    compared = [(topic, panel) for topic, panel in panels if count_multiply_judged(panel)]
    firsts = [(topic, get_overall_or_mean(panel, choice.by)) for topic, panel in compared]
    marks = [(topic, value.value, None, None, value.reason or "") for topic, value in firsts]
    intervals = build_agreement_intervals(
        "agreement-by-topic",
        f"{choice.card.title} by topic",
        marks if len(marks) <= MOST_LINES else (),
        axis=choice.card.title,
        row_name="topic",
        caption=f"{choice.card.title} by topic. {choice.card.reading}",
    )
    frame = build_agreement_frame(campaign, whole, labels)
    page = {
        "report": report,
        "has_topics": bool(compared),
        "judged_once": [topic for topic, panel in panels if not count_multiply_judged(panel)],
        "intervals": intervals if len(marks) <= MOST_LINES else None,
        **build_topics_table(request, whole, compared),
    }
    names = companion_coefficients(choice.by)
    if compared:
        page["means"] = [get_overall_or_mean(report.topic_means, name) for name in names]
    return render_page(request, "judging/agreement_topics.html", frame, page)


def build_topics_table(
    request: SignedInRequest,
    choice: AgreementChoice,
    panels: Sequence[tuple[str, CoefficientPanel]],
) -> dict[str, object]:
    """One page of the topics; ``q`` finds some, and ``order`` sorts them."""
    query, order = request.GET.get("q", "").strip(), request.GET.get("order", "")
    listed = [(topic, panel) for topic, panel in panels if query.lower() in topic.lower()]
    if order == LOWEST:
        values = {topic: get_overall_or_mean(panel, choice.by).value for topic, panel in listed}
        listed.sort(key=lambda row: (values[row[0]] is None, values[row[0]] or 0.0))
    names, page_obj = companion_coefficients(choice.by), paginate(request, listed, TABLE_ROWS)
    return {
        "columns": [COEFFICIENTS[name].card for name in names],
        "page_obj": page_obj,
        "by_topic": [
            (
                topic,
                panel.overall["percent"],
                [get_overall_or_mean(panel, name) for name in names],
                choice.but(topic=topic),
            )
            for topic, panel in page_obj
        ],
        "is_long": len(panels) > TABLE_ROWS,
        "q": query,
        "order": order,
        "orders": TOPIC_ORDERS.items(),
    }


@require_safe
def agreement_topics_download_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign, choice, labels = load_agreement_page(request, slug)
    report = replace(choice, topic="").report(labels, find_current_report(campaign))
    settings = {"campaign": slug, "third_judgments": choice.third}
    text = write_csv(build_topics_report(report, settings))
    return attachment_response(text, f"{slug}-agreement-topics.csv")


@require_safe
@share_reads
def agreement_variation_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign, choice, labels = load_agreement_page(request, slug)
    chosen = choice.labels(labels)
    variation = load_variation(labels) if chosen is labels else measure_variation(chosen)
    frame = build_agreement_frame(campaign, choice, labels)
    page = {
        "cards": [INTRACLASS, WITH_OTHERS],
        "scale": variation.scale,
        "whole": variation.whole,
        "by_topic": sorted(
            (topic for topic in variation.topics if topic.pairs),
            key=lambda topic: natural_sort_key(topic.topic),
        ),
        "widest": [pair for pair in variation.pairs[:MOST_DOCUMENTS] if pair.variance > 0],
        "people": variation.assessors,
        "histogram": chart_agreement_with_others(variation.assessors),
    }
    return render_page(request, "judging/agreement_variation.html", frame, page)


def chart_agreement_with_others(assessors: Sequence[AssessorVariation]) -> Chart | None:
    """Assessors by their agreement with others; None if no document is shared."""
    values = [row.observed for row in assessors if row.observed is not None]
    if not values:
        return None
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    bars = []
    for at, count in enumerate(counts):
        low, high = f"{at / BINS:.2f}", f"{(at + 1) / BINS:.2f}"
        reading = f"{count} assessors agree with {low} to {high} of the others"
        bars.append((low, float(count), reading, "own"))
    return build_bar_chart(
        ("agreement-with-others", "Assessors by agreement with others"),
        ("agreement with others, from", "assessors"),
        bars,
        round_up_nice(max(counts)),
        "Each bar counts assessors by how often another assessor of the same document agrees with "
        "them. A group far to the left judges at random or by other rules.",
    )


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


@login_not_required
@require_safe
def coefficients_view(request: HttpRequest) -> HttpResponse:
    page = {
        "coefficients": [
            {"card": coefficient.card, "examples": list_worked_examples(coefficient)}
            for coefficient in COEFFICIENTS.values()
        ],
        "cards": list(CARDS.values()),
    }
    return render_page(request, "judging/coefficients.html", page)


def list_worked_examples(coefficient: AgreementCoefficient) -> list[dict[str, object]]:
    """Per example: one line per assessor, with a dot where nothing was judged, and the value."""
    return [
        {
            "lines": [" ".join("·" if g is None else str(g) for g in row) for row in rows],
            "value": value,
        }
        for rows, value in coefficient.examples
    ]
