"""Continuous active learning: the texts of judged documents predict relevance of the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from poolbench.pooling.candidates import Floats, Mask, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, NextDocument, PoolingMethod, Values
from poolbench.pooling.players import best_run, step_rng

PRESUMED = 100
"""Documents presumed not relevant in each round."""
TOLERANCE, DECIMALS = 1e-6, 5
"""The solver stops early: scores equal to this many decimals are ties."""


class ContinuousActiveLearning(AdaptivePlayer):
    """A player that scores texts, which are read at the first choice. Raises ``ValueError``
    without texts or without scikit-learn.

    A round ends with its last judgment, not with its last selection, so that ``choose`` stays
    repeatable. Documents selected until then come from the same round.
    """

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:  # noqa: ARG002
        if candidates.read is None or not candidates.query:
            raise ValueError(f"cal needs document texts and a title for topic {candidates.topic}")
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

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        self.known[choice.doc] = relevant
        if len(self.known) == self.due:
            self.batch += -(-self.batch // 10)
            self.due += self.batch
            self.learned, self.scores = dict(self.known), None

    @property
    def cells(self) -> int:
        return 0 if self.features is None else int(self.features.nnz)

    def learn(self) -> Floats:
        """By document: the score after the judgments of all completed rounds.

        The last row of the features is the topic.
        """
        from sklearn.linear_model import LogisticRegression

        n = len(self.candidates)
        unknown = np.setdiff1d(np.arange(n), list(self.learned))
        draw = step_rng(self.candidates, len(self.learned))
        presumed = draw.choice(unknown, min(PRESUMED, len(unknown)), replace=False)
        rows = [n, *self.learned, *presumed.tolist()]
        relevant = [True, *self.learned.values(), *[False] * len(presumed)]
        # The dual solver visits rows in random order and is by far the fastest for texts.
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


METHOD = PoolingMethod(
    name="cal",
    title="CAL (continuous active learning, AutoTAR)",
    formula="judge argmax over documents d of a logistic regression on tf-idf, trained on the "
    "topic as a relevant document, the judged documents, and 100 randomly drawn others presumed "
    "not relevant; retrained after B more judgments, B = 1, then B + ⌈B / 10⌉",
    reading="Judge the document whose text is most similar to the relevant ones; the runs only "
    "define the candidates.",
    source="Cormack and Mooney Grossman 2015, from memory of the paper.",
    range="−∞ to ∞",
    edge_cases=(
        "Requires document and topic texts, and scikit-learn: `pip install poolbench[cal]`.",
        (
            "The 100 are drawn from the topic's unjudged candidates, not from the whole "
            "collection; if fewer are left, all of them are used."
        ),
        "Judgments of earlier steps are used for training and count in B.",
        (
            "Texts, including the topic, are split into lowercase words of two or more letters; "
            "term counts are logarithmic; the regression uses C = 1. These choices are ours."
        ),
        (
            "Scores are rounded to five decimals, the precision of the solver; ties are broken by "
            "seeded hash."
        ),
        "If no text contains a word, documents are ordered by seeded hash.",
    ),
    player=ContinuousActiveLearning,
    reads=True,
)
