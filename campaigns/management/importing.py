"""What the two import commands share: the campaign, whoever acts, and the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.faults import BadFile
from campaigns.errors import Refused
from campaigns.models import Campaign, Role, User


class ImportCommand(BaseCommand):
    """Import files into a campaign in the name of its first organizer, or of ``--as``."""

    bring: ClassVar[Callable[..., int]]
    noun: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the campaign's short name")
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--format", default="", help="told from the file if left out")
        parser.add_argument("--as", dest="username", help="an organizer's user name")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["slug"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['slug']}.")
        actor = self.actor(campaign, options["username"])
        for path in options["files"]:
            self.one(campaign, actor, path, options["format"])

    def actor(self, campaign: Campaign, username: str | None) -> User:
        organizers = campaign.members.filter(role=Role.ORGANIZER).select_related("user")
        if username:
            organizers = organizers.filter(user__username=username)
        member = organizers.order_by("joined_at").first()
        if member is None:
            raise CommandError(f"{username or 'Nobody'} is no organizer of {campaign.slug}.")
        return member.user

    def one(self, campaign: Campaign, actor: User, path: Path, form: str) -> None:
        try:
            count = type(self).bring(
                actor=actor,
                campaign=campaign,
                data=path.read_bytes(),
                file=path.name,
                format=form,
            )
        except (BadFile, Refused, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{path}: {count} new {self.noun}")
