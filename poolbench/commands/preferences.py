"""Preferences from click logs, from files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.preferences.click_log import read_click_log
from poolbench.preferences.formats import PAIR_FORMATS
from poolbench.preferences.preference_pairs import count_clicked_pairs


class PreferencesCommand(FileCommand):
    help = "Derive preferences from a click log: clicked above unclicked that stood higher."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "clicks",
            metavar="CLICKS",
            help="click log, JSON Lines: session, topic, shown, clicks (plain or gzip)",
        )
        add("--format", choices=tuple(PAIR_FORMATS), default="csv")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        log = reader.accept(reader.read(options["clicks"], read_click_log))
        records = count_clicked_pairs(log.pairs)
        out.write(PAIR_FORMATS[options["format"]](records, log.sessions))
