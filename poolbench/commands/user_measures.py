"""User-oriented measures for a user who knows some documents, from files."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.notes import reject_runs_without_topics
from poolbench.commands.options import explain_value_errors
from poolbench.commands.run_lists import add_run_files
from poolbench.evaluation.formats import FORMATS
from poolbench.evaluation.name_files import read_known_documents
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.users.measures import score_for_user
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run


class UserMeasuresCommand(FileCommand):
    help = "Compute coverage ratio, novelty ratio, relative recall and recall effort."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add_run_files(parser, "runs: topic Q0 docno rank score tag")
        add(
            "--known",
            metavar="FILE",
            required=True,
            help="documents that the user knows: topic docno",
        )
        add(
            "--expected",
            metavar="N",
            type=int,
            help="relevant documents per topic that the user expects "
            "(default: the known relevant ones)",
        )
        add("-q", dest="by_topic", action="store_true", help="also print per-topic values")
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default: 1)")
        add("-M", dest="depth", metavar="N", type=int, help="cut each ranking at N documents")
        add("--format", choices=tuple(FORMATS), default="trec_eval")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        qrels = reader.read(options["qrels"], read_qrels)
        known = reader.read(options["known"], read_known_documents)
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        if qrels is not None:
            reject_runs_without_topics(reader, runs, qrels.topics)
        qrels, known = reader.accept(qrels), reader.accept(known)
        with explain_value_errors():
            scoring = ScoringOptions(level=options["level"], max_per_topic=options["depth"])
            scores = [
                score_for_user(run, qrels, known, options["expected"], scoring)
                for run in runs.values()
            ]
        for path, scored in zip(runs, scores, strict=True):
            for name, reason in scored.reasons.items():
                out.note(f"{path}: {name}: {reason}")
        out.write(FORMATS[options["format"]](scores, by_topic=options["by_topic"]))
