"""Write a ``campaign.yaml`` in the shape of TREC-8: 129 runs of 43 teams, 50 topics.

    python benchmarks/trec8.py FOLDER && python manage.py load_campaign FOLDER

Runs and qrels are those of ``generate.trec8``: 129 runs × 50 topics × 1,000 documents and 90,341
judged pairs in a depth-67 pool of 116,990. Each of six assessors judges the topics of a share;
every sixth topic is judged by two, every tenth by three, who disagree as people do.
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from generate import SEED, trec8

SCALE = [(0, "not relevant"), (1, "relevant"), (2, "highly relevant")]
MEASURES = ["map", "bpref", "ndcg", "ndcg_cut_10", "P_10", "recip_rank", "Rprec", "judged_10"]
ASSESSORS = ("ada", "ben", "cleo", "dan", "eva", "finn")
TEAM_RUNS = 3
POOL_DEPTH = 67
SLIPS = 0.04, 0.25
"""How often another assessor grades a document differently: one not relevant, one relevant."""


def main(target: str) -> None:
    folder = Path(target)
    qrels, runs = trec8(folder)
    files = write_judgments(qrels, folder)
    topics = "".join(f"{401 + n}\tTopic {401 + n} of the generated campaign\n" for n in range(50))
    (folder / "topics.tsv").write_text(topics)
    text = yaml.safe_dump(build_manifest(runs, files), sort_keys=False)
    (folder / "campaign.yaml").write_text(text)


def write_judgments(qrels: Path, folder: Path) -> list[tuple[str, Path]]:
    """Qrels files by assessor."""
    rng = np.random.default_rng(SEED + 2)
    lines: dict[str, list[str]] = defaultdict(list)
    for line in qrels.read_text().splitlines():
        topic, _, docno, grade = line.split()
        for place, name in enumerate(list_assessors(int(topic) - 401)):
            value = int(grade)
            if place and rng.random() < SLIPS[value > 0]:
                value = 0 if value else 1
            lines[name].append(f"{topic} 0 {docno} {value}\n")
    for name, rows in lines.items():
        (folder / f"qrels-{name}.txt").write_text("".join(rows))
    return [(name, folder / f"qrels-{name}.txt") for name in sorted(lines)]


def list_assessors(topic: int) -> list[str]:
    overlap = 3 if topic % 10 == 0 else 2 if topic % 6 == 0 else 1
    return [ASSESSORS[(topic + place) % len(ASSESSORS)] for place in range(overlap)]


def build_manifest(runs: list[Path], qrels: list[tuple[str, Path]]) -> dict[str, Any]:
    return {
        "title": "Generated campaign in the shape of TREC-8",
        "slug": "trec8",
        "scale": [{"grade": g, "label": t, "key": str(g), "gain": g} for g, t in SCALE],
        "relevance_level": 1,
        "topics": "topics.tsv",
        "runs": [
            {
                "file": path.name,
                "team": f"Team {number // TEAM_RUNS + 1:02d}",
                "tag": path.stem,
                "kind": "manual" if number % 10 == 7 else "automatic",
                "priority": number % TEAM_RUNS + 1,
            }
            for number, path in enumerate(runs)
        ],
        "pool": {"depth": POOL_DEPTH},
        "qrels": [{"file": path.name, "assessor": name} for name, path in qrels],
        "policy": "majority",
        "measures": MEASURES,
        "board": "names",
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
