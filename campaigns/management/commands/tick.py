"""``manage.py tick``: what is due. Run it every minute."""

from typing import Any

from django.core.management.base import BaseCommand

from campaigns.services.heartbeats import run_tick


class Command(BaseCommand):
    help = "Send mails, requeue jobs whose worker has died, update figures: every minute."

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"Jobs requeued: {run_tick()}")
