"""``manage.py export_judgments SLUG``: export the judgments of a campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import Campaign
from judging.core.exchange.writer import (
    iter_doccano_parts,
    iter_json_parts,
    iter_jsonl_parts,
    iter_judgment_csv_parts,
    iter_label_studio_parts,
)
from judging.queries.exchange import COLUMNS, iter_judged_pairs, iter_log_rows, iter_open_pairs

ROWS: dict[str, Callable[..., Iterator[str]]] = {
    "csv": partial(iter_judgment_csv_parts, columns=COLUMNS),
    "jsonl": iter_jsonl_parts,
    "json": iter_json_parts,
}
PAIRS = {"doccano": iter_doccano_parts, "label-studio": iter_label_studio_parts}
ITERATORS = {"log": iter_log_rows, "current": iter_log_rows, "open": iter_open_pairs}


class Command(BaseCommand):
    help = "Export human judgments, or the pairs that are still unjudged."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("slug", help="short name of the campaign")
        add("--format", choices=(*ROWS, *PAIRS), default="csv")
        add(
            "--which",
            choices=tuple(ITERATORS),
            default="log",
            help="log: every revision; current: current judgments; open: unjudged pairs",
        )
        add("--output", type=Path, help="write to this file instead of standard output")

    def handle(self, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["slug"]).first()
        if campaign is None:
            raise CommandError(f"Unknown campaign: {options['slug']}.")
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
    """The file in parts. doccano and Label Studio list pairs, so never old revisions."""
    if form in ROWS:
        if which == "open":
            raise CommandError(f"--which open requires --format {' or '.join(PAIRS)}.")
        rows = iter_log_rows(campaign, current=which == "current")
        conditions = {"conditions": {"campaign": campaign.slug, "which": which}}
        return ROWS[form](rows, **(conditions if form == "csv" else {}))
    if which == "log":
        raise CommandError(f"--format {form} requires --which current or open.")
    scale = campaign.grades.order_by("value").values_list("value", "label")
    pairs = iter_open_pairs(campaign) if which == "open" else iter_judged_pairs(campaign)
    return PAIRS[form](pairs, tuple(scale))
