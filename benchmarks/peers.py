"""Score or pool runs with another program, as a whole process: ``peers.py NAME QRELS RUN...``.

Prints map, bpref and ndcg of each run as trec_eval does; ``peers.py trectools K RUN...`` prints
the depth-K pool. Imports nothing from Poolbench.
"""

import sys
from collections.abc import Sequence

NAMES = {"map": "AP", "bpref": "Bpref", "ndcg": "nDCG"}


def pytrec_eval(qrels: str, runs: Sequence[str]) -> None:
    import pytrec_eval as library

    with open(qrels) as file:  # noqa: PTH123
        judged = library.parse_qrel(file)
    evaluator = library.RelevanceEvaluator(judged, set(NAMES))
    for path in runs:
        with open(path) as file:  # noqa: PTH123
            values = evaluator.evaluate(library.parse_run(file)).values()
        for name in NAMES:
            print_mean(name, library.compute_aggregated_measure(name, [v[name] for v in values]))


def ir_measures(qrels: str, runs: Sequence[str]) -> None:
    import ir_measures as library

    judged = list(library.read_trec_qrels(qrels))
    measures = {name: library.parse_measure(spelled) for name, spelled in NAMES.items()}
    for path in runs:
        means = library.calc_aggregate(measures.values(), judged, library.read_trec_run(path))
        for name, measure in measures.items():
            print_mean(name, means[measure])


def ranx(qrels: str, runs: Sequence[str]) -> None:
    import ranx as library

    judged = library.Qrels.from_file(qrels, kind="trec")
    for path in runs:
        run = library.Run.from_file(path, kind="trec")
        means = library.evaluate(judged, run, list(NAMES), make_comparable=True)
        for name in NAMES:
            print_mean(name, means[name])


def trectools(depth: str, runs: Sequence[str]) -> None:
    """Print the pool as unjudged qrels."""
    import trectools as library

    read = [library.TrecRun(path) for path in runs]
    pool = library.TrecPoolMaker().make_pool(read, strategy="topX", topX=int(depth))
    for topic, docnos in pool.pool.items():
        for docno in docnos:
            print(topic, 0, docno, -1)


def print_mean(name: str, value: float) -> None:
    print(f"{name}\tall\t{value:.4f}")


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2], sys.argv[3:])
