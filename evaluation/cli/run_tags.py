"""The run tags that an option names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from campaigns.cli.command import CliError
from campaigns.cli.files import FileReader
from evaluation.core.name_files import read_tags


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
    elif Path(value).is_file():
        yield from reader.read(value, read_tags) or ()
    else:
        yield from filter(None, (part.strip() for part in value.split(",")))
