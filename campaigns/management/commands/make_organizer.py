"""``manage.py make_organizer NAME``: the first organizer of an installation."""

import secrets
import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from campaigns.models import User
from campaigns.services.accounts import confirm_address


class Command(BaseCommand):
    help = "Allow a user to create campaigns; create the account if needed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="username of the organizer")
        parser.add_argument(
            "--email", default="", help="e-mail address of a new account; it counts as confirmed"
        )
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        is_new = user is None
        user = user or User(username=options["username"])
        password = self.password(user, is_new, options["password_stdin"])
        if password:
            user.set_password(password)
        user.can_create_campaigns = True
        try:
            user.full_clean()
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        user.save()
        if is_new and options["email"]:
            confirm_address(user, options["email"])
        self.report(user, password if not options["password_stdin"] else "")

    def password(self, user: User, is_new: bool, from_stdin: bool) -> str:
        """The password to set: from standard input, random for a new account, or none."""
        if not from_stdin:
            return secrets.token_urlsafe(12) if is_new else ""
        password = sys.stdin.readline().rstrip("\r\n")
        try:
            validate_password(password, user)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        return password

    def report(self, user: User, password: str) -> None:
        self.stdout.write(f"{user.username} can create campaigns.")
        if password:
            self.stdout.write(f"Password (shown only once): {password}")
        self.stdout.write(
            f"Sign in at {reverse('login')} and create a campaign at {reverse('campaign-new')}."
        )
