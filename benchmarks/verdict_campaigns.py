"""Campaigns whose truth is known, for ``verdicts_replay.py``, and simulated ones.

A campaign is arrays: what each run lists for each topic, the noiseless grade of each document,
and what assessors say of it.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.verdict_scorer import MEASURES, ListScorer  # noqa: E402
from poolbench.reading.docnos import DocnoArray  # noqa: E402
from poolbench.reliability.collection.inputs import (  # noqa: E402
    CollectionSource,
    PooledCollection,
    build_collection_from_matrices,
)
from poolbench.reliability.disagreement.ballots import ABSENT  # noqa: E402
from poolbench.runs.pair_places import PairPlaces  # noqa: E402
from poolbench.runs.run_matrix import PairArray, PairDictionary, RunMatrix  # noqa: E402
from poolbench.runs.tables import QrelsTable, group_starts  # noqa: E402

DOCUMENTS = 300
"""Candidates by topic of a simulated campaign."""
LISTED = 60
"""Documents that a run lists for a topic."""
DEPTHS = (5, 10, 20, 40)
OVERLAPS = (0.05, 0.1, 0.2, 0.5, 1.0)
ORDERS = ("random", "random", "by topic", "prioritized")
MODEL = "like the model"
NEW_KIND = "new kind of run"
BIASED = "biased, unequal assessors"
FEW_TOPICS = "few topics"
COPIES = "a dozen near-copies"
SKEWED = "skewed numbers of relevant"
SIMULATED = (MODEL, NEW_KIND, BIASED, FEW_TOPICS, COPIES, SKEWED)


@dataclass
class ReplayCampaign:
    """``listed``: by topic, runs × ranks of documents, -1 beyond the end; ``truth``: by topic,
    their grades. ``opinions``: by topic, assessors × documents, what each says; ``first`` and
    ``second``: by topic and document, who judges, -1 for no second. ``newcomer`` runs never
    contribute. From grade ``level`` on a document is relevant.
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
    level: int = 1

    def make_scorer(
        self, runs: np.ndarray | None = None, titles: Sequence[str] = tuple(MEASURES)
    ) -> ListScorer:
        """Of the campaign's own runs, or of the ``runs`` of a mask."""
        chosen = ~self.newcomer if runs is None else runs
        sizes = [*map(len, self.truth)]
        return ListScorer([rows[chosen] for rows in self.listed], sizes, self.level, titles)

    def grades(self) -> list[np.ndarray]:
        """What the first assessor of each document says."""
        return [
            said[first, np.arange(said.shape[1])].astype(np.int32)
            for said, first in zip(self.opinions, self.first, strict=True)
        ]

    def pool(self) -> list[np.ndarray]:
        """By topic: whether each document is among the best ``depth`` of a contributing run."""
        masks = []
        for rows, truth in zip(self.listed, self.truth, strict=True):
            mask = np.zeros(len(truth), bool)
            top = rows[~self.newcomer][:, : self.depth]
            mask[top[top >= 0]] = True
            masks.append(mask)
        return masks

    def restrict_to_pool(self) -> "ReplayCampaign":
        """Without the documents outside of the pool, which are never judged, and newcomers."""
        pool = self.pool()
        listed = []
        for rows, mask in zip(self.listed, pool, strict=True):
            place = np.append(np.where(mask, np.cumsum(mask) - 1, -1), -1)
            listed.append(place[rows[~self.newcomer]])
        parts = (
            [array[..., mask] for array, mask in zip(arrays, pool, strict=True)]
            for arrays in (self.truth, self.opinions, self.first, self.second)
        )
        return ReplayCampaign(
            self.name, listed, *parts, self.teams[~self.newcomer],
            self.newcomer[~self.newcomer], self.depth, self.order, self.level,
        )  # fmt: skip

    def build_collection(
        self, grades: Sequence[np.ndarray], runs: np.ndarray | None = None
    ) -> PooledCollection:
        """Of the product: the campaign's own runs, or those of a mask, by ``grades``."""
        chosen = np.flatnonzero(~self.newcomer if runs is None else runs).tolist()
        pairs, table, matrices = self._encoded(grades)
        source = CollectionSource(
            level=self.level,
            teams={f"{run:03d}": f"{self.teams[run]:03d}" for run in chosen},
            pooled=[f"{run:03d}" for run in chosen if not self.newcomer[run]],
            depth=self.depth,
            gains={int(g): float(g) for g in np.unique(np.concatenate(self.truth))} | {1: 1.0},
        )
        tags = [f"{run:03d}" for run in chosen]
        own = {tag: matrices[tag] for tag in tags}
        return build_collection_from_matrices(own, pairs, table, source)

    def encode_runs(self, grades: Sequence[np.ndarray]) -> tuple[dict[str, RunMatrix], PairPlaces]:
        """All runs by tag, and the rows of their pairs in the judgments."""
        pairs, table, matrices = self._encoded(grades)
        return matrices, pairs.places(table)

    def _encoded(
        self, grades: Sequence[np.ndarray]
    ) -> tuple[PairDictionary, QrelsTable, dict[str, RunMatrix]]:
        topics = tuple(f"{at:03d}" for at in range(len(grades)))
        starts = group_starts(np.array([len(own) for own in grades]))
        names = (f"{at:05d}" for own in grades for at in range(len(own)))
        docnos = DocnoArray.from_ids(names)
        judged = [own != ABSENT for own in grades]
        table = QrelsTable(
            topics,
            group_starts(np.array([mask.sum() for mask in judged])),
            docnos.take(np.flatnonzero(np.concatenate(judged))),
            np.concatenate([own[mask] for own, mask in zip(grades, judged, strict=True)]),
        )
        matrices = {
            f"{run:03d}": self._encode(run, topics, starts) for run in range(len(self.teams))
        }
        return PairDictionary([PairArray(topics, starts, docnos)]), table, matrices

    def _encode(self, run: int, topics: tuple[str, ...], starts: np.ndarray) -> RunMatrix:
        rows = [own[run][own[run] >= 0] for own in self.listed]
        codes = np.concatenate([own + start for own, start in zip(rows, starts, strict=False)])
        counts = np.array([len(own) for own in rows])
        scores = np.concatenate([-np.arange(count, dtype=float) for count in counts])
        return RunMatrix(topics, group_starts(counts), codes.astype(np.int32), scores)


def simulate_campaign(seed: int, kind: str = MODEL) -> ReplayCampaign:
    """Topics 10 to 100 (5 to 12 if few), runs 5 to 60 of one to four per team, pool depth 5 to 40,
    assessors from faithful to poor, order random or prioritized.
    """
    generator = np.random.default_rng([seed, SIMULATED.index(kind)])
    topics = int(generator.integers(5, 13) if kind == FEW_TOPICS else generator.integers(10, 101))
    teams = _draw_teams(generator, kind)
    newcomer = teams == teams.max()
    runs = _Runs(teams, generator, kind)
    truth = [_draw_truth(generator, kind) for _ in range(topics)]
    listed = [runs.rank(grades) for grades in truth]
    error, people = generator.uniform(0.0, 0.5), int(generator.integers(2, 9))
    own_error = error * generator.uniform(0.6, 1.4, people)
    bias = generator.uniform(0.2, 0.8, people) if kind == BIASED else np.zeros(people)
    most = int(truth[0].max() if kind == SKEWED else 2)
    opinions = [_draw_opinions(generator, grades, own_error, bias, most) for grades in truth]
    overlap = float(generator.choice(OVERLAPS))
    first, second = _assign(generator, truth, people, overlap, kind)
    return ReplayCampaign(
        f"{kind} {seed}", listed, truth, opinions, first, second, teams, newcomer,
        int(generator.choice(DEPTHS)), str(generator.choice(ORDERS)),
    )  # fmt: skip


def _draw_teams(generator: np.random.Generator, kind: str) -> np.ndarray:
    """The team of each run; that of the last runs does not contribute."""
    if kind == COPIES:
        sizes = [12, *[1] * int(generator.integers(4, 12))]
    else:
        wanted, sizes = int(generator.integers(5, 61)), []
        while sum(sizes) < wanted:
            sizes.append(int(min(generator.integers(1, 5), wanted - sum(sizes))))
    sizes.append(int(generator.integers(1, 4)))
    return np.repeat(np.arange(len(sizes)), sizes)


class _Runs:
    """How runs rank: quality by run and topic, noise that all of a way of retrieval (by words, by
    meaning), a team, or one run have.
    """

    def __init__(self, teams: np.ndarray, generator: np.random.Generator, kind: str) -> None:
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
        self.alone = np.full(len(teams), 0.4)
        if kind == COPIES:
            self.alone[teams == 0] = 0.05
            self.quality[teams == 0] = self.quality[0]
        # A relevant document that a way of retrieval does not see has little to lift it.
        self.seen = 0.6 if kind == NEW_KIND else 1.0
        self.way = (teams == teams.max()).astype(int) * (kind == NEW_KIND)

    def rank(self, grades: np.ndarray) -> np.ndarray:
        """Runs × documents, best first."""
        draw, runs, documents = self.generator.standard_normal, len(self.teams), len(grades)
        quality = self.quality + 0.3 * draw(runs) * (self.alone > 0.1)
        seen = np.where(self.generator.random((2, documents)) < self.seen, 1.0, 0.2)[self.way]
        signal = np.array([0.0, 1.5, 2.2])[grades] * quality[:, None] * seen
        team = draw((int(self.teams.max()) + 1, documents))[self.teams] * self.own_way[:, None]
        alone = self.alone[:, None] * draw((runs, documents))
        scores = signal + 0.8 * draw((2, documents))[self.way] + team + alone
        return np.argsort(-scores, axis=1)[:, :LISTED]


def _draw_truth(generator: np.random.Generator, kind: str) -> np.ndarray:
    grades = np.zeros(DOCUMENTS, np.int32)
    if kind == SKEWED:
        relevant = int(np.clip(np.exp(generator.normal(2.3, 1.5)), 1, 200))
        grades[:relevant] = 1
        return grades
    relevant = int(np.clip(np.exp(generator.normal(3.0, 0.8)), 2, 120))
    grades[:relevant] = 1 + (generator.random(relevant) < 0.35)
    return grades


def _draw_opinions(
    generator: np.random.Generator,
    truth: np.ndarray,
    error: np.ndarray,
    bias: np.ndarray,
    most: int,
) -> np.ndarray:
    """Assessors × documents: misses more often than false alarms, more on some topics. What looks
    relevant deceives each assessor with the chance ``bias``.
    """
    rates = np.clip(error * generator.lognormal(0, 0.4, len(error)), 0, 0.8)[:, None]
    drawn, how, deceived = generator.random((3, len(error), len(truth)))
    lower, higher = np.maximum(truth - 1 - (how < 0.3), 0), np.minimum(truth + 1, most)
    said = np.where(drawn < np.where(truth > 0, rates, 0), lower, truth[None])
    up = np.where(truth == 0, 0.2 * rates, rates / 3)
    said = np.where(drawn > 1 - up, higher, said)
    looks = generator.random(len(truth)) < 0.12
    return np.where(looks & (deceived < bias[:, None]), higher, said).astype(np.int32)


def _assign(
    generator: np.random.Generator,
    truth: Sequence[np.ndarray],
    people: int,
    overlap: float,
    kind: str,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """If they are unequal, the first assessor has nine of ten topics."""
    first, second = [], []
    for grades in truth:
        has_most = kind == BIASED and generator.random() < 0.9
        owner = 0 if has_most else int(generator.integers(people))
        other = int((owner + generator.integers(1, people)) % people)
        first.append(np.full(len(grades), owner))
        second.append(np.where(generator.random(len(grades)) < overlap, other, -1))
    return first, second


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
