"""Aggregated labels for the writers of ``poolbench.reports``.

Numbers are rounded to ``DIGITS``: the last bits of a fit may differ between processors, and a file
that is kept with qrels must be the same everywhere.
"""

from typing import Any

from poolbench.judging.aggregation.base import UNDECIDED, AggregatedLabels
from poolbench.judging.aggregation.registry import MODELS
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats

DIGITS = 4
PAIR_COLUMNS = ("topic", "docno", "grade", "tie", "labels", "entropy")
WORKER_COLUMNS = ("worker", "labels", "accuracy", "quality")
RECORDS = ("pairs", "workers")
"""What CSV may have a line for each of."""


def build_aggregation_report(
    aggregated: AggregatedLabels, rows: int | None = None, record: str = "pairs"
) -> Report:
    """The grades with their uncertainty, and the workers. Tables for people have at most ``rows``
    pairs and workers each, CSV has all ``record``.
    """
    model = MODELS[aggregated.model]
    grades = make_columns(*(f"p_{grade}" for grade in aggregated.matrix.scale), show=format_rounded)
    columns = (
        *make_columns("topic", "docno", left=True),
        Column("grade", undefined="undecided"),
        Column("tie"),
        Column("labels"),
        Column("entropy", format=format_rounded),
        *grades,
    )
    quality = Column("quality", model.quality or "quality", format=format_rounded)
    accuracy = Column("accuracy", format=format_rounded)
    workers = (Column("worker", left=True), Column("labels"), accuracy, quality)
    pair_table = Table("pairs", columns, list_pair_rows(aggregated)[:rows])
    visible = len(workers) if model.quality else len(workers) - 1
    worker_rows = [row[:visible] for row in list_worker_rows(aggregated)[:rows]]
    worker_table = Table("workers", workers[:visible], worker_rows)
    tables = {
        "pairs": Table("aggregated labels", columns, list_pair_rows(aggregated)),
        "workers": Table("workers", workers, list_worker_rows(aggregated)),
    }
    return Report(
        title=f"Aggregation: {model.card.title}",
        sections=(
            Section("Pairs", (pair_table,), (describe_fit(aggregated),), titled=True),
            Section("Workers", (worker_table,), titled=True),
        ),
        conditions=describe_aggregation(aggregated),
        record=tables[record],
        data=lambda: aggregated_labels_to_dict(aggregated),
    )


def list_pair_rows(aggregated: AggregatedLabels) -> list[tuple[Any, ...]]:
    """Topic, docno, grade, tie (0 or 1), labels, entropy and probabilities, by topic and docno."""
    grades = [None if grade == UNDECIDED else grade for grade in aggregated.grades.tolist()]
    rows = zip(
        aggregated.matrix.items,
        grades,
        aggregated.ties.tolist(),
        aggregated.matrix.labels_per_item.tolist(),
        aggregated.entropy.tolist(),
        aggregated.posterior.tolist(),
        strict=True,
    )
    return [
        (*pair, grade, int(tie), labels, round_number(bits), *map(round_number, posterior))
        for pair, grade, tie, labels, bits, posterior in rows
    ]


def list_worker_rows(aggregated: AggregatedLabels) -> list[tuple[Any, ...]]:
    """Worker, labels, accuracy and the model's own parameter, the most labels first."""
    matrix, quality = aggregated.matrix, aggregated.fit.quality
    own = [None] * len(matrix.workers) if quality is None else quality.tolist()
    rows = zip(
        matrix.workers,
        matrix.labels_per_worker.tolist(),
        aggregated.accuracy.tolist(),
        own,
        strict=True,
    )
    rounded = [
        (name, n, round_number(a), None if q is None else round_number(q)) for name, n, a, q in rows
    ]
    return sorted(rounded, key=lambda row: (-row[1], row[0]))


def describe_aggregation(aggregated: AggregatedLabels) -> dict[str, Any]:
    """What the grades were made of and how, as plain values."""
    matrix, fit, entropy = aggregated.matrix, aggregated.fit, aggregated.mean_entropy
    likelihood = fit.log_likelihood
    return {
        "model": aggregated.model,
        "options": MODELS[aggregated.model].describe_options(aggregated.options),
        "pairs": len(matrix.items),
        "workers": len(matrix.workers),
        "labels": len(matrix),
        "grades": list(matrix.scale),
        "iterations": fit.iterations,
        "converged": fit.converged,
        "log_likelihood": None if likelihood is None else round_number(likelihood),
        "mean_entropy": None if entropy is None else round_number(entropy),
        "ties": int(aggregated.ties.sum()),
        "overruled": int(aggregated.overruled.sum()),
    }


def describe_fit(aggregated: AggregatedLabels) -> str:
    """One line on the labels, the fit and its uncertainty."""
    facts = describe_aggregation(aggregated)
    line = "{labels} labels of {pairs} pairs by {workers} workers; ties: {ties}".format(**facts)
    if facts["overruled"]:
        line += f"; unanimous labels overruled: {facts['overruled']}"
    if facts["mean_entropy"] is not None:
        line += f"; mean entropy {facts['mean_entropy']:.{DIGITS}f} bits"
    if facts["iterations"]:
        end = "converged" if facts["converged"] else "not converged"
        line += f"; iterations: {facts['iterations']}, {end}"
    return line + "."


def aggregated_labels_to_dict(aggregated: AggregatedLabels) -> dict[str, Any]:
    """All of it as plain values."""
    scale = [str(grade) for grade in aggregated.matrix.scale]
    return {
        **describe_aggregation(aggregated),
        "by_pair": [
            {
                **dict(zip(PAIR_COLUMNS, row, strict=False)),
                "tie": bool(row[PAIR_COLUMNS.index("tie")]),
                "posterior": dict(zip(scale, row[len(PAIR_COLUMNS) :], strict=True)),
            }
            for row in list_pair_rows(aggregated)
        ],
        "by_worker": [
            dict(zip(WORKER_COLUMNS, row, strict=True)) for row in list_worker_rows(aggregated)
        ],
    }


def round_number(value: float) -> float:
    # Adding 0 makes 0 of -0.
    return round(value, DIGITS) + 0.0


def format_rounded(value: float) -> str:
    return f"{value:.{DIGITS}f}"


AGGREGATION_FORMATS = make_formats(build_aggregation_report)


def write_record_files(aggregated: AggregatedLabels) -> dict[str, bytes]:
    """The files kept with qrels, by their key in the manifest."""
    write = AGGREGATION_FORMATS["csv"]
    return {f"{name}_file": write(aggregated, record=name).encode() for name in RECORDS}
