"""Labels of many workers to one grade per pair, for files."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.agreement import add_label_rules, combine_judged_files, read_labels
from poolbench.commands.command import CliError, InputCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import require_least
from poolbench.judging.aggregation.base import (
    TIE_RULES,
    UNDECIDED,
    AggregationOptions,
    GoldCounts,
    LabelMatrix,
    MissingGoldError,
    aggregate_labels,
    build_matrix_from_labels,
    count_gold_from_matrix,
)
from poolbench.judging.aggregation.formats import AGGREGATION_FORMATS, RECORDS
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.agreement.labels import graded_pairs
from poolbench.runs.qrels import qrels_from_rows, read_qrels, write_qrels

QRELS = "qrels"
MOST_ROWS = 20


class AggregateCommand(InputCommand):
    help = "Aggregate the labels of many workers to one grade per pair, with its uncertainty."

    def add_inputs(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "files",
            metavar="FILE",
            nargs="+",
            help="tables with topic, document, worker and label: CSV, TSV, JSON Lines, doccano, "
            "Label Studio; or qrels, one file per worker (plain or gzip)",
        )
        add(
            "--gold",
            metavar="QRELS",
            help="pairs with known grades, by which weighted-majority weighs the workers",
        )
        add_label_rules(parser, "worker")

    def add_options(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--model",
            choices=tuple(MODELS),
            default="majority",
            help="how labels become a grade (default: %(default)s)",
        )
        add(
            "--ties",
            choices=TIE_RULES,
            default="lowest",
            help="the grade of equally probable ones (default: %(default)s)",
        )
        add(
            "--iterations",
            type=int,
            metavar="N",
            help="at most so many iterations (default: the model's)",
        )
        add("--seed", type=int, default=0, help="of random starts (default: %(default)s)")
        add_output_options(parser)

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        require_least(options, rows=0, seed=0, iterations=1)
        matrix, gold = self.read_labels(options, out)
        model = MODELS[options["model"]]
        wanted = AggregationOptions(
            options["ties"], gold, options["iterations"], seed=options["seed"]
        )
        try:
            aggregated = aggregate_labels(model, matrix, wanted)
        except MissingGoldError as error:
            raise CliError(f"{error} Name their grades by --gold QRELS.") from error
        if options["format"] == QRELS:
            graded = zip(aggregated.matrix.items, aggregated.grades.tolist(), strict=True)
            rows = [(*pair, grade) for pair, grade in graded if grade != UNDECIDED]
            out.write(write_qrels(qrels_from_rows(rows)).decode())
        else:
            write = AGGREGATION_FORMATS[options["format"]]
            out.write(write(aggregated, options["rows"] or None, options["records"]))

    def read_labels(
        self, options: Mapping[str, Any], out: Output
    ) -> tuple[LabelMatrix, GoldCounts]:
        """The labels in the files, and how their workers answered the gold."""
        reader = FileReader(out)
        judged = read_labels(options, reader)
        gold = reader.read(options["gold"], read_qrels) if options["gold"] else None
        reader.raise_if_rejected()
        matrix = build_matrix_from_labels(combine_judged_files(judged))
        return matrix, count_gold_from_matrix(matrix, graded_pairs(gold) if gold else {})


def add_output_options(parser: ArgumentParser) -> None:
    """What to write."""
    add = parser.add_argument
    add(
        "--rows",
        type=int,
        default=MOST_ROWS,
        metavar="N",
        help="most pairs and most workers in a table; 0: all (default: %(default)s)",
    )
    add(
        "--records",
        choices=RECORDS,
        default=RECORDS[0],
        help="what CSV has a line for each of (default: %(default)s)",
    )
    add(
        "--format",
        choices=(*AGGREGATION_FORMATS, QRELS),
        default="table",
        help="qrels: topic 0 docno grade, without undecided pairs",
    )
