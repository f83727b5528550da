"""One clock for the signs of life of all machines."""

from datetime import UTC, datetime

from django.db import connection
from django.utils import timezone


def read_clock() -> datetime:
    """The time of the database server; with SQLite of this machine, which is the only one.

    A worker whose own clock is late would look dead to the machine that looks for dead ones.
    """
    if connection.vendor == "sqlite":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        at: datetime = cursor.fetchone()[0]
    return at.astimezone(UTC)
