"""``manage.py tick``: requeue jobs whose worker has died. Run it every minute."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from campaigns.services.jobs import requeue_lost_jobs


class Command(BaseCommand):
    help = "Requeue jobs whose worker has died."

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"Jobs requeued: {requeue_lost_jobs()}")
