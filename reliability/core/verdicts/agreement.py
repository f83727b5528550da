"""The verdict on agreement: are the judgments good enough for the ranking of these runs?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.core.faults import format_count
from common.number_formats import format_decimals, format_percent
from common.verdicts import (
    Act,
    KeyFigure,
    Threshold,
    Thresholds,
    Verdict,
    VerdictRule,
    VerdictState,
)

AGREEMENT = "agreement"
OURS = "Poolbench, decision 0056"
KRIPPENDORFF = "Krippendorff, Content Analysis, 2004: below .667 not even tentative conclusions"
LEAST_TAU = Threshold(
    "agreement-tau",
    0.9,
    "Tau-b of the rankings by different assessors, at least",
    "Voorhees, IP&M 2000: rankings above .9 are practically the same",
)
LEAST_ALPHA = Threshold("agreement-alpha", 0.667, "Krippendorff's alpha, at least", KRIPPENDORFF)
MOST_LOW_TOPICS = Threshold(
    "agreement-topics-low", 0.25, "Share of topics with a lower alpha, below", OURS
)
LEAST_TOPICS = Threshold(
    "agreement-topics", 5, "Topics with two assessors, at least", OURS, most=10_000
)
LEAST_DOCUMENTS = Threshold(
    "agreement-documents", 50, "Documents with two assessors, at least", OURS, most=1e6
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
    most=10_000,
)
MOST_NAMED = 1
"""Topics and pairs of assessors named among the acts."""
MEETING = 20
"""Documents proposed for a second assessor, by topic."""


@dataclass(frozen=True)
class AgreementPart:
    """A topic, or two assessors, on ``documents`` that at least two judged; ``alpha`` is None
    where undefined.
    """

    name: str
    documents: int
    alpha: float | None


@dataclass(frozen=True)
class AssessorTau:
    """The ranking by one assessor's grades, the campaign's where there are none."""

    name: str
    tau: float | None


@dataclass(frozen=True)
class AgreementFigures:
    """Without third judgments. ``tau`` and ``tau_low`` compare the ranking with those by second
    opinions on every document: median, and lower end; None with a ``reason``. ``disputes`` are
    documents with different grades and no decision.
    """

    measure: str
    runs: int
    assessors: int
    documents: int
    topics: Sequence[AgreementPart] = ()
    pairs: Sequence[AgreementPart] = ()
    alpha: float | None = None
    alpha_low: float | None = None
    alpha_high: float | None = None
    prevalence: float | None = None
    tau: float | None = None
    tau_low: float | None = None
    taus: Sequence[AssessorTau] = ()
    disputes: int = 0
    reason: str = ""
    seconds_each: float | None = None

    @property
    def lowest_tau(self) -> float | None:
        """Of a single assessor's ranking and the lower end of second opinions."""
        return self._lowest(self.tau_low)

    @property
    def likely_tau(self) -> float | None:
        """Of a single assessor's ranking and the median of second opinions."""
        return self._lowest(self.tau)

    def _lowest(self, second: float | None) -> float | None:
        taus = [each.tau for each in self.taus]
        return min((tau for tau in (*taus, second) if tau is not None), default=None)


def _list_low(parts: Sequence[AgreementPart], thresholds: Thresholds) -> list[AgreementPart]:
    """The parts with enough documents and an alpha below the limit, lowest first."""
    least = thresholds[LEAST_ALPHA.name].value
    return [part for alpha, part in _sort_parts(parts, thresholds) if alpha < least]


def _sort_parts(
    parts: Sequence[AgreementPart], thresholds: Thresholds
) -> list[tuple[float, AgreementPart]]:
    """The parts with enough documents, lowest alpha first."""
    enough = thresholds[LEAST_OF_TOPIC.name].value
    known = [(p.alpha, p) for p in parts if p.alpha is not None and p.documents >= enough]
    return sorted(known, key=lambda each: each[0])


def judge_agreement(figures: AgreementFigures, thresholds: Thresholds) -> Verdict:
    unknown = _explain_unknown(figures, thresholds)
    if unknown:
        return Verdict(
            AGREEMENT,
            VerdictState.UNKNOWN,
            f"Agreement cannot be determined: {unknown}.",
            "Figures over so few would say more about chance than about the assessors.",
            _list_figures(figures, thresholds),
            _list_first_acts(figures, thresholds),
        )
    state = _judge_state(figures, thresholds)
    return Verdict(
        AGREEMENT,
        state,
        _write_sentence(figures, thresholds, state),
        _write_reason(figures, thresholds),
        _list_figures(figures, thresholds),
        _list_acts(figures, thresholds),
    )


def _explain_unknown(figures: AgreementFigures, thresholds: Thresholds) -> str:
    topics, documents = len(figures.topics), figures.documents
    least_topics = int(thresholds[LEAST_TOPICS.name].value)
    least_documents = int(thresholds[LEAST_DOCUMENTS.name].value)
    if topics < least_topics or documents < least_documents:
        return (
            f"two assessors share {documents:,} documents of {topics} topics; at least "
            f"{least_documents} documents of {least_topics} topics are needed"
        )
    prevalence = figures.prevalence
    if prevalence is not None and prevalence < thresholds[LEAST_PREVALENCE.name].value:
        share = format_percent(prevalence, 1)
        return f"only {share} of the judgments are relevant, and alpha is unstable there"
    if figures.alpha is None or figures.lowest_tau is None:
        return figures.reason or "all judgments have the same grade"
    return ""


def _judge_state(figures: AgreementFigures, thresholds: Thresholds) -> VerdictState:
    assert figures.alpha is not None and figures.lowest_tau is not None  # noqa: S101, PT018
    assert figures.likely_tau is not None  # noqa: S101
    least, least_alpha = thresholds[LEAST_TAU.name].value, thresholds[LEAST_ALPHA.name].value
    if figures.likely_tau < least:
        return VerdictState.BAD
    is_safe = figures.lowest_tau >= least
    if is_safe and figures.alpha >= least_alpha and not _has_low_topics(figures, thresholds):
        return VerdictState.GOOD
    return VerdictState.AMBER


def _has_low_topics(figures: AgreementFigures, thresholds: Thresholds) -> bool:
    low = len(_list_low(figures.topics, thresholds))
    known = len(_sort_parts(figures.topics, thresholds))
    return low > 0 and low >= thresholds[MOST_LOW_TOPICS.name].value * known


def _write_sentence(figures: AgreementFigures, thresholds: Thresholds, state: VerdictState) -> str:
    assert figures.alpha is not None and figures.lowest_tau is not None  # noqa: S101, PT018
    tau = f"tau at least {format_decimals(figures.lowest_tau, 2)}"
    if state is VerdictState.BAD:
        return (
            "Other assessors would order the runs differently: tau between their rankings is about "
            f"{format_decimals(figures.likely_tau, 2)}."
        )
    if figures.lowest_tau < thresholds[LEAST_TAU.name].value:
        return (
            "The order of the runs is probably safe, tau about "
            f"{format_decimals(figures.likely_tau, 2)}, but with other assessors it may fall to "
            f"{format_decimals(figures.lowest_tau, 2)}."
        )
    least = thresholds[LEAST_ALPHA.name].value
    low = _list_low(figures.topics, thresholds)
    if state is VerdictState.GOOD:
        more = f"; {format_count(len(low), 'topic')} to look at again" if low else ""
        return (
            "By any assessor's judgments, the order of the runs stays almost the same: "
            f"{tau}{more}."
        )
    if figures.alpha < least:
        return (
            f"The order of the runs is safe, {tau}, but single grades are not: alpha is "
            f"{format_decimals(figures.alpha, 2)}."
        )
    return (
        f"The order of the runs is safe, {tau}, but on {len(low)} of "
        f"{len(_sort_parts(figures.topics, thresholds))} topics assessors agree too little."
    )


def _write_reason(figures: AgreementFigures, thresholds: Thresholds) -> str:
    tau, alpha = thresholds[LEAST_TAU.name].value, thresholds[LEAST_ALPHA.name].value
    return (
        f"Rankings with tau {tau:g} or more count as the same (Voorhees 2000); at least 19 of 20 "
        f"second opinions must reach it. Below an alpha of {alpha:g} not even tentative "
        "conclusions are drawn (Krippendorff 2004); here it is "
        f"{format_decimals(figures.alpha, 2)}."
    )


def _list_figures(figures: AgreementFigures, thresholds: Thresholds) -> tuple[KeyFigure, ...]:
    alpha, tau, lowest = figures.alpha, figures.tau, figures.lowest_tau
    pairs = [part for _, part in _sort_parts(figures.pairs, thresholds)]
    least_alpha, least_tau = (thresholds[t.name].value for t in (LEAST_ALPHA, LEAST_TAU))
    return (
        KeyFigure(
            "alpha, ordinal, all assessors",
            alpha,
            format_decimals(alpha, 2),
            (figures.reason or "undefined: no two grades to compare") if alpha is None else "",
            figures.alpha_low,
            figures.alpha_high,
            (least_alpha, 1.0),
            word="alpha",
        ),
        KeyFigure(
            f"the lowest pair: {pairs[0].name}" if pairs else "the lowest pair of assessors",
            pairs[0].alpha if pairs else None,
            format_decimals(pairs[0].alpha if pairs else None, 2),
            "" if pairs else "undefined: no two assessors share enough documents",
            good=(least_alpha, 1.0),
        ),
        KeyFigure(
            "tau of the rankings by different assessors, at least",
            lowest,
            format_decimals(lowest, 2),
            (figures.reason or "undefined")
            if lowest is None
            else (
                "" if tau is None else f"second opinions: {format_decimals(tau, 2)} at the median"
            ),
            good=(least_tau, 1.0),
            scale=(0.5, 1.0),
            word="tau",
        ),
        KeyFigure(
            "of the judgments are relevant",
            figures.prevalence,
            format_percent(figures.prevalence),
            f"{figures.documents:,} documents of {len(figures.topics)} topics with two assessors",
            good=(thresholds[LEAST_PREVALENCE.name].value, 1.0),
            word="prevalence",
        ),
    )


def _list_first_acts(figures: AgreementFigures, thresholds: Thresholds) -> tuple[Act, ...]:
    """What brings a verdict: documents for a second assessor."""
    topics = max(0, int(thresholds[LEAST_TOPICS.name].value) - len(figures.topics))
    missing = int(thresholds[LEAST_DOCUMENTS.name].value) - figures.documents
    if topics <= 0 and missing <= 0:
        if figures.lowest_tau is None:
            return (Act("Look at the runs", "runs"),)
        return (Act("Compare the grades by topic", "agreement-topics"),)
    documents = max(topics * MEETING, missing)
    label = (
        f"Give {MEETING} documents of {format_count(topics, 'topic')} to a second assessor"
        if topics
        else f"Give {format_count(documents, 'document')} to a second assessor"
    )
    return (Act(label, "plan-new", (), {}, documents, _cost(figures, documents)),)


def _list_acts(figures: AgreementFigures, thresholds: Thresholds) -> tuple[Act, ...]:
    acts = [
        Act(
            f"Read topic {part.name} with its assessors: alpha {format_decimals(part.alpha, 2)}",
            "agreement",
            (),
            {"topic": part.name},
            part.documents,
        )
        for part in _list_low(figures.topics, thresholds)[:MOST_NAMED]
    ]
    for part in _list_low(figures.pairs, thresholds)[:MOST_NAMED]:
        first, second = part.name.split(", ")[:2]
        label = f"Compare {first} and {second}: alpha {format_decimals(part.alpha, 2)}"
        acts.append(Act(label, "agreement-pair", (), {"a": first, "b": second}, part.documents))
    if figures.disputes:
        label = f"Adjudicate {format_count(figures.disputes, 'disagreement')}"
        cost = _cost(figures, figures.disputes)
        acts.append(Act(label, "adjudication", (), {}, figures.disputes, cost))
    return tuple(acts)


def _cost(figures: AgreementFigures, documents: int) -> float | None:
    each = figures.seconds_each
    return None if each is None else documents * each / 60


AGREEMENT_RULE = VerdictRule(
    AGREEMENT,
    "Are the judgments good enough for this ranking?",
    (
        LEAST_TAU,
        LEAST_ALPHA,
        MOST_LOW_TOPICS,
        LEAST_TOPICS,
        LEAST_DOCUMENTS,
        LEAST_OF_TOPIC,
        LEAST_PREVALENCE,
    ),
    judge_agreement,
)
