"""``campaign.yaml``: a whole campaign as a folder of files, read and checked.

``docs/guide.md`` shows a manifest. Every fault is reported at once with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from campaigns.core.faults import BadFile, FaultReport
from campaigns.core.scale import GradeSpec

MANIFEST = "campaign.yaml"


@dataclass(frozen=True)
class RunEntry:
    file: Path
    team: str
    tag: str
    description: str = ""
    kind: str = "automatic"
    priority: int = 1
    pooled: bool = True


@dataclass(frozen=True)
class QrelsEntry:
    file: Path
    assessor: str


@dataclass(frozen=True)
class Manifest:
    """A campaign to be played. Paths are absolute; they are told relative to the folder."""

    title: str
    slug: str
    scale: tuple[GradeSpec, ...]
    topics: Path
    runs: tuple[RunEntry, ...]
    qrels: tuple[QrelsEntry, ...]
    depth: int
    description: str = ""
    guidelines: str = ""
    relevance_level: int = 1
    documents: Path | None = None
    policy: str = "single"
    board: str = "own"
    measures: tuple[str, ...] = ()
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    release: bool = True


Check = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return is_whole(value) or isinstance(value, float)


# key: (check, what it must be, required)
Schema = Mapping[str, tuple[Check, str, bool]]
# YAML reads an unquoted No or 7 as something else than a text.
TEXT, WHOLE = (is_text, "a text (try quotes)"), (is_whole, "a whole number")
FLAG = (lambda v: isinstance(v, bool), "true or false")
LIST = (lambda v: isinstance(v, list) and bool(v), "a list with at least one entry")
TOP: Schema = {
    "title": (*TEXT, True),
    "slug": (*TEXT, True),
    "description": (*TEXT, False),
    "guidelines": (*TEXT, False),
    "scale": (*LIST, True),
    "relevance_level": (*WHOLE, False),
    "topics": (*TEXT, True),
    "documents": (*TEXT, False),
    "runs": (*LIST, True),
    "pool": (lambda v: isinstance(v, dict), "a mapping such as {depth: 10}", True),
    "qrels": (*LIST, True),
    "policy": (*TEXT, False),
    "board": (lambda v: v in ("own", "pseudonyms", "names"), "own, pseudonyms or names", False),
    "measures": (lambda v: isinstance(v, list) and all(map(is_text, v)), "a list of names", False),
    "test": (*TEXT, False),
    "correction": (*TEXT, False),
    "alpha": (is_number, "a number", False),
    "release": (*FLAG, False),
}
GRADE: Schema = {
    "grade": (*WHOLE, True),
    "label": (*TEXT, True),
    "key": (lambda v: isinstance(v, str) and len(v) == 1, "one character, in quotes", True),
    "gain": (is_number, "a number", False),
    "meaning": (*TEXT, False),
}
RUN: Schema = {
    "file": (*TEXT, True),
    "team": (*TEXT, True),
    "tag": (*TEXT, True),
    "description": (*TEXT, False),
    "kind": (lambda v: v in ("automatic", "manual"), "automatic or manual", False),
    "priority": (lambda v: is_whole(v) and v > 0, "a whole number from 1", False),
    "pooled": (*FLAG, False),
}
POOL: Schema = {"depth": (lambda v: is_whole(v) and v > 0, "a whole number from 1", True)}
QRELS: Schema = {"file": (*TEXT, True), "assessor": (*TEXT, True)}
CURE = "See docs/guide.md for a complete manifest."


def read_manifest(folder: Path) -> Manifest:
    """Read ``campaign.yaml`` of ``folder``; raise ``BadFile`` with everything wrong in it."""
    path = folder / MANIFEST
    report = FaultReport(str(path))
    data, tree = parse(path, report)
    stop_if_bad(report)
    check_all(data, tree, report)
    stop_if_bad(report)
    check_files(data, folder, tree, report)
    stop_if_bad(report)
    return build(data, folder)


def stop_if_bad(report: FaultReport) -> None:
    if report.has_errors:
        raise BadFile(report)


def parse(path: Path, report: FaultReport) -> tuple[dict[str, Any], yaml.Node | None]:
    try:
        text = path.read_text(encoding="utf-8")
        data, tree = yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except FileNotFoundError:
        report.add("EM01", f"there is no {MANIFEST} here", CURE)
    except UnicodeDecodeError:
        report.add("EM01", f"{MANIFEST} is not UTF-8", "Save it as UTF-8.")
    except yaml.MarkedYAMLError as error:
        line, column = place(error.problem_mark)
        cure = "Correct the syntax."
        report.add("EM02", f"not YAML: {error.problem}", cure, line=line, column=column)
    else:
        if isinstance(data, dict):
            return data, tree
        report.add("EM02", "the manifest is not a mapping", CURE, line=1)
    return {}, None


def check_all(data: dict[str, Any], tree: yaml.Node | None, report: FaultReport) -> None:
    check(data, TOP, (), tree, report)
    for key, schema in (("scale", GRADE), ("runs", RUN), ("qrels", QRELS)):
        entries = data.get(key)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            check(entry, schema, (key, index), tree, report)
    if isinstance(data.get("pool"), dict):
        check(data["pool"], POOL, ("pool",), tree, report)


def check(
    entry: Any,
    schema: Schema,
    path: tuple[str | int, ...],
    tree: yaml.Node | None,
    report: FaultReport,
) -> None:
    if not isinstance(entry, dict):
        fault(report, tree, path, "EM03", f"{named(path)} is not a mapping", CURE)
        return
    for key in entry.keys() - schema.keys():
        known = ", ".join(schema)
        fault(report, tree, (*path, key), "EM03", f"unknown key {key!r}", f"Known: {known}.")
    for key, (good, wanted, required) in schema.items():
        where = named((*path, key))
        if entry.get(key) is None:
            if required:
                fault(report, tree, path, "EM03", f"{where} is missing", f"Give {wanted}.")
        elif not good(entry[key]):
            fault(report, tree, (*path, key), "EM03", f"{where} is not {wanted}", CURE)


def check_files(
    data: dict[str, Any], folder: Path, tree: yaml.Node | None, report: FaultReport
) -> None:
    named_files: list[tuple[tuple[str | int, ...], str]] = [(("topics",), data["topics"])]
    if data.get("documents"):
        named_files.append((("documents",), data["documents"]))
    for key in ("runs", "qrels"):
        named_files += [((key, i, "file"), e["file"]) for i, e in enumerate(data[key])]
    for path, name in named_files:
        if not (folder / name).is_file():
            fault(report, tree, path, "EM04", f"no file {name}", "Paths start at the manifest.")


def fault(
    report: FaultReport,
    tree: yaml.Node | None,
    path: tuple[str | int, ...],
    code: str,
    message: str,
    cure: str,
) -> None:
    line, column = place(position(tree, path))
    report.add(code, message, cure, line=line, column=column)


def place(mark: yaml.Mark | None) -> tuple[int | None, int | None]:
    """Line and column, counted from 1."""
    return (mark.line + 1, mark.column + 1) if mark else (None, None)


def position(node: yaml.Node | None, path: tuple[str | int, ...]) -> yaml.Mark | None:
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


def named(path: tuple[str | int, ...]) -> str:
    """``("runs", 3, "file")`` as people write it: ``runs[4].file``, counted from 1."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")


PLAIN = (
    *("description", "guidelines", "relevance_level", "policy", "board"),
    *("test", "correction", "alpha", "release"),
)
"""Keys of the manifest that are taken as they are."""


def build(data: dict[str, Any], folder: Path) -> Manifest:
    scale = tuple(
        GradeSpec(
            g["grade"],
            g["label"],
            g["key"],
            float(g.get("gain", max(0, g["grade"]))),
            g.get("meaning") or "",
        )
        for g in data["scale"]
    )
    runs = tuple(RunEntry(**{**entry, "file": folder / entry["file"]}) for entry in data["runs"])
    qrels = tuple(QrelsEntry(folder / e["file"], e["assessor"]) for e in data["qrels"])
    given = {key: data[key] for key in PLAIN if data.get(key) is not None}
    return Manifest(
        title=data["title"],
        slug=data["slug"],
        scale=scale,
        topics=folder / data["topics"],
        documents=folder / data["documents"] if data.get("documents") else None,
        runs=runs,
        qrels=qrels,
        depth=data["pool"]["depth"],
        measures=tuple(data.get("measures") or ()),
        **given,
    )
