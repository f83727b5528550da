"""The blocks of docs/comparison.md: cards, and examples that are computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from campaigns.core.cards import render_card_markdown
from common.statistics.draws import ResamplingOptions
from evaluation.core.comparison.compare import compare_all
from evaluation.core.comparison.corrections import MultipleTestCorrection
from evaluation.core.comparison.discriminative import CARD, discriminative_power
from evaluation.core.comparison.effect import EffectSize
from evaluation.core.comparison.family import FamilyTest
from evaluation.core.comparison.interval import IntervalMethod
from evaluation.core.comparison.letters import LETTER_GROUPS, assign_letters
from evaluation.core.comparison.paired_tests import TEN_QUERIES, PairedTest, PairExample
from evaluation.core.comparison.rank_correlation import RankCorrelation
from evaluation.core.comparison.rank_drop import find_largest_drop
from evaluation.core.comparison.rbo import rbo
from evaluation.core.comparison.registry import (
    CORRECTIONS,
    CORRELATIONS,
    EFFECTS,
    FAMILY_TESTS,
    INTERVALS,
    TESTS,
)

RUNS = (
    (0.62, 0.71, 0.55, 0.80, 0.66, 0.73),
    (0.58, 0.69, 0.50, 0.74, 0.60, 0.70),
    (0.40, 0.55, 0.38, 0.52, 0.47, 0.41),
    (0.41, 0.53, 0.42, 0.55, 0.44, 0.45),
)


def _test(test: PairedTest) -> str:
    lines = [render_card_markdown(test.card)]
    for example in test.examples:
        first, second = np.array(example.first), np.array(example.second)
        result = test.of_pair(first, second, ResamplingOptions())
        values = f"statistic {_number(result.statistic)}, p = {_number(result.p_value)}"
        lines.append(f"Example ({example.working}): {values}; {result.note}{_data(example)}\n")
    return "\n".join(lines)


def _data(example: PairExample) -> str:
    rows = example.first, example.second
    return "." if rows == TEN_QUERIES else f", for\n\n{_rows(rows)}"


def _family(test: FamilyTest) -> str:
    lines = [render_card_markdown(test.card)]
    for example in test.examples:
        result = test.of_runs(np.array(example.values), 0.05, ResamplingOptions())
        p_values = ", ".join(map(_number, result.p_value.tolist()))
        text = f"Example ({example.working}): p = {p_values} for pairs 1–2, 1–3, 2–3; critical "
        text += f"difference {_number(result.critical)} at α = 0.05; {result.note}, for"
        lines.append(f"{text}\n\n{_rows(example.values)}")
    return "\n".join(lines)


def _correction(correction: MultipleTestCorrection) -> str:
    lines = [render_card_markdown(correction.card)]
    for p_values, _, title in correction.examples:
        adjusted = correction.adjust(np.array(p_values)).tolist()
        lines.append(f"Example ({title}):\n\n{_rows((p_values, adjusted))}")
    return "\n".join(lines)


def _effect(effect: EffectSize) -> str:
    value = effect.of_pair(*map(np.array, TEN_QUERIES)).value
    return f"{render_card_markdown(effect.card)}\nExample ({effect.working}): {_number(value)}.\n"


def _interval(method: IntervalMethod) -> str:
    first, second = map(np.array, TEN_QUERIES)
    interval = method.of_mean(first - second)
    bounds = f"{_number(interval.low)} to {_number(interval.high)}"
    return f"{render_card_markdown(method.card)}\nExample ({method.working}): {bounds} at 95 %.\n"


def _correlation(correlation: RankCorrelation) -> str:
    lines = [render_card_markdown(correlation.card)]
    for example in correlation.examples:
        result = correlation.of_scores(np.array(example.first), np.array(example.second))
        rows = _rows((example.first, example.second))
        lines.append(f"Example ({example.working}): {_number(result.value)} for\n\n{rows}")
    return "\n".join(lines)


def _drop() -> str:
    before = {"A": 0.4, "B": 0.3, "C": 0.2, "D": 0.1}
    fallen = find_largest_drop(before, before | {"B": 0.05})
    drop = f"{fallen.tag}'s, from rank {fallen.before} to {fallen.after}" if fallen else "none"
    return (
        "Example: with scores 0.4 0.3 0.2 0.1 of A, B, C, D before and 0.4 0.05 0.2 0.1 after, "
        f"the largest drop is {drop}.\n"
    )


def _prefixes() -> str:
    overlap = rbo([[item] for item in "abcdefg"], [[item] for item in "zcavwxy"], 0.9)
    return (
        "Example of rankings known to depth 7 only, `a b c d e f g` and "
        "`z c a v w x y` with p = 0.9 (Webber, Moffat and Zobel's lists; worked by hand): "
        f"RBO_ext {_number(overlap.ext)}, RBO_min {_number(overlap.min)}, residual "
        f"{_number(overlap.residual)}.\n"
    )


def _power() -> str:
    compared = compare_all(np.array(RUNS), "ABCD", test="randomised-tukey-hsd")
    power = discriminative_power(compared)
    curve = ", ".join(map(_number, power.curve))
    return (
        f"Example, randomized Tukey's HSD of four runs: {power.different} of {power.pairs} pairs "
        f"differ significantly, {_number(power.share)}; curve {curve}; difference needed "
        f"{_number(power.needed)}; for\n\n{_rows(RUNS)}"
    )


def render_letters() -> str:
    """The card of letter groups, with the example of four runs."""
    compared = compare_all(np.array(RUNS), "ABCD", test="randomised-tukey-hsd")
    groups = assign_letters(compared, "ABDC")
    listed = ", ".join(f"{tag} {letters}" for tag, letters in groups.letters.items())
    pairs = ", ".join(f"{row.first}–{row.second}" for row in compared.different)
    return (
        f"{render_card_markdown(LETTER_GROUPS)}\nComputed for four runs by randomized Tukey's HSD, "
        f"where {pairs} differ significantly, in the order of means: {listed}; for\n\n"
        f"{_rows(RUNS)}"
    )


def _rows(rows: Iterable[Sequence[float]]) -> str:
    return "".join(f"    {' '.join(map(_plain, row))}\n" for row in rows)


def _plain(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _number(value: float | None) -> str:
    return "null" if value is None else f"{value:.4f}"


BLOCKS: dict[str, Callable[[], str]] = {
    "comparison.queries": lambda: _rows(TEN_QUERIES),
    "comparison.tests": lambda: "\n".join(map(_test, TESTS.values())),
    "comparison.tests-of-all-pairs": lambda: "\n".join(map(_family, FAMILY_TESTS.values())),
    "comparison.corrections": lambda: "\n".join(map(_correction, CORRECTIONS.values())),
    "comparison.effect-sizes": lambda: "\n".join(map(_effect, EFFECTS.values())),
    "comparison.intervals": lambda: "\n".join(map(_interval, INTERVALS.values())),
    "comparison.largest-drop": _drop,
    "comparison.correlations": lambda: "\n".join(map(_correlation, CORRELATIONS.values())),
    "comparison.prefixes": _prefixes,
    "comparison.power": lambda: f"{render_card_markdown(CARD)}\n{_power()}",
}
