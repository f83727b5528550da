"""How quickly pools are built, and how soon an adaptive method names the next document.

    python benchmarks/pooling.py [MODE...] [--rounds N]

Modes: ``static``, ``methods``, ``adaptive``, ``texts``, ``peers``; all of them unless some are
named. All work on 129 runs × 50 topics × 1,000 documents (benchmarks/generate.py).

``static`` builds the depth-100 pool from the store, part by part; ``methods`` puts the
documents of all topics in the order of each method that needs no judgment, cut-off 100;
``adaptive`` plays each method that learns, judged by the qrels, and tells how long a judgment
and the next document take together; ``texts`` the same of those that read, on texts that are made
up: words drawn by Zipf's law, always the same from one seed, no two documents about one thing;
``peers`` builds the pool from the run files as a whole
process, beside trectools.

``BENCH_DIR`` and ``PEER_PYTHON`` are those of benchmarks/evaluate.py. What is not there is
skipped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from evaluate import EVERY, FOLDER, PEER_PYTHON, PEERS, Cost, cost, kept
from generate import SEED, trec8
from keep import dictionary, matrices

from campaigns.core.qrels import read_qrels
from campaigns.core.tables import QrelsTable
from pooling.core.candidates import RunListing, TopicCandidates
from pooling.core.method import PoolingMethod
from pooling.core.pool_builder import build_pool_table, start_sessions
from pooling.core.registry import LISTED
from pooling.core.run_listing import build_listing_from_matrices
from pooling.core.session import PoolSession, PoolStep
from pooling.core.spec import depth_spec
from pooling.core.spec_file import default_parameters

DEPTH = 100
NEEDED = {
    "depth": {"k": DEPTH},
    "ntcir": {"k": DEPTH},
    "strata": {"windows": ["1-10", "11-100"], "sample": [20, 30]},
}
"""Values of parameters that have no default, by method."""
TOPICS, JUDGED = 5, 300
"""Adaptive methods play so many topics, and so many documents of each."""
SAMPLED = 50
VOCABULARY, WORDS, ASKED = 50_000, 200, 10
"""Made-up texts: words there are, words of a document, words of a topic."""


def step_by_doc(method: PoolingMethod) -> PoolStep | None:
    """A step with the defaults of ``method``; None, and a word, where a value is missing."""
    values = default_parameters(method) | NEEDED.get(method.name, {})
    if missing := [name for name, value in values.items() if value is None]:
        print(f"{method.name}: benchmarks/pooling.py has no value for {', '.join(missing)}")
        return None
    return PoolStep(method, values)


def store() -> Path:
    return kept(trec8(FOLDER / "trec8")[1])


def listing() -> RunListing:
    folder = store()
    return build_listing_from_matrices(tagged(folder), dictionary(folder), DEPTH, 0)


def tagged(folder: Path) -> list[tuple[str, object]]:
    return [(f"run{number:03d}", matrix) for number, matrix in enumerate(matrices(folder), 1)]


class Took(NamedTuple):
    """Seconds by the clock and of the processor."""

    wall: float
    cpu: float


class Watch:
    """Tells what was taken since it was asked last."""

    def __init__(self) -> None:
        self.last = Took(time.perf_counter(), time.process_time())

    def took(self) -> Took:
        last, self.last = self.last, Took(time.perf_counter(), time.process_time())
        return Took(self.last.wall - last.wall, self.last.cpu - last.cpu)


def static(rounds: int) -> None:
    folder = store()
    found = [dict(static_parts(folder)) for _ in range(rounds)]
    for part in found[0]:
        tell(part, [parts[part] for parts in found])
    sums = [Took(*map(sum, zip(*parts.values(), strict=True))) for parts in found]
    tell(f"depth-{DEPTH} pool from the store", sums)


def tell(name: str, taken: list[Took]) -> None:
    wall, cpu = (median(each) for each in zip(*taken, strict=True))
    print(f"{name:<34} {wall:7.3f} s  CPU {cpu:7.3f} s", flush=True)


def static_parts(folder: Path) -> Iterator[tuple[str, Took]]:
    """Each part of building the pool, and what it took."""
    watch = Watch()
    known, runs = dictionary(folder), tagged(folder)
    yield "reading matrices and pairs", watch.took()
    listed = build_listing_from_matrices(runs, known, DEPTH, 0)
    yield "listing", watch.took()
    found = start_sessions(listed, depth_spec(DEPTH).steps)
    yield "sessions", watch.took()
    pool = build_pool_table(found)
    yield f"pool of {len(pool):,} documents", watch.took()


def methods(rounds: int) -> None:
    listed = listing()
    for method in LISTED:
        step = step_by_doc(method) if method.kind != "adaptive" else None
        if step is None:
            continue
        taken = [all_topics(step, listed) for _ in range(min(rounds, 3))]
        tell(f"{method.name}, {len(listed)} topics", taken)


def all_topics(step: PoolStep, listed: RunListing) -> Took:
    """What it takes to order or sample the documents of each topic, nothing kept from before."""
    watch = Watch()
    for candidates in listed:
        open_ = np.ones(len(candidates), bool)
        if step.method.order is not None:
            step.method.order(candidates, step.values, open_)
        elif step.method.sample is not None:
            step.method.sample(candidates, step.values, open_, SAMPLED)
    return watch.took()


def adaptive(rounds: int) -> None:  # noqa: ARG001 -- every document is a round
    listed = listing()
    topics = [listed.topic(at) for at in range(TOPICS)]
    for method in LISTED:
        if method.kind == "adaptive" and not method.reads:
            tell_played(method, topics, f"{method.name}, a judgment and the next")


def texts(rounds: int) -> None:  # noqa: ARG001 -- every document is a round
    listed = listing()
    topics = [with_texts(listed.topic(at)) for at in range(TOPICS)]
    print(f"made-up texts: {WORDS} words each, by Zipf's law out of {VOCABULARY:,}")
    for method in LISTED:
        if method.reads:
            tell_played(method, topics, f"{method.name} on made-up texts")


def with_texts(candidates: TopicCandidates) -> TopicCandidates:
    """``candidates`` with a made-up text for each document and a shorter one for the topic."""
    rng = np.random.default_rng([SEED, int(candidates.topic)])
    share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    drawn = np.searchsorted(share / share[-1], rng.random((len(candidates) + 1, WORDS)))
    query, *written = [" ".join(f"word{word}" for word in row) for row in drawn.tolist()]
    own = dict(zip(candidates.docnos, written, strict=True))
    return replace(
        candidates,
        read=lambda docnos: [own[docno] for docno in docnos],
        query=" ".join(query.split()[:ASKED]),
    )


def tell_played(method: PoolingMethod, topics: list[TopicCandidates], name: str) -> None:
    qrels = read_qrels(trec8(FOLDER / "trec8")[0].read_bytes())
    if (step := step_by_doc(method)) is None:
        return
    begun, seconds = [], []
    try:
        for candidates in topics:
            first, *others = played(candidates, step, qrels)
            begun.append(first)
            seconds += others
    except ValueError as lacking:
        print(f"{method.name}: {lacking}")
        return
    half, most, nearly = 1000 * np.quantile(seconds, [0.5, 0.95, 0.99])
    print(
        f"{name:<34} p50 {half:6.2f} ms  p95 {most:6.2f} ms  p99 {nearly:6.2f} ms"
        f"  (to begin a topic {median(begun):.3f} s)",
        flush=True,
    )


def played(candidates: TopicCandidates, step: PoolStep, qrels: QrelsTable) -> Iterator[float]:
    """The seconds until the first document, then from each judgment to the next document."""
    rows = qrels.rows(qrels.topics.index(candidates.topic))
    grades = dict(zip(qrels.docnos[rows], qrels.grades[rows].tolist(), strict=True))
    begin = time.perf_counter()
    session = PoolSession(candidates, [step])
    choice = session.next()
    yield time.perf_counter() - begin
    for _ in range(JUDGED):
        if choice is None:
            return
        relevant = grades.get(candidates.docnos[choice.doc], 0) > 0
        begin = time.perf_counter()
        session.select(choice)
        session.judge(choice.doc, relevant)
        choice = session.next()
        yield time.perf_counter() - begin


def peers(rounds: int) -> None:
    """Every third run only, since trectools takes so long to read."""
    some = [str(path) for path in trec8(FOLDER / "trec8")[1][::EVERY]]
    pool = [sys.executable, "manage.py", "pool", *some, "--depth", str(DEPTH), "--jobs"]
    seen = subprocess.run([PEER_PYTHON, "-c", "import trectools"], capture_output=True, check=False)
    there = not seen.returncode
    theirs = [[PEER_PYTHON, str(PEERS), "trectools", str(DEPTH), *some]] if there else []
    if not there:
        print("trectools: not installed")
    rows = [(cost(theirs), cost([[*pool, "1"]]), cost([[*pool, "2"]])) for _ in range(rounds)]
    slow, *ours = zip(*rows, strict=True)
    for jobs, fast in enumerate(ours, 1):
        name, wall = f"{len(some)} run files, --jobs {jobs}", median(each.wall for each in fast)
        print(f"{name:<34} {wall:7.2f} s  {ratios(slow, fast) if there else ''}", flush=True)
    if there:
        others, listed = (set(map(pair_of, each.printed.splitlines())) for each in rows[0][:2])
        same = f"{len(listed & others):,} of {len(listed):,} and {len(others):,} documents alike"
        print(f"{'trectools':<34} {median(each.wall for each in slow):7.2f} s  {same}", flush=True)


def ratios(slow: Sequence[Cost], fast: Sequence[Cost]) -> str:
    """How many times as long the slow ones took, pair by pair."""
    pairs = list(zip(slow, fast, strict=True))
    wall = median(theirs.wall / own.wall for theirs, own in pairs)
    cpu = median(theirs.cpu / own.cpu for theirs, own in pairs)
    return f"ratio {wall:6.2f}  CPU {cpu:6.2f}"


def pair_of(line: str) -> tuple[str, str]:
    topic, _, docno, *_ = line.split()
    return topic, docno


MODES: dict[str, Callable[[int], None]] = {
    mode.__name__: mode for mode in (static, methods, adaptive, texts, peers)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", metavar="MODE", help=", ".join(MODES))
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for mode in given.modes or MODES:
        MODES[mode](given.rounds)


if __name__ == "__main__":
    main()
