"""``manage.py reset_link USERNAME``: a new password where no mail can be sent."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import User
from campaigns.services.accounts import make_reset_url


class Command(BaseCommand):
    help = "Print a link with which a user sets a new password, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="username of the account")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"Unknown or deactivated username: {options['username']}.")
        self.stdout.write(make_reset_url(user))
