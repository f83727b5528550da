"""What the two import commands share: the campaign, whoever acts, and the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.errors import ActionRefused
from campaigns.management.files import format_fault_lines
from campaigns.models import Campaign, Role, User


def get_campaign(slug: str) -> Campaign:
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        raise CommandError(f"There is no campaign {slug}.")
    return campaign


def get_organizer(campaign: Campaign, username: str | None) -> User:
    """The organizer ``username`` of the campaign, its first one if None."""
    organizers = campaign.members.filter(role=Role.ORGANIZER).select_related("user")
    if username:
        organizers = organizers.filter(user__username=username)
    member = organizers.order_by("joined_at").first()
    if member is None:
        raise CommandError(f"{username or 'Nobody'} is no organizer of {campaign.slug}.")
    return member.user


class ImportCommand(BaseCommand):
    """Import files into a campaign in the name of its first organizer, or of ``--as``."""

    bring: ClassVar[Callable[..., int]]
    noun: ClassVar[str]
    how_many: ClassVar[str] = "+"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the campaign's short name")
        parser.add_argument("files", nargs=self.how_many, type=Path)
        parser.add_argument("--format", default="", help="told from the file if left out")
        parser.add_argument("--as", dest="username", help="an organizer's user name")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        actor = self.actor(campaign, options["username"])
        for path in options["files"]:
            self.one(campaign, actor, path, options["format"])

    def actor(self, campaign: Campaign, username: str | None) -> User:
        return get_organizer(campaign, username)

    def one(self, campaign: Campaign, actor: User, path: Path, form: str) -> None:
        report = FaultReport(path.name)
        try:
            count = self.count(
                path, actor=actor, campaign=campaign, file_format=form, report=report
            )
        except (InvalidFile, ActionRefused, OSError) as error:
            raise CommandError(str(error)) from error
        for line in format_fault_lines(report):
            self.stderr.write(line)
        self.stdout.write(f"{path}: {count} new {self.noun}")

    def count(self, path: Path, **options: Any) -> int:
        """Bring in what is at ``path``; return how many were new."""
        return type(self).bring(data=path.read_bytes(), file=path.name, **options)
