"""The verdict on a collection: can it score runs that did not contribute to its pool?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.comparison.classical_tests import standard_error
from poolbench.evaluation.evaluate import TRUST_DEPTH
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.collection.leave_one_group_out import score_without_group
from poolbench.reliability.verdicts.ranking_draws import rank_competitors
from poolbench.statistics.estimate import nan_to_none
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState, finish_verdict

COLLECTION = "collection"
SIGNIFICANT = 0.05
OURS = "Poolbench, decision 0056"
MOST_PLACES = Threshold(
    "collection-places",
    1,
    "Places that a run moves without its team's unique documents, at most",
    "Zobel, SIGIR 1998; Buckley and Voorhees in TREC overviews leave out teams; the limit is ours",
)
LEAST_JUDGED = Threshold(
    "collection-judged",
    0.9,
    "Judged@k of the contributing runs, at least",
    "Poolbench, decision 0056; unjudged documents count as not relevant (Buckley and Voorhees, "
    "SIGIR 2004)",
)
LEAST_LEFT_OUT = Threshold(
    "collection-left-out",
    0.7,
    "Judged@k of a contributing run without its team's unique documents, at least",
    OURS,
)
LEAST_TEAMS = Threshold("collection-teams", 3, "Teams for a verdict, at least", OURS)
GOOD_TEAMS = Threshold(
    "collection-good-teams", 5, "Teams without which no collection is called reusable", OURS
)
QUESTION = "Who can use these qrels, for which measures?"
THRESHOLDS = (MOST_PLACES, LEAST_JUDGED, LEAST_LEFT_OUT, LEAST_TEAMS, GOOD_TEAMS)


@dataclass(frozen=True)
class LeftOutMove:
    """A run's place by all judgments, and without its team's unique documents. ``passed``
    significantly different runs lie between (paired t test, p ≤ .05, unadjusted).
    """

    run: str
    team: str
    place: int
    place_without: int
    passed: int

    @property
    def places(self) -> int:
        return abs(self.place_without - self.place)


@dataclass(frozen=True)
class CollectionReport:
    """``moves``: of each run of a contributing team. ``judged`` is judged@``cut`` of each
    contributing run, ``left_out`` the same without the unique documents of its team: what a new
    team would find. ``teams`` contributed.
    """

    measure: str
    cut: int
    runs: int
    teams: int
    moves: Sequence[LeftOutMove] = ()
    judged: Sequence[float | None] = ()
    reason: str = ""
    left_out: Sequence[float | None] = ()

    @property
    def lowest_judged(self) -> float | None:
        return min((share for share in self.judged if share is not None), default=None)

    @property
    def lowest_left_out(self) -> float:
        """0 if unknown: not known to be enough."""
        return min((share for share in self.left_out if share is not None), default=0.0)

    @property
    def furthest(self) -> LeftOutMove | None:
        return max(self.moves, key=lambda move: (move.places, -move.place), default=None)

    def list_crossings(self) -> list[LeftOutMove]:
        """Runs of the top half that pass a significantly different run."""
        half = (self.runs + 1) // 2
        return [m for m in self.moves if m.passed and min(m.place, m.place_without) <= half]


def compute_collection(collection: PooledCollection, measure: Measure) -> CollectionReport:
    """Every team with a contributing run left out in turn, by a measure for which higher is
    better (``can_rank_by``).
    """
    cut = measure_cut(measure)
    (trust,) = parse_measure(f"judged_{cut}")
    groups = collection.by_team
    both = [measure, trust]
    scores = collection.score(both)
    without = score_without_group(collection, both, scores, groups)
    names = {collection.names[at] for at in groups[collection.pool.runs].tolist()}
    moves = measure_left_out_moves(
        collection.tags,
        collection.teams,
        collection.score_topics([measure])[0],
        scores[:, 0],
        without[:, 0],
    )
    shares, left_out = scores[collection.is_pooled, 1], without[collection.is_pooled, 1]
    return CollectionReport(
        measure=format_measure_title(measure.name, over_topics=True),
        cut=cut,
        runs=len(collection.tags),
        teams=len(names),
        moves=[move for move in moves if move.team in names],
        judged=[nan_to_none(share) for share in shares],
        left_out=[nan_to_none(share) for share in left_out],
    )


def measure_cut(measure: Measure) -> int:
    """The cut-off of the measure, else that of judged@k with all scores."""
    cut = dict(measure.params).get("k")
    return cut if isinstance(cut, int) else TRUST_DEPTH


def measure_left_out_moves(
    tags: Sequence[str], teams: Sequence[str], by_topic: Floats, scores: Floats, without: Floats
) -> list[LeftOutMove]:
    """One for each run with a score. ``by_topic`` is topics × runs, ``scores`` over topics by all
    judgments, ``without`` those without the unique documents of the run's own team. Higher is
    better; a run is ranked among the runs of other teams by ``scores``.
    """
    moves = []
    names = np.array(teams, object)
    for team in dict.fromkeys(teams):
        own = names == team
        changed = np.where(own, without, scores)
        before, after = rank_competitors(np.stack([scores, changed]))
        for run in np.flatnonzero(own & ~np.isnan(scores) & ~np.isnan(without)).tolist():
            order = np.sign(scores - scores[run]) != np.sign(changed - changed[run])
            flipped = by_topic[:, order & ~own] - by_topic[:, [run]]
            passed = int(np.count_nonzero(_paired_p(flipped) <= SIGNIFICANT))
            moves.append(LeftOutMove(tags[run], team, int(before[run]), int(after[run]), passed))
    return moves


def _paired_p(differences: Floats) -> Floats:
    """Of the paired t test, by column; 1 where all differences are equal or one is undefined."""
    from scipy.special import stdtr

    count = len(differences)
    if count < 2 or not differences.shape[1]:
        return np.ones(differences.shape[1])
    error = standard_error(differences.T)
    statistic = np.zeros(len(error))
    np.divide(differences.mean(axis=0), error, out=statistic, where=error > 0)
    p_values: Floats = 2 * stdtr(count - 1, -np.abs(statistic))
    return np.nan_to_num(p_values, nan=1.0)


def judge_collection(report: CollectionReport) -> Verdict:
    return finish_verdict(_decide(report), THRESHOLDS)


def _decide(report: CollectionReport) -> Verdict:
    least_teams = int(LEAST_TEAMS.value)
    furthest, lowest = report.furthest, report.lowest_judged
    if report.teams < least_teams or furthest is None or lowest is None:
        why = report.reason
        if report.teams < least_teams:
            why = f"{report.teams} of at least {least_teams} teams contributed to the pool"
        return Verdict(
            COLLECTION,
            VerdictState.UNKNOWN,
            "Whether new runs are scored fairly cannot be determined: "
            f"{why or 'no run has a score'}.",
            "Leaving out a team shows how the runs of one that did not contribute would be scored.",
            _list_figures(report),
            (Act("Look at runs and teams", "runs"),),
        )
    state = _judge_state(report)
    return Verdict(
        COLLECTION,
        state,
        _write_sentence(report, state),
        _write_reason(report),
        _list_figures(report),
        _list_acts(report, state),
    )


def _judge_state(report: CollectionReport) -> VerdictState:
    furthest, lowest = report.furthest, report.lowest_judged
    assert furthest is not None and lowest is not None  # noqa: S101, PT018  # for mypy
    stays = furthest.places <= MOST_PLACES.value
    judged = lowest >= LEAST_JUDGED.value
    left_out = report.lowest_left_out >= LEAST_LEFT_OUT.value
    teams = report.teams >= GOOD_TEAMS.value
    if stays and judged and left_out and teams:
        return VerdictState.GOOD
    return VerdictState.AMBER if stays or not report.list_crossings() else VerdictState.BAD


def _write_sentence(report: CollectionReport, state: VerdictState) -> str:
    furthest, lowest = report.furthest, report.lowest_judged
    assert furthest is not None and lowest is not None  # noqa: S101, PT018  # for mypy
    places = "1 place" if furthest.places == 1 else f"{furthest.places} places"
    measure = report.measure
    if state is VerdictState.GOOD:
        return (
            f"New runs are scored fairly by {measure}: without its own team, no run moves by more "
            f"than {places}."
            if furthest.places
            else f"New runs are scored fairly by {measure}: without its own team, no run moves."
        )
    if state is VerdictState.BAD:
        count = len(report.list_crossings())
        return (
            f"New runs are not scored fairly by {measure}: without its team, "
            f"{count} of the best runs {'passes' if count == 1 else 'pass'} a significantly "
            "different one."
        )
    if furthest.places > MOST_PLACES.value:
        return (
            f"Treat new runs with care: without its own team, {furthest.run} moves by {places} by "
            f"{measure}, though only among similar runs."
        )
    if lowest < LEAST_JUDGED.value:
        return (
            f"Treat new runs with care: no run moves far by {measure}, but only {lowest:.0%} of "
            f"the first {report.cut} documents of some run are judged."
        )
    if report.lowest_left_out < LEAST_LEFT_OUT.value:
        return (
            f"Treat new runs with care: without its own team, only {report.lowest_left_out:.0%} "
            f"of the first {report.cut} documents of some run are judged."
        )
    return (
        f"Treat new runs with care: no run moves by more than {places} by {measure}, but only "
        f"{report.teams} teams contributed."
    )


def _write_reason(report: CollectionReport) -> str:
    places, teams = MOST_PLACES.value, GOOD_TEAMS.value
    return (
        "Each team was left out in turn: its runs were scored without the documents that only "
        f"they contributed (Zobel 1998). Reusable means that no run moves by more than {places:g}, "
        f"every contributing run has judged@{report.cut} of "
        f"{LEAST_JUDGED.value:g} or more, "
        f"{LEAST_LEFT_OUT.value:g} without its own team, and at least {teams:g} "
        "teams contributed."
    )


def _list_figures(report: CollectionReport) -> tuple[KeyFigure, ...]:
    furthest, lowest = report.furthest, report.lowest_judged
    return (
        KeyFigure(
            "most places that a run moves without its team",
            None if furthest is None else float(furthest.places),
            "–" if furthest is None else f"{furthest.places}",
            report.reason if furthest is None else (furthest.run if furthest.places else ""),
            good=(0.0, MOST_PLACES.value),
            scale=(0.0, max(2.0, float(report.runs - 1))),
            word="leave-one-group-out",
        ),
        KeyFigure(
            "of the best runs pass a significantly different one",
            None,
            "–" if furthest is None else f"{len(report.list_crossings())}",
            word="significant",
        ),
        KeyFigure(
            f"judged@{report.cut} of every contributing run, at least",
            lowest,
            "–" if lowest is None else f"{lowest:.2f}",
            "undefined: no run contributed"
            if lowest is None
            else f"without its own team: {report.lowest_left_out:.2f}",
            good=(LEAST_JUDGED.value, 1.0),
            word="judged@k",
        ),
        KeyFigure(
            "teams contributed to the pool",
            float(report.teams),
            f"{report.teams}",
            good=(GOOD_TEAMS.value, max(20.0, report.teams)),
            scale=(0.0, max(20.0, float(report.teams))),
        ),
    )


def _list_acts(report: CollectionReport, state: VerdictState) -> tuple[Act, ...]:
    acts = []
    if report.list_crossings() or state is not VerdictState.GOOD:
        acts.append(Act("Simulate a deeper pool", "simulation"))
    acts.append(Act("Look at the qrels versions", "qrels-list"))
    return tuple(acts)
