"""Replay pool specs on a finished campaign: what they would have found. No database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.management.files import FileReader, file_stem
from evaluation.core.options import ScoringOptions
from evaluation.core.simulation.finished_campaign import FinishedCampaign
from evaluation.core.simulation.formats import FORMATS
from evaluation.core.simulation.report import MEASURES, SEEDS, SHARES, Progress, Simulation
from evaluation.core.simulation.simulator import (
    check_simulation,
    parse_ranking_measures,
    simulate_specs,
)
from evaluation.simulation_html import simulation_to_html
from pooling.core.spec import PoolSpec, depth_spec
from pooling.core.spec_file import read_spec
from pooling.management.option_checks import check_run_choice, check_unique_tags

WRITTEN: dict[str, Callable[[Simulation], str]] = {**FORMATS, "html": simulation_to_html}
NOTHING = "nothing was simulated"


class Command(BaseCommand):
    help = "Replay pool specs on a finished campaign: what they would have found, and its cost."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="complete judgments: topic 0 docno grade")
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
        add("--spec", metavar="FILE", action="append", default=[], help="a spec; repeatable")
        add(
            "--depth",
            metavar="K",
            type=int,
            action="append",
            default=[],
            help="the depth-k pool; repeatable",
        )
        add("--seeds", metavar="N", type=int, default=SEEDS, help="(default %(default)s)")
        add(
            "--budgets",
            metavar="N",
            help="judgments in all, with commas between "
            f"(default: {', '.join(map(str, SHARES))} %% of what the deepest spec judges)",
        )
        add(
            "-m",
            dest="measures",
            metavar="MEASURE",
            action="append",
            help=f"rank runs by it; repeatable (default: {', '.join(MEASURES)})",
        )
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("--pooled", metavar="TAGS", help="tags of the runs that feed pools, or a file of them")
        add("--format", choices=tuple(WRITTEN), default="table")

    def handle(self, **given: Any) -> None:
        try:
            measures = parse_ranking_measures(given["measures"] or MEASURES)
        except ValueError as wrong:
            raise CommandError(str(wrong)) from wrong
        budgets = parse_budgets(given["budgets"])
        reader = FileReader(self)
        specs = read_specs(reader, given)
        finished = read_finished_campaign(reader, given)
        try:
            check_simulation(finished, specs, measures, given["seeds"], budgets)
        except ValueError as wrong:
            raise CommandError(capitalize_sentence(wrong)) from wrong
        tell = make_progress_printer(self.stderr.write) if given["verbosity"] else lambda *_: None
        options = {"seeds": given["seeds"], "budgets": budgets, "progress": tell}
        found = simulate_specs(finished, specs, measures, **options)
        self.stdout.write(WRITTEN[given["format"]](found), ending="")


def parse_budgets(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text is not None else ()
    except ValueError as wrong:
        raise CommandError("Budgets are whole numbers, such as 500,1000,2000.") from wrong


def read_specs(reader: FileReader, given: dict[str, Any]) -> dict[str, PoolSpec]:
    """The specs by name: those of files after their files."""
    if any(depth < 1 for depth in given["depth"]):
        raise CommandError("The depth is 1 or more.")
    read = reader.read_all(given["spec"], read_spec)
    named = [(f"depth {depth}", depth_spec(depth)) for depth in dict.fromkeys(given["depth"])]
    named += [(file_stem(path), spec) for path, spec in read.items()]
    names = [name for name, _ in named]
    if again := sorted({name for name in names if names.count(name) > 1}):
        raise CommandError(f"Two specs have the same name: {', '.join(again)}. Rename a file.")
    if not given["spec"] and not named:
        raise CommandError("Name a spec by --spec, or --depth.")
    for name, spec in named:
        check_run_choice(spec, name)
    return dict(named)


def read_finished_campaign(reader: FileReader, given: dict[str, Any]) -> FinishedCampaign:
    """The campaign that the files hold; all of them are read before anything is refused."""
    qrels = reader.read_all([given["qrels"]], read_qrels)
    runs = reader.read_all(given["runs"], read_run, lenient=True)
    pooled = parse_contributing_tags(given["pooled"])
    reader.stop_if_refused(NOTHING)
    check_unique_tags(runs)
    try:
        ScoringOptions(level=given["level"])
        return FinishedCampaign.of_tables(
            [*runs.values()], qrels[given["qrels"]], pooled, given["level"]
        )
    except ValueError as wrong:
        raise CommandError(capitalize_sentence(wrong)) from wrong


def parse_contributing_tags(text: str | None) -> list[str] | None:
    """The tags in ``text``: a file of them, or they themselves with commas between."""
    if text is None:
        return None
    path = Path(text)
    try:
        tags = path.read_text(encoding="utf-8").split() if path.is_file() else text.split(",")
    except (OSError, UnicodeDecodeError) as wrong:
        raise CommandError(f"{text}: it cannot be read as a list of tags.") from wrong
    if not (named := [tag.strip() for tag in tags if tag.strip()]):
        raise CommandError("No run may feed the pool: name tags after --pooled.")
    return named


def make_progress_printer(write: Callable[[str], object]) -> Progress:
    """Tells each replay, and each measure once it is done."""

    def tell(what: str, done: int, of: int) -> None:
        if done == of or what.startswith("replaying"):
            write(f"{what}: {done} of {of}")

    return tell


def capitalize_sentence(wrong: ValueError) -> str:
    text = str(wrong)
    return f"{text[:1].upper()}{text[1:]}."
