"""What the import commands share: the campaign, the acting organizer, and the files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign
from campaigns.models import Campaign, Role, User
from poolbench.commands.command import CliError
from poolbench.commands.files import format_fault_lines
from poolbench.commands.progress import ProgressBar
from poolbench.files.faults import FaultReport, InvalidFile, format_count


def get_organizer(campaign: Campaign, username: str | None) -> User:
    """The organizer ``username`` of the campaign, its first one if None."""
    organizers = campaign.members.filter(role=Role.ORGANIZER).select_related("user")
    if username:
        organizers = organizers.filter(user__username=username)
    member = organizers.order_by("joined_at").first()
    if member is None:
        if username:
            raise CommandError(f"{username} is not an organizer of {campaign.slug}.")
        raise CommandError(f"Campaign {campaign.slug} has no organizer.")
    return member.user


class ImportCommand(BaseCommand):
    """Import files into a campaign as its first organizer, or as the one named by ``--as``."""

    import_data: ClassVar[Callable[..., int]]
    noun: ClassVar[str]
    how_many: ClassVar[str] = "+"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name of the campaign")
        parser.add_argument("files", nargs=self.how_many, type=Path, help="files to import")
        parser.add_argument(
            "--format", default="", help="file format (default: detect automatically)"
        )
        parser.add_argument(
            "--as", dest="username", help="act as this organizer (default: the first one)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        actor = self.actor(campaign, options["username"])
        files = options["files"]
        for path in ProgressBar().track(files, "files", len(files)):
            self.import_file(campaign, actor, path, options["format"])

    def actor(self, campaign: Campaign, username: str | None) -> User:
        return get_organizer(campaign, username)

    def import_file(self, campaign: Campaign, actor: User, path: Path, form: str) -> None:
        report = FaultReport(path.name)
        try:
            count = self.count(
                path, actor=actor, campaign=campaign, file_format=form, report=report
            )
        except (InvalidFile, ActionRefused, CliError, OSError) as error:
            raise CommandError(str(error)) from error
        for line in format_fault_lines(report):
            self.stderr.write(line)
        self.stdout.write(f"{path}: {format_count(count, f'new {self.noun[:-1]}')}")

    def count(self, path: Path, **options: Any) -> int:
        """Import the file at ``path``; return the number of new records."""
        return type(self).import_data(data=path.read_bytes(), file=path.name, **options)
