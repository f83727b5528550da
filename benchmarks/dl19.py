"""Write campaign folders for TREC Deep Learning 2019, passages: 37 runs, 43 topics.

    python benchmarks/dl19.py DATA FOLDER && python manage.py load_campaign FOLDER

``DATA`` is the folder with ``trec-dl19-passage``; runs and qrels are not copied. The relevance
level is 2, as in the track. Passages that no file has a text of are imported without one.
"""

import gzip
import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.witness import name_team

DEEPEST = 100
"""Documents of a topic in a run, at most."""
LISTS = 2
"""Runs of the organizers in ``write_judged_runs``."""
ORGANIZERS = "NIST"
MEASURES = ["ndcg_cut_10", "map", "bpref", "P_10"]
SCALE = [(0, "irrelevant"), (1, "related"), (2, "highly relevant"), (3, "perfectly relevant")]
Rankings = dict[str, list[str]]


def write_campaign(data: Path, folder: Path) -> Path:
    """``campaign.yaml`` with the runs as submitted and all judgments."""
    source = data / "trec-dl19-passage"
    folder.mkdir(parents=True, exist_ok=True)
    runs = {path.stem: path for path in sorted((source / "runs-top100").iterdir())}
    write_passages(source, runs, folder / "passages.jsonl.gz")
    return write_manifest(source, runs, folder, "dl19")


def write_judged_runs(data: Path, folder: Path) -> Path:
    """``campaign.yaml`` with runs whose documents down to ``DEEPEST`` are the judged pairs: each
    without its documents that NIST did not judge, and at its end, as far as there is room, judged
    ones that no run retrieved. What is left are ``LISTS`` runs of the organizers. So a pool of
    these runs has the pairs whose grades are known, and no others.
    """
    source = data / "trec-dl19-passage"
    written = folder / "runs"
    written.mkdir(parents=True, exist_ok=True)
    paths = sorted((source / "runs-top100").iterdir())
    runs = {path.stem: read_rankings(path) for path in paths}
    for tag, rankings in list_judged(runs, read_grades(source)).items():
        lines = (
            f"{topic} Q0 {docno} {rank} {DEEPEST - rank} {tag}\n"
            for topic, docnos in rankings.items()
            for rank, docno in enumerate(docnos)
        )
        (written / tag).write_text("".join(lines))
    write_passages(source, {path.stem: path for path in paths}, folder / "passages.jsonl.gz")
    ready = {path.name: path for path in sorted(written.iterdir())}
    return write_manifest(source, ready, folder, "dl19-sample")


def list_judged(
    runs: Mapping[str, Rankings], grades: Mapping[str, Mapping[str, int]]
) -> dict[str, Rankings]:
    """By tag and topic the documents of ``write_judged_runs``."""
    lists: dict[str, Rankings] = {tag: {} for tag in runs}
    lists |= {f"judged-{number}": {} for number in range(1, LISTS + 1)}
    for topic, judged in grades.items():
        own = {tag: [d for d in lines.get(topic, []) if d in judged] for tag, lines in runs.items()}
        own |= {tag: [] for tag in lists if tag not in own}
        retrieved = set().union(*own.values())
        for docno in judged:
            if docno not in retrieved:
                room = [docnos for docnos in own.values() if len(docnos) < DEEPEST]
                max(room, key=len).append(docno)
        for tag, docnos in own.items():
            lists[tag][topic] = docnos
    return lists


def read_grades(source: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (source / "qrels.dl19-passage.txt").read_text().splitlines():
        topic, _, docno, grade = line.split()
        grades[topic][docno] = int(grade)
    return grades


def read_rankings(path: Path) -> Rankings:
    """Docnos by topic, in the order of the file, which is that of the scores."""
    rankings: Rankings = defaultdict(list)
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, docno, *_ = line.split()
        rankings[topic].append(docno)
    return rankings


def write_passages(source: Path, runs: Mapping[str, Path], target: Path) -> None:
    """All passages of runs and judgments, those at hand with their text."""
    lines = gzip.decompress((source / "passages.jsonl.gz").read_bytes()).splitlines()
    texts = {row["docid"]: row["doc"] for row in map(json.loads, lines)}
    docnos = {docno for judged in read_grades(source).values() for docno in judged}
    for path in runs.values():
        docnos.update(*read_rankings(path).values())
    rows = (json.dumps({"docid": d, "doc": texts.get(d, "")}) for d in sorted(docnos))
    target.write_bytes(gzip.compress("\n".join(rows).encode(), 1, mtime=0))


def write_manifest(source: Path, runs: Mapping[str, Path], folder: Path, slug: str) -> Path:
    manifest: dict[str, Any] = {
        "title": "TREC Deep Learning 2019, passages",
        "slug": slug,
        "scale": [{"grade": g, "label": name, "key": str(g), "gain": g} for g, name in SCALE],
        "relevance_level": 2,
        "topics": relative(source / "topics.tsv", folder),
        "documents": "passages.jsonl.gz",
        "runs": [describe_run(tag, path, folder) for tag, path in runs.items()],
        "pool": {"depth": 10},
        "qrels": [
            {"file": relative(source / "qrels.dl19-passage.txt", folder), "assessor": "nist"}
        ],
        "policy": "single",
        "measures": MEASURES,
        "board": "names",
    }
    path = folder / "campaign.yaml"
    path.write_text(yaml.safe_dump(manifest, sort_keys=False))
    return path


def describe_run(tag: str, path: Path, folder: Path) -> dict[str, Any]:
    team = ORGANIZERS if tag.startswith("judged-") else name_team(tag)
    return {"file": relative(path, folder), "team": team, "tag": tag, "kind": "automatic"}


def relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path.resolve(), folder.resolve())


def main(arguments: Sequence[str]) -> None:
    data, folder = map(Path, arguments)
    write_campaign(data, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
