"""The verdict on a leaderboard: who leads, and whether the first place is safe."""

from __future__ import annotations

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
LEAST_JUDGED = Threshold(
    "leaderboard-judged", 0.9, "Judged@k of the runs that can be first, at least", JUDGED_SOURCE
)
MOST_UNJUDGED_RUNS = Threshold(
    "leaderboard-runs",
    0.333,
    "Share of runs with a lower judged@k, below",
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
THRESHOLDS = (LEVEL, LEAST_JUDGED, MOST_UNJUDGED_RUNS, LEAST_TOPICS)
MEASURE_RANGE = 1.0
QUESTION = "Who leads, and are the places safe?"


@dataclass(frozen=True)
class LeaderboardReport:
    """``tags``, ``scores`` and ``judged`` (judged@``cut``) by run, best first, None where
    undefined. ``p_value`` compares the first two by ``test``, adjusted for all pairs of runs;
    where it is None, ``reason`` says why. ``score_set`` is the ID of the scores, None in files;
    ``level`` the one that the campaign has preregistered with its test.
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

    def list_contenders(self) -> list[int]:
        """The places, from 0, of the runs that would be first or second if all their unjudged
        documents were relevant: score + (1 − judged@k) reaches the score of the first.
        """
        best = self.scores[0]
        if best is None:
            return []
        return [
            at
            for at, (score, judged) in enumerate(zip(self.scores, self.judged, strict=True))
            if at < 2
            or (
                score is not None
                and judged is not None
                and score + (MEASURE_RANGE - judged) >= best
            )
        ]


def judge_leaderboard(report: LeaderboardReport) -> Verdict:
    return finish_verdict(_decide(report), THRESHOLDS)


def _decide(report: LeaderboardReport) -> Verdict:
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
    few = [
        at
        for at, judged in enumerate(report.judged)
        if judged is not None and judged < LEAST_JUDGED.value
    ]
    state = _judge_state(report, few)
    return Verdict(
        LEADERBOARD,
        state,
        _write_sentence(report, state, few),
        _write_reason(report),
        _list_figures(report),
        _list_acts(report, few, state),
        (replace(LEVEL, value=report.level), *THRESHOLDS[1:]),
    )


def _judge_state(report: LeaderboardReport, few: Sequence[int]) -> VerdictState:
    if all(judged is None for judged in report.judged) or report.p_value is None:
        return VerdictState.UNKNOWN
    if len(few) >= MOST_UNJUDGED_RUNS.value * len(report.tags):
        return VerdictState.BAD
    is_different = report.p_value <= report.level
    is_judged = not set(few) & set(report.list_contenders())
    has_topics = report.topics >= LEAST_TOPICS.value
    good = is_different and is_judged and has_topics
    return VerdictState.GOOD if good else VerdictState.AMBER


def _write_sentence(report: LeaderboardReport, state: VerdictState, few: Sequence[int]) -> str:
    first, second, *_ = report.tags
    if state is VerdictState.UNKNOWN:
        why = report.reason or f"judged@{report.cut} is undefined"
        return (
            f"{first} is first by {report.measure}; whether the place is safe cannot be "
            f"determined: {why}."
        )
    if state is VerdictState.BAD:
        return (
            f"The places are not safe: {len(few)} of {format_count(len(report.tags), 'run')} have "
            f"less than {format_percent(LEAST_JUDGED.value)} of their first {report.cut} documents "
            "judged."
        )
    assert report.p_value is not None  # noqa: S101  # for mypy
    better = f"significantly better than {second} (adjusted p {format_short_p(report.p_value)})."
    if report.p_value > report.level:
        return f"{first} is first by {report.measure}, but not {better}"
    if state is VerdictState.GOOD:
        return f"{first} leads by {report.measure}, {better}"
    if report.topics < LEAST_TOPICS.value:
        return f"{first} is first by {report.measure}, but on only {report.topics} topics."
    contenders = len(set(few) & set(report.list_contenders()))
    return (
        f"{first} is first by {report.measure}, but unjudged documents could change that: "
        f"{format_count(contenders, 'run')} could still reach its score."
    )


def _write_reason(report: LeaderboardReport) -> str:
    least, share = LEAST_JUDGED.value, MOST_UNJUDGED_RUNS.value
    test = f"The test is {report.test}, adjusted for all pairs of runs. " if report.test else ""
    return (
        f"{test}Unjudged documents count as not relevant, so every run that could still be first "
        f"needs judged@{report.cut} of {least:g} or more, and fewer than {format_percent(share)} "
        "of all runs may lie below."
    )


def format_short_p(value: float | None) -> str:
    """Three decimals; below 0.001 only as that."""
    return "< 0.001" if value is not None and value < 0.001 else format_decimals(value, 3)


def _list_figures(report: LeaderboardReport) -> tuple[KeyFigure, ...]:
    first, second = report.scores[0], report.scores[1]
    lead = None if first is None or second is None else abs(first - second)
    lowest = min((value for value in report.judged if value is not None), default=None)
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
    )


def _list_acts(
    report: LeaderboardReport, few: Sequence[int], state: VerdictState
) -> tuple[Act, ...]:
    acts = []
    if few:
        acts.append(Act("See which runs have unjudged documents", "interim-scores"))
    if state is not VerdictState.GOOD and report.score_set is not None:
        acts.append(Act("See which runs differ significantly", "pairs", (report.score_set,)))
    return tuple(acts)
