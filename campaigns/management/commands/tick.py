"""``manage.py tick``: queue again the jobs whose worker is gone. Run it each minute."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from campaigns.services.jobs import requeue_lost_jobs


class Command(BaseCommand):
    help = "Queue again the jobs whose worker is gone."

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"{requeue_lost_jobs()} jobs queued again")
