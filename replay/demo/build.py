"""Write the demo as a campaign folder, as any organizer could write one by hand."""

import gzip
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from poolbench.runs.hash_order import hash_order
from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText, read_topics
from replay.demo.corpus import stdlib_documents
from replay.demo.rankers import RUNS, DemoRun
from replay.demo.words import Scored

POOL_DEPTH = 10
UNJUDGED_ONE_IN = 25
ASSESSORS = ("ada", "edsger", "grace")
TOPICS = Path(__file__).with_name("topics.xml")
JUDGMENTS = Path(__file__).with_name("judgments")

_DESCRIPTION = """\
A small but complete campaign: {documents:,} docstrings of Python's standard library, read on this
machine, {topics} questions of programmers, {runs} runs of five fictional teams, and the judgments
of three fictional assessors with different ideas of relevance.

**Ada** follows the narrative to the letter. **Grace** gives credit to anything helpful.
**Edsger** asks whether the text alone would solve the problem. Nine topics were judged by all
three, the others by one of them.
"""

_GUIDELINES = """\
Read the title, question and narrative of the topic first; the narrative decides. Judge the text
of the document, not what you know about the module from other sources. A short docstring can be
highly relevant if it names and explains exactly what the topic asks for. Judge each document on
its own: do not lower a grade because another document says the same.
"""

_SCALE = [
    (0, "Not relevant", "On another subject, or shares only a word with the topic."),
    (1, "Partly", "On the subject, and partly relevant according to the narrative."),
    (2, "Relevant", "Helps with the task: part of the answer, or a step towards it."),
    (3, "Highly relevant", "A complete answer: the search is over."),
]


def write_campaign_folder(folder: Path) -> None:
    """Write ``campaign.yaml``, documents, topics, runs and qrels into ``folder``.

    Files of an earlier call are replaced. The bytes depend only on the Python and SQLite
    versions. Raises ``NoFullText`` if SQLite lacks FTS5.
    """
    documents, topics = stdlib_documents(), read_topics(TOPICS.read_bytes())
    for name in ("runs", "qrels"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    write_documents(folder / "documents.jsonl.gz", documents)
    shutil.copyfile(TOPICS, folder / "topics.xml")
    pooled: set[tuple[str, str]] = set()
    for run in RUNS:
        pooled |= _write_run(folder / "runs" / f"{run.tag}.gz", run, topics, documents)
    for assessor in ASSESSORS:
        _write_qrels(folder / "qrels" / f"{assessor}.qrels", assessor, pooled)
    _write_manifest(folder / "campaign.yaml", len(documents), len(topics))


def write_documents(path: Path, documents: Iterable[DocumentText]) -> None:
    """Gzipped JSON lines: ``docno``, ``title``, ``text`` and the extra fields of each document."""
    lines = []
    for document in documents:
        fields = asdict(document)
        fields["text"] = fields.pop("body")
        extra = fields.pop("extra")
        filled = {name: value for name, value in fields.items() if value}
        lines.append(json.dumps(filled | extra, ensure_ascii=False))
    _write_gzip(path, "".join(f"{line}\n" for line in lines))


def load_demo_judgments(assessor: str) -> dict[tuple[str, str], int]:
    """All shipped judgments of an assessor: (topic, docno) -> grade, in file order."""
    text = (JUDGMENTS / f"{assessor}.qrels").read_text(encoding="ascii")
    rows = (line.split() for line in text.splitlines())
    return {(topic, docno): int(grade) for topic, _, docno, grade in rows}


def _write_run(
    path: Path, run: DemoRun, topics: Sequence[TopicText], documents: Sequence[DocumentText]
) -> set[tuple[str, str]]:
    """Write one run file; return the pairs that it contributes to the pool."""
    rows = list(run.ranker(topics, documents))
    lines, pooled = [], set()
    for (topic, docno, score), rank in zip(rows, _ranks(rows), strict=True):
        lines.append(f"{topic} Q0 {docno} {rank} {score:.6f} {run.tag}\n")
        if rank <= POOL_DEPTH:
            pooled.add((topic, docno))
    _write_gzip(path, "".join(lines))
    return pooled


def _ranks(rows: Sequence[Scored]) -> Iterable[int]:
    """1, 2, 3 … within each topic, in the order of the rows."""
    topic, rank = None, 0
    for row in rows:
        rank = rank + 1 if row[0] == topic else 1
        topic = row[0]
        yield rank


def _write_qrels(path: Path, assessor: str, pooled: set[tuple[str, str]]) -> None:
    """The judgments of pairs in this machine's pool; docstrings differ between Pythons.

    A few pairs are left unjudged, so that visitors can try judging.
    """
    lines = [
        f"{topic} 0 {docno} {grade}\n"
        for (topic, docno), grade in load_demo_judgments(assessor).items()
        if (topic, docno) in pooled and hash_order(0, topic, docno) % UNJUDGED_ONE_IN
    ]
    path.write_text("".join(lines), encoding="ascii")


def _write_manifest(path: Path, documents: int, topics: int) -> None:
    counts = {"documents": documents, "topics": topics, "runs": len(RUNS)}
    manifest: dict[str, Any] = {
        "title": "Finding your way in the standard library",
        "slug": "stdlib-demo",
        "description": _DESCRIPTION.format(**counts),
        "guidelines": _GUIDELINES,
        "scale": [
            {"grade": grade, "label": label, "key": str(grade), "gain": grade, "meaning": meaning}
            for grade, label, meaning in _SCALE
        ],
        "relevance_level": 1,
        "topics": "topics.xml",
        "documents": "documents.jsonl.gz",
        "runs": [_run_entry(run) for run in RUNS],
        "pool": {"depth": POOL_DEPTH},
        "qrels": [{"file": f"qrels/{name}.qrels", "assessor": name} for name in ASSESSORS],
        "policy": "median-floor",
        "release": True,
    }
    text = yaml.dump(manifest, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    path.write_text(text, encoding="utf-8")


class _Dumper(yaml.SafeDumper):
    """Writes multiline texts as people do, as a block after ``|``."""


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text_node)


def _run_entry(run: DemoRun) -> dict[str, Any]:
    return {
        "file": f"runs/{run.tag}.gz",
        "team": run.team,
        "tag": run.tag,
        "description": run.description,
        "priority": run.priority,
        "pooled": True,
    }


def _write_gzip(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
