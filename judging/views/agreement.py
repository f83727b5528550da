"""Inter-assessor agreement: every coefficient with n and interval, never alone."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import report_response
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import compute_report, get_report
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import PageSection, render_page
from judging.queries.agreement import load_labels
from judging.queries.quality import load_judging_record
from judging.views.agreement_charts import (
    MOST_LINES,
    build_agreement_intervals,
    build_pair_heat_map,
)
from judging.views.agreement_choice import AgreementChoice, parse_agreement_choice
from poolbench.cards import Card
from poolbench.charts.chart import Chart
from poolbench.charts.gauge import Gauge
from poolbench.files.natural_sort import sort_items_naturally, sort_naturally
from poolbench.judging.agreement.formats import AGREEMENT_FORMATS
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import PEOPLE, AgreementReport, CoefficientPanel
from poolbench.judging.quality.report import quality_report
from poolbench.reliability.verdicts.agreement import (
    AGREEMENT,
    LEAST_ALPHA,
    LEAST_OF_TOPIC,
    LEAST_TAU,
)
from poolbench.shared_reads import share_reads
from poolbench.statistics.estimate import Estimate

SIDE = ("percent", "kappa", "ac1", "alpha-ordinal", "overlap")
"""Coefficients that tables show in addition to the selected one."""


def find_current_report(campaign: Campaign) -> AgreementReport | None:
    """The stored report if nothing has changed since."""
    current = get_report(campaign, AGREEMENT)
    report: AgreementReport | None = current.report
    return report if current.is_current else None


def build_agreement_frame(
    campaign: Campaign, choice: AgreementChoice, labels: LabelTable
) -> dict[str, object]:
    """The context of every agreement page: what is selected and can be."""
    return {
        "campaign": campaign,
        "choice": choice,
        "coefficients": [coefficient.card for coefficient in COEFFICIENTS.values()],
        "levels": [(g.value, str(g)) for g in campaign.grades.filter(value__gt=0)],
        "cuts": [("1", "binary")],
        "topics": tuple(sort_naturally(labels.topics)),
        "names": labels.assessors,
        "thirds": labels.thirds or labels.left_out,
        "third_switch": choice.but(third=not choice.third),
        "scopes": [(name, words, choice.but(who=name)) for name, words in PEOPLE.items()],
    }


@require_safe
@share_reads
def agreement_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All sections are as of the verdict: what the report on the campaign does not hold is
    computed up to its row of the log.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    current = get_report(campaign, AGREEMENT)
    stored: AgreementReport | None = current.report
    last = stored.last if stored else None
    labels = load_labels(campaign, third=choice.third, last=last, who=choice.who)
    report = choice.report(labels, stored)
    names = companion_coefficients(choice.by)
    frame = build_agreement_frame(campaign, choice, labels)
    low = list_low_topics(choice, report)
    taus = stored.effect.by_assessor if stored else {}
    # ``current`` and ``taus`` are of the whole campaign, whatever the page compares; ``low``
    # topics, with value and link, lie below ``least_alpha`` by the coefficient of the page, and
    # ``small`` ones share fewer than ``least_documents``.
    page = {
        "current": current,
        "report": report,
        "sections": list_sections(report, choice, taus, is_low=bool(low)),
        "low": low,
        "small": count_small_topics(report),
        "least_documents": int(LEAST_OF_TOPIC.value),
        "by_topic": build_agreement_by_topic(choice, report),
        "least_alpha": LEAST_ALPHA.value,
        "taus": [
            (name, tau, Gauge(tau, (0.5, 1.0), good=(LEAST_TAU.value, 1.0)))
            for name, tau in taus.items()
        ],
        "rows": coefficient_rows(report, report.topic_means),
        "intervals": coefficient_caterpillar(report),
        "prevalence": report.overall["percent"].prevalence,
        "multiply": report.overall["percent"].n,
        "heat": build_pair_heat_map(
            report, choice.by, choice.card.title, f"{choice.card.title}. {choice.card.reading}"
        ),
        "columns": [COEFFICIENTS[name].card for name in names],
        "pairs": [
            (pair, [row[name] for name in names], choice.but(a=pair[0], b=pair[1]))
            for pair, row in report.pairs.items()
        ],
    }
    return render_page(request, "judging/agreement.html", frame, page)


def list_low_topics(
    choice: AgreementChoice, report: AgreementReport
) -> list[tuple[str, float, str]]:
    """Topic, value and link, lowest first."""
    values = list_topic_coefficients(choice, report)
    low = [(value, topic) for topic, value in values.items() if value is not None]
    return [
        (topic, value, choice.but(topic=topic))
        for value, topic in sorted(low)
        if value < LEAST_ALPHA.value
    ]


def list_topic_coefficients(
    choice: AgreementChoice, report: AgreementReport
) -> dict[str, float | None]:
    """The chosen coefficient by topic that shares enough documents for one that counts."""
    return {
        topic: get_overall_or_mean(panel, choice.by).value
        for topic, panel in sort_items_naturally(report.by_topic)
        if panel.overall["percent"].n >= LEAST_OF_TOPIC.value
    }


def count_small_topics(report: AgreementReport) -> int:
    """Topics with documents of two assessors, but too few for a coefficient that counts."""
    shared = (panel.overall["percent"].n for panel in report.by_topic.values())
    return sum(0 < n < LEAST_OF_TOPIC.value for n in shared)


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
    taus: Mapping[str, float | None],
    *,
    is_low: bool,
) -> list[PageSection]:
    pairs = [row[choice.by] for row in report.pairs.values()]
    low_pairs = any(
        pair.value is not None and pair.value < LEAST_ALPHA.value and pair.n >= LEAST_OF_TOPIC.value
        for pair in pairs
    )
    known = [tau for tau in taus.values() if tau is not None]
    effect = "" if not known else ("good" if min(known) >= LEAST_TAU.value else "bad")
    return [
        PageSection("topics", "Topics", "amber" if is_low else "good"),
        PageSection("map", "Assessors", "amber" if low_pairs else "good"),
        PageSection("effect", "Effect on the ranking", effect),
        PageSection("coefficients", "All coefficients"),
        PageSection("computed", "How it is computed"),
    ]


def companion_coefficients(by: str) -> list[str]:
    """The selected coefficient, followed by those always shown with it."""
    return [by, *(name for name in SIDE if name != by)]


def get_overall_or_mean(panel: CoefficientPanel, name: str) -> Estimate:
    """Over all assessors if the coefficient allows it, otherwise the mean over assessor pairs."""
    return panel.overall[name] if name in panel.overall else panel.means[name]


Line = tuple[Card, Estimate | None, Estimate, Estimate | None]


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
    settings = {"campaign": slug, "third_judgments": choice.third}
    if fmt == "csv":
        labels = load_labels(campaign, third=choice.third, who=choice.who)
        report = choice.report(labels, find_current_report(campaign))
        return report_response(name, AGREEMENT_FORMATS, report, settings=settings)
    current = compute_report(campaign, AGREEMENT)
    stored: AgreementReport | None = current.report
    last = stored.last if stored else None
    labels = load_labels(campaign, third=choice.third, last=last, who=choice.who)
    report = choice.report(labels, stored)
    if fmt == "json":
        record = load_judging_record(campaign, third=choice.third, who=choice.who)
        quality = quality_report(record, choice.level).as_dict()
        return report_response(name, AGREEMENT_FORMATS, report, quality, verdict=current.verdict)
    return report_response(
        name, AGREEMENT_FORMATS, report, settings=settings, verdict=current.verdict
    )
