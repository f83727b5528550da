"""The verdict on stopping: would more judgments change anything?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.looks import LookOutcome
from poolbench.evaluation.judgments import Floats
from poolbench.files.faults import format_count
from poolbench.number_formats import format_decimals, format_percent, is_reached
from poolbench.reliability.campaign_state import CampaignState
from poolbench.reliability.stopping.panel import StoppingPanel
from poolbench.reliability.stopping.remaining_relevant import NO_SAMPLE
from poolbench.reliability.verdicts.ranking_draws import (
    draw_rest_of_pool,
    rank_competitors,
    summarize_taus,
)
from poolbench.reliability.verdicts.sampled_stopping import judge_sample
from poolbench.statistics.estimate import UNDEFINED, Estimate
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState, finish_verdict

STOPPING = "stopping"
OURS = "Poolbench, decision 0056"
LEAST_TAU = Threshold(
    "stopping-tau",
    0.97,
    "Tau-b with the ranking after the rest is judged, at least",
    "Poolbench, decision 0056: stricter than the 0.9 of Voorhees, IP&M 2000, since both rankings "
    "are by the same assessors, with a margin over 0.95",
)
MOST_UNLIKELY = Threshold(
    "stopping-unlikely", 0.01, "Share of the drawn outcomes with a lower tau, at most", OURS
)
MOVES_ON = Threshold(
    "stopping-moves",
    0.9,
    "Median of tau below which a ranking with unjudged first documents is not good enough",
    "Voorhees, IP&M 2000",
)
STILL = Threshold(
    "stopping-still", 200, "Judgments over which the order of the runs must hold", OURS
)
MOST_PLACES = Threshold(
    "stopping-places", 1, "Places that a run may have moved over them, at most", OURS
)
LEAST_JUDGED = Threshold(
    "stopping-judged",
    0.9,
    "Judged@k of every contributing run, at least",
    "Poolbench, decision 0056; unjudged documents count as not relevant (Buckley and Voorhees, "
    "SIGIR 2004)",
)
LEAST_JUDGMENTS = Threshold("stopping-judgments", 100, "Judgments for a verdict, at least", OURS)
DRAWS, LEAST_DRAWS = 1000, 200
"""Outcomes of the rest: ten of them lie beyond the 99 % that count, of the fewest two."""
NO_PANEL = StoppingPanel(0, None, 0, 0, 0, ())
NO_POOL = "no pool is frozen"
NO_RUNS = "fewer than two runs have a score"
SAMPLED = "the pool is a sample: see the estimates"
NO_ORDER = "documents are not judged in random order"
ORDERED = (
    "Documents that look relevant were judged first, or for another pool, so they are no sample of "
    "the rest. The answer comes when all are judged; with a plan in random order, much earlier."
)
QUESTION = "Would more judgments change anything?"
THRESHOLDS = (
    LEAST_TAU, MOST_UNLIKELY, MOVES_ON, STILL, MOST_PLACES, LEAST_JUDGED, LEAST_JUDGMENTS,
)  # fmt: skip


@dataclass(frozen=True)
class StoppingReport:
    """A pool at one moment of judging.

    ``judgments`` counts grades, ``judged`` and ``unjudged`` documents of the pool;
    ``topics_unjudged`` topics have none judged. ``expected`` more relevant documents, from
    ``low`` to ``high``. ``tau`` and ``tau_low`` compare the ranking now with that after the rest
    is judged at random, of ``draws``: median, and lower end. ``moved`` is the most places that a
    run has moved over the last ``span`` judgments; ``pooled_judged`` is judged@``cut`` of each
    contributing run. ``reason`` says why the rest cannot be estimated. ``panel`` has what the page
    shows below, as of the same judgments; ``depth`` is that of the pool, None without one.
    ``sample``: of a sampled pool, what its latest look says; it alone decides then.
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
    panel: StoppingPanel = NO_PANEL
    depth: int | None = None
    draws: int = 0
    sample: LookOutcome | None = None

    @property
    def is_shallow(self) -> bool:
        """Whether the pool ends before the documents that its judged@k counts."""
        return self.depth is not None and self.depth < self.cut

    @property
    def lowest_judged(self) -> float | None:
        return min((share for share in self.pooled_judged if share is not None), default=None)

    @property
    def minutes(self) -> float | None:
        """To judge the rest."""
        return None if self.seconds_each is None else self.unjudged * self.seconds_each / 60


def compute_stopping(
    panel: StoppingPanel, unjudged: int = 0, state: CampaignState | str = ""
) -> StoppingReport:
    """From what has been found, and the campaign as of the same judgments or, where no measure
    ranks its runs, the reason. ``unjudged`` documents of the pool are left.
    """
    if panel.pool is None:
        return StoppingReport("–", 10, 0, panel.judgments, 0, 0, reason=NO_POOL, panel=panel)
    left = panel.pool.left
    if isinstance(state, str):
        return StoppingReport(
            "–", 10, 0, panel.judgments, left.judged, unjudged, reason=state, panel=panel
        )
    reason = left.reason or ("" if len(state.runs) > 1 else NO_RUNS)
    spread = UNDEFINED
    if not reason:
        # Pairs that the policy leaves undecided are drawn like unjudged ones.
        draws = state.count_draws(DRAWS, LEAST_DRAWS)
        now, then = draw_rest_of_pool(state.panel, state.grades, draws, state.seed)
        spread = summarize_rest(now, then, state.panel.better)
    moved, span = _measure_movement(state)
    return StoppingReport(
        measure=state.title,
        cut=state.cut,
        runs=len(state.runs),
        judgments=panel.judgments,
        judged=left.judged,
        unjudged=unjudged,
        topics_unjudged=left.topics_unjudged,
        completeness=left.completeness,
        expected=left.expected,
        low=left.low,
        high=left.high,
        tau=spread.value,
        tau_low=spread.low,
        moved=moved,
        span=span,
        pooled_judged=[
            means[1]
            for run, means in zip(state.runs, state.history.means[state.judgments], strict=True)
            if run.pooled
        ],
        reason=NO_ORDER if reason == NO_SAMPLE else reason,
        seconds_each=state.seconds_each,
        panel=panel,
        depth=panel.pool.depth,
        draws=spread.n,
    )


def summarize_rest(now: Floats, then: Floats, better: float = 1.0) -> Estimate:
    """``summarize_taus`` down to all but ``MOST_UNLIKELY`` of the draws."""
    return summarize_taus(now, then, better, MOST_UNLIKELY.value)


def _measure_movement(state: CampaignState) -> tuple[int | None, int]:
    """The most places that a run has moved over the last ``STILL`` judgments, and their number."""
    span = int(STILL.value)
    before = state.judgments - span
    if before not in state.history.means or len(state.runs) < 2:
        return None, 0
    ranks = rank_competitors(state.stack_scores(state.judgments, before))
    return int(np.abs(ranks[0] - ranks[1]).max(initial=0)), span


def judge_stopping(report: StoppingReport) -> Verdict:
    if report.sample is not None:
        return finish_verdict(judge_sample(STOPPING, report.sample, report.unjudged), THRESHOLDS)
    return finish_verdict(_decide_stopping(report), THRESHOLDS)


def _decide_stopping(report: StoppingReport) -> Verdict:
    unknown = _find_stopping_gap(report)
    if unknown:
        return Verdict(
            STOPPING,
            VerdictState.UNKNOWN,
            f"Whether judging can stop cannot be determined: {unknown}.",
            ORDERED
            if unknown == NO_ORDER
            else "The rest of a pool can be estimated only from a random sample of it.",
            _list_stopping_figures(report),
            _list_acts_to_know(report, unknown),
        )
    still, lowest = _stands_still(report), report.lowest_judged
    judged = lowest is not None and is_reached(LEAST_JUDGED.value, lowest)
    if still and judged:
        state = VerdictState.GOOD
    else:
        moves = report.tau is not None and report.tau < MOVES_ON.value
        state = VerdictState.BAD if moves and not (still or judged) else VerdictState.AMBER
    return Verdict(
        STOPPING,
        state,
        _write_stopping(report, still=still, judged=judged),
        _write_stopping_reason(report),
        _list_stopping_figures(report),
        _list_stopping_acts(report, state),
    )


def _find_stopping_gap(report: StoppingReport) -> str:
    least = int(LEAST_JUDGMENTS.value)
    if report.judgments < least:
        return f"there are {report.judgments} judgments, and {least} are needed"
    if report.unjudged and report.reason:
        return report.reason
    if report.tau_low is None or report.lowest_judged is None:
        return report.reason or NO_RUNS
    return ""


def _stands_still(report: StoppingReport) -> bool:
    """The rest would hardly move a run, and lately none has moved far."""
    if not report.unjudged:
        return True
    places, span = MOST_PLACES.value, STILL.value
    return (
        report.tau_low is not None
        and is_reached(LEAST_TAU.value, report.tau_low)
        and not report.topics_unjudged
        and report.moved is not None
        and report.moved <= places
        and report.span >= span
    )


def _write_stopping(report: StoppingReport, *, still: bool, judged: bool) -> str:
    rest, runs = format_count(report.unjudged, "document"), f"these {report.runs} runs"
    lowest = format_percent(report.lowest_judged, limit=LEAST_JUDGED.value)
    if still and judged:
        return (
            f"You can stop: the {rest} left would hardly change the order of {runs} by "
            f"{report.measure}: tau {' '.join(_describe_tau(report))}."
            if report.unjudged
            else "You can stop: every document of the pool is judged."
        )
    if not still:
        return _explain_movement(report, rest)
    done = "The pool is judged"
    begin = f"The order of {runs} by {report.measure} stands" if report.unjudged else done
    if report.is_shallow:
        return (
            f"{begin}, but depth {report.depth} cannot cover the first {report.cut} documents of a "
            f"run: only {lowest} of some are judged."
        )
    need = "" if report.unjudged else ": a deeper pool is needed"
    return (
        f"{begin}, but only {lowest} of the first {report.cut} documents of some run are "
        f"judged{need}."
    )


def _explain_movement(report: StoppingReport, rest: str) -> str:
    """What still moves the order of the runs."""
    measure = report.measure
    if report.topics_unjudged:
        number = report.topics_unjudged
        return f"Go on: {number} {'topic has' if number == 1 else 'topics have'} no judgment yet."
    if report.tau_low is not None and not is_reached(LEAST_TAU.value, report.tau_low):
        return (
            f"Go on: judging the {rest} left can still change the order of these {report.runs} "
            f"runs by {measure}: tau {' '.join(_describe_tau(report))}."
        )
    if report.moved is None or report.span < STILL.value:
        span = int(STILL.value)
        return f"Go on: fewer than {span} judgments lie behind the present order of the runs."
    places = format_count(report.moved, "place")
    return (
        f"Go on: within the last {report.span} judgments a run has moved by {places} by {measure}."
    )


def _describe_tau(report: StoppingReport) -> tuple[str, str]:
    """Beside which limit, and in which share of the draws. By another seed the value has other
    digits in one case of nine to sixteen, and is on the other side of a limit in one of fifty.
    """
    if report.tau is None or report.tau_low is None:
        return "–", report.reason
    if report.tau < MOVES_ON.value:
        return f"below {MOVES_ON.value:g}", "in over half of likely outcomes"
    share = MOST_UNLIKELY.value
    if is_reached(LEAST_TAU.value, report.tau_low):
        return f"{LEAST_TAU.value:g} or more", f"in {format_percent(1 - share)} of likely outcomes"
    return f"below {LEAST_TAU.value:g}", f"in over {format_percent(share)} of likely outcomes"


def _write_stopping_reason(report: StoppingReport) -> str:
    tau, share = LEAST_TAU.value, LEAST_JUDGED.value
    span, places = int(STILL.value), format_count(int(MOST_PLACES.value), "place")
    shallow = (
        f" A pool of depth {report.depth} cannot cover the first {report.cut}."
        if report.is_shallow
        else ""
    )
    return (
        f"Judging can stop when {format_percent(1 - MOST_UNLIKELY.value)} of the likely outcomes "
        f"of the rest keep tau at {tau:g} or more, no run has moved by more than {places} within "
        f"{span} judgments, and judged@{report.cut} of every contributing run is {share:g} or "
        f"more.{shallow} Documents below the pool, and runs that did not contribute, are not "
        "covered."
    )


def _list_stopping_figures(report: StoppingReport) -> tuple[KeyFigure, ...]:
    expected, lowest, (tau, outcomes) = report.expected, report.lowest_judged, _describe_tau(report)
    return (
        KeyFigure(
            "relevant documents expected in the rest of the pool",
            expected,
            "–" if expected is None else f"{expected:,.0f}",
            report.reason if expected is None else f"{report.unjudged:,} documents are unjudged",
            report.low,
            report.high,
            scale=(0.0, max(1.0, float(report.unjudged))),
        ),
        KeyFigure(
            "tau with the ranking after the rest is judged",
            report.tau,
            tau,
            f"{outcomes}, of {report.draws:,} drawn" if report.draws else outcomes,
            good=(LEAST_TAU.value, 1.0),
            scale=(0.5, 1.0),
            word="tau",
        ),
        KeyFigure(
            f"most places moved within {report.span} judgments",
            None if report.moved is None else float(report.moved),
            "–" if report.moved is None else f"{report.moved}",
            "undefined: too few judgments to look back" if report.moved is None else "",
            good=(0.0, MOST_PLACES.value),
            scale=(0.0, max(2.0, float(report.runs - 1))),
        ),
        KeyFigure(
            f"judged@{report.cut} of every contributing run, at least",
            lowest,
            format_decimals(lowest, 2, limit=LEAST_JUDGED.value),
            "undefined: no run contributed" if lowest is None else "",
            good=(LEAST_JUDGED.value, 1.0),
            word="judged@k",
        ),
    )


def _judge_rest(report: StoppingReport) -> Act:
    return Act("Let the rest be judged", "judging", (), {}, report.unjudged, report.minutes)


def _list_acts_to_know(report: StoppingReport, unknown: str) -> tuple[Act, ...]:
    """What brings a verdict."""
    if report.reason == NO_POOL:
        return (Act("Build a pool", "pools"),)
    shares = Act("See how much of each run is judged", "interim-scores")
    if unknown == NO_ORDER:
        random = Act("Choose random order for the next plan", "plan-new")
        return (_judge_rest(report), shares, random)
    return (_judge_rest(report),) if report.unjudged else (Act("Look at the runs", "runs"),)


def _list_stopping_acts(report: StoppingReport, state: VerdictState) -> tuple[Act, ...]:
    freeze = Act("Freeze a qrels version", "qrels-list")
    if state is VerdictState.GOOD:
        return (freeze, _judge_rest(report)) if report.unjudged else (freeze,)
    if report.unjudged:
        return (_judge_rest(report),)
    return (Act("Build a deeper pool", "pools"), freeze)
