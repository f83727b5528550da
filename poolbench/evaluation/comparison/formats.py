"""Comparisons as reports: run pairs by measure, two runs by topic, measures with each other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.discriminative import DiscriminativePower, discriminative_power
from poolbench.evaluation.comparison.interval import mean_to_dict
from poolbench.evaluation.comparison.marks import assign_letters, describe_test
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.reports.csv import merge_conditions
from poolbench.reports.report import UNDEFINED, Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import HINT, HINT_NOTE

Measured = dict[str, Comparisons]
"""Comparisons by measure name."""

Conditions = dict[str, dict[str, Any]]
"""Score provenance by run."""


def format_p_value(value: float | None) -> str:
    """Four decimals, small values in scientific notation, or null."""
    if value is None:
        return UNDEFINED
    return f"{value:.1e}" if 0 < abs(value) < 0.00005 else f"{value:.4f}"


def build_mean_column(measure: Measure) -> Column:
    """Of means over topics: named as in files, headed as in papers."""
    better = measure.family.better
    return Column(
        measure.name,
        format_measure_title(measure.name, over_topics=True),
        format_p_value,
        best="" if better == "neither" else better,
    )


COLUMNS = (
    *make_columns("first", "second", left=True),
    Column("n"),
    Column("difference", format=format_p_value),
    Column("effect", "d_z", format_p_value),
    *make_columns("wins", "losses", "ties"),
    Column("statistic", format=format_p_value),
    Column("p_value", "p", format_p_value),
    Column("adjusted", "adjusted p", format_p_value),
    Column("different", "", lambda different: "*" if different else ""),
)
"""Of a pair of runs; the names are those of ``PairRow``."""


def build_comparison_report(measured: Measured, scored: Conditions | None = None) -> Report:
    """By measure: settings, runs by descending mean, pairs, and reasons for undefined values.
    CSV has a line per measure and pair; tests and corrections are among the conditions.
    """
    return Report(
        title="Comparison of runs",
        sections=(build_measure_section(*item) for item in measured.items()),
        conditions={
            "measures": {name: compared.conditions() for name, compared in measured.items()},
            "scores": merge_conditions(list((scored or {}).items())),
        },
        record=Table(
            "comparisons",
            (*make_columns("measure"), *COLUMNS, *make_columns("note", "reason")),
            iter_pair_records(measured),
        ),
        data=lambda: {
            "scores": scored or {},
            "measures": {name: comparison_to_dict(compared) for name, compared in measured.items()},
        },
    )


def iter_pair_records(measured: Measured) -> Iterator[tuple[object, ...]]:
    for name, compared in measured.items():
        for row in compared.rows:
            values = (getattr(row, column.name) for column in COLUMNS[:-1])
            yield (name, *values, int(row.different), row.note, row.reason)


def build_measure_section(name: str, compared: Comparisons) -> Section:
    power = discriminative_power(compared)
    head = (
        f"{name}: {compared.test}, correction {compared.correction}, alpha "
        f"{compared.alpha:g}; {compared.topics} topics, {compared.left_out} not in all runs; "
        f"{power.different} of {power.pairs} pairs significant"
    )
    notes = (
        *list_interval_notes(compared.means),
        *([f"warning: {compared.warning}"] if compared.warning else []),
        *list_p_value_notes(compared.rows),
    )
    rows = ([getattr(row, column.name) for column in COLUMNS] for row in compared.rows)
    pairs = Table("pairs", COLUMNS, rows, "Pairs of runs", notes)
    return Section(name, (build_means_table(compared), pairs), (head,))


def build_means_table(compared: Comparisons) -> Table:
    """Each run's mean with its interval and letters, in descending order, undefined ones last."""
    runs = zip(compared.tags, compared.means, strict=True)
    ranked = sorted(runs, key=lambda run: (run[1].value is None, -(run[1].value or 0.0)))
    columns = (
        Column("run", left=True),
        Column("n"),
        Column("mean", format=format_p_value),
        Column("low", f"{1 - compared.alpha:.0%} low", format_p_value),
        Column("high", format=format_p_value),
        Column("hint", ""),
        Column("group", left=True),
    )
    letters = assign_letters(compared, [tag for tag, mean in ranked if mean.value is not None])
    rows = [
        (
            *(tag, mean.n, mean.value, mean.low, mean.high, HINT if mean.is_hint else ""),
            letters.letters.get(tag, ""),
        )
        for tag, mean in ranked
    ]
    caption = "Means of runs; runs with a letter in common do not differ significantly"
    return Table("runs", columns, rows, caption)


def list_p_value_notes(rows: Iterable[PairRow]) -> list[str]:
    """How p values were computed and why some are undefined, without duplicates."""
    reasons = (f"{r.first} ~ {r.second}: undefined, {r.reason}" for r in rows if r.reason)
    ways = (f"p: {row.note}" for row in rows if row.note)
    return list(dict.fromkeys([*ways, *reasons]))


def list_interval_notes(means: Iterable[Estimate]) -> list[str]:
    """Why means have no interval, and the note of those marked as a hint."""
    listed = list(means)
    missing = [f"interval: undefined, {m.why}." for m in listed if m.why]
    return list(dict.fromkeys([*missing, *(HINT_NOTE for m in listed if m.is_hint)]))


def comparison_to_dict(compared: Comparisons) -> dict[str, Any]:
    """One measure's comparisons as plain values; letters are by descending mean."""
    means = dict(zip(compared.tags, compared.means, strict=True))
    defined = [tag for tag, mean in means.items() if mean.value is not None]
    ranked = sorted(defined, key=lambda tag: -(means[tag].value or 0.0))
    letters = assign_letters(compared, ranked).letters
    return {
        "conditions": compared.conditions(),
        "runs": [
            {"run": tag, **mean_to_dict(mean), "group": letters.get(tag)}
            for tag, mean in means.items()
        ],
        "discriminative_power": asdict(discriminative_power(compared)),
        "pairs": [row._asdict() for row in compared.rows],
    }


FORMATS = make_formats(build_comparison_report)


class TopicPair(NamedTuple):
    """The values of two runs on a topic; the difference is None if one of them is."""

    topic: str
    title: str
    first: float | None
    second: float | None
    difference: float | None


def build_pair_report(
    runs: tuple[str, str],
    measure: tuple[str, str],
    pairs: Sequence[TopicPair],
    compared: Comparisons | None,
    conditions: Mapping[str, Any],
) -> Report:
    """``measure`` is its name in files and its title; ``compared`` has the one pair of runs."""
    name, title = measure
    first, second = runs
    columns = (
        *make_columns("topic", "title", left=True),
        Column("first", first, format_p_value),
        Column("second", second, format_p_value),
        Column("difference", format=format_p_value),
    )
    stated = {"measure": name, "first": first, "second": second, "scores": dict(conditions)}
    if compared is not None:
        stated["comparison"] = compared.conditions()
    notes = (describe_pair(title, compared),) if compared is not None else ()
    table = Table("topics", columns, pairs, f"{title} of {first} and {second} by topic", notes)
    return Report(
        title=f"{first} and {second}: {title} by topic",
        sections=[Section("By topic", (table,))],
        conditions=stated,
        record=table,
        data=lambda: {"conditions": stated, "topics": [pair._asdict() for pair in pairs]},
    )


def describe_pair(title: str, compared: Comparisons) -> str:
    """The outcome of the test in a sentence."""
    if not compared.rows:
        return ""
    (row,) = compared.rows
    if row.adjusted is None:
        return f"Difference in {title}: not tested, {row.reason}."
    word = "significant" if row.different else "not significant"
    return (
        f"Mean difference in {title}: {format_p_value(row.difference)}, {word}: adjusted p "
        f"{format_p_value(row.adjusted)} by {describe_test(compared)}."
    )


PAIR_FORMATS = make_formats(build_pair_report)


Correlations = Mapping[tuple[str, str], Estimate]


def build_measures_report(
    coefficient: str,
    names: Sequence[str],
    correlations: Correlations,
    powers: Sequence[tuple[str, DiscriminativePower]],
    conditions: Mapping[str, Any],
) -> Report:
    """The matrix of ``names`` by the coefficient of that title; CSV has a line per pair."""
    heads = (
        Column("measure", format=format_measure_title, left=True),
        *(Column(name, format_measure_title(name), format_p_value) for name in names),
    )
    cells = [
        (row, *(get_correlation(correlations, row, column) for column in names)) for row in names
    ]
    power = Table(
        "power",
        (
            Column("measure", format=format_measure_title, left=True),
            *make_columns("different", "pairs"),
            Column("share", format=format_p_value),
        ),
        [(name, one.different, one.pairs, one.share) for name, one in powers],
        "Discriminative power: share of run pairs that differ significantly",
    )
    matrix = Table("correlations", heads, cells, f"{coefficient} between the rankings of runs")
    return Report(
        title="Comparison of measures",
        sections=[
            Section("Rank correlations", (matrix,)),
            Section("Discriminative power", (power,)),
        ],
        conditions=dict(conditions),
        record=Table(
            "correlations",
            make_columns("first", "second", "value", "n", "reason"),
            iter_pairs(names, correlations),
        ),
        data=lambda: {
            "conditions": dict(conditions),
            "correlations": [
                dict(zip(("first", "second", "value", "n", "reason"), row, strict=True))
                for row in iter_pairs(names, correlations)
            ],
            "power": {name: asdict(one) for name, one in powers},
        },
    )


def get_correlation(correlations: Correlations, first: str, second: str) -> float | None:
    """1 of a measure with itself; of a pair in either order."""
    if first == second:
        return 1.0
    estimate = correlations.get((first, second)) or correlations[second, first]
    return estimate.value


def iter_pairs(names: Sequence[str], correlations: Correlations) -> Iterator[tuple[object, ...]]:
    for first in names:
        for second in names:
            if estimate := correlations.get((first, second)):
                yield first, second, estimate.value, estimate.n, estimate.why or ""


MEASURES_FORMATS = make_formats(build_measures_report)
