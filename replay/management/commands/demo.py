"""``manage.py demo``: build the demo campaign, print its scores and accounts, serve it."""

import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from campaigns.models import Campaign, Role, User
from campaigns.services import people
from campaigns.services.snapshots import compute_report, list_verdict_subjects
from evaluation.models import ScoreSet
from judging.queries.agreement import load_labels
from poolbench.judging.agreement.formats import AGREEMENT_FORMATS
from poolbench.judging.agreement.panel import agreement_report
from poolbench.replay.manifest import read_manifest
from poolbench.reports.report import Column, Table, make_columns
from poolbench.reports.text import write_text_table
from replay.demo.build import write_campaign_folder
from replay.demo.crowd import play_crowd
from replay.demo.public import publish_demo
from replay.services import get_or_create_organizer, replay_campaign

ACCOUNTS = {
    "organizer": "organizer", "ada": "assessor", "edsger": "assessor", "participant": "participant",
}  # fmt: skip
TABLE_MEASURES = ("map", "ndcg_cut_10", "bpref", "bpref-10", "P_10", "recip_rank", "judged_10")
UNFINISHED = (
    "An earlier demo was interrupted and is incomplete. Delete the folder {folder} and start again."
)


class Command(BaseCommand):
    help = "Build the demo campaign and serve it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-serve", action="store_true", help="print the tables and stop")
        parser.add_argument("--bind", default="127.0.0.1:8000", help="address:port to listen on")

    def handle(self, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        campaign = self.campaign()
        score_set = campaign.score_sets.exclude(released_at=None).first()
        if score_set is None:
            raise CommandError(UNFINISHED.format(folder=settings.VAR_DIR))
        self.stdout.write("\nScores\n" + format_scores_table(score_set))
        agreement = agreement_report(load_labels(campaign), campaign.relevance_level)
        self.stdout.write("\nInter-assessor agreement\n" + AGREEMENT_FORMATS["table"](agreement))
        self.verdicts(campaign)
        self.accounts(campaign)
        url = f"http://{options['bind']}{campaign.get_absolute_url()}"
        if options["no_serve"]:
            command = "poolbench demo" if settings.IS_INSTALLED else "make demo"
            self.stdout.write(f"\nTo serve it, run `{command}`: {url}")
        else:
            self.stdout.write(f"\n{url}")
            call_command("serve", bind=options["bind"])

    def campaign(self) -> Campaign:
        """The demo campaign, built if it does not exist yet."""
        folder = Path(settings.VAR_DIR) / "stdlib-demo"
        existing = Campaign.objects.filter(slug="stdlib-demo").first()
        if existing:
            return existing
        self.stdout.write("Reading the docstrings of Python's standard library …")
        write_campaign_folder(folder)
        manifest = read_manifest(folder)
        actor = get_or_create_organizer("organizer")
        campaign = replay_campaign(actor=actor, manifest=manifest, write=self.stdout.write)
        publish_demo(actor, campaign)
        play_crowd(actor, manifest, self.stdout.write)
        return campaign

    def verdicts(self, campaign: Campaign) -> None:
        """Compute the figures of all verdicts, so that every page answers at once."""
        self.stdout.write("\nVerdicts")
        for subject in list_verdict_subjects():
            verdict = compute_report(campaign, subject.name).verdict
            self.stdout.write(f"  {verdict.name} ({verdict.state.value}): {verdict.sentence}")

    def accounts(self, campaign: Campaign) -> None:
        """Set a new password for the demo accounts, so that no installations share one."""
        password = secrets.token_urlsafe(9)
        organizer = User.objects.get(username="organizer")
        team = campaign.teams.earliest("pk")
        participant, _ = User.objects.get_or_create(username="participant")
        people.add_member(
            actor=organizer, campaign=campaign, user=participant, role=Role.PARTICIPANT, team=team
        )
        for name in ACCOUNTS:
            user = User.objects.get(username=name)
            user.set_password(password)
            user.save()
        columns = (Column("role", left=True), *make_columns("name", "password"))
        rows = [(role, name, password) for name, role in ACCOUNTS.items()]
        self.stdout.write("\nAccounts\n" + write_text_table(Table("accounts", columns, rows)))


def format_scores_table(score_set: ScoreSet) -> str:
    """Means by run, sorted by the first measure shown."""
    measures = [name for name in TABLE_MEASURES if name in score_set.measures]
    rows = sorted(
        score_set.runs.select_related("run__team"),
        key=lambda row: (-(row.means[measures[0]] or 0), row.run.tag),
    )
    cells = [
        (f"{row.run.tag} ({row.run.team})", *(row.means[name] for name in measures)) for row in rows
    ]
    columns = make_columns(*measures, show="{:.4f}".format, undefined="–")
    label = f"{score_set.label}\n" if score_set.label else ""
    head = Column("run (team)", left=True)
    return label + write_text_table(Table("scores", (head, *columns), cells))
