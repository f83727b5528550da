"""Write a ``campaign.yaml`` for TREC-COVID round 1: 143 runs of 56 teams, 30 topics.

    python benchmarks/trec_covid.py DATA FOLDER && python manage.py load_campaign FOLDER

``DATA`` is the folder with ``trec-covid-r1``; the data are not copied. Complete runs are used
if available, otherwise the top 50 documents per topic.
"""

import csv
import os
import sys
from pathlib import Path
from typing import Any

import yaml

SCALE = [(0, "not relevant"), (1, "partially relevant"), (2, "relevant")]
MEASURES = ["map", "bpref", "bpref-10", "ndcg", "ndcg_cut_10", "P_5", "recip_rank", "judged_10"]


def manifest(source: Path, folder: Path) -> dict[str, Any]:
    with (source / "leaderboard.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        "title": "TREC-COVID, round 1",
        "slug": "trec-covid-r1",
        "description": "143 runs by 56 teams over the CORD-19 articles of April 2020.",
        "scale": [{"grade": g, "label": t, "key": str(g), "gain": g} for g, t in SCALE],
        "relevance_level": 1,
        "topics": relative(source / "topics-covid-round1.xml", folder),
        "runs": [entry(row, source, folder) for row in rows],
        "pool": {"depth": 7},
        "qrels": [
            {"file": relative(source / "qrels-covid-round1.txt", folder), "assessor": "nist"}
        ],
        "policy": "single",
        "measures": MEASURES,
        "board": "names",
    }


def entry(row: dict[str, str], source: Path, folder: Path) -> dict[str, Any]:
    return {
        "file": relative(run_file(source, row["run"]), folder),
        "team": row["team"],
        "tag": row["run"],
        "kind": row["runtype"] if row["runtype"] in ("automatic", "manual") else "automatic",
        "pooled": row["contributed judgments"] == "yes",
    }


def run_file(source: Path, tag: str) -> Path:
    uncut = source / "runs-full" / f"{tag}.gz"
    return uncut if uncut.exists() else source / "runs-top50" / f"{tag}.gz"


def relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path.resolve(), folder.resolve())


def main(data: str, target: str) -> None:
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(manifest(Path(data) / "trec-covid-r1", folder), sort_keys=False)
    (folder / "campaign.yaml").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
