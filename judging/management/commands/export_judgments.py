"""``manage.py export_judgments SLUG``: export the judgments of a campaign."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.management.campaign_command import get_campaign
from campaigns.models import Campaign
from judging.queries.exchange import COLUMNS, iter_log_rows
from poolbench.judging.exchange.writer import (
    iter_json_parts,
    iter_jsonl_parts,
    iter_judgment_csv_parts,
)

ROWS: dict[str, Callable[..., Iterator[str]]] = {
    "csv": partial(iter_judgment_csv_parts, columns=COLUMNS),
    "jsonl": iter_jsonl_parts,
    "json": iter_json_parts,
}


class Command(BaseCommand):
    help = "Export human judgments."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("slug", help="short name of the campaign")
        add("--format", choices=tuple(ROWS), default="csv")
        add(
            "--which",
            choices=("log", "current"),
            default="log",
            help="log: every revision; current: current judgments",
        )
        add("--output", type=Path, help="write to this file instead of standard output")

    def handle(self, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        parts = iter_export_parts(campaign, options["format"], options["which"])
        if options["output"] is None:
            for part in parts:
                self.stdout.write(part, ending="")
            return
        try:
            with options["output"].open("w", encoding="utf-8", newline="") as out:
                out.writelines(parts)
        except OSError as error:
            raise CommandError(f"{options['output']}: {error.strerror or error}.") from error


def iter_export_parts(campaign: Campaign, form: str, which: str) -> Iterator[str]:
    rows = iter_log_rows(campaign, current=which == "current")
    conditions = {"conditions": {"campaign": campaign.slug, "which": which}}
    return ROWS[form](rows, **(conditions if form == "csv" else {}))
