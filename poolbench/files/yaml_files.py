"""Files that users write in YAML (or JSON, which is YAML): faults with line and column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import yaml

from poolbench.files.faults import FaultReport

Check = Callable[[Any], bool]
Schema = Mapping[str, tuple[Check, str, bool]]
"""By key: the check of its value, what it should be in words, whether it is required."""

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the root to a value."""

UNSTORABLE = {0, *range(0xD800, 0xE000)}
"""NUL and surrogates: valid in YAML, but no database or file can store them."""


MAX_DEPTH = 50
"""Lists and mappings within each other."""


class StrictLoader(yaml.SafeLoader):
    """Rejects aliases, with which a few lines can expand to more than fits into memory, deep
    nesting, and keys that are repeated. Every fault has its place.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=mark)
        if self.depth > MAX_DEPTH:
            problem = f"nested too deeply, limit: {MAX_DEPTH} levels"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The constructors of PyYAML raise whatever their parsing runs into."""
        try:
            return super().construct_object(node, deep=deep)
        except yaml.MarkedYAMLError:
            raise
        except Exception as error:
            tag = node.tag.rpartition(":")[2]
            problem = f"the value cannot be read as {tag}"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            name = (key.tag, str(key.value))
            if name in seen:
                problem = f"the key {key.value} is repeated"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep=deep)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and UNSTORABLE.isdisjoint(map(ord, value))


def is_integer(value: Any) -> bool:
    """Whether it is an integer of at most 64 bits, as columns and arrays store them."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def is_positive(value: Any) -> bool:
    return is_integer(value) and value > 0


def is_number(value: Any) -> bool:
    return is_integer(value) or (isinstance(value, float) and isfinite(value))


# YAML does not read an unquoted No or 7 as text.
TEXT, INTEGER = (is_text, "text (try quotes)"), (is_integer, "an integer")
POSITIVE = (is_positive, "a positive integer")
RUN_KIND = (lambda v: v in ("automatic", "feedback", "manual"), "automatic, feedback or manual")
FLAG = (lambda v: isinstance(v, bool), "true or false")
LIST = (lambda v: isinstance(v, list) and bool(v), "a list with at least one entry")


@dataclass
class YamlFile:
    """A file being read. ``codes``: for an unreadable file, for invalid YAML or no mapping, for
    an invalid key or value. ``fix`` names an example of a valid file.
    """

    report: FaultReport
    codes: tuple[str, str, str]
    fix: str
    noun: str = "file"
    data: dict[str, Any] = field(default_factory=dict)
    tree: yaml.Node | None = None

    def parse(self, content: str | bytes) -> None:
        """Read ``content``; raise ``InvalidFile`` unless it is a mapping."""
        try:
            text = content if isinstance(content, str) else content.decode("utf-8-sig")
            data, tree = load_yaml(text)
        except UnicodeDecodeError:
            message = f"The {self.noun} is not UTF-8."
            self.report.add(self.codes[0], message, "Save it as UTF-8.")
        except yaml.MarkedYAMLError as error:
            line, column = mark_position(error.problem_mark)
            message = f"Invalid YAML: {error.problem}."
            self.report.add(self.codes[1], message, "Correct the syntax.", line=line, column=column)
        except yaml.reader.ReaderError as error:
            before = text[: error.position]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            message = f"Invalid YAML: {error.reason}."
            fix = "Remove the character."
            self.report.add(self.codes[1], message, fix, line=line, column=column)
        else:
            if isinstance(data, dict):
                self.data, self.tree = data, tree
            else:
                message = f"The {self.noun} must be a mapping."
                self.report.add(self.codes[1], message, self.fix, line=1)
        self.raise_if_invalid()

    def raise_if_invalid(self) -> None:
        """Raise ``InvalidFile`` if there are errors so far."""
        self.report.raise_errors()

    def check(self, entry: Any, schema: Schema, path: KeyPath = ()) -> None:
        """Add the faults of the mapping ``entry`` at ``path``."""
        if not isinstance(entry, dict):
            self.add_fault(path, f"{format_path(path)} must be a mapping", self.fix)
            return
        for key in entry.keys() - schema.keys():
            # A number can have more digits than Python prints.
            name = repr(key) if isinstance(key, str) or is_integer(key) else type(key).__name__
            self.add_fault(
                (*path, key), f"Unknown key: {name}", f"Use one of: {', '.join(schema)}."
            )
        for key, (is_valid, expected, required) in schema.items():
            where = format_path((*path, key))
            if entry.get(key) is None:
                if required:
                    self.add_fault(path, f"Missing key: {where}", f"Set it to {expected}.")
            elif not is_valid(entry[key]):
                self.add_fault((*path, key), f"{where} must be {expected}", self.fix)

    def add_fault(self, path: KeyPath, message: str, fix: str, code: str = "") -> None:
        line, column = mark_position(find_node_mark(self.tree, path))
        self.report.add(code or self.codes[2], f"{message}.", fix, line=line, column=column)


def load_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """The value of ``text``, and its tree with positions."""
    loader = StrictLoader(text)
    try:
        tree = loader.get_single_node()
        return (None if tree is None else loader.construct_document(tree)), tree
    except yaml.YAMLError:
        raise
    except Exception as error:
        # The scanner, too, raises whatever its parsing runs into: large numbers in escapes.
        problem, mark = "the text cannot be read", loader.get_mark()
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark) from error
    finally:
        loader.dispose()


def mark_position(mark: yaml.Mark | None) -> tuple[int | None, int | None]:
    """Line and column, from 1."""
    return (mark.line + 1, mark.column + 1) if mark else (None, None)


def find_node_mark(node: yaml.Node | None, path: KeyPath) -> yaml.Mark | None:
    """The position in the file of the value at ``path``, or of its nearest parent."""
    for step in path:
        child = None
        if isinstance(node, yaml.MappingNode):
            child = next((v for k, v in node.value if k.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            child = node.value[step] if step < len(node.value) else None
        if child is None:
            break
        node = child
    return node.start_mark if node else None


def format_path(path: KeyPath) -> str:
    """``("runs", 3, "file")`` as ``runs[4].file``, counted from 1."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")
