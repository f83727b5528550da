"""Score a run for a user who knows some of the documents, from files, without a database."""

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


class Command(BaseCommand):
    help = "Print coverage, novelty, relative recall and recall effort of runs."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
        add(
            "--known",
            metavar="FILE",
            required=True,
            help="the documents that the user knows: topic docno",
        )
        add(
            "--expected",
            metavar="N",
            type=int,
            help="relevant documents of a topic that the user expects to find "
            "(default: the relevant ones known)",
        )
        add("-q", dest="by_topic", action="store_true", help="print each topic's values too")
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("-M", dest="depth", metavar="N", type=int, help="cut each ranking at N documents")
        add("--format", choices=tuple(FORMATS), default="trec_eval")

    def handle(self, **given: Any) -> None:
        reader = FileReader(self)
        qrels = reader.read(given["qrels"], read_qrels)
        known = reader.read(given["known"], read_known_documents)
        runs = reader.read_all(given["runs"], read_run, lenient=True)
        reader.stop_if_refused("nothing was scored")
        if qrels is None or known is None:
            return
        try:
            options = ScoringOptions(level=given["level"], max_per_topic=given["depth"])
            scores = [
                score_for_user(run, qrels, known, given["expected"], options)
                for run in runs.values()
            ]
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong
        for path, scored in zip(runs, scores, strict=True):
            for name, reason in scored.reasons.items():
                self.stderr.write(f"{path}: {name}: {reason}")
        self.stdout.write(FORMATS[given["format"]](scores, by_topic=given["by_topic"]), ending="")
