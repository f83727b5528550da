"""What commands on a campaign share: the campaign, and the work of a command on files."""

from functools import partial
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import Campaign
from poolbench.commands.command import CliError, InputCommand, Output
from poolbench.commands.run_lists import RunListParser


def get_campaign(slug: str) -> Campaign:
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        raise CommandError(f"Unknown campaign: {slug}.")
    return campaign


def list_named_campaigns(slug: str | None) -> list[Campaign]:
    """The campaign ``slug``; all of them, the oldest first, for None."""
    return [get_campaign(slug)] if slug else list(Campaign.objects.order_by("pk"))


class ManagementParser(RunListParser, CommandParser):
    """Django's parser, which ends the process only on a command line, with lists of runs."""


class CampaignCommand(BaseCommand):
    """``manage.py NAME CAMPAIGN``: what ``poolbench NAME`` computes of files, of a campaign.

    ``command`` finds the campaign in ``options["campaign"]``, and reads from the database.
    """

    requires_system_checks = []
    command: ClassVar[InputCommand]

    def __init_subclass__(cls) -> None:
        cls.help = cls.command.help

    def add_arguments(self, parser: CommandParser) -> None:
        parser.__class__ = ManagementParser  # Django builds the parser, and offers no other way.
        parser.add_argument("campaign", help="short name of the campaign")
        self.command.add_options(parser)

    def handle(self, **options: Any) -> None:
        options["campaign"] = get_campaign(options["campaign"])
        try:
            write = partial(self.stdout.write, ending="")
            self.command.run(options, Output(write, self.stderr.write))
        except CliError as failed:
            raise CommandError(str(failed)) from failed
