"""``manage.py paper``: the results of a team for a paper, as one archive."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.management.campaign_command import get_campaign
from evaluation.models import ScoreSet
from evaluation.queries.paper import find_current_set, get_paper_results
from poolbench.charts.png import ChartTooLargeError
from poolbench.evaluation.paper.files import pack_paper
from poolbench.evaluation.paper.report import DECIMALS
from poolbench.reports.archive import ArchiveTooLargeError


class Command(BaseCommand):
    help = "Write tables, figures, conditions and citation of a team for a paper as a zip archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, help="short name of the campaign")
        parser.add_argument("--team", required=True, help="name of the team")
        parser.add_argument("--task", default="", help="short name of a task of the campaign")
        parser.add_argument("--output", required=True, type=Path, help="the archive to write")
        parser.add_argument(
            "-m",
            "--measure",
            action="append",
            default=[],
            help="a measure of the scores, more than once; default: those of the campaign",
        )
        parser.add_argument(
            "--decimals",
            type=int,
            choices=(2, 3, 4),
            default=DECIMALS,
            help="in tables; default: 3",
        )

    def handle(self, **options: Any) -> None:
        campaign = get_campaign(options["campaign"])
        team = campaign.teams.filter(name=options["team"]).first()
        if team is None:
            raise CommandError(f"Unknown team: {options['team']}.")
        sets = ScoreSet.objects.filter(campaign=campaign).select_related("campaign", "qrels")
        if options["task"]:
            sets = sets.filter(task__slug=options["task"])
        score_set = find_current_set(list(sets))
        if score_set is None:
            raise CommandError("The campaign has no scores. Evaluate its runs first.")
        results = get_paper_results(score_set, team, options["measure"])
        if results is None:
            raise CommandError("No measure of the scores compares runs by topic.")
        try:
            packed = pack_paper(results, options["decimals"])
            options["output"].write_bytes(packed)
        except (ArchiveTooLargeError, ChartTooLargeError, OSError) as error:
            raise CommandError(str(error)) from error
        released = "" if score_set.released_at else "; these scores are not released"
        self.stdout.write(f"{options['output']}: {len(packed):,} bytes{released}")
