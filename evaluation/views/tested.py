"""What the tests say of two runs: the campaign's one, and the others as exploratory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.core.comparison.compare import PairComparison, compare_pair
from evaluation.core.comparison.effect import EFFECTS
from evaluation.core.comparison.interval import INTERVALS
from evaluation.core.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS
from evaluation.queries.board import Board, Entry
from evaluation.queries.comparing import INTERVAL, fixed_choice, pairs_among, seed_of, values_of
from evaluation.views.cells import p_text, signed

RESAMPLES = 10_000


@dataclass(frozen=True)
class Told:
    """A line of a table: what it is called, what it says, and how it is to be read."""

    title: str
    value: str
    note: str
    reading: str


def significance(board: Board, a: Entry, b: Entry, name: str) -> dict[str, Any]:
    """The campaign's answer first; p is adjusted for all pairs of runs of the score set."""
    first, second = values_of(board, [a, b], name)
    seed, choice = seed_of(board), fixed_choice(board.score_set.campaign)
    compared = {
        test: compare_pair(first, second, test=test, seed=seed, resamples=RESAMPLES)
        for test in TESTS
    }
    usual = compared["t"]
    interval = usual.intervals[INTERVAL]
    found = pairs_among(board, [a, b], name, choice)
    row = found.rows[0] if found.rows else None
    return {
        "choice": choice,
        "fixed": (TESTS | FAMILY_TESTS)[choice.test].card,
        "corrected": CORRECTIONS[choice.correction].card,
        "verdict": row,
        "pairs_tested": found.corrected_over,
        "verdict_p": [p_text(row.p_value), p_text(row.adjusted)] if row else [],
        "interval": interval,
        "interval_text": None
        if interval.low is None or interval.high is None
        else f"{signed(interval.low)} to {signed(interval.high)}",
        "interval_card": INTERVALS[INTERVAL].card,
        "other_tests": [told(test, compared[test]) for test in TESTS if test != choice.test],
        "effects": effects(usual),
        "undefined_pairs": int(np.isnan(first - second).sum()),
    }


def told(test: str, compared: PairComparison) -> Told:
    card, outcome = TESTS[test].card, compared.outcome
    return Told(card.title, p_text(outcome.p_value), outcome.reason or outcome.note, card.reading)


def effects(compared: PairComparison) -> list[Told]:
    lines = []
    for name, estimate in compared.effects.items():
        card = EFFECTS[name].card
        value = "–" if estimate.value is None else signed(estimate.value)
        lines.append(Told(card.title, value, estimate.reason or "", card.reading))
    return lines
