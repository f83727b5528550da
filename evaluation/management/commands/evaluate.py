"""Score runs against qrels, from files, without a database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.management.files import FileReader
from evaluation.core.batch import Judged
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.formats import FORMATS
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.options import Options


class Command(BaseCommand):
    help = "Score runs against qrels and print the scores as trec_eval does."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
        add(
            "-m",
            dest="measures",
            metavar="MEASURE",
            action="append",
            help="a measure by trec_eval's or ir_measures' name; may be repeated "
            f"(default: {' '.join(DEFAULT_NAMES)})",
        )
        add("-q", dest="by_topic", action="store_true", help="print each topic's values too")
        add(
            "-c",
            dest="complete",
            action="store_true",
            help="average over all topics of the qrels; this is the default",
        )
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("-J", dest="judged_only", action="store_true", help="drop unjudged documents")
        add("-M", dest="depth", metavar="N", type=int, help="cut each ranking at N documents")
        add(
            "--topics",
            choices=("judged", "common"),
            help="average over the topics of the qrels (default), or those in run and qrels",
        )
        add("--format", choices=tuple(FORMATS), default="trec_eval")

    def handle(self, **given: Any) -> None:
        options = self._options(given)
        try:
            measures = parse_measures(given["measures"] or DEFAULT_NAMES)
        except UnknownMeasureError as unknown:
            raise CommandError(str(unknown)) from unknown
        reader = FileReader(self)
        qrels = reader.read(given["qrels"], read_qrels)
        runs = reader.read_all(given["runs"], read_run, lenient=True)
        reader.stop_if_refused("nothing was scored")
        if qrels is None:
            return
        judged = Judged.from_table(qrels)
        scores = [evaluate(run, judged, measures, options) for run in runs.values()]
        for path, scored in zip(runs, scores, strict=True):
            self.stderr.write(f"{path}: {told(scored)}")
        text = FORMATS[given["format"]](scores, by_topic=given["by_topic"])
        self.stdout.write(text, ending="")

    def _options(self, given: dict[str, Any]) -> Options:
        if given["complete"] and given["topics"] == "common":
            raise CommandError("-c averages over all topics of the qrels: not --topics common.")
        try:
            return Options(
                level=given["level"],
                judged_only=given["judged_only"],
                max_per_topic=given["depth"],
                topics=given["topics"] or "judged",
            )
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong


def told(scores: ScoredRun) -> str:
    """The conditions of the numbers in one line."""
    held = scores.conditions
    parts = [
        f"profile {held['profile']}",
        f"level {held['level']}",
        f"{held['topics_averaged']} of {held['topics_judged']} judged topics averaged",
        f"{held['topics_without_relevant']} without a relevant document",
        f"{held['topics_not_retrieved']} not retrieved",
    ]
    parts += ["judged documents only"] if held["judged_only"] else []
    parts += [f"cut at {held['max_per_topic']}"] if held["max_per_topic"] else []
    parts += [f"{name}: {reason.rstrip('.')}" for name, reason in scores.reasons.items()]
    return "; ".join(parts) + "."
