"""A text classifier in place of a machine, or beside one: what people's grades say of the texts.

By topic, kernel ridge regression on cosines of tf-idf vectors of words and pairs of neighbouring
words, learned from the judged sample; and the cosine with the query. No model, no network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from poolbench.estimation.calibration import FOLDS, PairFeatures, standardize_columns
from poolbench.estimation.frame import PoolFrame
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.runs.tables import group_starts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TEXT_PENALTY = 0.3
RIDGE = 1.0
TOPIC_VARIANCE = 1.0
"""Of the mean grade of a topic, in units of that of the texts: means are shrunken by it."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class TextScores:
    """``vectors``: a row of length 1 for each pair of ``frame``, or of zeros without a text;
    ``query``: the cosine of each pair's text with the query of its topic.
    """

    frame: PoolFrame
    vectors: csr_array
    query: Floats

    @property
    def features(self) -> PairFeatures:
        """The cosine with the query: what does not depend on grades."""
        return _as_feature(self.query)

    def learn(self, judged: Ints, steps: Floats, fold: Ints) -> list[PairFeatures]:
        """For each fold, the score of each pair learned from the grades of the other folds; of a
        pair that they hold, without its own grade.

        ``judged``, ``steps`` as in ``JudgedSample``; ``fold``: of each pair of the frame.
        """
        response, held_by = steps.mean(axis=1), fold[judged]
        folds = np.arange(FOLDS)
        means = [_average(response[held_by != own]) for own in folds]
        scores = np.zeros((FOLDS, len(fold)))
        starts = self.frame.starts
        ends = np.searchsorted(judged, starts)
        for first, last, low, high in zip(starts, starts[1:], ends, ends[1:], strict=False):
            if low == high:
                continue
            places = judged[low:high]
            kernel = (self.vectors[first:last] @ self.vectors[places].T).toarray() + TOPIC_VARIANCE
            for own in folds:
                train = np.flatnonzero(held_by[low:high] != own)
                left = response[low:high][train] - means[own]
                scores[own, first:last] = compute_left_out_scores(
                    kernel[:, train], places[train] - first, left
                )
        return [_as_feature(own) for own in scores]


def compute_left_out_scores(kernel: Floats, train: Ints, response: Floats) -> Floats:
    """Kernel ridge regression of ``response`` on the rows ``train`` of ``kernel``, (rows, train),
    for all rows; for those of ``train`` without their own response, in closed form.
    """
    inverse = np.linalg.inv(kernel[train] + RIDGE * np.eye(len(train)))
    weights = inverse @ response
    predicted: Floats = kernel @ weights
    predicted[train] = response - weights / np.diag(inverse)
    return predicted


def _average(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def _as_feature(values: Floats) -> PairFeatures:
    return PairFeatures(standardize_columns(values[:, None]), np.array([TEXT_PENALTY]))


def build_text_scores(frame: PoolFrame, queries: Sequence[str], texts: Sequence[str]) -> TextScores:
    """``queries`` by topic and ``texts`` by pair of the frame; empty where there is none."""
    vectors = build_vectors([*texts, *queries], len(texts))
    of_pairs, of_queries = vectors[: len(texts)], vectors[len(texts) :]
    cosines = of_pairs.multiply(of_queries[frame.topic_index]).sum(axis=1)
    return TextScores(frame, of_pairs, np.asarray(cosines, np.float64).ravel())


@dataclass(frozen=True, eq=False)
class TextInput:
    """``scores`` of the pairs, of which ``coverage`` is the share that has a text; ``sha256``: of
    queries and texts, by which a release knows whether they are the same.
    """

    scores: TextScores
    coverage: float
    sha256: str


def build_text_input(
    frame: PoolFrame, queries: Mapping[str, str], texts: Mapping[str, str]
) -> TextInput:
    """By ``queries`` of topics and ``texts`` of documents, empty where there is none."""
    by_topic = [queries.get(topic, "") for topic in frame.topics]
    own = [texts.get(docno, "").strip() for docno in map(str, frame.docnos)]
    digest = sha256()
    for text in (*by_topic, *own):
        digest.update(sha256(text.encode("utf-8", "replace")).digest())
    coverage = sum(map(bool, own)) / max(len(own), 1)
    return TextInput(build_text_scores(frame, by_topic, own), coverage, digest.hexdigest())


def build_vectors(texts: Sequence[str], number: int) -> csr_array:
    """tf-idf vectors of length 1 of ``texts``: (1 + log tf) · log((1 + N) / (1 + df)) + that of
    once more, over words and pairs of neighbours. df: in the first ``number`` texts.
    """
    from scipy.sparse import csr_array

    words, lengths = number_words(texts)
    row = np.repeat(np.arange(len(texts)), lengths)
    beside = np.flatnonzero(row[1:] == row[:-1])
    size = int(words.max(initial=0)) + 1
    pairs = size + words[beside] * size + words[beside + 1]
    _, term = np.unique(np.concatenate([words, pairs]), return_inverse=True)
    terms = int(term.max(initial=-1)) + 1
    keys = np.concatenate([row, row[beside]]) * max(terms, 1) + term
    entries, count = np.unique(keys, return_counts=True)
    row, term = np.divmod(entries, max(terms, 1))
    frequency = np.bincount(term[row < number], minlength=terms)
    idf = np.log((1 + number) / (1 + frequency)) + 1
    weight = (1 + np.log(count)) * idf[term]
    length = np.sqrt(np.bincount(row, weight**2, len(texts)))
    starts = group_starts(np.bincount(row, minlength=len(texts)))
    return csr_array((weight / length[row], term, starts), shape=(len(texts), terms))


def number_words(texts: Iterable[str]) -> tuple[Ints, Ints]:
    """A number for each word, in lower case, of all ``texts`` one after another; words by text."""
    known: dict[str, int] = {}
    numbers, lengths = list[int](), list[int]()
    for text in texts:
        words = _WORD.findall(text.lower())
        numbers += [known.setdefault(word, len(known)) for word in words]
        lengths.append(len(words))
    return np.array(numbers, np.int64), np.array(lengths, np.int64)
