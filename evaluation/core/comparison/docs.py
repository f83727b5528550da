"""docs/comparison.md, made from the cards: ``python -m evaluation.core.comparison.docs``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import numpy as np

from campaigns.core.cards import render_card_markdown
from common.statistics.draws import ResamplingOptions
from evaluation.core.comparison.compare import compare_all
from evaluation.core.comparison.corrections import MultipleTestCorrection
from evaluation.core.comparison.discriminative import CARD, discriminative_power
from evaluation.core.comparison.effect import EffectSize
from evaluation.core.comparison.family import FamilyTest
from evaluation.core.comparison.interval import IntervalMethod
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

HEAD = """# Comparing runs: significance and effect size

How to compare runs over the same topics: tests, corrections for multiple comparisons, effect
sizes, confidence intervals and rank correlations. In short: read the mean difference with its
confidence interval first, the effect size next, p last. If nothing else is known, use `t` with
`holm` for a few pairs, and `randomised-tukey-hsd` for all pairs of a campaign.

| test | compares | assumes | with 10 topics | with thousands |
|---|---|---|---|---|
| `t` | means | a mean over so many topics is nearly normal | good, unless one topic dominates | \
good |
| `randomisation` | means | equal runs' values could be swapped within topics | good, and exact \
| good |
| `bootstrap` | means | topics are a sample of the topics of interest | too few to resample | \
good |
| `wilcoxon` | ranks of differences | differences are symmetric | good | rejects too often |
| `sign` | wins and losses | nothing more | low power | detects the slightest preference |
| `tukey-hsd` | all means | normal residuals of one variance | good | good |
| `randomised-tukey-hsd` | all means | equal runs' values could be permuted within topics | good \
| good |

All of them assume independent topics: ten paraphrases of one topic are one topic.

## Preregistered and exploratory tests

A campaign fixes its measure, its test, its correction and its α before the first scores. What that
one test says about a pair of runs is the result. All other tests on this page are
**exploratory**: they may show why two runs differ, or that the result depends on the choice of
test, but they are not the result, however small their p. Trying five tests and reporting the best
gives far more false positives than α says.

## Interpreting a test

Two runs are compared on the same topics, so every test uses the differences per topic, first run
minus second. p is the probability of a difference at least as large, in either direction, if the
two runs were equally good in the sense of the test. It is not the probability that they are
equally good, and not the size of the difference: with thousands of topics a difference that no
user would notice is significant.

## Multiple comparisons

Of 8,256 pairs of 129 equal runs 413 are expected at p ≤ 0.05. A correction limits this, or Tukey's
HSD, which needs none; the page of results shows p as it is and adjusted. A resampling test cannot
give p below 1 / (m + 1), m the number of resamples, and `wilcoxon`, `sign` and the exact
`randomisation` none below 2 / 2ⁿ: multiplied by 8,256 that can exceed α for any runs. Where it
does, the result carries a warning.

## Missing topics and undefined values

- A topic on which a run's value is undefined is left out of every pair with that run; Tukey's HSD
  leaves it out for all runs. Their number is reported.
- A difference of less than 10⁻¹² of the values is floating-point noise and counts as 0.
- Undefined values are null with a reason, never 0 or 1. If all differences are 0 the result is
  defined: p is 1.
- All random numbers start from a seed: the same seed, values and number of resamples give the same
  result.

`manage.py compare_runs QRELS RUN RUN... -m MEASURE` compares run files; see
[commands](commands.md). In Python:
`from evaluation.core.comparison.compare import compare_all, compare_pair`.

The examples below use, where they can, the effectiveness of two algorithms for ten queries from
Croft, Metzler and Strohman, Search Engines: Information Retrieval in Practice, table 8.6:

"""

FAMILY_HEAD = "## Tests of all pairs at once\n"
CORRECTION_HEAD = "## Multiple-comparison corrections\n"
EFFECT_HEAD = "## Effect sizes\n\nFirst run minus second; above 0 the first run is better.\n"
INTERVAL_HEAD = """## Confidence intervals

For the mean over topics of one run, or for the mean difference of two.
"""
CORRELATION_HEAD = """## Rankings of runs

How similar two rankings of the same runs are: by two measures, by two qrels, before and after
judgments were added. A high coefficient can hide that one run fell far, so the largest drop, the
run that loses most ranks, is shown beside it with its name. Runs whose scores differ by less than
10⁻⁹ of the highest score are tied.
"""
POWER_HEAD = "## Discriminative power\n"
NOTE = """---

Generated from the cards in `evaluation/core/comparison/`
(`python -m evaluation.core.comparison.docs > docs/comparison.md`); a test compares the two, and
every example is computed when the page is generated. Terms: [glossary](glossary.md).
"""

RUNS = (
    (0.62, 0.71, 0.55, 0.80, 0.66, 0.73),
    (0.58, 0.69, 0.50, 0.74, 0.60, 0.70),
    (0.40, 0.55, 0.38, 0.52, 0.47, 0.41),
    (0.41, 0.53, 0.42, 0.55, 0.44, 0.45),
)


def render_comparison_docs() -> str:
    """The whole page as Markdown."""
    parts = [HEAD + _rows(TEN_QUERIES), "## Tests of two runs\n", *map(_test, TESTS.values())]
    parts += [FAMILY_HEAD, *map(_family, FAMILY_TESTS.values())]
    parts += [CORRECTION_HEAD, *map(_correction, CORRECTIONS.values())]
    parts += [EFFECT_HEAD, *map(_effect, EFFECTS.values())]
    parts += [INTERVAL_HEAD, *map(_interval, INTERVALS.values())]
    parts += [CORRELATION_HEAD, _drop(), *map(_correlation, CORRELATIONS.values())]
    parts += [_prefixes(), POWER_HEAD, render_card_markdown(CARD), _power(), NOTE]
    return "\n".join(parts)


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


def _rows(rows: Iterable[Sequence[float]]) -> str:
    return "".join(f"    {' '.join(map(_plain, row))}\n" for row in rows)


def _plain(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _number(value: float | None) -> str:
    return "null" if value is None else f"{value:.4f}"


if __name__ == "__main__":
    sys.stdout.write(render_comparison_docs())
