"""How far off estimates from a sample are, with and without machines, and compared with LARA.

    OMP_NUM_THREADS=1 python benchmarks/estimates.py DATA [--samples 10] [--jobs 1] [--parts rival]

``DATA``: the folder with ``trec-dl19-passage``, ``llm-judges-dl19`` and ``trec-covid-r1``. Parts:
``machines``, DL19 by machine and share of the pairs judged; ``rival``, LARA at the same effort with
the same chances on DL19, on TREC-COVID round 1 and, with ``--generated FOLDER``, on a *generated*
campaign in the shape of TREC-8; ``others``, coverage on TREC-COVID and on the demo campaign;
``speed``, CPU seconds of one computation.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.generate import trec8
from benchmarks.rival import share_votes, simulate_chances, simulate_rival, size_by_chances
from benchmarks.sampled_scores import (
    TABLE,
    JudgedCollection,
    copy_run,
    list_rows,
    load_dl19,
    load_machine,
    load_text_scores,
    load_trec_covid,
    shuffle_machine,
    simulate_samples,
    size_pairs,
)
from poolbench.estimation.design import draw_order
from poolbench.estimation.frame import build_pool_frame
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.sample import build_sample
from poolbench.estimation.text_scores import TextScores
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.statistics.inclusion import inclusion_probabilities

SEVEN = (
    "4_prompts_dl2019",
    "dev_gen_query_similarity_qrel",
    "dl2019_sun_then_decomposed_relavance_qrel",
    "4prompts_flant5large",
    "4prompts_llama70b",
    "baseline_relavance_qrel_prompt_order__3210",
    "sun_then_decomposed_flant5large",
)
MIDDLING, WORST, PARTICIPANT = "4prompts_llama70b", SEVEN[1], "idst_bert_p1"
SHARES = 0.05, 0.1, 0.2, 0.4
CUT = 100
_KINDS = "released", "estimate", "drawn in"
RIVALS = ("measure", "RMSE LARA", *_KINDS, "tau LARA", *_KINDS, "coverage")


@dataclass(frozen=True)
class Cell:
    """What one process computes: ``samples`` of a ``share``, with the machine that is called so."""

    part: str
    data: Path
    collection: str
    machine: str
    share: float
    samples: int


def main() -> None:
    parser = argparse.ArgumentParser(description="Errors of estimates from samples.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--parts", nargs="+", default=["machines", "rival", "others"])
    parser.add_argument("--generated", type=Path, help="where to keep the generated campaign")
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES)
    parser.add_argument("--only", nargs="+", help="collections; default: all of the parts")
    options = parser.parse_args()
    if "speed" in options.parts:
        measure_speed(options.data)
        options.parts.remove("speed")
    cells = [
        Cell(part, folder, collection, machine, share, options.samples)
        for part in options.parts
        for folder, collection, machine in list_settings(part, options.data, options.generated)
        for share in options.shares
        if not options.only or collection in options.only
    ]
    for cell, header, rows in run_cells(cells, options.jobs):
        print(f"\n{cell.collection}, {cell.machine}, {cell.share:.0%}, {cell.samples} samples")
        for row in (header, *rows):
            print("".join(f"{value:>14}" for value in row), flush=True)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"\nCPU {sum(own.ru_utime + own.ru_stime for own in used):.0f} s")


def measure_speed(data: Path, share: float = 0.1, repetitions: int = 5) -> None:
    """CPU seconds of one computation of all estimates on DL19, the lowest of some."""
    collection = load_collection(data, "DL19")
    start = time.process_time()
    texts = load_texts(data)
    print(f"texts read and made vectors: {time.process_time() - start:.2f} s")
    one = find_machines(data, collection, MIDDLING)
    for name, machines, learned in (
        ("no machine", [], None),
        ("one machine", one, None),
        ("texts", [], texts),
        ("one machine and texts", one, texts),
    ):
        sizes = size_pairs(collection, machines)
        number = round(share * len(sizes))
        pi, counted = inclusion_probabilities(sizes, number), draw_order(collection.frame, sizes, 1)
        sample = build_sample(
            collection.frame, collection.grades, counted[:number], pi, collection.top
        )
        used = list[float]()
        for _ in range(repetitions):
            start = time.process_time()
            compute_estimates(sample, machines, collection.measures, 1, texts=learned)
            used.append(time.process_time() - start)
        print(f"{name}: {min(used):.2f} s")


def list_settings(part: str, data: Path, generated: Path | None) -> list[tuple[Path, str, str]]:
    """Folder, collection and machine of each setting of ``part``."""
    if part == "machines":
        named = ("none", MIDDLING, "text", "shuffled", PARTICIPANT, WORST, "all seven")
        return [(data, "DL19", name) for name in named]
    if part == "others":
        return [(data, "TREC-COVID", "none"), (data, "demo", "none")]
    settings = [(data, "DL19", "votes")]
    settings += [(data, "TREC-COVID", f"kappa {kappa}") for kappa in (0.4, 0.5)]
    if generated is not None:
        settings += [(generated, "generated", f"kappa {kappa}") for kappa in (0.4, 0.5)]
    return settings


Result = tuple[Cell, tuple[str, ...], list[tuple[str, ...]]]


def run_cells(cells: Iterable[Cell], jobs: int) -> Iterable[Result]:
    if jobs == 1:
        yield from map(run_cell, cells)
        return
    with ProcessPoolExecutor(jobs) as processes:
        yield from processes.map(run_cell, cells)


def run_cell(cell: Cell) -> Result:
    collection = load_collection(cell.data, cell.collection)
    if cell.part == "rival":
        return cell, RIVALS, compare_rivals(collection, cell)
    texts: TextScores | None = None
    machines: list[MachineInput] = []
    if cell.machine == "text":
        texts = load_texts(cell.data)
    elif cell.machine != "none":
        machines = find_machines(cell.data, collection, cell.machine)
    scores = simulate_samples(collection, machines, cell.share, cell.samples, texts=texts)
    return cell, TABLE, list_rows(scores)


def compare_rivals(collection: JudgedCollection, cell: Cell) -> list[tuple[str, ...]]:
    """The columns of ``RIVALS``, by measure: LARA and estimates with the same chances."""
    machine = (
        share_votes(collection, find_machines(cell.data, collection, "all seven"))
        if cell.machine == "votes"
        else simulate_chances(collection, float(cell.machine.split()[1]))
    )
    described, released = (
        simulate_rival(collection, machine, cell.share, cell.samples, as_released=as_released)
        for as_released in (False, True)
    )
    sizes = size_by_chances(collection, machine)
    own = simulate_samples(collection, [machine], cell.share, cell.samples, sizes)
    return [
        (
            name,
            *(f"{rmse:.4f}" for rmse in (described[name][0], released[name][0])),
            *(f"{rmse:.4f}" for rmse in (scores.rmse, scores.drawn_rmse)),
            *(f"{value:.3f}" for value in (described[name][1], released[name][1])),
            *(f"{value.mean():.3f}" for value in (scores.tau, scores.drawn_tau)),
            f"{scores.coverage:.3f}",
        )
        for name, scores in own.items()
    ]


def find_machines(data: Path, collection: JudgedCollection, name: str) -> list[MachineInput]:
    if name == "all seven":
        return [load_machine(data, collection, own) for own in SEVEN]
    if name == PARTICIPANT:
        return [copy_run(collection, name)]
    if name == "shuffled":
        return [shuffle_machine(load_machine(data, collection, MIDDLING))]
    return [load_machine(data, collection, name)]


@cache
def load_texts(data: Path) -> TextScores:
    return load_text_scores(data, load_collection(data, "DL19"))


@cache
def load_collection(data: Path, name: str) -> JudgedCollection:
    loaders: dict[str, Callable[[Path], JudgedCollection]] = {
        "DL19": load_dl19,
        "TREC-COVID": load_trec_covid,
        "generated": load_generated,
        "demo": load_demo,
    }
    return loaders[name](data)


def load_generated(folder: Path) -> JudgedCollection:
    """The generated campaign in the shape of TREC-8, runs cut to the first ``CUT`` documents."""
    qrels, runs = trec8(folder)
    collection = build_collection(qrels, runs, 2, 1)
    frame = collection.frame
    kept = frame.rank <= CUT
    cut = replace(frame, pair=frame.pair[kept], rank=frame.rank[kept], segment=frame.segment[kept])
    return replace(collection, frame=cut)


def load_demo(_: Path) -> JudgedCollection:
    """The product's demo campaign: of a pair with several assessors the grade of the first."""
    from replay.demo.build import ASSESSORS, load_demo_judgments, write_campaign_folder

    grades: dict[tuple[str, str], int] = {}
    for assessor in ASSESSORS:
        grades = load_demo_judgments(assessor) | grades
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_campaign_folder(folder)
        lines = [f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items()]
        qrels = folder / "all.qrels"
        qrels.write_text("".join(lines))
        return build_collection(qrels, sorted((folder / "runs").iterdir()), 3, 1)


def build_collection(qrels: Path, runs: Iterable[Path], top: int, level: int) -> JudgedCollection:
    table = read_qrels(read_bytes(qrels))
    read = [read_run(read_bytes(path)) for path in runs]
    return JudgedCollection(read, table, build_pool_frame(read, table), top, level)


if __name__ == "__main__":
    main()
