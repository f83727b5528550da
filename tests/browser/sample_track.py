"""A track whose pool people judge in part: its files, and a small one that is made up."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from poolbench.replay.manifest import ReplayManifest, read_manifest
from poolbench.runs.qrels import read_qrels

TOPICS, RUNS, DEPTH = 6, 6, 20
MEASURES = ["ndcg_cut_10", "map", "P_10"]


@dataclass(frozen=True)
class SampledTrack:
    """``whole``: the folder of the campaign with all judgments. ``pooled``: the folder with the
    runs that the pool is made of, which are others where those as submitted have documents that
    were never judged. ``machine``: qrels of an automatic assessor. ``number`` pairs are drawn, of
    which ``keys`` are judged in the browser.
    """

    whole: Path
    pooled: Path
    machine: Path
    number: int
    keys: int

    @property
    def manifest(self) -> ReplayManifest:
        return read_manifest(self.whole)

    @property
    def grades(self) -> Mapping[tuple[str, str], int]:
        return read_qrels(self.manifest.qrels[0].file.read_bytes()).by_pair()


def write_small_track(folder: Path) -> SampledTrack:
    """Six runs, the better the lower their number, and a machine that is wrong once in four."""
    rng, docnos = np.random.default_rng(26), [f"d{number:02}" for number in range(30)]
    grades = {str(topic): rng.integers(0, 4, 30) // 2 for topic in range(1, TOPICS + 1)}
    runs = [
        {
            topic: np.argsort(-own + rng.normal(0, 0.4 + 0.4 * run, 30))[:DEPTH]
            for topic, own in grades.items()
        }
        for run in range(RUNS)
    ]
    listed = {t: sorted(set(np.concatenate([run[t] for run in runs]))) for t in grades}
    rows = [(t, docnos[at], int(grades[t][at])) for t in grades for at in listed[t]]
    wrong = rng.random(len(rows)) < 0.25
    write_lines(folder / "qrels.txt", (f"{t} 0 {d} {grade}" for t, d, grade in rows))
    guessed = zip(rows, wrong, strict=True)
    write_lines(folder / "robot.txt", (f"{t} 0 {d} {abs(g - bad)}" for (t, d, g), bad in guessed))
    write_lines(folder / "topics.tsv", (f"{t}\tred apples {t}\tWhich apples?" for t in grades))
    write_lines(folder / "documents.tsv", (f"{d}\tTitle {d}\tA short text of {d}." for d in docnos))
    for number, run in enumerate(runs, 1):
        ranked = ((t, docnos[at], rank) for t in run for rank, at in enumerate(run[t]))
        lines = (f"{t} Q0 {d} {rank} {99 - rank} run{number}" for t, d, rank in ranked)
        write_lines(folder / f"run{number}.txt", lines)
    manifest = {
        "title": "Apples", "slug": "apples", "relevance_level": 1, "board": "names",
        "scale": [{"grade": g, "label": f"grade {g}", "key": str(g), "gain": g} for g in (0, 1)],
        "topics": "topics.tsv", "documents": "documents.tsv", "measures": MEASURES,
        "runs": [{"file": f"run{n}.txt", "team": f"Team {n % 3}", "tag": f"run{n}"}
                 for n in range(1, RUNS + 1)],
        "pool": {"depth": DEPTH}, "qrels": [{"file": "qrels.txt", "assessor": "all"}],
    }  # fmt: skip
    (folder / "campaign.yaml").write_text(yaml.safe_dump(manifest))
    return SampledTrack(folder, folder, folder / "robot.txt", len(rows) // 2, 3)


def write_lines(path: Path, lines: object) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
