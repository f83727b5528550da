"""``campaign.yaml``: a whole campaign as a folder of files, read and checked.

``docs/organizer.md`` shows a manifest. All faults are reported at once with their lines.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolbench.files.faults import FaultReport
from poolbench.files.yaml_files import (
    FLAG,
    INTEGER,
    LIST,
    POSITIVE,
    RUN_KIND,
    TEXT,
    Schema,
    YamlFile,
    is_number,
    is_text,
)
from poolbench.judging.scale import SCREEN_KEYS, GradeSpec, describe_taken_keys

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
    task: str = ""


@dataclass(frozen=True)
class QrelsEntry:
    file: Path
    assessor: str
    task: str = ""


@dataclass(frozen=True)
class TaskEntry:
    """A task; a round if ``residual``: what the tasks before it have judged leaves it. No topics:
    all of the campaign.
    """

    name: str
    slug: str
    topics: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    residual: bool = False


@dataclass(frozen=True)
class ReplayManifest:
    """A campaign to replay. Paths are absolute; in the file they are relative to the folder."""

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
    tasks: tuple[TaskEntry, ...] = ()


NAMES = (lambda v: isinstance(v, list) and all(map(is_text, v)), "a list of names", False)
TOP: Schema = {
    "title": (*TEXT, True),
    "slug": (*TEXT, True),
    "description": (*TEXT, False),
    "guidelines": (*TEXT, False),
    "scale": (*LIST, True),
    "relevance_level": (*INTEGER, False),
    "topics": (*TEXT, True),
    "documents": (*TEXT, False),
    "runs": (*LIST, True),
    "pool": (lambda v: isinstance(v, dict), "a mapping such as {depth: 10}", True),
    "qrels": (*LIST, True),
    "policy": (*TEXT, False),
    "board": (lambda v: v in ("own", "pseudonyms", "names"), "own, pseudonyms or names", False),
    "measures": NAMES,
    "tasks": (*LIST, False),
    "test": (*TEXT, False),
    "correction": (*TEXT, False),
    "alpha": (is_number, "a number", False),
    "release": (*FLAG, False),
}
GRADE: Schema = {
    "grade": (*INTEGER, True),
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
    "kind": (*RUN_KIND, False),
    "priority": (*POSITIVE, False),
    "pooled": (*FLAG, False),
    "task": (*TEXT, False),
}
POOL: Schema = {"depth": (*POSITIVE, True)}
QRELS: Schema = {"file": (*TEXT, True), "assessor": (*TEXT, True), "task": (*TEXT, False)}
TASK: Schema = {
    "name": (*TEXT, True),
    "slug": (*TEXT, True),
    "topics": NAMES,
    "measures": NAMES,
    "residual": (*FLAG, False),
}
EXAMPLE = "See docs/organizer.md for a complete manifest."


def read_manifest(folder: Path) -> ReplayManifest:
    """Read ``campaign.yaml`` of ``folder``; raise ``InvalidFile`` with all its faults."""
    path = folder / MANIFEST
    file = YamlFile(FaultReport(str(path)), ("EM01", "EM02", "EM03"), EXAMPLE, "manifest")
    try:
        file.parse(path.read_bytes())
    except FileNotFoundError:
        file.report.add("EM01", f"The folder has no {MANIFEST}.", EXAMPLE)
        file.raise_if_invalid()
    check_manifest(file)
    file.raise_if_invalid()
    check_files(file, folder)
    file.raise_if_invalid()
    return build_replay_manifest(file.data, folder)


def check_manifest(file: YamlFile) -> None:
    data = file.data
    file.check(data, TOP)
    for key, schema in (("scale", GRADE), ("runs", RUN), ("qrels", QRELS), ("tasks", TASK)):
        entries = data.get(key)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            file.check(entry, schema, (key, index))
    check_keys(file)
    check_tasks(file)
    if isinstance(data.get("pool"), dict):
        file.check(data["pool"], POOL, ("pool",))


def check_keys(file: YamlFile) -> None:
    """No grade may have a key of the judging screen."""
    scale = file.data.get("scale")
    for index, grade in enumerate(scale if isinstance(scale, list) else []):
        key = str(grade.get("key", "")).lower() if isinstance(grade, dict) else ""
        if key in SCREEN_KEYS:
            fix = "Choose another letter or digit."
            file.add_fault(("scale", index, "key"), describe_taken_keys([key]), fix, "EM03")


def check_tasks(file: YamlFile) -> None:
    """Of a campaign with tasks, each run and each assessor's qrels name one of them."""
    data = file.data
    entries = {key: data.get(key) or [] for key in ("tasks", "runs", "qrels")}
    if not all(isinstance(rows, list) for rows in entries.values()):
        return
    slugs = [task.get("slug") for task in entries["tasks"] if isinstance(task, dict)]
    named = [
        ((key, at), entry) for key in ("runs", "qrels") for at, entry in enumerate(entries[key])
    ]
    for place, entry in named:
        task = entry.get("task") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and task not in (slugs or [None]):
            message = f"Not the short name of a task: {task}." if task else "No task."
            fix = f"Use one of: {', '.join(map(str, slugs))}." if slugs else "List it in tasks."
            file.add_fault(place, message, fix, "EM03")


def check_files(file: YamlFile, folder: Path) -> None:
    data = file.data
    named_files: list[tuple[tuple[str | int, ...], str]] = [(("topics",), data["topics"])]
    if data.get("documents"):
        named_files.append((("documents",), data["documents"]))
    for key in ("runs", "qrels"):
        named_files += [((key, i, "file"), e["file"]) for i, e in enumerate(data[key])]
    for path, name in named_files:
        if not (folder / name).is_file():
            fix = "Use paths relative to the manifest."
            file.add_fault(path, f"File not found: {name}", fix, "EM04")


PLAIN = (
    *("description", "guidelines", "relevance_level", "policy", "board"),
    *("test", "correction", "alpha", "release"),
)
"""Keys of the manifest whose values are used as they are."""


def build_replay_manifest(data: dict[str, Any], folder: Path) -> ReplayManifest:
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
    qrels = tuple(
        QrelsEntry(folder / e["file"], e["assessor"], e.get("task") or "") for e in data["qrels"]
    )
    tasks = tuple(
        TaskEntry(
            task["name"],
            task["slug"],
            tuple(task.get("topics") or ()),
            tuple(task.get("measures") or ()),
            bool(task.get("residual")),
        )
        for task in data.get("tasks") or ()
    )
    options = {key: data[key] for key in PLAIN if data.get(key) is not None}
    return ReplayManifest(
        title=data["title"],
        slug=data["slug"],
        scale=scale,
        topics=folder / data["topics"],
        documents=folder / data["documents"] if data.get("documents") else None,
        runs=runs,
        qrels=qrels,
        depth=data["pool"]["depth"],
        measures=tuple(data.get("measures") or ()),
        tasks=tasks,
        **options,
    )
