"""User-oriented measures for a user who knows some documents, from files."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.management.files import FileReader
from evaluation.core.formats import FORMATS
from evaluation.core.options import ScoringOptions
from evaluation.core.users.known_documents import read_known_documents
from evaluation.core.users.measures import score_for_user
from evaluation.management.cli_output import reject_runs_without_topics


class Command(BaseCommand):
    help = "Compute coverage ratio, novelty ratio, relative recall and recall effort."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
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

    def handle(self, **options: Any) -> None:
        reader = FileReader(self)
        qrels = reader.read(options["qrels"], read_qrels)
        known = reader.read(options["known"], read_known_documents)
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        if qrels is not None:
            reject_runs_without_topics(reader, runs, qrels.topics)
        reader.raise_if_rejected("no output written")
        if qrels is None or known is None:
            return
        try:
            scoring = ScoringOptions(level=options["level"], max_per_topic=options["depth"])
            scores = [
                score_for_user(run, qrels, known, options["expected"], scoring)
                for run in runs.values()
            ]
        except ValueError as error:
            raise CommandError(f"{str(error).capitalize()}.") from error
        for path, scored in zip(runs, scores, strict=True):
            for name, reason in scored.reasons.items():
                self.stderr.write(f"{path}: {name}: {reason}")
        self.stdout.write(
            FORMATS[options["format"]](scores, by_topic=options["by_topic"]), ending=""
        )
