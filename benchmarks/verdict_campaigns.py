"""Campaigns whose truth is known, for ``verdicts_replay.py``: simulated, and parts of real ones.

A campaign is arrays: what each run lists for each topic, the noiseless grade of each document,
and what assessors say of it. Runs are scored by nDCG@10 alone.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from poolbench.evaluation import as_qrels, as_run  # noqa: E402
from poolbench.judging.agreement.labels import MISSING, LabelTable  # noqa: E402
from poolbench.reliability.disagreement.ballots import ABSENT  # noqa: E402

CUT = 10
DOCUMENTS = 300
"""Candidates by topic of a simulated campaign."""
DISCOUNTS = 1 / np.log2(np.arange(2, CUT + 2))
REACHED = np.concatenate([[0.0], np.cumsum(DISCOUNTS)])
DEPTHS = (5, 10, 20, 40)
OVERLAPS = (0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass
class ReplayCampaign:
    """``listed``: by topic, runs × ranks of documents; ``truth``: by topic, their grades.
    ``opinions``: by topic, assessors × documents, what each says; ``first`` and ``second``: by
    topic and document, who judges, -1 for no second. ``newcomer`` runs never contribute.
    """

    name: str
    listed: list[np.ndarray]
    truth: list[np.ndarray]
    opinions: list[np.ndarray]
    first: list[np.ndarray]
    second: list[np.ndarray]
    teams: np.ndarray
    newcomer: np.ndarray
    depth: int
    order: str
    facts: dict[str, float] = field(default_factory=dict)

    @property
    def scorer(self) -> TenScorer:
        """Of the campaign's own runs."""
        return TenScorer([rows[~self.newcomer] for rows in self.listed])

    @property
    def all_scorer(self) -> TenScorer:
        return TenScorer(self.listed)

    def grades(self) -> list[np.ndarray]:
        """What the first assessor of each document says."""
        return [
            said[first, np.arange(said.shape[1])].astype(np.int32)
            for said, first in zip(self.opinions, self.first, strict=True)
        ]

    def pool(self, runs: np.ndarray | None = None) -> list[np.ndarray]:
        """By topic: whether each document is among the best ``depth`` of any of ``runs``."""
        chosen = ~self.newcomer if runs is None else runs
        masks = []
        for rows, truth in zip(self.listed, self.truth, strict=True):
            mask = np.zeros(len(truth), bool)
            top = rows[chosen][:, : self.depth]
            mask[top[top >= 0]] = True
            masks.append(mask)
        return masks


class TenScorer:
    """nDCG@10 of runs by any grades; what ``GradeScorer`` asks for."""

    better = 1.0

    def __init__(self, listed: Sequence[np.ndarray]) -> None:
        self.tops = [rows[:, :CUT] for rows in listed]

    def score(self, topic: int, grades: np.ndarray) -> np.ndarray:
        gains = np.maximum(grades, 0)
        top = self.tops[topic]
        listed = (gains[:, np.maximum(top, 0)] * (top >= 0)) @ DISCOUNTS[: top.shape[1]]
        best = np.zeros(len(gains))
        before = np.zeros(len(gains), np.int64)
        for grade in range(int(gains.max(initial=0)), 0, -1):
            after = np.minimum(before + np.count_nonzero(gains == grade, axis=1), CUT)
            best += grade * (REACHED[after] - REACHED[before])
            before = after
        shape = (len(gains), len(top))
        return np.divide(listed, best[:, None], out=np.zeros(shape), where=best[:, None] > 0)

    def by_topic(self, grades: Sequence[np.ndarray]) -> np.ndarray:
        """Topics × runs."""
        return np.array([self.score(at, own[None])[0] for at, own in enumerate(grades)])

    def means(self, by_topic: np.ndarray) -> np.ndarray:
        return np.nanmean(by_topic, axis=0)

    def judged(self, grades: Sequence[np.ndarray]) -> np.ndarray:
        """Judged@10 by run."""
        shares = [self.judged_shares(at, own[None])[0] for at, own in enumerate(grades)]
        return np.mean(shares, axis=0)

    def judged_shares(self, topic: int, grades: np.ndarray) -> np.ndarray:
        """Judged@10 of the topic, sets of grades × runs."""
        top = self.tops[topic]
        return ((grades[:, np.maximum(top, 0)] != ABSENT) & (top >= 0)).mean(axis=2)


def simulate_campaign(seed: int) -> ReplayCampaign:
    """Topics 10 to 100, runs 5 to 60 of one to four per team, pool depth 5 to 40, assessors from
    faithful to poor, order random or prioritized.
    """
    generator = np.random.default_rng(seed)
    topics, wanted = int(generator.integers(10, 101)), int(generator.integers(5, 61))
    sizes: list[int] = []
    while sum(sizes) < wanted:
        sizes.append(int(min(generator.integers(1, 5), wanted - sum(sizes))))
    sizes.append(int(generator.integers(1, 4)))
    teams = np.repeat(np.arange(len(sizes)), sizes)
    newcomer = teams == len(sizes) - 1
    runs = _Runs(teams, generator)
    truth = [_draw_truth(generator) for _ in range(topics)]
    listed = [runs.rank(grades) for grades in truth]
    error, people = generator.uniform(0.0, 0.5), int(generator.integers(2, 9))
    own_error = error * generator.uniform(0.6, 1.4, people)
    opinions = [_draw_opinions(generator, grades, own_error) for grades in truth]
    overlap = float(generator.choice(OVERLAPS))
    first, second = _assign(generator, truth, people, overlap)
    return ReplayCampaign(
        f"simulated {seed}", listed, truth, opinions, first, second, teams, newcomer,
        int(generator.choice(DEPTHS)),
        str(generator.choice(["random", "random", "by topic", "prioritized"])),
        {"error": error, "overlap": overlap, "topics": topics, "runs": wanted},
    )  # fmt: skip


class _Runs:
    """How runs rank: quality by run and topic, noise that all, a team, or one run have."""

    def __init__(self, teams: np.ndarray, generator: np.random.Generator) -> None:
        self.teams, self.generator = teams, generator
        count = int(teams.max()) + 1
        spread = generator.uniform(0.05, 0.5)
        self.quality = (
            1.0 + spread * generator.standard_normal(count)[teams]
            + spread / 2 * generator.standard_normal(len(teams))
        )  # fmt: skip
        # One run in every fourth campaign is far ahead, as new methods sometimes are.
        if generator.random() < 0.25:
            self.quality[generator.integers(len(teams))] = self.quality.max() + 0.5
        # Some teams find documents in a way of their own.
        self.own_way = np.where(generator.random(count) < 0.15, 1.4, 0.6)[teams]

    def rank(self, grades: np.ndarray) -> np.ndarray:
        """Runs × documents, best first."""
        draw, runs, documents = self.generator.standard_normal, len(self.teams), len(grades)
        quality = self.quality + 0.3 * draw(runs)
        signal = np.array([0.0, 1.5, 2.2])[grades] * quality[:, None]
        team = draw((int(self.teams.max()) + 1, documents))[self.teams] * self.own_way[:, None]
        scores = signal + 0.8 * draw(documents) + team + 0.4 * draw((runs, documents))
        return np.argsort(-scores, axis=1)[:, : max(DEPTHS)]


def _draw_truth(generator: np.random.Generator) -> np.ndarray:
    relevant = int(np.clip(np.exp(generator.normal(3.0, 0.8)), 2, 120))
    grades = np.zeros(DOCUMENTS, np.int32)
    grades[:relevant] = 1 + (generator.random(relevant) < 0.35)
    return grades


def _draw_opinions(
    generator: np.random.Generator, truth: np.ndarray, error: np.ndarray
) -> np.ndarray:
    """Assessors × documents: misses more often than false alarms, more on some topics."""
    rates = np.clip(error * generator.lognormal(0, 0.4, len(error)), 0, 0.8)[:, None]
    drawn, how = generator.random((2, len(error), len(truth)))
    lower, higher = np.maximum(truth - 1 - (how < 0.3), 0), np.minimum(truth + 1, 2)
    said = np.where(drawn < np.where(truth > 0, rates, 0), lower, truth[None])
    up = np.where(truth == 0, 0.2 * rates, rates / 3)
    return np.where(drawn > 1 - up, higher, said).astype(np.int32)


def _assign(
    generator: np.random.Generator, truth: Sequence[np.ndarray], people: int, overlap: float
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    first, second = [], []
    for grades in truth:
        owner = int(generator.integers(people))
        other = int((owner + generator.integers(1, people)) % people)
        first.append(np.full(len(grades), owner))
        second.append(np.where(generator.random(len(grades)) < overlap, other, -1))
    return first, second


@lru_cache(maxsize=4)
def load_real(data: Path, name: str) -> tuple[list, list, list[str], list[np.ndarray]]:
    """Listed documents, official grades (0 where unjudged), team by run, and what is judged."""
    if name == "trec-covid-r1":
        with (data / name / "leaderboard.csv").open(newline="") as file:
            rows = {row["run"]: row["team"] for row in csv.DictReader(file)}
        paths = [data / name / "runs-top50" / f"{tag}.gz" for tag in rows]
        qrels = as_qrels(data / name / "qrels-covid-round1.txt")
        teams = list(rows.values())
    else:
        paths = sorted((data / "trec-dl19-passage" / "runs-top100").iterdir())
        qrels = as_qrels(data / "trec-dl19-passage" / "qrels.dl19-passage.txt")
        teams = [path.name.removeprefix("dl-19-official-input.")[:4].lower() for path in paths]
    runs = [as_run(path) for path in paths]
    listed, truth, judged = [], [], []
    for at, topic in enumerate(qrels.topics):
        docnos = [str(docno) for docno in qrels.docnos[qrels.rows(at)]]
        place = {docno: number for number, docno in enumerate(docnos)}
        rows_of_runs = np.full((len(runs), max(DEPTHS)), -1)
        for row, run in enumerate(runs):
            if topic in run.topics:
                found = run.docnos[run.rows(list(run.topics).index(topic))][: max(DEPTHS)]
                for rank, docno in enumerate(found):
                    rows_of_runs[row, rank] = place.setdefault(str(docno), len(place))
        grades = np.zeros(len(place), np.int32)
        grades[: len(docnos)] = np.maximum(qrels.grades[qrels.rows(at)], 0)
        listed.append(rows_of_runs)
        truth.append(grades)
        judged.append(np.arange(len(place)) < len(docnos))
    return listed, truth, teams, judged


def draw_real_campaign(data: Path, name: str, seed: int) -> ReplayCampaign:
    """Some teams and topics of a real campaign with its official judgments, pool depth 5 to 20.

    A document without an official judgment counts as judged and not relevant.
    """
    generator = np.random.default_rng(seed)
    listed, truth, names, _ = load_real(data, name)
    known = sorted(set(names))
    most = min(len(known), 40)
    chosen = generator.permutation(len(known))[: int(generator.integers(5, most + 1))]
    team_by_run = np.array([known.index(team) for team in names])
    runs = np.flatnonzero(np.isin(team_by_run, chosen))
    some = generator.permutation(len(listed))[: int(generator.integers(10, len(listed) + 1))]
    official = [truth[at] for at in some]
    return ReplayCampaign(
        f"{name} {seed}",
        [listed[at][runs] for at in some],
        official,
        [grades[None] for grades in official],
        [np.zeros(len(grades), np.int64) for grades in official],
        [np.full(len(grades), -1) for grades in official],
        team_by_run[runs],
        team_by_run[runs] == chosen[-1],
        int(generator.choice([5, 10, 20])),
        str(generator.choice(["random", "random", "by topic", "prioritized"])),
    )


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


def topic_docnos(data: Path) -> tuple[list[str], list[list[str]]]:
    qrels = as_qrels(data / "trec-dl19-passage" / "qrels.dl19-passage.txt")
    return list(qrels.topics), [
        [str(docno) for docno in qrels.docnos[qrels.rows(at)]] for at in range(len(qrels.topics))
    ]


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


def mask_grades(grades: list[np.ndarray], judged: list[np.ndarray]) -> list[np.ndarray]:
    return [
        np.where(m, own, ABSENT).astype(np.int32) for own, m in zip(grades, judged, strict=True)
    ]


def judging_order(
    campaign: ReplayCampaign, pool: list[np.ndarray], generator: np.random.Generator
) -> list[np.ndarray]:
    """By topic and document: its number in the log, from 0; documents outside the pool last."""
    keys = [generator.random(len(mask)) for mask in pool]
    if campaign.order == "by topic":
        keys = [key + at for at, key in enumerate(keys)]
    if campaign.order == "prioritized":
        for at, rows in enumerate(campaign.listed):
            best = np.full(len(keys[at]), rows.shape[1])
            for place in reversed(range(rows.shape[1])):
                column = rows[~campaign.newcomer, place]
                best[column[column >= 0]] = place
            keys[at] = keys[at] + best
    flat = np.concatenate([np.where(m, k, np.inf) for k, m in zip(keys, pool, strict=True)])
    ranks = np.empty(len(flat), np.int64)
    ranks[np.argsort(flat, kind="stable")] = np.arange(len(flat))
    return np.split(ranks, np.cumsum([len(mask) for mask in pool])[:-1])


def paired_p(differences: np.ndarray) -> np.ndarray:
    """Of the paired t test, by column; 1 where all differences are equal."""
    from scipy.special import stdtr

    n = len(differences)
    error = differences.std(axis=0, ddof=1) / np.sqrt(n)
    t = np.divide(differences.mean(axis=0), error, out=np.zeros(len(error)), where=error > 0)
    return 2 * stdtr(n - 1, -np.abs(t))
