"""Files that people write in YAML (or JSON, which is YAML): every fault told with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import yaml

from campaigns.core.faults import FaultReport, InvalidFile

Check = Callable[[Any], bool]
Schema = Mapping[str, tuple[Check, str, bool]]
"""Key: what checks its value, what it must be in words, whether it is required."""

Path = tuple[str | int, ...]


UNFIT = {0, *range(0xD800, 0xE000)}
"""NUL and halves of characters: YAML can write them, and no database or file can hold them."""


class NoAliasLoader(yaml.SafeLoader):
    """Without aliases: a few lines of them can stand for more than any memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        return super().compose_node(parent, index)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and UNFIT.isdisjoint(map(ord, value))


def is_integer(value: Any) -> bool:
    """A whole number of no more than 64 bits, as columns and arrays hold them."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def is_positive(value: Any) -> bool:
    return is_integer(value) and value > 0


def is_number(value: Any) -> bool:
    return is_integer(value) or (isinstance(value, float) and isfinite(value))


# YAML reads an unquoted No or 7 as something else than a text.
TEXT, WHOLE = (is_text, "a text (try quotes)"), (is_integer, "a whole number")
POSITIVE = (is_positive, "a whole number from 1")
FLAG = (lambda v: isinstance(v, bool), "true or false")
LIST = (lambda v: isinstance(v, list) and bool(v), "a list with at least one entry")


@dataclass
class YamlFile:
    """A file as it is read. ``codes`` are those of its faults: that it cannot be read, is no
    mapping in YAML, has a wrong key or value; ``fix`` says where a good file is shown.
    """

    report: FaultReport
    codes: tuple[str, str, str]
    fix: str
    noun: str = "file"
    data: dict[str, Any] = field(default_factory=dict)
    tree: yaml.Node | None = None

    def parse(self, content: str | bytes) -> None:
        """Read ``content``; raise ``BadFile`` unless it is a mapping."""
        try:
            text = content if isinstance(content, str) else content.decode("utf-8-sig")
            data, tree = load_yaml(text)
        except UnicodeDecodeError:
            self.report.add(self.codes[0], f"the {self.noun} is not UTF-8.", "Save it as UTF-8.")
        except yaml.MarkedYAMLError as error:
            line, column = mark_position(error.problem_mark)
            told = f"not YAML: {error.problem}."
            self.report.add(self.codes[1], told, "Correct the syntax.", line=line, column=column)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            told = f"not YAML: {str(error).splitlines()[0]}."
            self.report.add(self.codes[1], told, "Correct the syntax.")
        else:
            if isinstance(data, dict):
                self.data, self.tree = data, tree
            else:
                told = f"the {self.noun} is not a mapping."
                self.report.add(self.codes[1], told, self.fix, line=1)
        self.stop_if_bad()

    def stop_if_bad(self) -> None:
        if self.report.has_errors:
            raise InvalidFile(self.report)

    def check(self, entry: Any, schema: Schema, path: Path = ()) -> None:
        """Tell what is wrong with the mapping ``entry``, which stands at ``path``."""
        if not isinstance(entry, dict):
            self.fault(path, f"{format_path(path)} is not a mapping", self.fix)
            return
        for key in entry.keys() - schema.keys():
            # A number can have more digits than Python writes.
            told = repr(key) if isinstance(key, str) or is_integer(key) else type(key).__name__
            self.fault((*path, key), f"unknown key {told}", f"Known: {', '.join(schema)}.")
        for key, (good, wanted, required) in schema.items():
            where = format_path((*path, key))
            if entry.get(key) is None:
                if required:
                    self.fault(path, f"{where} is missing", f"Give {wanted}.")
            elif not good(entry[key]):
                self.fault((*path, key), f"{where} is not {wanted}", self.fix)

    def fault(self, path: Path, message: str, fix: str, code: str = "") -> None:
        line, column = mark_position(find_node_mark(self.tree, path))
        self.report.add(code or self.codes[2], f"{message}.", fix, line=line, column=column)


def load_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """What ``text`` says, and where in it."""
    loader = NoAliasLoader(text)
    try:
        tree = loader.get_single_node()
        return (None if tree is None else loader.construct_document(tree)), tree
    finally:
        loader.dispose()


def mark_position(mark: yaml.Mark | None) -> tuple[int | None, int | None]:
    """Line and column, counted from 1."""
    return (mark.line + 1, mark.column + 1) if mark else (None, None)


def find_node_mark(node: yaml.Node | None, path: Path) -> yaml.Mark | None:
    """Where in the file the value at ``path`` (or the nearest thing around it) stands."""
    for step in path:
        below = None
        if isinstance(node, yaml.MappingNode):
            below = next((v for k, v in node.value if k.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            below = node.value[step]
        if below is None:
            break
        node = below
    return node.start_mark if node else None


def format_path(path: Path) -> str:
    """``("runs", 3, "file")`` as people write it: ``runs[4].file``, counted from 1."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")
