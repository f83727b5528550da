"""The figures of the verdict on agreement in a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.core.natural_sort import natural_sort_key
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from judging.core.agreement.coefficient import CoefficientValue
from judging.core.agreement.counts import count_all_assessors
from judging.core.agreement.labels import LabelTable
from judging.core.agreement.panel import agreement_report
from judging.core.agreement.report import AgreementReport
from judging.queries.agreement import load_labels
from reliability.core.disagreement.rankings import rankings_by_assessor
from reliability.core.verdicts.agreement import AgreementFigures, AgreementPart, AssessorTau
from reliability.core.verdicts.ranking_draws import (
    TauSpread,
    draw_second_opinions,
    summarize_taus,
)
from reliability.queries.verdict_figures import JudgedRuns, compute_median_seconds, load_judged_runs

COEFFICIENT = "alpha-ordinal"
MOST_ASSESSORS = 40
"""More are not compared two by two."""


def load_agreement_figures(campaign: Campaign) -> AgreementFigures:
    """Third judgments are left out: they exist where two assessors disagreed."""
    labels = load_labels(campaign)
    report = agreement_report(labels, campaign.relevance_level, most_assessors=MOST_ASSESSORS)
    overall = report.overall.get(COEFFICIENT)
    taus, spread, disputes, runs, name, reason = _measure_rankings(campaign, labels)
    return AgreementFigures(
        measure=name,
        runs=runs,
        assessors=len(labels.assessors),
        documents=overall.n if overall else 0,
        topics=_list_topics(report),
        pairs=[
            AgreementPart(", ".join(names), row[COEFFICIENT].n, row[COEFFICIENT].value)
            for names, row in report.pairs.items()
            if row[COEFFICIENT].n
        ],
        alpha=overall.value if overall else None,
        alpha_low=overall.low if overall else None,
        alpha_high=overall.high if overall else None,
        prevalence=report.overall["percent"].prevalence,
        tau=spread.median,
        tau_low=spread.low,
        taus=taus,
        disputes=disputes,
        reason=reason or (overall.reason if overall and overall.reason else ""),
        seconds_each=compute_median_seconds(campaign),
    )


def _list_topics(report: AgreementReport) -> list[AgreementPart]:
    """Topics with a document of two assessors, in natural order."""
    values: Mapping[str, CoefficientValue] = {
        topic: panel.overall[COEFFICIENT]
        for topic, panel in report.by_topic.items()
        if COEFFICIENT in panel.overall
    }
    return [
        AgreementPart(topic, values[topic].n, values[topic].value)
        for topic in sorted(values, key=natural_sort_key)
        if values[topic].n
    ]


def _measure_rankings(
    campaign: Campaign, labels: LabelTable
) -> tuple[list[AssessorTau], TauSpread, int, int, str, str]:
    """Taus by assessor, those of second opinions, disagreements, runs, measure, and the reason
    why there are no taus.
    """
    nothing = TauSpread(None, None, None)
    try:
        whole = load_judged_runs(campaign)
    except ActionRefused as refused:
        return [], nothing, 0, 0, "–", refused.message
    panel, name = whole.panel, whole.title
    disputes = int(np.count_nonzero(whole.ballots.disagreements))
    if len(whole.runs) < 2:
        return [], nothing, disputes, len(whole.runs), name, "fewer than two runs have a score"
    taus = [
        AssessorTau(ranking.name, ranking.coefficients["tau-b"].value)
        for ranking in rankings_by_assessor(panel, "filled")
        if ranking.kind == "assessor"
    ]
    spread = _draw_opinions(campaign, whole, labels)
    reason = "" if spread.median is not None else "no ranking by second opinions is defined"
    return taus, spread, disputes, len(whole.runs), name, reason


def _draw_opinions(campaign: Campaign, whole: JudgedRuns, labels: LabelTable) -> TauSpread:
    counts = count_all_assessors(labels, campaign.relevance_level)
    opinions = counts.coincident[0][counts.units[0] > 0]
    if not len(opinions):
        return TauSpread(None, None, None)
    now, then = draw_second_opinions(
        whole.panel, whole.grades, opinions, labels.scale, whole.draws, campaign.seed
    )
    return summarize_taus(now, then, whole.panel.better)


def restore_agreement_figures(data: Any) -> AgreementFigures:
    parts = {name: [AgreementPart(**each) for each in data[name]] for name in ("topics", "pairs")}
    return AgreementFigures(
        **{**data, **parts, "taus": [AssessorTau(**each) for each in data["taus"]]}
    )
