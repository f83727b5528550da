"""``LABEL=GRADE`` and ``NAME=USER``: options that map what is in a file."""

from __future__ import annotations

from campaigns.cli.command import CliError


def parse_mappings(pairs: list[str], option: str) -> dict[str, str]:
    """``LEFT=RIGHT`` each; a label may contain ``=`` itself, so the last one separates."""
    mappings = {}
    for pair in pairs:
        left, sign, right = pair.rpartition("=")
        if not sign or not left:
            raise CliError(f"{option} {pair}: use LEFT=RIGHT.")
        mappings[left] = right
    return mappings
