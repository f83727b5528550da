"""Parts of real campaigns, for ``verdicts_replay.py``."""

import csv
import gzip
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.verdict_campaigns import ORDERS, SIMULATED, ReplayCampaign, simulate_campaign  # noqa: E402
from poolbench.evaluation import as_qrels, as_run  # noqa: E402
from poolbench.judging.agreement.labels import MISSING, LabelTable  # noqa: E402
from poolbench.reliability.disagreement.ballots import ABSENT  # noqa: E402

DEEPEST = 100
"""Documents that a run lists for a topic, at most."""
COVID, DL19, EIGHT = "trec-covid-r1", "trec-dl19-passage", "dl19-eight-assessors"
REAL = (COVID, DL19, EIGHT)
FEW_RUNS = ", 4 to 8 runs"


def draw_campaign(kind: str, seed: int, data: Path | None) -> ReplayCampaign:
    """One of ``SIMULATED`` or, with ``data``, of ``REAL``, also with ``FEW_RUNS``."""
    if kind in SIMULATED or data is None:
        return simulate_campaign(seed, kind)
    return draw_real_campaign(data, kind.removesuffix(FEW_RUNS), seed, few=kind.endswith(FEW_RUNS))


@dataclass
class RealCampaign:
    """``docnos``: by topic, with a grade; ``truth`` has them first, then others, of grade 0."""

    topics: list[str]
    docnos: list[list[str]]
    listed: list[np.ndarray]
    truth: list[np.ndarray]
    teams: list[str]
    level: int


@lru_cache(maxsize=4)
def load_real(data: Path, name: str) -> RealCampaign:
    if name == COVID:
        with (data / name / "leaderboard.csv").open(newline="") as file:
            rows = {row["run"]: row["team"] for row in csv.DictReader(file)}
        paths = [data / name / "runs-top50" / f"{tag}.gz" for tag in rows]
        qrels = as_qrels(data / name / "qrels-covid-round1.txt")
        teams = list(rows.values())
    else:
        paths = sorted((data / DL19 / "runs-top100").iterdir())
        qrels = as_qrels(data / DL19 / "qrels.dl19-passage.txt")
        teams = [path.name.removeprefix("dl-19-official-input.")[:4].lower() for path in paths]
    runs = [as_run(path) for path in paths]
    known, listed, truth = [], [], []
    for at, topic in enumerate(qrels.topics):
        docnos = [str(docno) for docno in qrels.docnos[qrels.rows(at)]]
        place = {docno: number for number, docno in enumerate(docnos)}
        rows_of_runs = np.full((len(runs), DEEPEST), -1)
        for row, run in enumerate(runs):
            if topic in run.topics:
                found = run.docnos[run.rows(list(run.topics).index(topic))][:DEEPEST]
                for rank, docno in enumerate(found):
                    rows_of_runs[row, rank] = place.setdefault(str(docno), len(place))
        grades = np.zeros(len(place), np.int32)
        grades[: len(docnos)] = np.maximum(qrels.grades[qrels.rows(at)], 0)
        known.append(docnos)
        listed.append(rows_of_runs)
        truth.append(grades)
    # DL 2019 takes grades 2 and 3 as relevant, TREC-COVID 1 and 2.
    level = 1 if name == COVID else 2
    return RealCampaign(list(qrels.topics), known, listed, truth, teams, level)


def draw_real_campaign(data: Path, name: str, seed: int, *, few: bool = False) -> ReplayCampaign:
    """Some teams and topics of a real campaign with its official judgments, pool depth 5 to 20; if
    ``few``, 4 to 8 runs of different teams judged at random, pool depth 10 to 50.

    A document without an official judgment counts as judged and not relevant. Of
    ``dl19-eight-assessors`` people judge, and the official grades are the truth.
    """
    generator = np.random.default_rng([seed, REAL.index(name), few])
    real = load_real(data, DL19 if name == EIGHT else name)
    known = sorted(set(real.teams))
    most = 8 if few else min(len(known), 40)
    chosen = generator.permutation(len(known))[: int(generator.integers(5, most + 2))]
    team_by_run = np.array([known.index(team) for team in real.teams])
    runs = np.flatnonzero(np.isin(team_by_run, chosen))
    if few:
        runs = np.array([generator.choice(runs[team_by_run[runs] == team]) for team in chosen])
    count = len(real.listed)
    some = generator.permutation(count)[: int(generator.integers(10, count + 1))].tolist()
    truth = [real.truth[at] for at in some]
    opinions = [grades[None] for grades in truth]
    first = [np.zeros(len(grades), np.int64) for grades in truth]
    second = [np.full(len(grades), -1) for grades in truth]
    if name == EIGHT:
        truth, opinions, first, second = _ask_people(data, real, some)
    depth = int(generator.choice([10, 20, 30, 50] if few else [5, 10, 20]))
    return ReplayCampaign(
        f"{name} {seed}", [real.listed[at][runs] for at in some], truth, opinions, first, second,
        team_by_run[runs], team_by_run[runs] == chosen[-1], depth,
        "random" if few else str(generator.choice(ORDERS)), real.level,
    )  # fmt: skip


def _ask_people(data: Path, real: RealCampaign, some: list[int]) -> tuple[list, list, list, list]:
    """Truth, opinions, first and second assessor: documents that no person judged have grade 0."""
    tables = list(read_people(data).values())
    truth, opinions, first, second = [], [], [], []
    for at in some:
        said = np.full((len(tables), len(real.truth[at])), MISSING)
        for place, docno in enumerate(real.docnos[at]):
            said[:, place] = [read_grade(table, real.topics[at], docno) for table in tables]
        there = said != MISSING
        said[:, ~there.any(axis=0)] = 0
        one = there.argmax(axis=0)
        last = len(tables) - 1 - there[::-1].argmax(axis=0)
        truth.append(np.where(there.any(axis=0), real.truth[at], 0))
        # Who did not judge a document would have said what the first says.
        columns = np.arange(said.shape[1])
        opinions.append(np.where(said == MISSING, said[one, columns], said).astype(np.int32))
        first.append(one)
        second.append(np.where(there.sum(axis=0) > 1, last, -1))
    return truth, opinions, first, second


def read_people(data: Path) -> dict[str, dict[str, dict[str, int]]]:
    """By name, topic and docno: the eight assessors of DL 2019 in their main round."""
    folder = data / "dl19-eight-assessors" / "main"
    return {
        path.name.removesuffix("-qrels.txt"): read_grades(path) for path in sorted(folder.iterdir())
    }


def read_machines(data: Path) -> dict[str, dict[str, dict[str, int]]]:
    paths = sorted((data / "llm-judges-dl19").glob("*.gz"))
    return {path.name.removesuffix(".txt.gz"): read_grades(path) for path in paths}


def read_grades(path: Path) -> dict[str, dict[str, int]]:
    """Lenient: defects of a real export are skipped."""
    opener = gzip.open if path.suffix == ".gz" else open
    table: dict[str, dict[str, int]] = {}
    with opener(path, "rt") as file:
        for topic, docno, grade in iter_grades(file):
            table.setdefault(topic, {})[docno] = grade
    return table


def iter_grades(lines: Iterator[str]) -> Iterator[tuple[str, str, int]]:
    for line in lines:
        fields = line.split()
        if len(fields) == 4 and fields[3].lstrip("-").isdigit():
            yield fields[0], fields[2], int(fields[3])


def own_grades(tables: list, topics: list[str], docnos: list[list[str]], truth: list) -> tuple:
    """The first grade of each document in the order of ``tables``, and the labels of all."""
    own, pairs, columns = [], [], []
    for at, topic in enumerate(topics):
        grades = np.full(len(truth[at]), ABSENT, np.int32)
        for place, docno in enumerate(docnos[at]):
            said = [read_grade(table, topic, docno) for table in tables]
            real = [grade for grade in said if grade != MISSING]
            if real:
                grades[place] = real[0]
            if len(real) > 1:
                pairs.append((topic, docno))
                columns.append(said)
        own.append(grades)
    grades = np.array(columns, np.int32).T
    return own, LabelTable(tuple(map(str, range(len(tables)))), tuple(pairs), grades, (0, 1, 2, 3))


def read_grade(table: dict[str, dict[str, int]], topic: str, docno: str) -> int:
    """From 0 to 3; ``MISSING`` where not judged."""
    grade = table.get(topic, {}).get(docno)
    return MISSING if grade is None else min(3, max(0, grade))
