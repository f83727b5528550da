"""The verdict on a collection: can it score runs that did not contribute to its pool?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common.verdicts import (
    Act,
    KeyFigure,
    Threshold,
    Thresholds,
    Verdict,
    VerdictRule,
    VerdictState,
)
from evaluation.core.comparison.student import standard_error
from evaluation.core.judgments import Floats
from reliability.core.verdicts.ranking_draws import rank_competitors

COLLECTION = "collection"
SIGNIFICANT = 0.05
OURS = "Poolbench, decision 0056"
MOST_PLACES = Threshold(
    "collection-places",
    1,
    "Places that a run moves without its team's unique documents, at most",
    "Zobel, SIGIR 1998; Buckley and Voorhees in TREC overviews leave out teams; the limit is ours",
    most=1000,
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
LEAST_TEAMS = Threshold("collection-teams", 3, "Teams for a verdict, at least", OURS, most=1000)
GOOD_TEAMS = Threshold(
    "collection-good-teams",
    5,
    "Teams without which no collection is called reusable",
    OURS,
    most=1000,
)


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
class CollectionFigures:
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


def measure_left_out_moves(
    tags: Sequence[str],
    teams: Sequence[str],
    by_topic: Floats,
    scores: Floats,
    without: Floats,
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


def judge_collection(figures: CollectionFigures, thresholds: Thresholds) -> Verdict:
    least_teams = int(thresholds[LEAST_TEAMS.name].value)
    furthest, lowest = figures.furthest, figures.lowest_judged
    if figures.teams < least_teams or furthest is None or lowest is None:
        why = figures.reason
        if figures.teams < least_teams:
            why = f"{figures.teams} of at least {least_teams} teams contributed to the pool"
        return Verdict(
            COLLECTION,
            VerdictState.UNKNOWN,
            "Whether new runs are scored fairly cannot be determined: "
            f"{why or 'no run has a score'}.",
            "Leaving out a team shows how the runs of one that did not contribute would be scored.",
            _list_figures(figures, thresholds),
            (Act("Look at runs and teams", "runs"),),
        )
    state = _judge_state(figures, thresholds)
    return Verdict(
        COLLECTION,
        state,
        _write_sentence(figures, thresholds, state),
        _write_reason(figures, thresholds),
        _list_figures(figures, thresholds),
        _list_acts(figures, state),
    )


def _judge_state(figures: CollectionFigures, thresholds: Thresholds) -> VerdictState:
    furthest, lowest = figures.furthest, figures.lowest_judged
    assert furthest is not None and lowest is not None  # noqa: S101, PT018  # for mypy
    stays = furthest.places <= thresholds[MOST_PLACES.name].value
    judged = lowest >= thresholds[LEAST_JUDGED.name].value
    left_out = figures.lowest_left_out >= thresholds[LEAST_LEFT_OUT.name].value
    teams = figures.teams >= thresholds[GOOD_TEAMS.name].value
    if stays and judged and left_out and teams:
        return VerdictState.GOOD
    return VerdictState.AMBER if stays or not figures.list_crossings() else VerdictState.BAD


def _write_sentence(figures: CollectionFigures, thresholds: Thresholds, state: VerdictState) -> str:
    furthest, lowest = figures.furthest, figures.lowest_judged
    assert furthest is not None and lowest is not None  # noqa: S101, PT018  # for mypy
    places = "1 place" if furthest.places == 1 else f"{furthest.places} places"
    measure = figures.measure
    if state is VerdictState.GOOD:
        return (
            f"New runs are scored fairly by {measure}: without its own team, no run moves by more "
            f"than {places}."
            if furthest.places
            else f"New runs are scored fairly by {measure}: without its own team, no run moves."
        )
    if state is VerdictState.BAD:
        count = len(figures.list_crossings())
        return (
            f"New runs are not scored fairly by {measure}: without its team, "
            f"{count} of the best runs {'passes' if count == 1 else 'pass'} a significantly "
            "different one."
        )
    if furthest.places > thresholds[MOST_PLACES.name].value:
        return (
            f"Treat new runs with care: without its own team, {furthest.run} moves by {places} by "
            f"{measure}, though only among similar runs."
        )
    if lowest < thresholds[LEAST_JUDGED.name].value:
        return (
            f"Treat new runs with care: no run moves far by {measure}, but only {lowest:.0%} of "
            f"the first {figures.cut} documents of some run are judged."
        )
    if figures.lowest_left_out < thresholds[LEAST_LEFT_OUT.name].value:
        return (
            f"Treat new runs with care: without its own team, only {figures.lowest_left_out:.0%} "
            f"of the first {figures.cut} documents of some run are judged."
        )
    return (
        f"Treat new runs with care: no run moves by more than {places} by {measure}, but only "
        f"{figures.teams} teams contributed."
    )


def _write_reason(figures: CollectionFigures, thresholds: Thresholds) -> str:
    places, teams = thresholds[MOST_PLACES.name].value, thresholds[GOOD_TEAMS.name].value
    return (
        "Each team was left out in turn: its runs were scored without the documents that only "
        f"they contributed (Zobel 1998). Reusable means that no run moves by more than {places:g}, "
        f"every contributing run has judged@{figures.cut} of "
        f"{thresholds[LEAST_JUDGED.name].value:g} or more, "
        f"{thresholds[LEAST_LEFT_OUT.name].value:g} without its own team, and at least {teams:g} "
        "teams contributed."
    )


def _list_figures(figures: CollectionFigures, thresholds: Thresholds) -> tuple[KeyFigure, ...]:
    furthest, lowest = figures.furthest, figures.lowest_judged
    return (
        KeyFigure(
            "most places that a run moves without its team",
            None if furthest is None else float(furthest.places),
            "–" if furthest is None else f"{furthest.places}",
            figures.reason if furthest is None else (furthest.run if furthest.places else ""),
            good=(0.0, thresholds[MOST_PLACES.name].value),
            scale=(0.0, max(2.0, float(figures.runs - 1))),
            word="leave-one-group-out",
        ),
        KeyFigure(
            "of the best runs pass a significantly different one",
            None,
            "–" if furthest is None else f"{len(figures.list_crossings())}",
            word="significant",
        ),
        KeyFigure(
            f"judged@{figures.cut} of every contributing run, at least",
            lowest,
            "–" if lowest is None else f"{lowest:.2f}",
            "undefined: no run contributed"
            if lowest is None
            else f"without its own team: {figures.lowest_left_out:.2f}",
            good=(thresholds[LEAST_JUDGED.name].value, 1.0),
            word="judged@k",
        ),
        KeyFigure(
            "teams contributed to the pool",
            float(figures.teams),
            f"{figures.teams}",
            good=(thresholds[GOOD_TEAMS.name].value, max(20.0, figures.teams)),
            scale=(0.0, max(20.0, float(figures.teams))),
        ),
    )


def _list_acts(figures: CollectionFigures, state: VerdictState) -> tuple[Act, ...]:
    acts = []
    if figures.list_crossings() or state is not VerdictState.GOOD:
        acts.append(Act("Simulate a deeper pool", "simulation"))
    acts.append(Act("Look at the qrels versions", "qrels-list"))
    return tuple(acts)


COLLECTION_RULE = VerdictRule(
    COLLECTION,
    "Who can use these qrels, for which measures?",
    (MOST_PLACES, LEAST_JUDGED, LEAST_LEFT_OUT, LEAST_TEAMS, GOOD_TEAMS),
    judge_collection,
)
