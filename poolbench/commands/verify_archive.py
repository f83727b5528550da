"""Verify an archived campaign without a database."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.files.faults import InvalidFile, format_count
from poolbench.replay.differences import Verification
from poolbench.replay.verification import verify_archive


class VerifyArchiveCommand(FileCommand):
    help = "Verify an archived campaign: checksums; pools, qrels and scores computed again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("archive", metavar="FILE", help="the zip, or the folder unpacked of it")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        try:
            result = verify_archive(Path(options["archive"]))
        except InvalidFile as error:
            raise CliError(str(error)) from error
        except OSError as error:
            raise CliError(f"{options['archive']}: {error.strerror or error}.") from error
        out.write(format_verification(result))
        for note in result.notes if options["verbosity"] else ():
            out.note(note)
        if not result.is_same:
            raise CliError(f"{format_count(sum(result.counts.values()), 'difference')}.")


def format_verification(result: Verification) -> str:
    """What was checked, and what differs, one line each."""
    lines = [f"{what:<15} {number:>8,}" for what, number in result.numbers.items()]
    lines += result.list_lines() or ["No differences."]
    return "".join(f"{line}\n" for line in lines)
