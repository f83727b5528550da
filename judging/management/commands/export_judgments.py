"""``manage.py export_judgments SLUG``: the judgments of a campaign as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import Campaign
from judging.core.exchange.writing import (
    csv_parts,
    doccano_parts,
    json_parts,
    jsonl_parts,
    label_studio_parts,
)
from judging.queries.exchange import COLUMNS, judged_pairs, log_rows, open_pairs

ROWS: dict[str, Callable[[Any], Iterator[str]]] = {
    "csv": lambda rows: csv_parts(rows, COLUMNS),
    "jsonl": jsonl_parts,
    "json": json_parts,
}
PAIRS = {"doccano": doccano_parts, "label-studio": label_studio_parts}
WHICH = {"log": log_rows, "current": log_rows, "open": open_pairs}


class Command(BaseCommand):
    help = "Write the judgments of people as a file, or the pairs that still want one."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("slug", help="the campaign's short name")
        add("--format", choices=(*ROWS, *PAIRS), default="csv")
        add("--which", choices=tuple(WHICH), default="log", help="log: every revision")
        add("--output", type=Path, help="a file, instead of standard output")

    def handle(self, **given: Any) -> None:
        campaign = Campaign.objects.filter(slug=given["slug"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {given['slug']}.")
        parts = parts_of(campaign, given["format"], given["which"])
        if given["output"] is None:
            for part in parts:
                self.stdout.write(part, ending="")
            return
        try:
            with given["output"].open("w", encoding="utf-8", newline="") as out:
                out.writelines(parts)
        except OSError as error:
            raise CommandError(f"{given['output']}: {error.strerror or error}.") from error


def parts_of(campaign: Campaign, form: str, which: str) -> Iterator[str]:
    """The file, piece by piece. doccano and Label Studio hold pairs, so never old revisions."""
    if form in ROWS:
        if which == "open":
            raise CommandError(f"Pairs to judge are written as {' or '.join(PAIRS)}.")
        return ROWS[form](log_rows(campaign, current=which == "current"))
    if which == "log":
        raise CommandError(f"The log is written as {', '.join(ROWS)}; say --which current or open.")
    scale = campaign.grades.order_by("value").values_list("value", "label")
    found = open_pairs(campaign) if which == "open" else judged_pairs(campaign)
    return PAIRS[form](found, tuple(scale))
