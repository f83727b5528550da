"""The verdict on a leaderboard: who leads, and whether the first place is safe."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolbench.files.faults import format_count
from poolbench.number_formats import format_decimals, format_percent
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState, finish_verdict

LEADERBOARD = "leaderboard"
JUDGED_SOURCE = (
    "Poolbench, decision 0056; unjudged documents count as not relevant (Buckley and Voorhees, "
    "SIGIR 2004)"
)
LEAST_JUDGED = Threshold("leaderboard-judged", 0.9, "Judged@k of a run, at least", JUDGED_SOURCE)
MOST_UNJUDGED_RUNS = Threshold(
    "leaderboard-runs",
    0.333,
    "Share of runs with a lower judged@k, below",
    "Poolbench, decision 0056",
)
HARDLY_JUDGED = Threshold(
    "leaderboard-hardly-judged",
    0.5,
    "Judged@k below which half of the runs make a leaderboard not good enough",
    "Poolbench, decision 0056",
)
LEVEL = Threshold(
    "leaderboard-p",
    0.05,
    "Adjusted p of the first two runs, at most",
    "Fisher's convention; the test is preregistered by the campaign (Carterette, TOIS 2012)",
)
LEAST_TOPICS = Threshold(
    "leaderboard-topics",
    10,
    "Topics, at least",
    "Poolbench, decision 0056; Buckley and Voorhees, SIGIR 2000, ask for 25 and better 50",
)
MOST_CONTENDERS = Threshold(
    "leaderboard-contenders",
    0,
    "Other runs that could be first once their first documents are judged, at most",
    "Bounds over all judgments of the unjudged documents: Poolbench, decision 0067",
)
THRESHOLDS = (
    LEVEL, LEAST_JUDGED, MOST_UNJUDGED_RUNS, HARDLY_JUDGED, LEAST_TOPICS, MOST_CONTENDERS,
)  # fmt: skip
NO_BOUND = "no bound is known of what unjudged documents would change"
TIE = 1e-9
QUESTION = "Who leads, and are the places safe?"


@dataclass(frozen=True)
class LeaderboardReport:
    """``tags``, ``scores`` and ``judged`` (judged@``cut``) by run, best first, None where
    undefined. ``p_value`` compares the first two by ``test``, adjusted for all pairs of runs;
    where it is None, ``reason`` says why. ``score_set`` is the ID of the scores, None in files;
    ``level`` the one that the campaign has preregistered with its test. ``unjudged`` documents are
    among the first ``depth`` of some run, None if that is not known. However they are judged, the
    first run has at least ``low`` and each run at most ``high``, both None without a bound.
    """

    measure: str
    cut: int
    topics: int
    tags: Sequence[str]
    scores: Sequence[float | None]
    judged: Sequence[float | None]
    test: str = ""
    p_value: float | None = None
    reason: str = ""
    score_set: int | None = None
    level: float = LEVEL.value
    depth: int = 10
    unjudged: int | None = None
    low: float | None = None
    high: Sequence[float | None] = ()

    def count_contenders(self) -> int | None:
        """The other runs that could be first, or share the first place, once the ``unjudged``
        documents are judged; None if that is not known.
        """
        if self.unjudged == 0:
            return 0
        if self.low is None:
            return None
        return sum(high is None or high >= self.low - TIE for high in self.high[1:])

    def list_judged_below(self, limit: float) -> list[int]:
        """The runs whose judged@k is lower."""
        return [at for at, share in enumerate(self.judged) if share is not None and share < limit]


def judge_leaderboard(report: LeaderboardReport) -> Verdict:
    return finish_verdict(_decide_leaderboard(report), THRESHOLDS)


def _decide_leaderboard(report: LeaderboardReport) -> Verdict:
    scored = [score for score in report.scores if score is not None]
    if len(scored) < 2:
        return Verdict(
            LEADERBOARD,
            VerdictState.UNKNOWN,
            f"It cannot be determined who leads: {format_count(len(scored), 'run')} "
            f"with a score by {report.measure}; two are needed.",
            "A place is safe only in comparison with another run.",
            acts=(Act("Look at the runs", "runs"),),
        )
    few = report.list_judged_below(LEAST_JUDGED.value)
    state = _judge_places(report, few)
    return Verdict(
        LEADERBOARD,
        state,
        _write_places(report, state, few),
        _write_leader_reason(report),
        _list_leader_figures(report),
        _list_leader_acts(report, few, state),
        (replace(LEVEL, value=report.level), *THRESHOLDS[1:]),
    )


def _judge_places(report: LeaderboardReport, few: Sequence[int]) -> VerdictState:
    if all(judged is None for judged in report.judged) or report.p_value is None:
        return VerdictState.UNKNOWN
    if 2 * len(report.list_judged_below(HARDLY_JUDGED.value)) >= len(report.tags):
        return VerdictState.BAD
    if _are_many(report, few):
        return VerdictState.AMBER
    if report.p_value > report.level or report.topics < LEAST_TOPICS.value:
        return VerdictState.AMBER
    contenders = report.count_contenders()
    if contenders is None:
        return VerdictState.UNKNOWN
    return VerdictState.AMBER if contenders else VerdictState.GOOD


def _are_many(report: LeaderboardReport, few: Sequence[int]) -> bool:
    return len(few) >= MOST_UNJUDGED_RUNS.value * len(report.tags)


def _write_places(report: LeaderboardReport, state: VerdictState, few: Sequence[int]) -> str:
    first, second, *_ = report.tags
    if state is VerdictState.UNKNOWN:
        why = report.reason or (NO_BOUND if report.p_value is not None else "")
        why = why or f"judged@{report.cut} is undefined"
        return (
            f"{first} is first by {report.measure}; whether the place is safe cannot be "
            f"determined: {why}."
        )
    if _are_many(report, few):
        return (
            f"The places are not safe: {len(few)} of {format_count(len(report.tags), 'run')} have "
            f"less than {format_percent(LEAST_JUDGED.value)} of their first {report.cut} documents "
            "judged."
        )
    assert report.p_value is not None  # noqa: S101  # for mypy
    lead = f"by {report.measure} on {report.topics} topics"
    better = f"significantly better than {second} (adjusted p {format_short_p(report.p_value)})"
    if report.p_value > report.level:
        return f"{first} is first {lead}, but not {better}."
    if report.topics < LEAST_TOPICS.value:
        return f"{first} is first by {report.measure}, but on only {report.topics} topics."
    if state is VerdictState.GOOD:
        return f"{first} leads {lead}, {better}, and {_describe_safety(report)}."
    could = format_count(report.count_contenders() or 0, "other run")
    return (
        f"{first} is first {lead}, but {could} could be, depending on the unjudged of the first "
        f"{report.depth} documents."
    )


def _describe_safety(report: LeaderboardReport) -> str:
    if not report.unjudged:
        return f"the first {report.depth} documents of each run are judged"
    return f"stays first however the unjudged of the first {report.depth} documents are judged"


def _write_leader_reason(report: LeaderboardReport) -> str:
    test = f"The test is {report.test}, adjusted for all pairs of runs. " if report.test else ""
    return (
        f"{test}A run could be first if its highest mean, over all ways to judge what is unjudged "
        f"of the first {report.depth} documents of any run, reaches the lowest of "
        f"{report.tags[0]}; deeper unjudged documents count as not relevant, topics without a "
        f"judgment not at all. Fewer than {format_percent(MOST_UNJUDGED_RUNS.value)} of all runs "
        f"may have judged@{report.cut} below {LEAST_JUDGED.value:g}."
    )


def format_short_p(value: float | None) -> str:
    """Three decimals; below 0.001 only as that."""
    return "< 0.001" if value is not None and value < 0.001 else format_decimals(value, 3)


def _list_leader_figures(report: LeaderboardReport) -> tuple[KeyFigure, ...]:
    first, second = report.scores[0], report.scores[1]
    lead = None if first is None or second is None else abs(first - second)
    lowest = min((value for value in report.judged if value is not None), default=None)
    contenders = report.count_contenders()
    return (
        KeyFigure(f"lead over the second by {report.measure}", None, format_decimals(lead, 3)),
        KeyFigure(
            "adjusted p of the first two runs",
            report.p_value,
            format_short_p(report.p_value),
            report.reason,
            good=(0.0, report.level),
            word="significance correction",
        ),
        KeyFigure(
            f"lowest judged@{report.cut} of any run",
            lowest,
            format_decimals(lowest, 2),
            "undefined: no run has a judged document" if lowest is None else "",
            good=(LEAST_JUDGED.value, 1.0),
            word="judged@k",
        ),
        KeyFigure(
            "other runs could be first",
            contenders,
            "–" if contenders is None else f"{contenders}",
            _note_unjudged(report),
        ),
    )


def _note_unjudged(report: LeaderboardReport) -> str:
    if report.count_contenders() is None:
        return f"undefined: {NO_BOUND}"
    among = f"among the first {report.depth} of any run"
    return f"{format_count(report.unjudged or 0, 'unjudged document')} {among}"


def _list_leader_acts(
    report: LeaderboardReport, few: Sequence[int], state: VerdictState
) -> tuple[Act, ...]:
    acts = []
    if few or report.count_contenders():
        acts.append(Act("See which runs have unjudged documents", "interim-scores"))
    if state is not VerdictState.GOOD and report.score_set is not None:
        acts.append(Act("See which runs differ significantly", "pairs", (report.score_set,)))
    return tuple(acts)
