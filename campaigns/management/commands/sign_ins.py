"""``manage.py sign_ins``: who signed in or failed to, from where, for the operator."""

from datetime import timedelta
from typing import Any

from axes.models import AccessFailureLog, AccessLog
from django.core.management.base import BaseCommand, CommandParser
from django.db.models import QuerySet
from django.utils import timezone


class Command(BaseCommand):
    help = "List sign-ins and wrong passwords with usernames and addresses, oldest first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=7, help="how far back to look (default 7)")
        parser.add_argument("--user", help="only this username")
        parser.add_argument("--address", help="only this client address")
        parser.add_argument("--failed", action="store_true", help="only wrong passwords")

    def handle(self, **options: Any) -> None:
        outcomes = {"failed": AccessFailureLog.objects.all()}
        if not options["failed"]:
            outcomes["accepted"] = AccessLog.objects.all()
        rows = [
            (record.attempt_time, outcome, record)
            for outcome, records in outcomes.items()
            for record in filter_records(records, options)
        ]
        for at, outcome, record in sorted(rows, key=lambda row: row[0]):
            word = "locked" if getattr(record, "locked_out", False) else outcome
            # Quoted: the username of a failed sign-in is whatever was typed.
            fields = (record.username, record.user_agent)
            user, agent = (ascii(field or "")[1:-1] for field in fields)
            place = (user, record.ip_address or "-", record.path_info, agent)
            self.stdout.write("\t".join([f"{at:%Y-%m-%d %H:%M:%S}", word, *place]))


def filter_records(records: QuerySet[Any], options: dict[str, Any]) -> QuerySet[Any]:
    wanted = {"username": options["user"], "ip_address": options["address"]}
    since = timezone.now() - timedelta(days=options["days"])
    narrowed = {name: value for name, value in wanted.items() if value}
    return records.filter(attempt_time__gte=since, **narrowed)
