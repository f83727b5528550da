"""Continuous active learning: what the texts of judged documents say of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, Mask, TopicCandidates
from pooling.core.method import NextDocument, PoolingMethod, Values
from pooling.core.players import best_run, step_rng

PRESUMED = 100
"""Documents that are taken as not relevant in each round."""
TOLERANCE, DECIMALS = 1e-6, 5
"""The solver stops a little short of its end: scores that agree in so many decimals are ties."""

CAL = Card(
    name="cal",
    title="CAL (continuous active learning, AutoTAR)",
    formula="judge argmax over documents d of the logistic regression on tf-idf, trained on the "
    "topic as a relevant document, on what is judged, and on 100 others drawn by lot as not "
    "relevant; trained anew after B more judgments, B = 1, then B + ⌈B / 10⌉",
    reading="Judge the document whose text is most like those judged relevant; runs only say "
    "which documents there are to judge.",
    source="Cormack and Mooney Grossman 2015, told from memory of the paper.",
    range="−∞ to ∞",
    edge_cases=(
        "Needs the texts of topics and documents, and scikit-learn: `pip install poolbench[cal]`.",
        (
            "The 100 are drawn from the topic's candidates, not from the whole collection; all of "
            "them if fewer are left unjudged."
        ),
        "Judgments of earlier steps train, and count in B, as any other.",
        (
            "Texts, the topic among them, are cut into words of two letters or more in lower case; "
            "term counts are logarithmic; the regression has C = 1. These are our choices."
        ),
        (
            "Scores are rounded to five decimals, which the solver meets; of equal ones the "
            "seeded hash order decides."
        ),
        "Where no text has a word, seeded hash order decides.",
    ),
)


class ContinuousActiveLearning:
    """A player by texts, which are read when it first chooses. Raises ``ValueError`` without
    them, or without scikit-learn.

    A round is over when its last judgment comes, not when its last document is given, so that
    asking again changes nothing. Documents in hand meanwhile come from the same round.
    """

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:  # noqa: ARG002
        if candidates.read is None or not candidates.query:
            lacking = f"texts of the documents and words of topic {candidates.topic}"
            raise ValueError(f"cal needs {lacking}")
        self.candidates, self.read = candidates, candidates.read
        self.features: Any = None
        self.known: dict[int, bool] = {}
        self.batch, self.due = 1, 1
        self.learned: dict[int, bool] = {}
        self.scores: Floats | None = None

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        if self.features is None:
            texts = self.read(list(self.candidates.docnos))
            self.features = tfidf_features([*texts, self.candidates.query])
        if self.scores is None:
            self.scores = self.learn()
        return NextDocument(best_run(self.scores, available, self.candidates.tie))

    def judged(self, choice: NextDocument, relevant: bool) -> None:
        self.known[choice.doc] = relevant
        if len(self.known) == self.due:
            self.batch += -(-self.batch // 10)
            self.due += self.batch
            self.learned, self.scores = dict(self.known), None

    @property
    def cells(self) -> int:
        return 0 if self.features is None else int(self.features.nnz)

    def learn(self) -> Floats:
        """The score of each document after the judgments of all rounds that are over.

        The last row of the features is the topic's.
        """
        from sklearn.linear_model import LogisticRegression

        n = len(self.candidates)
        unknown = np.setdiff1d(np.arange(n), list(self.learned))
        draw = step_rng(self.candidates, len(self.learned))
        presumed = draw.choice(unknown, min(PRESUMED, len(unknown)), replace=False)
        rows = [n, *self.learned, *presumed.tolist()]
        relevant = [True, *self.learned.values(), *[False] * len(presumed)]
        # The dual solver, which goes through the rows by chance, is much the quickest for texts.
        seed = int(draw.integers(1 << 31))
        model = LogisticRegression(
            solver="liblinear", dual=True, random_state=seed, max_iter=1000, tol=TOLERANCE
        )
        model.fit(self.features[rows], relevant)
        return np.asarray(np.round(model.decision_function(self.features[:n]), DECIMALS))


def tfidf_features(texts: Sequence[str]) -> Any:
    """Texts × terms: a sparse matrix of tf-idf."""
    try:
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as missing:
        raise ValueError("cal needs scikit-learn: pip install poolbench[cal]") from missing
    words = TfidfVectorizer(sublinear_tf=True)
    if not any(map(words.build_tokenizer(), texts)):
        return csr_matrix((len(texts), 1))
    return words.fit_transform(texts)


METHOD = PoolingMethod(CAL, player=ContinuousActiveLearning, reads=True)
