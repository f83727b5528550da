"""What disagreement does to the ranking of runs: of a campaign, or from files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.errors import ActionRefused
from campaigns.management.files import FileReader, file_stem
from campaigns.models import Campaign
from evaluation.core.comparison.estimate import ResamplingOptions
from evaluation.core.disagreement.ballots import (
    BallotTable,
    build_ballots,
    build_ballots_from_qrels,
    qrels_to_grades,
)
from evaluation.core.disagreement.formats import FORMATS
from evaluation.core.disagreement.panel import DisagreementPanel, build_panel_from_tables
from evaluation.core.disagreement.rankings import TREATMENTS
from evaluation.core.disagreement.report import (
    DRAWS,
    SWAPS,
    Between,
    build_disagreement_report,
    can_rank_runs,
)
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.options import ScoringOptions
from evaluation.queries.disagreement import DEFAULT_POLICY
from evaluation.services.disagreement import load_panel_unchecked
from judging.core.policies import QrelsPolicy, UnknownPolicyError, get_policy

MEASURE = "ndcg_cut_10"


class Command(BaseCommand):
    help = "How the ranking of runs changes with the assessors, and which pairs are worth settling."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("campaign", nargs="?", help="a campaign's short name; else give --runs and --qrels")
        add("--runs", nargs="+", default=[], metavar="RUN", help="run files (plain or gzip)")
        add(
            "--qrels",
            nargs="+",
            default=[],
            metavar="QRELS",
            help="one file an assessor, named after the file",
        )
        add("--reference", metavar="QRELS", help="compare with these qrels, not with the policy's")
        add("-m", dest="measure", metavar="MEASURE", help="(default: the campaign's, or nDCG@10)")
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("--policy", default=DEFAULT_POLICY, help="one grade a pair by (default: %(default)s)")
        add(
            "--treat",
            choices=tuple(TREATMENTS),
            default="filled",
            help="pairs that an assessor did not judge: by the policy, or left out",
        )
        add("--digits", type=int, help="compare scores as printed with so many decimals")
        add("--between", nargs=2, metavar="RUN", help="only the order of these two run tags")
        add("--draws", type=int, default=DRAWS, help="resampled assessors (default %(default)s)")
        add("--swaps", type=int, default=SWAPS, help="assessors at random (default %(default)s)")
        add("--seed", type=int, default=0, help="where random numbers start (default 0)")
        add("--format", choices=tuple(FORMATS), default="table")

    def handle(self, **given: Any) -> None:
        try:
            ResamplingOptions(given["seed"], given["draws"])
            ResamplingOptions(given["seed"], given["swaps"])
            panel = self._panel(given)
        except (UnknownMeasureError, UnknownPolicyError, ActionRefused) as wrong:
            raise CommandError(str(wrong)) from wrong
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong
        report = build_disagreement_report(
            replace(panel, digits=given["digits"]),
            treat=given["treat"],
            draws=given["draws"],
            swaps=given["swaps"],
            seed=given["seed"],
            between=find_run_pair(panel, given["between"]),
        )
        self.stdout.write(FORMATS[given["format"]](report), ending="")

    def _panel(self, given: dict[str, Any]) -> DisagreementPanel:
        files = bool(given["runs"] or given["qrels"] or given["reference"])
        if files == bool(given["campaign"]):
            raise CommandError("Give a campaign, or --runs and --qrels.")
        if not files:
            campaign = Campaign.objects.filter(slug=given["campaign"]).first()
            if campaign is None:
                raise CommandError(f"There is no campaign {given['campaign']}.")
            return load_panel_unchecked(campaign, given["policy"], given["measure"] or "")
        if not (given["runs"] and given["qrels"]):
            raise CommandError("Give files of both, --runs and --qrels.")
        measure = get_ranking_measure(given["measure"] or MEASURE)
        policy, options = get_policy(given["policy"]), ScoringOptions(level=given["level"])
        reader = FileReader(self)
        runs = reader.read_all(given["runs"], read_run, lenient=True)
        ballots = self._ballots(given, policy, reader)
        reader.stop_if_refused("nothing was compared")
        return build_panel_from_tables(list(runs.values()), ballots, measure, options)

    def _ballots(
        self, given: dict[str, Any], policy: QrelsPolicy, reader: FileReader
    ) -> BallotTable:
        names = [file_stem(path) for path in given["qrels"]]
        if again := sorted({name for name in names if names.count(name) > 1}):
            raise CommandError(f"Two files name the same assessor: {', '.join(again)}. Rename one.")
        tables = reader.read_all(given["qrels"], read_qrels)
        read = reader.read(given["reference"], read_qrels) if given["reference"] else None
        reference = None if read is None else qrels_to_grades(read)
        said = build_ballots_from_qrels({file_stem(path): table for path, table in tables.items()})
        return build_ballots(said, policy, reference)


def get_ranking_measure(name: str) -> Measure:
    """The measure of that name, if runs can be ranked by it."""
    found = parse_measures([name])
    if len(found) > 1 or not can_rank_runs(found[0]):
        raise CommandError(f"Runs are not ranked by {name}: name one measure that says the better.")
    return found[0]


def find_run_pair(panel: DisagreementPanel, tags: list[str] | None) -> Between:
    """The places of two different runs of the panel."""
    if not tags:
        return None
    if missing := [tag for tag in tags if tag not in panel.tags]:
        raise CommandError(f"There is no run {' or '.join(missing)}.")
    if tags[0] == tags[1]:
        raise CommandError("Name two different runs.")
    return panel.tags.index(tags[0]), panel.tags.index(tags[1])
