"""Lists of runs on a command line, by one grammar in all commands.

A list is ``A,B``, or ``A B``, or a file with one name per line; options may be repeated. Runs are
files where a command reads them, and run tags where it names runs that it has read.
"""

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from poolbench.commands.command import CliError
from poolbench.files.streams import is_file

GRAMMAR = "A,B or A B or a file with one per line"
FIRST_BYTES = 4096


class FileListAction(Action):
    """Collects file names, also of repeated options; lists of names are expanded."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, _option: str | None = None
    ) -> None:
        words = [values] if isinstance(values, str) else values
        names = expand_file_names(words)
        if not names:
            parser.error(f"No file in the list {' '.join(words)}. Write {GRAMMAR}.")
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest, None) or []), *names])


class TagListAction(Action):
    """Collects run tags as typed, also of repeated options; ``most``: the length of the list."""

    most: int | None = None

    def __call__(
        self, _parser: ArgumentParser, namespace: Namespace, values: Any, _option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest, None) or []), values])


class RunListParser(ArgumentParser):
    """Finds the end of ``A B``, which argparse would look for at the next option only, so that
    a list before positional arguments takes none of them. Commands that call ``add_file_list`` or
    ``add_run_tags`` need it.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        return super().parse_known_args([*self._repeat_list_options(words)], namespace)

    def _repeat_list_options(self, words: Sequence[str]) -> Iterator[str]:
        """``--pooled A B`` as ``--pooled=A --pooled=B``."""
        after_positional, at = False, 0
        while at < len(words):
            name, at = words[at], at + 1
            action = self._option_string_actions.get(name)
            following = list(takewhile(lambda word: not _is_option(word), words[at:]))
            if name == "--":
                yield from words[at - 1 :]
                return
            if isinstance(action, FileListAction | TagListAction) and following:
                taken = self._count_values(action, name, following, after_positional)
                yield from (f"{name}={value}" for value in following[:taken])
            else:
                taken = _count_arguments(action, following)
                yield from (name, *following[:taken])
                after_positional |= action is None and not _is_option(name)
            at += taken

    def _count_values(
        self, action: Action, name: str, following: Sequence[str], after_positional: bool
    ) -> int:
        """How many of the values up to the next option belong to the list."""
        if isinstance(action, FileListAction) or after_positional:
            return len(following)
        if "," in following[0] or is_list_of_names(following[0]):
            return 1
        if isinstance(action, TagListAction) and action.most:
            return min(action.most, len(following))
        files = [at for at, value in enumerate(following) if is_file(value)]
        if files and files[0] == 0:
            self.error(
                f"{name}: {following[0]} is a file but not a list of run tags, so the end of the "
                f"list is unclear. Put {name} after the other arguments, or write {name} A,B."
            )
        return files[0] if files else len(following)


def _is_option(text: str) -> bool:
    return text.startswith("-") and len(text) > 1


def _count_arguments(action: Action | None, following: Sequence[str]) -> int:
    """How many values an ordinary option takes."""
    if action is None:
        return 0
    if action.nargs is None:
        return min(1, len(following))
    return min(action.nargs, len(following)) if isinstance(action.nargs, int) else len(following)


def add_run_files(parser: ArgumentParser, help_text: str) -> None:
    """The positional argument RUN..., as ``options["runs"]``: the paths of run files."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", action=FileListAction, help=f"{help_text}; {GRAMMAR}"
    )


def add_file_list(parser: ArgumentParser, option: str, metavar: str, help_text: str) -> None:
    """An option that takes file names."""
    parser.add_argument(
        option,
        metavar=metavar,
        action=FileListAction,
        default=[],
        help=f"{help_text}; {GRAMMAR}; repeatable",
    )


def add_run_tags(
    parser: ArgumentParser, option: str, help_text: str, most: int | None = None
) -> None:
    """An option that takes run tags; read its value by ``read_run_tags``."""
    action = parser.add_argument(
        option,
        metavar="TAGS",
        action=TagListAction,
        default=[],
        help=f"{help_text}; {GRAMMAR}" + ("" if most else "; repeatable"),
    )
    action.most = most  # type: ignore[attr-defined]


def is_list_of_names(path: str) -> bool:
    """Whether ``path`` is a text file whose first line is a single name."""
    line = _read_first_line(path)
    return line is not None and len(line.split()) == 1


def expand_file_names(values: Iterable[str]) -> list[str]:
    """The files that ``values`` name: files themselves, ``A,B``, or a file that lists them.

    A file is such a list if its first line is the path of a file, which no line of a run is.
    """
    return [path for value in values for path in _expand(value)]


def _expand(value: str) -> list[str]:
    line = _read_first_line(value)
    if line and is_file(line):
        return _read_names(value)
    if is_file(value):
        return [value]
    return [part for part in value.split(",") if part] if "," in value else [value]


def _read_names(path: str) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path} cannot be read as a list of files.") from error
    return [line.strip() for line in lines if line.strip()]


def _read_first_line(path: str) -> str | None:
    """The first line with text of a plain text file; None for any other."""
    try:
        # A pipe could not be read again.
        if not is_file(path):
            return None
        with Path(path).open("rb") as file:
            text = file.read(FIRST_BYTES).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return None
    line = text.lstrip("\ufeff").strip().partition("\n")[0].strip()
    return line if line and line.isprintable() else None
