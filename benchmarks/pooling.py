"""Measure building of pools, and the next document of adaptive methods.

    python benchmarks/pooling.py [MODE...] [--rounds N] [--against FOLDER]

Modes: ``static``, ``methods``, ``adaptive``, ``texts``, ``peers``; default: all. All use 129
runs × 50 topics × 1,000 documents (benchmarks/generate.py).

``static`` builds the depth-100 pool from the store, part by part; ``methods`` orders the
documents of all topics by each static and sampling method, cut-off 100; ``adaptive`` simulates
each adaptive method with the qrels and measures a judgment plus the next document; ``texts`` does
the same for methods that need texts, on synthetic texts: words drawn by Zipf's law from a fixed
seed, unrelated between documents; ``peers`` builds the pool from run files as a whole process,
compared with trectools. With ``--against`` each mode is a process, measured in turn with that of
another checkout.

``BENCH_DIR`` and ``PEER_PYTHON`` are those of benchmarks/evaluate.py. Missing programs are
skipped.
"""

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
from evaluate import EVERY, FOLDER, PEER_PYTHON, PEERS, run_store
from generate import SEED, trec8
from keep import dictionary, matrices
from pairs import Cost, add_against, compare_checkouts, cost

from poolbench.pooling.candidates import RunListing, TopicCandidates
from poolbench.pooling.method import PoolingMethod
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.registry import LISTED
from poolbench.pooling.run_listing import build_listing_from_matrices
from poolbench.pooling.session import PoolSession, PoolStep
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import default_parameters
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable

DEPTH = 100
NEEDED = {
    "depth": {"k": DEPTH},
    "ntcir": {"k": DEPTH},
    "strata": {"windows": ["1-10", "11-100"], "sample": [20, 30]},
}
"""By method: values of parameters without a default."""
TOPICS, JUDGED = 5, 300
"""Topics, and documents per topic, of the simulation of adaptive methods."""
SAMPLED = 50
VOCABULARY, WORDS, QUERY_WORDS = 50_000, 200, 10
"""Synthetic texts: size of the vocabulary, words per document, words per topic."""


def default_step(method: PoolingMethod) -> PoolStep | None:
    """A step with the defaults of ``method``; None, with a message, if a value is missing."""
    values = default_parameters(method) | NEEDED.get(method.name, {})
    if missing := [name for name, value in values.items() if value is None]:
        print(f"{method.name}: benchmarks/pooling.py lacks a value for {', '.join(missing)}")
        return None
    return PoolStep(method, values)


def store() -> Path:
    return run_store(trec8(FOLDER / "trec8")[1])


def load_listing() -> RunListing:
    folder = store()
    return build_listing_from_matrices(tagged(folder), dictionary(folder), DEPTH, 0)


def tagged(folder: Path) -> dict[str, object]:
    return {f"run{number:03d}": matrix for number, matrix in enumerate(matrices(folder), 1)}


class Seconds(NamedTuple):
    """Wall and processor seconds."""

    wall: float
    cpu: float


class Watch:
    """Measures the time since the previous measurement."""

    def __init__(self) -> None:
        self.last = Seconds(time.perf_counter(), time.process_time())

    def measure(self) -> Seconds:
        last, self.last = self.last, Seconds(time.perf_counter(), time.process_time())
        return Seconds(self.last.wall - last.wall, self.last.cpu - last.cpu)


def static(rounds: int) -> None:
    folder = store()
    parts_by_round = [dict(static_parts(folder)) for _ in range(rounds)]
    for part in parts_by_round[0]:
        print_median(part, [parts[part] for parts in parts_by_round])
    sums = [Seconds(*map(sum, zip(*parts.values(), strict=True))) for parts in parts_by_round]
    print_median(f"depth-{DEPTH} pool from the store", sums)


def print_median(name: str, times: list[Seconds]) -> None:
    wall, cpu = (median(each) for each in zip(*times, strict=True))
    print(f"{name:<34} {wall:7.3f} s  CPU {cpu:7.3f} s", flush=True)


def static_parts(folder: Path) -> Iterator[tuple[str, Seconds]]:
    """Each part of building the pool, with its time."""
    watch = Watch()
    pairs, runs = dictionary(folder), tagged(folder)
    yield "reading matrices and pairs", watch.measure()
    listing = build_listing_from_matrices(runs, pairs, DEPTH, 0)
    yield "listing", watch.measure()
    sessions = start_sessions(listing, depth_spec(DEPTH).steps)
    yield "sessions", watch.measure()
    pool = build_pool_table(sessions)
    yield f"pool of {len(pool):,} documents", watch.measure()


def methods(rounds: int) -> None:
    listing = load_listing()
    for method in LISTED:
        step = default_step(method) if method.kind != "adaptive" else None
        if step is None:
            continue
        times = [all_topics(step, listing) for _ in range(min(rounds, 3))]
        print_median(f"{method.name}, {len(listing)} topics", times)


def all_topics(step: PoolStep, listing: RunListing) -> Seconds:
    """The time to order or sample the documents of each topic, without caches."""
    watch = Watch()
    for candidates in listing:
        available = np.ones(len(candidates), bool)
        if step.method.order is not None:
            step.method.order(candidates, step.values, available)
        elif step.method.sample is not None:
            step.method.sample(candidates, step.values, available, SAMPLED)
    return watch.measure()


def adaptive(rounds: int) -> None:  # noqa: ARG001 -- every document is a round
    listing = load_listing()
    topics = [listing.topic(at) for at in range(TOPICS)]
    for method in LISTED:
        if method.kind == "adaptive" and not method.reads:
            print_simulated(method, topics, f"{method.name}, judgment and next document")


def texts(rounds: int) -> None:  # noqa: ARG001 -- every document is a round
    listing = load_listing()
    topics = [add_texts(listing.topic(at)) for at in range(TOPICS)]
    print(f"synthetic texts: {WORDS} words each, by Zipf's law from {VOCABULARY:,}")
    for method in LISTED:
        if method.reads:
            print_simulated(method, topics, f"{method.name} on synthetic texts")


def add_texts(candidates: TopicCandidates) -> TopicCandidates:
    """``candidates`` with a synthetic text per document and a shorter one for the topic."""
    rng = np.random.default_rng([SEED, int(candidates.topic)])
    share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    word_ids = np.searchsorted(share / share[-1], rng.random((len(candidates) + 1, WORDS)))
    query, *bodies = [" ".join(f"word{word}" for word in row) for row in word_ids.tolist()]
    own = dict(zip(candidates.docnos, bodies, strict=True))
    return replace(
        candidates,
        read=lambda docnos: [own[docno] for docno in docnos],
        query=" ".join(query.split()[:QUERY_WORDS]),
    )


def print_simulated(method: PoolingMethod, topics: list[TopicCandidates], name: str) -> None:
    qrels = read_qrels(trec8(FOLDER / "trec8")[0].read_bytes())
    if (step := default_step(method)) is None:
        return
    begun, seconds = [], []
    try:
        for candidates in topics:
            first, *others = simulate(candidates, step, qrels)
            begun.append(first)
            seconds += others
    except ValueError as error:
        print(f"{method.name}: {error}")
        return
    half, most, nearly = 1000 * np.quantile(seconds, [0.5, 0.95, 0.99])
    print(
        f"{name:<34} p50 {half:6.2f} ms  p95 {most:6.2f} ms  p99 {nearly:6.2f} ms"
        f"  (first document of a topic {median(begun):.3f} s)",
        flush=True,
    )


def simulate(candidates: TopicCandidates, step: PoolStep, qrels: QrelsTable) -> Iterator[float]:
    """Seconds to the first document, then from each judgment to the next document."""
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
    """Compare on every third run, since trectools reads slowly."""
    some = [str(path) for path in trec8(FOLDER / "trec8")[1][::EVERY]]
    pool = [sys.executable, "-m", "poolbench", "pool", *some, "--depth", str(DEPTH), "--jobs"]
    probe = subprocess.run(
        [PEER_PYTHON, "-c", "import trectools"], capture_output=True, check=False
    )
    is_installed = not probe.returncode
    theirs = [[PEER_PYTHON, PEERS, "trectools", str(DEPTH), *some]] if is_installed else []
    if not is_installed:
        print("trectools: not installed")
    rows = [(cost(theirs), cost([[*pool, "1"]]), cost([[*pool, "2"]])) for _ in range(rounds)]
    slow, *ours = zip(*rows, strict=True)
    for jobs, fast in enumerate(ours, 1):
        name, wall = f"{len(some)} run files, --jobs {jobs}", median(each.wall for each in fast)
        print(f"{name:<34} {wall:7.2f} s  {ratios(slow, fast) if is_installed else ''}", flush=True)
    if is_installed:
        others, pooled = (set(map(parse_pair, each.printed.splitlines())) for each in rows[0][:2])
        same = f"{len(pooled & others):,} of {len(pooled):,} and {len(others):,} documents shared"
        print(f"{'trectools':<34} {median(each.wall for each in slow):7.2f} s  {same}", flush=True)


def ratios(slow: Sequence[Cost], fast: Sequence[Cost]) -> str:
    """The median ratio of the times, pair by pair."""
    pairs = list(zip(slow, fast, strict=True))
    wall = median(theirs.wall / own.wall for theirs, own in pairs)
    cpu = median(theirs.cpu / own.cpu for theirs, own in pairs)
    return f"ratio {wall:6.2f}  CPU {cpu:6.2f}"


def parse_pair(line: str) -> tuple[str, str]:
    topic, _, docno, *_ = line.split()
    return topic, docno


MODES: dict[str, Callable[[int], None]] = {
    mode.__name__: mode for mode in (static, methods, adaptive, texts, peers)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", metavar="MODE", help=", ".join(MODES))
    parser.add_argument("--rounds", type=int, default=5)
    add_against(parser)
    options = parser.parse_args()
    if options.against:
        modes = options.modes or MODES
        compare_checkouts(options.against, Path(__file__).name, modes, options.rounds)
        return
    for mode in options.modes or MODES:
        MODES[mode](options.rounds)


if __name__ == "__main__":
    main()
