"""Inter-assessor agreement for files of judgments."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

from poolbench.commands.command import CliError, InputCommand, Output
from poolbench.commands.files import FileReader, file_stem
from poolbench.commands.options import parse_mappings, require_least
from poolbench.files.faults import FaultReport, format_count
from poolbench.judging.agreement.formats import MOST_ROWS
from poolbench.judging.agreement.labels import (
    Key,
    LabelTable,
    build_labels,
    graded_pairs,
    labels_from_qrels,
)
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.exchange.duplicates import RULES, ImportedBallot
from poolbench.judging.exchange.import_resolution import ImportChoices
from poolbench.judging.exchange.label_tables import find_repeated_keys, is_header, read_label_table
from poolbench.judging.exchange.reader import FORMATS as JUDGMENT_FORMATS
from poolbench.judging.exchange.reader import detect_judgment_format
from poolbench.judging.quality.formats import FORMATS
from poolbench.judging.quality.report import JudgingRecord, quality_report, record_from_labels
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable
from poolbench.verdicts import Verdict

QRELS = JUDGMENT_FORMATS["qrels"].name
TOO_FEW = (
    "Specify the judgments of at least two assessors: one qrels file each, or a table with a "
    "column of assessors."
)
Judged = QrelsTable | list[ImportedBallot]
"""A qrels file of one assessor, or the judgments of a table by assessor."""


class AgreementCommand(InputCommand):
    help = (
        "Compute inter-assessor agreement for one qrels file per assessor, or for tables with many "
        "assessors."
    )

    def add_inputs(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files",
            metavar="FILE",
            nargs="+",
            help="qrels, one file per assessor; or tables with topic, document, assessor and "
            "label: CSV, TSV, JSON Lines, doccano, Label Studio (plain or gzip)",
        )
        add_label_rules(parser, "assessor")

    def add_options(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "-l",
            dest="level",
            type=int,
            help="lowest relevant grade (default: 1, or the campaign's)",
        )
        add(
            "--binary", action="store_true", help="first reduce grades to relevant and non-relevant"
        )
        add(
            "--with-third-judgments",
            action="store_true",
            help="count third judgments, which exist only where two assessors disagreed",
        )
        add(
            "--rows",
            type=int,
            default=MOST_ROWS,
            metavar="N",
            help="most assessors and most pairs of assessors to print; 0: all (default: "
            "%(default)s)",
        )
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        if options["level"] is not None and options["level"] < 1:
            raise CliError(
                f"The relevance level must be an integer of at least 1, not {options['level']}."
            )
        require_least(options, rows=0)
        record, level = self.read_record(options, out)
        level = options["level"] or level
        rows = options["rows"] or None
        report = agreement_report(record.people, level, binary=options["binary"])
        quality = quality_report(record, level)
        verdict = self.judge_campaign(options)
        out.write(FORMATS[options["format"]](report, quality, rows, verdict))

    def judge_campaign(self, options: Mapping[str, Any]) -> Verdict | None:  # noqa: ARG002
        """The verdict on agreement, which needs runs and so a campaign."""
        return None

    def read_record(self, options: Mapping[str, Any], out: Output) -> tuple[JudgingRecord, int]:
        """The judgments in the files, and the lowest relevant grade if none is given."""
        reader = FileReader(out)
        judged = read_labels(options, reader)
        reader.raise_if_rejected()
        labels = combine_judged_files(judged)
        if not options["with_third_judgments"]:
            labels = labels.without_third()
        if len(labels.assessors) < 2:
            raise CliError(TOO_FEW)
        return record_from_labels(labels), 1


def add_label_rules(parser: ArgumentParser, person: str) -> None:
    """How the labels of tables become grades, one by each ``person``."""
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="LABEL=GRADE",
        help="map a label of a table to a grade; LABEL=- ignores it",
    )
    parser.add_argument(
        "--duplicates",
        choices=tuple(RULES),
        default="refuse",
        help=f"different labels by one {person} for a pair (default: reject the file)",
    )


def read_labels(options: Mapping[str, Any], reader: FileReader) -> dict[str, Judged]:
    """The judgments of each file, by its path."""
    rules = ImportChoices(
        labels=parse_mappings(options["map"], "--map"), duplicates=options["duplicates"]
    )
    return reader.read_all(options["files"], read_judged_file, options=rules)


def read_judged_file(
    data: bytes, *, file: str, report: FaultReport, options: ImportChoices
) -> Judged:
    """Qrels of one assessor, or a table of several."""
    text = data.decode("utf-8", "replace")
    first = text.lstrip().partition("\n")[0]
    if detect_judgment_format(text) == QRELS and not is_header(first):
        return read_qrels(data, file=file, report=report)
    own = file_stem(file)
    return read_label_table(data, file=file, report=report, options=options, assessor=own)


def combine_judged_files(judged: Mapping[str, Judged]) -> LabelTable:
    """The judgments of all files; raises ``CliError`` if two share an assessor and a pair."""
    qrels = {path: table for path, table in judged.items() if isinstance(table, QrelsTable)}
    tables = {path: rows for path, rows in judged.items() if not isinstance(rows, QrelsTable)}
    names = [file_stem(path) for path in qrels]
    others = {ballot.assessor for rows in tables.values() for ballot in rows}
    if again := sorted({name for name in names if names.count(name) > 1 or name in others}):
        raise CliError(f"Duplicate assessor names: {', '.join(again)}. Rename a file.")
    if not tables:
        return labels_from_qrels({file_stem(path): table for path, table in qrels.items()})
    refuse_repeated_judgments(tables)
    grades: dict[Key, int] = {
        (file_stem(path), pair): grade
        for path, table in qrels.items()
        for pair, grade in graded_pairs(table).items()
    }
    ballots = [ballot for rows in tables.values() for ballot in rows]
    grades |= {(b.assessor, (b.entry.topic, b.entry.docno)): b.grade or 0 for b in ballots}
    third = {(b.assessor, (b.entry.topic, b.entry.docno)) for b in ballots if b.entry.third}
    return build_labels(grades, third=third)


def refuse_repeated_judgments(tables: Mapping[str, Sequence[ImportedBallot]]) -> None:
    """Raise ``CliError`` if two files have judgments of one pair by one assessor."""
    repeated = find_repeated_keys(tables)
    if repeated is not None:
        before, file, ballot, count = repeated
        raise CliError(
            f"{file}:{ballot.entry.line}: {ballot.assessor} judged {ballot.entry.excerpt} in "
            f"{before} too, and so {format_count(count, 'pair')}. Compare files with the same "
            "assessors one at a time, or rename the assessors of one."
        )
