"""A store of runs: a FOLDER of run matrices and their pair dictionary.

keep.py write FOLDER RUN...    write the store as a campaign would
keep.py score FOLDER QRELS     score all runs as a whole process
keep.py warm FOLDER QRELS      measure scoring them again in memory
keep.py trust FOLDER QRELS     measure a reusability report on all cores
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

if sys.argv[1:2] != ["trust"]:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `poolbench evaluate` does

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from poolbench.evaluation.evaluate import score_batch  # noqa: E402
from poolbench.evaluation.judgments import JudgmentTable  # noqa: E402
from poolbench.evaluation.matching import batch_from_places  # noqa: E402
from poolbench.evaluation.measures.names import parse_measures  # noqa: E402
from poolbench.evaluation.options import ScoringOptions  # noqa: E402
from poolbench.runs.qrels import read_qrels  # noqa: E402
from poolbench.runs.run_matrix import (  # noqa: E402
    PairDictionary,
    RunMatrix,
    read_matrix,
    read_pairs,
    write_matrix,
    write_pairs,
)
from poolbench.runs.tables import QrelsTable  # noqa: E402

NAMES = ("map", "bpref", "ndcg")


def write(folder: Path, *runs: Path) -> None:
    """Write the matrices of ``runs`` to ``folder``."""
    from poolbench.runs.runs import read_run

    part = folder.with_suffix(".part")
    part.mkdir(parents=True)
    pairs = PairDictionary()
    for number, path in enumerate(runs):
        table = read_run(path.read_bytes())
        new_pairs = write_pairs(pairs.missing(table))
        pairs.extend(read_pairs(new_pairs))
        (part / f"{number:03d}.pairs").write_bytes(new_pairs)
        (part / f"{number:03d}.run").write_bytes(write_matrix(pairs.encode(table)))
    part.rename(folder)


def dictionary(folder: Path) -> PairDictionary:
    return PairDictionary([read_pairs(p.read_bytes()) for p in sorted(folder.glob("*.pairs"))])


def matrices(folder: Path) -> Iterator[RunMatrix]:
    return (read_matrix(path.read_bytes()) for path in sorted(folder.glob("*.run")))


def load_judged(table: QrelsTable) -> JudgmentTable:
    return JudgmentTable.from_arrays(table.topics, table.starts, table.grades)


def score(folder: Path, qrels: Path) -> None:
    table = read_qrels(qrels.read_bytes())
    judged, measures, options = load_judged(table), parse_measures(NAMES), ScoringOptions()
    places = dictionary(folder).places(table)
    for run in matrices(folder):
        batch = batch_from_places(judged, run.topics, run.starts, places.take(run.pairs), options)
        scored = score_batch(batch, measures, "")
        for name in NAMES:
            print(f"{name}\tall\t{scored.mean(name):.4f}")


def warm(folder: Path, qrels: Path) -> None:
    """Print the seconds to score new grades: of all topics, then of one topic."""
    from poolbench.evaluation.in_memory import WarmRuns, score_topic
    from tests.poolbench.evaluation.warm_scoring import score_all_runs

    table = read_qrels(qrels.read_bytes())
    measures, options = parse_measures(NAMES), ScoringOptions()
    pairs, runs = dictionary(folder), WarmRuns([*matrices(folder)])

    def again() -> None:
        score_all_runs(runs, load_judged(table), pairs.places(table), measures, options)

    part = table.rows(0)
    starts = np.array([0, part.stop])
    one = QrelsTable(table.topics[:1], starts, table.docnos.take(part), table.grades[part])

    def topic() -> None:
        score_topic(runs, load_judged(one), pairs.places(one), measures, options)

    print(median_seconds(again, 5), median_seconds(topic, 20))


def trust(folder: Path, qrels: Path) -> None:
    """Print the seconds of a report: teams of three runs, the first 71 runs pooled to depth 100."""
    from poolbench.commands.processes import count_cores, map_in_order
    from poolbench.reliability.collection.inputs import (
        CollectionSource,
        build_collection_from_matrices,
    )
    from poolbench.reliability.collection.report import MEASURES, build_reusability_report

    runs = {f"{at:03d}": matrix for at, matrix in enumerate(matrices(folder))}
    begin = time.perf_counter()
    source = CollectionSource(
        teams={tag: f"team {int(tag) // 3}" for tag in runs},
        pooled={tag for tag in runs if int(tag) < 71},
        depth=100,
    )
    table = read_qrels(qrels.read_bytes())
    collection = build_collection_from_matrices(runs, dictionary(folder), table, source)
    loaded = time.perf_counter()
    build_reusability_report(
        collection,
        parse_measures(MEASURES),
        spread=lambda work, draws: map_in_order(work, draws, count_cores()),
    )
    print(loaded - begin, time.perf_counter() - loaded)


def median_seconds(work: Callable[[], None], times: int) -> float:
    """The median seconds of ``work``."""
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return float(np.median(seconds))


if __name__ == "__main__":
    {"write": write, "score": score, "warm": warm, "trust": trust}[sys.argv[1]](
        *map(Path, sys.argv[2:])
    )
