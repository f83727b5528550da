"""Options that several commands have, and what is read from them."""

from argparse import ArgumentParser
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolbench.commands.command import CliError, Output
from poolbench.commands.files import FileReader
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.name_files import read_tags
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.stated_scale import list_scale_remarks, state_highest_grade
from poolbench.files.streams import is_file


@contextmanager
def explain_value_errors(*worded: type[Exception]) -> Iterator[None]:
    """Invalid values end the command with the error as a sentence, which ``worded`` ones are."""
    try:
        yield
    except worded as error:
        raise CliError(str(error)) from error
    except ValueError as error:
        raise CliError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def require_least(options: Mapping[str, Any], **least: int) -> None:
    """Raise ``CliError`` for an option below its ``least`` number."""
    for name, number in least.items():
        if options[name] is not None and options[name] < number:
            option = f"--{name.replace('_', '-')}"
            raise CliError(
                f"{option} must be an integer of at least {number}, not {options[name]}."
            )


def add_measures(parser: ArgumentParser, help_text: str) -> None:
    parser.add_argument("-m", dest="measures", metavar="MEASURE", action="append", help=help_text)


def add_jobs(parser: ArgumentParser, processes: str = "processes") -> None:
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=int,
        help=f"{processes} (default: one per core for large inputs)",
    )


def add_level(parser: ArgumentParser) -> None:
    """``-l`` and ``--max-rel``: the lowest relevant and the highest grade."""
    add = parser.add_argument
    add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default: 1)")
    add(
        "--max-rel",
        metavar="GRADE",
        type=int,
        help="highest grade of the scale, for measures that need it, such as err, sdcg and inst "
        "(default: the highest grade in the qrels, with a note)",
    )


def build_scoring_options(options: Mapping[str, Any]) -> ScoringOptions:
    """From ``-l`` and ``--max-rel``. Raises ``ValueError`` for an invalid value."""
    return ScoringOptions(level=options["level"], max_rel=options["max_rel"])


def state_scale(
    out: Output, options: Mapping[str, Any], measures: Sequence[Measure], grades: NDArray[np.int32]
) -> tuple[Measure, ...]:
    """``measures`` with the highest grade stated, after the notes about it are printed."""
    scoring = build_scoring_options(options)
    for remark in list_scale_remarks(measures, scoring, grades) if options["verbosity"] else ():
        out.note(remark)
    return state_highest_grade(measures, scoring, grades)


def parse_mappings(pairs: list[str], option: str) -> dict[str, str]:
    """``LEFT=RIGHT`` each; a label may contain ``=`` itself, so the last one separates."""
    mappings = {}
    for pair in pairs:
        left, sign, right = pair.rpartition("=")
        if not sign or not left:
            raise CliError(f"{option} {pair}: use LEFT=RIGHT.")
        mappings[left] = right
    return mappings


def read_run_tags(
    reader: FileReader, values: Iterable[str], run_tags: Collection[str]
) -> tuple[str, ...]:
    """The distinct tags in ``values``. One of ``run_tags`` is itself, even if there is a file of
    that name; any other is a file of tags, or ``A,B``. Faults of files go to ``reader``.
    """
    listed = list(values)
    tags = dict.fromkeys(tag for value in listed for tag in _expand(reader, value, run_tags))
    if listed and not tags and not reader.rejected:
        raise CliError("No run tags in the list. Write A,B or A B, or name a file of tags.")
    return tuple(tags)


def _expand(reader: FileReader, value: str, run_tags: Collection[str]) -> Iterator[str]:
    if value in run_tags:
        yield value
    elif is_file(value):
        yield from reader.read(value, read_tags) or ()
    else:
        yield from filter(None, (part.strip() for part in value.split(",")))
