"""Synthetic test collections in the shape of well-known ones, reproducible from one seed.

``trec8``: 129 runs × 50 topics × 1,000 documents out of 528,155, 90,341 judgments with grades
0 to 2; every fifth run has scores with two decimals and so many ties. ``passages``: one run of
7,000 topics × 1,000 passages out of 8.8 million, 7,406 judgments. ``large_run``: a run of any
number of topics.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SEED = 20240101
DOCUMENTS, JUDGMENTS, RELEVANT = 528_155, 90_341, 4_629
RUNS, TOPICS, DEPTH = 129, 50, 1_000
CANDIDATES = 20_000
PASSAGES, PASSAGE_TOPICS, PASSAGE_JUDGMENTS = 8_841_823, 7_000, 7_406

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def trec8(folder: Path) -> tuple[Path, list[Path]]:
    """``(qrels, runs)`` in ``folder``, written unless they exist."""
    qrels = folder / "qrels.txt"
    runs = [folder / f"run{number:03d}.txt" for number in range(1, RUNS + 1)]
    if not qrels.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write_trec8(qrels, runs)
    return qrels, runs


def passages(folder: Path) -> tuple[Path, Path]:
    """``(qrels, run)`` in ``folder``, written unless they exist."""
    qrels, run = folder / "passages-qrels.txt", folder / "passages-run.txt"
    if not qrels.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write_passages(qrels, run)
    return qrels, run


def large_run(folder: Path, topics: int) -> Path:
    """A run of ``topics`` × 1,000 documents in ``folder``, written unless it exists. Topics are in
    the order of their numbers, which is not that of their names; some scores are tied.
    """
    path = folder / f"run-{topics}.txt"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(SEED + 2)
        with path.open("w") as file:
            for topic in range(1, topics + 1):
                numbers = rng.choice(PASSAGES, DEPTH, replace=False).tolist()
                listed = np.array([f"DOC-{number:08d}" for number in numbers], dtype=object)
                scores = -np.sort(-rng.gamma(4.0, 3.0, DEPTH))
                file.write(lines(topic, listed, scores, 6, "mytag"))
    return path


def _write_trec8(qrels: Path, runs: list[Path]) -> None:
    rng = np.random.default_rng(SEED)
    names = docnos(rng)
    best = np.full((TOPICS, CANDIDATES), DEPTH + 1)
    pools = [rng.choice(DOCUMENTS, CANDIDATES, replace=False) for _ in range(TOPICS)]
    merit = rng.gumbel(0.0, 2.0, (TOPICS, CANDIDATES))
    for number, path in enumerate(runs):
        noise = rng.uniform(2.0, 6.0)
        with path.open("w") as file:
            for topic in range(TOPICS):
                scores = merit[topic] + rng.normal(0.0, noise, CANDIDATES)
                order = np.argsort(-scores)[:DEPTH]
                ranks = np.arange(1, DEPTH + 1)
                best[topic, order] = np.minimum(best[topic, order], ranks)
                decimals = 2 if number % 5 == 4 else 6
                listed = names[pools[topic][order]]
                file.write(lines(401 + topic, listed, scores[order] + 10, decimals, path.stem))
    qrels.write_text(judgments(rng, names, pools, merit, best))


def docnos(rng: np.random.Generator) -> NDArray[np.object_]:
    """Docnos like those of TREC disks 4 and 5, 10 to 16 characters long."""
    kinds = rng.integers(0, 4, DOCUMENTS)
    listed = []
    for number, kind in enumerate(kinds.tolist()):
        day, item = divmod(number, 20_000)
        listed.append(
            (
                f"FT{911 + day}-{item + 1}",
                f"FBIS{3 + day % 2}-{number + 1}",
                f"FR94{day + 101:04d}-{kind}-{item:05d}",
                f"LA{day + 1:02d}{item % 30 + 1:02d}90-{number % 1_000_000:06d}",
            )[kind]
        )
    return np.array(listed, dtype=object)


def lines(topic: int, listed: NDArray[np.object_], scores: Floats, decimals: int, tag: str) -> str:
    rows = zip(listed.tolist(), scores.tolist(), strict=True)
    return "".join(
        f"{topic} Q0 {docno} {rank} {score:.{decimals}f} {tag}\n"
        for rank, (docno, score) in enumerate(rows, 1)
    )


def judgments(
    rng: np.random.Generator,
    names: NDArray[np.object_],
    pools: list[Ints],
    merit: Floats,
    best: Ints,
) -> str:
    """Qrels of the documents with the best ranks in any run; those with most merit are relevant."""
    pooled = np.sort(np.argsort(best.ravel(), kind="stable")[:JUDGMENTS])
    worth = merit.ravel()[pooled] + rng.normal(0.0, 1.0, JUDGMENTS)
    grades = np.zeros(JUDGMENTS, np.int64)
    grades[np.argsort(-worth)[:RELEVANT]] = 1
    grades[np.argsort(-worth)[: RELEVANT // 3]] = 2
    topics, places = np.divmod(pooled, CANDIDATES)
    rows = zip(topics.tolist(), places.tolist(), grades.tolist(), strict=True)
    return "".join(f"{401 + t} 0 {names[pools[t][place]]} {grade}\n" for t, place, grade in rows)


def _write_passages(qrels: Path, run: Path) -> None:
    rng = np.random.default_rng(SEED + 1)
    topics = np.sort(rng.choice(1_100_000, PASSAGE_TOPICS, replace=False) + 1)
    with_two = rng.choice(PASSAGE_TOPICS, PASSAGE_JUDGMENTS - PASSAGE_TOPICS, replace=False)
    judged: list[str] = []
    with run.open("w") as file:
        for place, topic in enumerate(topics.tolist()):
            candidates = np.unique(rng.integers(0, PASSAGES, DEPTH + 200))
            listed = rng.permutation(candidates)[: DEPTH + 3].astype(str).astype(object)
            scores = -np.sort(-rng.gamma(4.0, 3.0, DEPTH))
            file.write(lines(topic, listed[:DEPTH], scores, 6, "bm25"))
            # Passages that the run does not retrieve come after the last one listed.
            places = np.minimum(rng.geometric(0.02, 2) - 1, DEPTH + 2)
            places[1] += places[1] == places[0]
            count = 1 + (place in with_two)
            judged += [f"{topic}\t0\t{listed[min(at, DEPTH + 2)]}\t1\n" for at in places[:count]]
    qrels.write_text("".join(judged))
