"""The verdict on stopping: would more judgments change anything?"""

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

STOPPING = "stopping"
OURS = "Poolbench, decision 0056"
LEAST_TAU = Threshold(
    "stopping-tau",
    0.97,
    "Tau-b with the ranking after the rest is judged, at least",
    "Poolbench, decision 0056: stricter than the 0.9 of Voorhees, IP&M 2000, since both rankings "
    "are by the same assessors, with a margin over 0.95",
)
STILL = Threshold(
    "stopping-still", 200, "Judgments over which the order of the runs must hold", OURS, most=1e6
)
MOST_PLACES = Threshold(
    "stopping-places", 1, "Places that a run may have moved over them, at most", OURS, most=1000
)
LEAST_JUDGED = Threshold(
    "stopping-judged",
    0.9,
    "Judged@k of every contributing run, at least",
    "Poolbench, decision 0056; unjudged documents count as not relevant (Buckley and Voorhees, "
    "SIGIR 2004)",
)
LEAST_JUDGMENTS = Threshold(
    "stopping-judgments", 100, "Judgments for a verdict, at least", OURS, most=1e6
)
NO_POOL = "no pool is frozen"
NO_RUNS = "fewer than two runs have a score"
NO_ORDER = "documents are not judged in random order"
ORDERED = (
    "Documents that look relevant were judged first, or for another pool, so they are no sample of "
    "the rest. The answer comes when all are judged; with a plan in random order, much earlier."
)


@dataclass(frozen=True)
class StoppingFigures:
    """A pool at one moment of judging.

    ``judgments`` counts grades, ``judged`` and ``unjudged`` documents of the pool;
    ``topics_unjudged`` topics have none judged. ``expected`` more relevant documents, from
    ``low`` to ``high``. ``tau`` and ``tau_low`` compare the ranking now with that after the rest
    is judged at random: median, and lower end. ``moved`` is the most places that a run has moved
    over the last ``span`` judgments; ``pooled_judged`` is judged@``cut`` of each contributing
    run. ``reason`` says why the rest cannot be estimated.
    """

    measure: str
    cut: int
    runs: int
    judgments: int
    judged: int
    unjudged: int
    topics_unjudged: int = 0
    completeness: float | None = None
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    tau: float | None = None
    tau_low: float | None = None
    moved: int | None = None
    span: int = 0
    pooled_judged: Sequence[float | None] = ()
    reason: str = ""
    seconds_each: float | None = None

    @property
    def lowest_judged(self) -> float | None:
        return min((share for share in self.pooled_judged if share is not None), default=None)

    @property
    def minutes(self) -> float | None:
        """To judge the rest."""
        return None if self.seconds_each is None else self.unjudged * self.seconds_each / 60


def judge_stopping(figures: StoppingFigures, thresholds: Thresholds) -> Verdict:
    unknown = _explain_unknown(figures, thresholds)
    if unknown:
        return Verdict(
            STOPPING,
            VerdictState.UNKNOWN,
            f"Whether judging can stop cannot be determined: {unknown}.",
            ORDERED
            if unknown == NO_ORDER
            else "The rest of a pool can be estimated only from a random sample of it.",
            _list_figures(figures, thresholds),
            _list_first_acts(figures, unknown),
        )
    still, judged = _stands_still(figures, thresholds), _is_judged(figures, thresholds)
    if still and judged:
        state = VerdictState.GOOD
    else:
        state = VerdictState.AMBER if still or judged else VerdictState.BAD
    return Verdict(
        STOPPING,
        state,
        _write_sentence(figures, thresholds, still=still, judged=judged),
        _write_reason(figures, thresholds),
        _list_figures(figures, thresholds),
        _list_acts(figures, state),
    )


def _explain_unknown(figures: StoppingFigures, thresholds: Thresholds) -> str:
    least = int(thresholds[LEAST_JUDGMENTS.name].value)
    if figures.judgments < least:
        return f"there are {figures.judgments} judgments, and {least} are needed"
    if figures.unjudged and figures.reason:
        return figures.reason
    if figures.tau_low is None or figures.lowest_judged is None:
        return figures.reason or NO_RUNS
    return ""


def _stands_still(figures: StoppingFigures, thresholds: Thresholds) -> bool:
    """The rest would hardly move a run, and lately none has moved far."""
    if not figures.unjudged:
        return True
    places, span = thresholds[MOST_PLACES.name].value, thresholds[STILL.name].value
    return (
        figures.tau_low is not None
        and figures.tau_low >= thresholds[LEAST_TAU.name].value
        and not figures.topics_unjudged
        and figures.moved is not None
        and figures.moved <= places
        and figures.span >= span
    )


def _is_judged(figures: StoppingFigures, thresholds: Thresholds) -> bool:
    lowest = figures.lowest_judged
    return lowest is not None and lowest >= thresholds[LEAST_JUDGED.name].value


def _write_sentence(
    figures: StoppingFigures, thresholds: Thresholds, *, still: bool, judged: bool
) -> str:
    rest, measure = format_count(figures.unjudged, "document"), figures.measure
    lowest = figures.lowest_judged or 0.0
    if not figures.unjudged:
        return (
            "You can stop: every document of the pool is judged."
            if judged
            else f"The pool is judged, but down to {format_percent(lowest)} of the first "
            f"{figures.cut} documents of a run: a deeper pool is needed."
        )
    if still and judged:
        return (
            f"You can stop: the {rest} left would hardly change the order of the runs by "
            f"{measure}, tau at least {format_decimals(figures.tau_low, 2)}."
        )
    if still:
        return (
            f"The order of the runs by {measure} stands, but only {format_percent(lowest)} of "
            f"the first {figures.cut} documents of some run are judged."
        )
    return _explain_movement(figures, thresholds, rest)


def _explain_movement(figures: StoppingFigures, thresholds: Thresholds, rest: str) -> str:
    """What still moves the order of the runs."""
    measure = figures.measure
    if figures.topics_unjudged:
        number = figures.topics_unjudged
        return f"Go on: {number} {'topic has' if number == 1 else 'topics have'} no judgment yet."
    if figures.tau_low is not None and figures.tau_low < thresholds[LEAST_TAU.name].value:
        return (
            f"Go on: judging the {rest} left can still change the order of the runs by {measure}, "
            f"tau down to {format_decimals(figures.tau_low, 2)}."
        )
    if figures.moved is None or figures.span < thresholds[STILL.name].value:
        span = int(thresholds[STILL.name].value)
        return f"Go on: fewer than {span} judgments lie behind the present order of the runs."
    places = format_count(figures.moved, "place")
    return (
        f"Go on: within the last {figures.span} judgments a run has moved by {places} by {measure}."
    )


def _write_reason(figures: StoppingFigures, thresholds: Thresholds) -> str:
    tau, share = thresholds[LEAST_TAU.name].value, thresholds[LEAST_JUDGED.name].value
    span, places = int(thresholds[STILL.name].value), thresholds[MOST_PLACES.name].value
    return (
        f"Judging can stop when 19 of 20 likely outcomes of the rest keep tau at {tau:g} or more, "
        f"no run has moved by more than {places:g} within {span} judgments, and "
        f"judged@{figures.cut} of every contributing run is {share:g} or more. Documents below the "
        "pool are not covered."
    )


def _list_figures(figures: StoppingFigures, thresholds: Thresholds) -> tuple[KeyFigure, ...]:
    expected, lowest, tau = figures.expected, figures.lowest_judged, figures.tau
    return (
        KeyFigure(
            "relevant documents expected in the rest of the pool",
            expected,
            "–" if expected is None else f"{expected:,.0f}",
            figures.reason if expected is None else f"{figures.unjudged:,} documents are unjudged",
            figures.low,
            figures.high,
            scale=(0.0, max(1.0, float(figures.unjudged))),
        ),
        KeyFigure(
            "tau with the ranking after the rest is judged",
            tau,
            format_decimals(tau, 2),
            figures.reason if tau is None else "median of the draws; from their lower end",
            figures.tau_low,
            None if tau is None else 1.0,
            (thresholds[LEAST_TAU.name].value, 1.0),
            (0.5, 1.0),
            word="tau",
        ),
        KeyFigure(
            f"most places moved within {figures.span} judgments",
            None if figures.moved is None else float(figures.moved),
            "–" if figures.moved is None else f"{figures.moved}",
            "undefined: too few judgments to look back" if figures.moved is None else "",
            good=(0.0, thresholds[MOST_PLACES.name].value),
            scale=(0.0, max(2.0, float(figures.runs - 1))),
        ),
        KeyFigure(
            f"judged@{figures.cut} of every contributing run, at least",
            lowest,
            format_decimals(lowest, 2),
            "undefined: no run contributed" if lowest is None else "",
            good=(thresholds[LEAST_JUDGED.name].value, 1.0),
            word="judged@k",
        ),
    )


def _judge_rest(figures: StoppingFigures) -> Act:
    return Act("Let the rest be judged", "judging", (), {}, figures.unjudged, figures.minutes)


def _list_first_acts(figures: StoppingFigures, unknown: str) -> tuple[Act, ...]:
    """What brings a verdict."""
    if figures.reason == NO_POOL:
        return (Act("Build a pool", "pools"),)
    shares = Act("See how much of each run is judged", "interim-scores")
    if unknown == NO_ORDER:
        random = Act("Choose random order for the next plan", "plan-new")
        return (_judge_rest(figures), shares, random)
    return (_judge_rest(figures),) if figures.unjudged else (Act("Look at the runs", "runs"),)


def _list_acts(figures: StoppingFigures, state: VerdictState) -> tuple[Act, ...]:
    freeze = Act("Freeze a qrels version", "qrels-list")
    if state is VerdictState.GOOD:
        return (freeze, _judge_rest(figures)) if figures.unjudged else (freeze,)
    if figures.unjudged:
        return (_judge_rest(figures),)
    return (Act("Build a deeper pool", "pools"), freeze)


STOPPING_RULE = VerdictRule(
    STOPPING,
    "Would more judgments change anything?",
    (LEAST_TAU, STILL, MOST_PLACES, LEAST_JUDGED, LEAST_JUDGMENTS),
    judge_stopping,
)
