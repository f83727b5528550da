"""Runs scored by many sets of grades at once, for ``verdicts_replay.py``."""

from collections.abc import Sequence

import numpy as np

from poolbench.reliability.disagreement.ballots import ABSENT

MEASURES = {"MAP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "MRR": "recip_rank"}
"""The name in the product by title."""
TOP_TEN = {"nDCG@10", "P@10"}
CUT = 10
DISCOUNTS = 1 / np.log2(np.arange(2, CUT + 2))
REACHED = np.concatenate([[0.0], np.cumsum(DISCOUNTS)])


class ListScorer:
    """All runs by the measures of ``titles``; what ``GradeScorer`` asks for, with a column for
    each measure and run, measure by measure. ``listed``: by topic, runs × ranks of documents, -1
    for none; ``sizes``: by topic, the number of documents.
    """

    better = 1.0

    def __init__(
        self,
        listed: Sequence[np.ndarray],
        sizes: Sequence[int],
        level: int = 1,
        titles: Sequence[str] = tuple(MEASURES),
    ) -> None:
        self.listed, self.sizes, self.level, self.titles = listed, sizes, level, titles
        if set(titles) <= TOP_TEN:
            self.listed = [rows[:, :CUT] for rows in listed]

    def score(self, topic: int, grades: np.ndarray) -> np.ndarray:
        """Ways × (measures · runs), from ways × documents."""
        gains = np.maximum(grades, 0).astype(np.int8)
        # One more document, of grade 0, stands for the places beyond the end of a list.
        listed = np.pad(gains, ((0, 0), (0, 1)))[:, self.listed[topic]]
        relevant = listed >= self.level
        parts = [self._score_measure(title, gains, listed, relevant) for title in self.titles]
        return np.concatenate(parts, axis=1)

    def _score_measure(
        self, title: str, gains: np.ndarray, listed: np.ndarray, relevant: np.ndarray
    ) -> np.ndarray:
        if title == "MAP":
            return _average_precision(relevant, (gains >= self.level).sum(axis=1))
        if title == "nDCG@10":
            top = listed[..., :CUT]
            return _normalize_gain(top @ DISCOUNTS[: top.shape[2]], gains)
        if title == "P@10":
            return relevant[..., :CUT].sum(axis=2) / CUT
        return np.where(relevant.any(axis=2), 1 / (1 + relevant.argmax(axis=2)), 0.0)

    def count_listings(self, topic: int) -> tuple[np.ndarray, int]:
        rows = self.listed[topic]
        return np.bincount(rows[rows >= 0], minlength=self.sizes[topic]), len(rows)

    def means(self, by_topic: np.ndarray) -> np.ndarray:
        return np.nanmean(by_topic, axis=0)

    def by_topic(self, grades: Sequence[np.ndarray]) -> np.ndarray:
        """Topics × (measures · runs)."""
        return np.array([self.score(at, own[None])[0] for at, own in enumerate(grades)])

    def measure(self, grades: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """By measure, the score of each run over topics."""
        return self.split(self.means(self.by_topic(grades)))

    def split(self, columns: np.ndarray) -> dict[str, np.ndarray]:
        """(… × measures · runs) by measure."""
        return dict(zip(self.titles, np.split(columns, len(self.titles), axis=-1), strict=True))

    def judged(self, grades: Sequence[np.ndarray]) -> np.ndarray:
        """Judged@10 by run."""
        tops = [rows[:, :CUT] for rows in self.listed]
        shares = [
            ((own[np.maximum(top, 0)] != ABSENT) & (top >= 0)).mean(axis=1)
            for top, own in zip(tops, grades, strict=True)
        ]
        return np.mean(shares, axis=0)


def _average_precision(relevant: np.ndarray, total: np.ndarray) -> np.ndarray:
    found = np.cumsum(relevant, axis=2, dtype=np.float32)
    found *= relevant
    sums = found @ (1 / np.arange(1, relevant.shape[2] + 1))
    return sums / np.maximum(total, 1)[:, None]


def _normalize_gain(listed: np.ndarray, gains: np.ndarray) -> np.ndarray:
    best = np.zeros(len(gains))
    before = np.zeros(len(gains), np.int64)
    for grade in range(int(gains.max(initial=0)), 0, -1):
        after = np.minimum(before + np.count_nonzero(gains == grade, axis=1), CUT)
        best += grade * (REACHED[after] - REACHED[before])
        before = after
    return np.divide(listed, best[:, None], out=np.zeros_like(listed), where=best[:, None] > 0)
