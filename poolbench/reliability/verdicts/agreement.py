"""The verdict on agreement: are the judgments good enough for the ranking of these runs?"""

from collections.abc import Mapping

import numpy as np

from poolbench.files.faults import format_count
from poolbench.files.natural_sort import sort_items_naturally
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.report import AgreementReport, RankingEffect
from poolbench.number_formats import format_decimals, format_percent
from poolbench.reliability.campaign_state import CampaignState
from poolbench.reliability.disagreement.rankings import rankings_by_assessor
from poolbench.reliability.verdicts.ranking_draws import measure_second_opinions
from poolbench.statistics.estimate import Estimate
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState, finish_verdict

AGREEMENT = "agreement"
COEFFICIENT = "alpha-ordinal"
OURS = "Poolbench, decision 0056"
KRIPPENDORFF = "Krippendorff, Content Analysis, 2004: below .667 not even tentative conclusions"
LEAST_TAU = Threshold(
    "agreement-tau",
    0.9,
    "Tau-b of the rankings by different assessors, at least",
    "Voorhees, IP&M 2000: rankings above .9 are practically the same",
)
OTHER_ORDER = Threshold(
    "agreement-other-order", 0.85, "Tau-b below which the judgments are not good enough", OURS
)
LEAST_ALPHA = Threshold("agreement-alpha", 0.667, "Krippendorff's alpha, at least", KRIPPENDORFF)
MOST_LOW_TOPICS = Threshold(
    "agreement-topics-low", 0.25, "Share of topics with a lower alpha, below", OURS
)
LEAST_TOPICS = Threshold("agreement-topics", 5, "Topics with two assessors, at least", OURS)
LEAST_DOCUMENTS = Threshold(
    "agreement-documents", 50, "Documents with two assessors, at least", OURS
)
LEAST_PREVALENCE = Threshold(
    "agreement-prevalence",
    0.02,
    "Share of relevant judgments, at least",
    "Poolbench, decision 0056; below it alpha is unstable (Feinstein and Cicchetti 1990)",
)
LEAST_OF_TOPIC = Threshold(
    "agreement-topic-documents",
    10,
    "Documents with two assessors for the alpha of a topic to count, at least",
    OURS,
)
MOST_NAMED = 1
"""Topics and pairs of assessors named among the acts."""
MEETING = 20
"""Documents proposed for a second assessor, by topic."""
QUESTION = "Are the judgments good enough for this ranking?"
THRESHOLDS = (
    LEAST_TAU,
    OTHER_ORDER,
    LEAST_ALPHA,
    MOST_LOW_TOPICS,
    LEAST_TOPICS,
    LEAST_DOCUMENTS,
    LEAST_OF_TOPIC,
    LEAST_PREVALENCE,
)


Parts = Mapping[str, Estimate]
"""Alpha by topic, or by two assessors."""


def _list_topics(report: AgreementReport) -> Parts:
    """The topics with a document of two assessors, in natural order."""
    panels = sort_items_naturally(report.by_topic)
    alphas = {topic: panel.overall[COEFFICIENT] for topic, panel in panels}
    return {topic: alpha for topic, alpha in alphas.items() if alpha.n}


def _list_pairs(report: AgreementReport) -> Parts:
    return {", ".join(names): row[COEFFICIENT] for names, row in report.pairs.items()}


def _sort_parts(parts: Parts) -> list[tuple[float, str]]:
    """Alpha and name of the parts with enough documents, lowest first."""
    known = [
        (alpha.value, name)
        for name, alpha in parts.items()
        if alpha.value is not None and alpha.n >= LEAST_OF_TOPIC.value
    ]
    return sorted(known, key=lambda part: part[0])


def _list_low_parts(parts: Parts) -> list[tuple[float, str]]:
    return [part for part in _sort_parts(parts) if part[0] < LEAST_ALPHA.value]


def measure_effect(state: CampaignState, labels: LabelTable) -> RankingEffect:
    """What second opinions, drawn after the documents that two assessors share in ``labels``, and
    each assessor's own grades do to the ranking.
    """
    disputes = int(np.count_nonzero(state.ballots.disagreements))
    if len(state.runs) < 2:
        return RankingEffect(disputes=disputes, reason="fewer than two runs have a score")
    opinions = measure_second_opinions(
        state.panel, state.grades, labels, state.count_draws(), state.seed
    )
    taus = {
        ranking.name: ranking.coefficients["tau-b"].value
        for ranking in rankings_by_assessor(state.panel, "filled")
        if ranking.kind == "assessor"
    }
    reason = "" if opinions.value is not None else "no ranking by second opinions is defined"
    return RankingEffect(opinions, taus, disputes, reason)


def judge_agreement(report: AgreementReport) -> Verdict:
    return finish_verdict(_decide_agreement(report), THRESHOLDS)


def _decide_agreement(report: AgreementReport) -> Verdict:
    unknown, scope = _find_agreement_gap(report), f" of {report.people}" if report.who else ""
    if unknown:
        return Verdict(
            AGREEMENT,
            VerdictState.UNKNOWN,
            f"Agreement{scope} cannot be determined: {unknown}.",
            "Figures over so few would say more about chance than about the assessors.",
            _list_agreement_figures(report),
            _list_second_opinions(report),
        )
    alpha, lowest = report.overall[COEFFICIENT].value, report.effect.lowest_tau
    likely = report.effect.likely_tau
    assert alpha is not None and lowest is not None and likely is not None  # noqa: S101, PT018
    state, sentence = _judge_taus(report, alpha, lowest, likely)
    return Verdict(
        AGREEMENT,
        state,
        sentence,
        f"Rankings with tau {LEAST_TAU.value:g} or more count as the same (Voorhees 2000); at "
        "least 19 of 20 second opinions must reach it. Below an alpha of "
        f"{LEAST_ALPHA.value:g} not even tentative conclusions are drawn (Krippendorff 2004); "
        f"here it is {format_decimals(alpha, 2)}.",
        _list_agreement_figures(report),
        _list_agreement_acts(report),
    )


def _find_agreement_gap(report: AgreementReport) -> str:
    alpha, topics = report.overall[COEFFICIENT], len(_list_topics(report))
    least_topics, least_documents = int(LEAST_TOPICS.value), int(LEAST_DOCUMENTS.value)
    if topics < least_topics or alpha.n < least_documents:
        return (
            f"two assessors share {alpha.n:,} documents of {topics} topics; at least "
            f"{least_documents} documents of {least_topics} topics are needed"
        )
    prevalence = report.overall["percent"].prevalence
    if prevalence is not None and prevalence < LEAST_PREVALENCE.value:
        share = format_percent(prevalence, 1)
        return f"only {share} of the judgments are relevant, and alpha is unstable there"
    if alpha.value is None or report.effect.lowest_tau is None:
        return _explain_gap(report) or "all judgments have the same grade"
    return ""


def _explain_gap(report: AgreementReport) -> str:
    """Why there are no taus, or no alpha; "" if there are."""
    return report.effect.reason or report.overall[COEFFICIENT].reason or ""


def _judge_taus(
    report: AgreementReport, alpha: float, lowest: float, likely: float
) -> tuple[VerdictState, str]:
    # Limits, not the taus: by another seed those have other digits.
    scope, limit = f" of {report.people}" if report.who else "", LEAST_TAU.value
    if likely < limit:
        is_bad = likely < OTHER_ORDER.value
        return VerdictState.BAD if is_bad else VerdictState.AMBER, (
            f"Other {report.people} like these would order the runs differently: tau between their "
            f"rankings is likely below {OTHER_ORDER.value if is_bad else limit:g}."
        )
    same = (
        f"By other {report.people} like these, the order of the runs stays almost the same: tau "
        f"at least {limit:g}"
    )
    if lowest < limit:
        return VerdictState.AMBER, (
            f"By other {report.people} like these, the order of the runs probably stays almost the "
            f"same, but tau may fall below {limit:g}."
        )
    topics = _list_topics(report)
    low, known = len(_list_low_parts(topics)), len(_sort_parts(topics))
    if alpha < LEAST_ALPHA.value:
        return VerdictState.AMBER, (
            f"{same}; but single grades{scope} are not safe: alpha is {format_decimals(alpha, 2)}."
        )
    if low and low >= MOST_LOW_TOPICS.value * known:
        return VerdictState.AMBER, (
            f"{same}; but on {low} of {known} topics {report.people} agree too little."
        )
    more = f"; {format_count(low, 'topic')} to look at again" if low else ""
    return VerdictState.GOOD, f"{same}{more}."


def _describe_tau(effect: RankingEffect) -> tuple[str, str]:
    """Beside which limit, and where: by another seed the value has other digits."""
    lowest, likely, limit = effect.lowest_tau, effect.likely_tau, LEAST_TAU.value
    if lowest is None or likely is None:
        return "–", ""
    opinions = f"second opinions, of {effect.second_opinions.n:,} drawn"
    if likely < limit:
        below = OTHER_ORDER.value if likely < OTHER_ORDER.value else limit
        return f"below {below:g}", f"by one assessor's own grades, or half of the {opinions}"
    if lowest < limit:
        return f"below {limit:g}", f"in over 1 of 20 {opinions}"
    return f"{limit:g} or more", f"by each assessor's own grades, and in 19 of 20 {opinions}"


def _list_agreement_figures(report: AgreementReport) -> tuple[KeyFigure, ...]:
    alpha, prevalence = report.overall[COEFFICIENT], report.overall["percent"].prevalence
    lowest, (tau, draws) = report.effect.lowest_tau, _describe_tau(report.effect)
    pair, name = next(iter(_sort_parts(_list_pairs(report))), (None, ""))
    why = _explain_gap(report)
    return (
        KeyFigure(
            f"alpha, ordinal, all {report.people}",
            alpha.value,
            format_decimals(alpha.value, 2),
            (why or "undefined: no two grades to compare") if alpha.value is None else "",
            alpha.low,
            alpha.high,
            (LEAST_ALPHA.value, 1.0),
            word="alpha",
        ),
        KeyFigure(
            f"the lowest pair: {name}" if name else "the lowest pair of assessors",
            pair,
            format_decimals(pair, 2),
            "" if name else "undefined: no two assessors share enough documents",
            good=(LEAST_ALPHA.value, 1.0),
        ),
        KeyFigure(
            "tau of the rankings by different assessors",
            lowest,
            tau,
            (why or "undefined") if lowest is None else draws,
            good=(LEAST_TAU.value, 1.0),
            scale=(0.5, 1.0),
            word="tau",
        ),
        KeyFigure(
            "of the judgments are relevant",
            prevalence,
            format_percent(prevalence),
            f"{alpha.n:,} documents of {len(_list_topics(report))} topics with two assessors",
            good=(LEAST_PREVALENCE.value, 1.0),
            word="prevalence",
        ),
    )


def _list_second_opinions(report: AgreementReport) -> tuple[Act, ...]:
    """What brings a verdict: documents for a second assessor."""
    topics = max(0, int(LEAST_TOPICS.value) - len(_list_topics(report)))
    missing = int(LEAST_DOCUMENTS.value) - report.overall[COEFFICIENT].n
    if topics <= 0 and missing <= 0:
        if report.effect.lowest_tau is None:
            return (Act("Look at the runs", "runs"),)
        return (Act("Compare the grades by topic", "agreement-topics"),)
    documents = max(topics * MEETING, missing)
    label = (
        f"Give {MEETING} documents of {format_count(topics, 'topic')} to a second assessor"
        if topics
        else f"Give {format_count(documents, 'document')} to a second assessor"
    )
    return (Act(label, "plan-new", (), {}, documents, _estimate_minutes(report, documents)),)


def _list_agreement_acts(report: AgreementReport) -> tuple[Act, ...]:
    acts = []
    topics = _list_topics(report)
    for alpha, name in _list_low_parts(topics)[:MOST_NAMED]:
        label = f"Read topic {name} with its assessors: alpha {format_decimals(alpha, 2)}"
        acts.append(Act(label, "agreement", (), {"topic": name}, topics[name].n))
    pairs = _list_pairs(report)
    for alpha, name in _list_low_parts(pairs)[:MOST_NAMED]:
        first, second = name.split(", ")[:2]
        label = f"Compare {first} and {second}: alpha {format_decimals(alpha, 2)}"
        acts.append(Act(label, "agreement-pair", (), {"a": first, "b": second}, pairs[name].n))
    if report.effect.disputes:
        label = f"Adjudicate {format_count(report.effect.disputes, 'disagreement')}"
        cost = _estimate_minutes(report, report.effect.disputes)
        acts.append(Act(label, "adjudication", (), {}, report.effect.disputes, cost))
    return tuple(acts)


def _estimate_minutes(report: AgreementReport, documents: int) -> float | None:
    each = report.seconds_each
    return None if each is None else documents * each / 60
