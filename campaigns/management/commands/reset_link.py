"""``manage.py reset_link USERNAME``: a new password where no mail can be sent."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import User
from campaigns.services.accounts import make_reset_url


class Command(BaseCommand):
    help = "Print a link with which a user sets a new password, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="username of the account")
        parser.add_argument(
            "--without-second-factor",
            action="store_true",
            help="also remove the second factor, of a user who has lost phone and recovery codes",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"Unknown or deactivated username: {options['username']}.")
        if options["without_second_factor"]:
            Authenticator.objects.filter(user=user).delete()
        self.stdout.write(make_reset_url(user))
