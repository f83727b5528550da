"""The cards of every registry, with computed examples, as blocks of docs/*.md."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from poolbench.cards import Card, card_anchor, heading_anchor, render_card_markdown, render_cards
from poolbench.crowd.hourly_pay import PAY
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.crowd.quality.workers import CARDS as CROWD_QUALITY_CARDS
from poolbench.crowd.quality.workers import PAY_CARDS
from poolbench.evaluation.charts.runs import CATERPILLAR
from poolbench.evaluation.charts.topics import BOX_PLOT, PRECISION_HISTOGRAM
from poolbench.evaluation.comparison.compare import compare_all
from poolbench.evaluation.comparison.corrections import MultipleTestCorrection
from poolbench.evaluation.comparison.discriminative import CARD as POWER
from poolbench.evaluation.comparison.discriminative import discriminative_power
from poolbench.evaluation.comparison.effect import EffectSize
from poolbench.evaluation.comparison.family import FamilyTest
from poolbench.evaluation.comparison.interval import IntervalMethod
from poolbench.evaluation.comparison.marks import LETTER_GROUPS, assign_letters
from poolbench.evaluation.comparison.paired_tests import TEN_QUERIES, PairedTest
from poolbench.evaluation.comparison.rank_correlation import RankCorrelation
from poolbench.evaluation.comparison.rank_drop import find_largest_drop
from poolbench.evaluation.comparison.rbo import rbo
from poolbench.evaluation.comparison.registry import (
    CORRECTIONS,
    CORRELATIONS,
    EFFECTS,
    FAMILY_TESTS,
    INTERVALS,
    TESTS,
)
from poolbench.evaluation.measures.family import GROUPS, RANKED, MeasureFamily, WorkedExample
from poolbench.evaluation.measures.lookup import (
    accepted_spellings,
    default_measures,
    families_by_group,
)
from poolbench.evaluation.measures.modifiers import MODIFIERS
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from poolbench.evaluation.profiles import PROFILES
from poolbench.evaluation.users.measures import USER_MEASURES
from poolbench.evaluation.worked_examples import work_card_example
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.agreement.coefficient import AgreementCoefficient
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.variation import INTRACLASS, WITH_OTHERS
from poolbench.judging.designs.registry import DESIGNS
from poolbench.judging.policies import FORMS
from poolbench.judging.policy_rules import RULES
from poolbench.judging.quality.report import CARDS as QUALITY_CARDS
from poolbench.pooling.registry import list_methods_by_kind
from poolbench.preferences.click_log import PREFERENCES
from poolbench.preferences.interleaved_runs import OUTCOME
from poolbench.preferences.interleaving import METHODS as INTERLEAVING_METHODS
from poolbench.preferences.pair_designs import PAIR_DESIGN
from poolbench.preferences.preference_score import KEPT_SHARE
from poolbench.preferences.strengths import BRADLEY_TERRY, CYCLES
from poolbench.reliability.collection.report_tables import CARDS as COLLECTION_CARDS
from poolbench.reliability.disagreement.cards import CARDS as DISAGREEMENT_CARDS
from poolbench.reliability.stopping.panel import CARDS as STOPPING_CARDS
from poolbench.statistics.draws import ResamplingOptions

RUNS = (
    (0.62, 0.71, 0.55, 0.80, 0.66, 0.73),
    (0.58, 0.69, 0.50, 0.74, 0.60, 0.70),
    (0.40, 0.55, 0.38, 0.52, 0.47, 0.41),
    (0.41, 0.53, 0.42, 0.55, 0.44, 0.45),
)
ABOUT = {group.title: group.about for group in GROUPS.values()}


def render_registry(registry: Mapping[str, Any], work: Callable[[Any], Iterable[str]]) -> str:
    """The card of each entry, and below it the examples that ``work`` computes."""
    return "\n".join(_section(entry.card, work(entry)) for entry in registry.values())


def _section(card: Card, below: Iterable[str]) -> str:
    return "\n".join([render_card_markdown(card), *below])


def _coefficient(coefficient: AgreementCoefficient) -> Iterator[str]:
    for rows, value in coefficient.examples:
        lines = [" ".join("·" if grade is None else str(grade) for grade in row) for row in rows]
        table = "\n".join(f"    {line}" for line in lines)
        yield f"Example, one line per assessor and one column per pair: {value:.4f} for\n\n{table}"
    yield ""


def _test(test: PairedTest) -> Iterator[str]:
    for example in test.examples:
        rows = example.first, example.second
        result = test.of_pair(np.array(rows[0]), np.array(rows[1]), ResamplingOptions())
        values = f"statistic {_number(result.statistic)}, p = {_number(result.p_value)}"
        data = "." if rows == TEN_QUERIES else f", for\n\n{_write_rows(rows)}"
        yield f"Example ({example.working}): {values}; {result.note}{data}\n"


def _family_test(test: FamilyTest) -> Iterator[str]:
    for example in test.examples:
        result = test.of_runs(np.array(example.values), 0.05, ResamplingOptions())
        p_values = ", ".join(map(_number, result.p_value.tolist()))
        text = f"Example ({example.working}): p = {p_values} for pairs 1–2, 1–3, 2–3; critical "
        text += f"difference {_number(result.critical)} at α = 0.05; {result.note}, for"
        yield f"{text}\n\n{_write_rows(example.values)}"


def _correction(correction: MultipleTestCorrection) -> Iterator[str]:
    for p_values, _, title in correction.examples:
        adjusted = correction.adjust(np.array(p_values)).tolist()
        yield f"Example ({title}):\n\n{_write_rows((p_values, adjusted))}"


def _effect(effect: EffectSize) -> Iterator[str]:
    value = effect.of_pair(*map(np.array, TEN_QUERIES)).value
    yield f"Example ({effect.working}): {_number(value)}.\n"


def _interval(method: IntervalMethod) -> Iterator[str]:
    first, second = map(np.array, TEN_QUERIES)
    interval = method.of_mean(first - second)
    bounds = f"{_number(interval.low)} to {_number(interval.high)}"
    yield f"Example ({method.working}): {bounds} at 95 %.\n"


def _correlation(correlation: RankCorrelation) -> Iterator[str]:
    for example in correlation.examples:
        rows = example.first, example.second
        value = correlation.of_scores(np.array(rows[0]), np.array(rows[1])).value
        yield f"Example ({example.working}): {_number(value)} for\n\n{_write_rows(rows)}"


def _drop() -> str:
    before, after = np.array([[0.4, 0.3, 0.2, 0.1], [0.4, 0.05, 0.2, 0.1]])
    fallen = find_largest_drop("ABCD", before, after)
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
        f"{_number(power.needed)}; for\n\n{_write_rows(RUNS)}"
    )


def _letters() -> str:
    compared = compare_all(np.array(RUNS), "ABCD", test="randomised-tukey-hsd")
    groups = assign_letters(compared, "ABDC")
    listed = ", ".join(f"{tag} {letters}" for tag, letters in groups.letters.items())
    pairs = ", ".join(f"{row.first}–{row.second}" for row in compared.different)
    return (
        f"Computed for four runs by randomized Tukey's HSD, "
        f"where {pairs} differ significantly, in the order of means: {listed}; for\n\n"
        f"{_write_rows(RUNS)}"
    )


def _write_rows(rows: Iterable[Sequence[float]]) -> str:
    return "".join(f"    {' '.join(map(_plain, row))}\n" for row in rows)


def _plain(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _number(value: float | None) -> str:
    return "null" if value is None else f"{value:.4f}"


def _contents() -> Iterator[str]:
    yield "| family | what it measures | measures |\n|---|---|---|"
    for title, families in families_by_group(FAMILIES).items():
        links = ", ".join(f"[`{family.name}`](#{card_anchor(family.card)})" for family in families)
        yield f"| [{title}](#{heading_anchor(title)}) | {ABOUT[title].rstrip('.')} | {links} |"


def _modifiers() -> Iterator[str]:
    for modifier in MODIFIERS.values():
        known = modifier.parameter
        choices = f" One of {_codes(known.choices)}; default `{known.default}`."
        yield f"- `{known.name}`: {known.meaning}{choices if known.choices else ''}"


def _sets() -> Iterator[str]:
    yield f"- `default`, computed without `-m`: {_codes(DEFAULT_NAMES)}"
    for name, names in SETS.items():
        if name != "default":
            yield f"- `{name}`: {_codes(names(PROFILES['poolbench-1']))}"


def _families() -> Iterator[str]:
    for title, families in families_by_group(FAMILIES).items():
        yield f"## {title}\n\n{ABOUT[title]}\n"
        yield from (_section(family.card, _facts(family)) for family in families)


def _facts(family: MeasureFamily) -> Iterator[str]:
    yield f"Names: {_codes(accepted_spellings(family))}."
    if family.better == "neither":
        yield "Neither higher nor lower values are better, so no run is marked as best."
    if names := default_measures(family):
        yield f"`{family.name}` alone stands for {_codes(names)}."
    if family.modifiers != RANKED:
        yield f"Common parameters: {_codes(family.modifiers) or 'none'}."
    yield ""
    for example in family.examples:
        yield render_example(family, example) + "\n"
    yield ""


def render_example(family: MeasureFamily, example: WorkedExample) -> str:
    """An example with the value that the engine computes."""
    worked = work_card_example(family, example)
    marks = ["·" if step.grade is None else f"{step.grade}{step.stratum}" for step in worked.steps]
    letters = worked.strata[len(marks) :] or [""] * len(worked.missed)
    missed = [f"{grade}{letter}" for grade, letter in zip(worked.missed, letters, strict=True)]
    beside = f", judged and not retrieved `{' '.join(missed)}`" if missed else ""
    value = "null" if worked.value is None else _plain(worked.value)
    return (
        f"Example: ranking `{' '.join(marks)}`{beside}: "
        f"{worked.name} = {example.working} = {value}."
    )


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _methods() -> str:
    return "\n".join(
        f"### {title}\n\n{about}\n\n{render_cards(methods, level=4)}"
        for _, title, about, methods in list_methods_by_kind()
    )


CARDS: dict[str, tuple[Iterable[Card], int]] = {
    "aggregation.cards": ([model.card for model in MODELS.values()], 3),
    "agreement.quality": (QUALITY_CARDS.values(), 3),
    "agreement.variation": ((INTRACLASS, WITH_OTHERS), 3),
    "collection.cards": (COLLECTION_CARDS, 2),
    "crowd.hourly-pay": ((PAY,), 4),
    "crowd.pay": (PAY_CARDS, 3),
    "crowd.providers": ([provider.card for provider in PROVIDERS.values()], 4),
    "crowd.quality": (CROWD_QUALITY_CARDS, 3),
    "disagreement.cards": (DISAGREEMENT_CARDS, 2),
    **{f"judging.{name}": ((design.card,), 3) for name, design in DESIGNS.items()},
    "policies.cards": ([*(rule.card for rule in RULES.values()), *FORMS.values()], 2),
    "preferences.clicks": ((PREFERENCES,), 3),
    "preferences.cycles": ((CYCLES,), 3),
    "preferences.interleaving": (
        [*(method.card for method in INTERLEAVING_METHODS.values()), OUTCOME],
        3,
    ),
    "preferences.pair_design": ((PAIR_DESIGN,), 3),
    "preferences.score": ((KEPT_SHARE,), 3),
    "preferences.strengths": ((BRADLEY_TERRY,), 3),
    "results.box-plot": ((BOX_PLOT,), 3),
    "results.caterpillar": ((CATERPILLAR,), 3),
    "results.histogram": ((PRECISION_HISTOGRAM,), 3),
    "stopping.cards": (STOPPING_CARDS, 2),
    "users.known-documents": (USER_MEASURES, 3),
}
"""Blocks that are cards and nothing else, and the level of their headings."""
WORKED: dict[str, tuple[Mapping[str, Any], Callable[[Any], Iterable[str]]]] = {
    "agreement.coefficients": (COEFFICIENTS, _coefficient),
    "comparison.corrections": (CORRECTIONS, _correction),
    "comparison.correlations": (CORRELATIONS, _correlation),
    "comparison.effect-sizes": (EFFECTS, _effect),
    "comparison.intervals": (INTERVALS, _interval),
    "comparison.tests": (TESTS, _test),
    "comparison.tests-of-all-pairs": (FAMILY_TESTS, _family_test),
}
"""Registries whose cards stand with examples that are computed here."""
LINES: dict[str, Callable[[], Iterable[str]]] = {
    "comparison.largest-drop": lambda: [_drop()],
    "comparison.power": lambda: [_section(POWER, [_power()])],
    "comparison.prefixes": lambda: [_prefixes()],
    "comparison.queries": lambda: [_write_rows(TEN_QUERIES)],
    "measures.contents": _contents,
    "measures.families": _families,
    "measures.modifiers": _modifiers,
    "measures.profiles": lambda: [f"- `{p.name}`: {p.meaning}" for p in PROFILES.values()],
    "measures.sets": _sets,
    "pooling.methods": lambda: [_methods()],
    "results.letters": lambda: [_section(LETTER_GROUPS, [_letters()])],
}
BLOCKS: dict[str, Callable[[], str]] = {
    **{name: partial(render_cards, cards, level=level) for name, (cards, level) in CARDS.items()},
    **{name: partial(render_registry, *entry) for name, entry in WORKED.items()},
    **{name: lambda work=work: "\n".join(work()) for name, work in LINES.items()},  # type: ignore[misc]
}
