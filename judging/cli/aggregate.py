"""Labels of many workers to one grade per pair, for files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, ClassVar

from campaigns.cli.command import CliError, FileCommand, Output
from campaigns.cli.files import FileReader
from campaigns.core.qrels import qrels_from_rows, read_qrels, write_qrels
from judging.cli.agreement import combine_judged_files, read_judged_file
from judging.cli.label_mappings import parse_mappings
from judging.core.aggregation.base import (
    TIE_RULES,
    UNDECIDED,
    AggregatedLabels,
    AggregationOptions,
    GoldCounts,
    LabelMatrix,
    MissingGoldError,
    aggregate_labels,
)
from judging.core.aggregation.formats import AGGREGATION_FORMATS, RECORDS
from judging.core.aggregation.inputs import build_matrix_from_labels, count_gold_from_matrix
from judging.core.aggregation.registry import MODELS
from judging.core.agreement.labels import graded_pairs
from judging.core.exchange.duplicates import RULES
from judging.core.exchange.label_tables import LabelOptions

QRELS = "qrels"
MOST_ROWS = 20


class AggregateCommand(FileCommand):
    how_many: ClassVar[str] = "+"
    help = "Aggregate the labels of many workers to one grade per pair, with its uncertainty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "files",
            metavar="FILE",
            nargs=self.how_many,
            help="tables with topic, document, worker and label: CSV, TSV, JSON Lines, doccano, "
            "Label Studio; or qrels, one file per worker (plain or gzip)",
        )
        self.add_campaign(parser)
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
            "--gold",
            metavar="QRELS",
            help="pairs with known grades, by which weighted-majority weighs the workers",
        )
        add(
            "--iterations",
            type=int,
            metavar="N",
            help="at most so many iterations (default: the model's)",
        )
        add("--seed", type=int, default=0, help="of random starts (default: %(default)s)")
        add_reading_options(parser)
        add_output_options(parser)

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        for name, least in (("rows", 0), ("seed", 0), ("iterations", 1)):
            if options[name] is not None and options[name] < least:
                raise CliError(f"--{name} must be at least {least}, not {options[name]}.")
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
            out.write(format_as_qrels(aggregated))
        else:
            write = AGGREGATION_FORMATS[options["format"]]
            out.write(write(aggregated, options["rows"] or None, options["records"]))

    def add_campaign(self, parser: ArgumentParser) -> None:
        """Define the option of a campaign, where there is a database of campaigns."""

    def read_labels(
        self, options: Mapping[str, Any], out: Output
    ) -> tuple[LabelMatrix, GoldCounts]:
        """The labels in the files, and how their workers answered the gold."""
        label_options = LabelOptions(parse_mappings(options["map"], "--map"), options["duplicates"])
        reader = FileReader(out)
        judged = reader.read_all(options["files"], read_judged_file, options=label_options)
        gold = reader.read(options["gold"], read_qrels) if options["gold"] else None
        reader.raise_if_rejected("no output written")
        matrix = build_matrix_from_labels(combine_judged_files(judged))
        return matrix, count_gold_from_matrix(matrix, graded_pairs(gold) if gold else {})


def add_reading_options(parser: ArgumentParser) -> None:
    """How labels in files become grades."""
    add = parser.add_argument
    add(
        "--map",
        action="append",
        default=[],
        metavar="LABEL=GRADE",
        help="map a label of a table to a grade; LABEL=- ignores it",
    )
    add(
        "--duplicates",
        choices=tuple(RULES),
        default="refuse",
        help="different labels by one worker for a pair (default: reject the file)",
    )


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


def format_as_qrels(aggregated: AggregatedLabels) -> str:
    """The decided pairs as four columns: topic, 0, docno, grade."""
    graded = zip(aggregated.matrix.items, aggregated.grades.tolist(), strict=True)
    rows = [(*pair, grade) for pair, grade in graded if grade != UNDECIDED]
    return write_qrels(qrels_from_rows(rows)).decode()
