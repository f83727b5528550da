"""Labels of many workers as arrays, and what every model makes of them.

A model is a function from a ``LabelMatrix`` to an ``AggregatedLabels``, with its card. It is
deterministic: sums run in the order of items and workers, and draws have a fixed seed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.judging.agreement.labels import LabelTable
from poolbench.notebooks import Frame, ResultTable, make_frame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pair = tuple[str, str]
State = TypeVar("State")
GoldCounts = Mapping[str, tuple[int, int]]
"""By worker, the numbers of gold pairs answered correctly and answered."""

TIE = 1e-6
"""Grades whose probabilities differ by no more than this fit equally."""
TIE_RULES = ("lowest", "highest", "undecided")
UNDECIDED = -(2**31)
"""The grade of an item that the tie rule leaves undecided."""
SMALLEST = 1e-10
"""Probabilities are raised to this, so that none is impossible."""
TOLERANCE = 1e-6
"""A fit has converged when its log-likelihood changes by less, in nats per label."""


class RepeatedLabelError(ValueError):
    """A worker labeled an item twice."""


class MissingGoldError(ValueError):
    """A model that needs gold has none."""


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """``items`` are (topic, docno); ``scale`` has the grades in ascending order.

    ``item_codes``, ``worker_codes`` and ``label_codes`` have an element for each label: positions
    in ``items``, ``workers`` and ``scale``, sorted by item, then by worker.
    """

    items: tuple[Pair, ...]
    workers: tuple[str, ...]
    scale: tuple[int, ...]
    item_codes: Ints
    worker_codes: Ints
    label_codes: Ints

    def __len__(self) -> int:
        """The number of labels."""
        return len(self.label_codes)

    @cached_property
    def votes(self) -> Floats:
        """The number of labels of each grade, items × grades."""
        flat = self.item_codes * len(self.scale) + self.label_codes
        size = len(self.items) * len(self.scale)
        counts = np.bincount(flat, minlength=size).astype(np.float64)
        return counts.reshape(len(self.items), len(self.scale))

    @cached_property
    def labels_per_item(self) -> Ints:
        return np.bincount(self.item_codes, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def labels_per_worker(self) -> Ints:
        return np.bincount(self.worker_codes, minlength=len(self.workers)).astype(np.int64)

    @property
    def vote_shares(self) -> Floats:
        """The share of each grade among the labels of each item."""
        shares: Floats = self.votes / self.votes.sum(axis=1, keepdims=True)
        return shares

    def sum_by_item(self, values: Floats) -> Floats:
        """Sums of ``values`` (labels, or labels × n) over the labels of each item."""
        return sum_values_by_code(self.item_codes, values, len(self.items))

    def sum_by_worker(self, values: Floats) -> Floats:
        """Sums of ``values`` (labels, or labels × n) over the labels of each worker."""
        return sum_values_by_code(self.worker_codes, values, len(self.workers))


def build_label_matrix(
    labels: Iterable[tuple[Pair, str, int]], scale: Sequence[int] = ()
) -> LabelMatrix:
    """The labels (pair, worker, grade); ``scale`` defaults to the grades that occur.

    Raises ``RepeatedLabelError`` if a worker labeled a pair twice, ``ValueError`` for a grade that
    is not on the scale.
    """
    cast: dict[tuple[Pair, str], int] = {}
    for pair, worker, grade in labels:
        if (pair, worker) in cast:
            raise RepeatedLabelError(f"{worker} labeled topic {pair[0]} {pair[1]} twice.")
        cast[pair, worker] = grade
    items = tuple(sorted({pair for pair, _ in cast}))
    workers = tuple(sorted({worker for _, worker in cast}))
    grades = tuple(sorted(scale or set(cast.values())))
    if strange := sorted(set(cast.values()) - set(grades)):
        raise ValueError(f"grades {strange} are not on the scale")
    places = [{name: at for at, name in enumerate(names)} for names in (items, workers, grades)]
    codes = np.array(
        sorted((places[0][p], places[1][w], places[2][g]) for (p, w), g in cast.items()), np.int64
    ).reshape(-1, 3)
    columns = (np.ascontiguousarray(column) for column in codes.T)
    return LabelMatrix(items, workers, grades, *columns)


@dataclass(frozen=True)
class AggregationOptions:
    """``ties``: the grade of equally probable ones. ``gold``: for weighted majority.

    ``iterations``: at most so many; None: as the model's card says. ``tolerance``: see
    ``TOLERANCE``; below 0: all iterations. ``seed`` and ``restarts``: of a random start.
    """

    ties: str = "lowest"
    gold: GoldCounts = field(default_factory=dict)
    iterations: int | None = None
    tolerance: float = TOLERANCE
    seed: int = 0
    restarts: int = 10


@dataclass(frozen=True, eq=False)
class ModelFit:
    """What a model computes: ``posterior`` is items × grades, its rows sum to 1.

    ``quality``: the model's own parameter by worker, if it has one. ``log_likelihood`` is that of
    the labels, in nats.
    """

    posterior: Floats
    quality: Floats | None = None
    iterations: int = 0
    converged: bool = True
    log_likelihood: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AggregatedLabels(ResultTable):
    """The grades that ``model`` gives, with their uncertainty.

    ``grades`` has one grade per item, ``UNDECIDED`` where ``options.ties`` leaves it so; ``ties``
    marks the items whose grade the tie rule decided or left undecided; ``entropy`` is in bits.
    ``accuracy`` by worker is the mean probability of the grades that the worker gave.
    """

    model: str
    matrix: LabelMatrix
    options: AggregationOptions
    fit: ModelFit
    grades: Ints
    ties: Mask
    entropy: Floats
    accuracy: Floats

    @property
    def posterior(self) -> Floats:
        return self.fit.posterior

    def __repr__(self) -> str:
        items, workers = len(self.matrix.items), len(self.matrix.workers)
        return f"<AggregatedLabels: {self.model}, {items:,} pairs, {workers:,} workers>"

    def to_frame(self) -> Frame:
        """One row per pair: topic, docno, grade (missing if undecided), tie, labels, entropy and
        the probability of each grade, ``p_0`` and so on.
        """
        columns = {
            "topic": [topic for topic, _ in self.matrix.items],
            "docno": [docno for _, docno in self.matrix.items],
            "grade": [None if grade == UNDECIDED else grade for grade in self.grades.tolist()],
            "tie": self.ties,
            "labels": self.matrix.labels_per_item,
            "entropy": self.entropy,
        }
        for at, grade in enumerate(self.matrix.scale):
            columns[f"p_{grade}"] = self.posterior[:, at]
        return make_frame(columns).astype({"grade": "Int64"})

    def workers_to_frame(self) -> Frame:
        """One row per worker: labels, accuracy and the model's own parameter, ``quality``."""
        columns = {
            "worker": self.matrix.workers,
            "labels": self.matrix.labels_per_worker,
            "accuracy": self.accuracy,
            "quality": self.fit.quality,
        }
        return make_frame(columns)

    @cached_property
    def overruled(self) -> Mask:
        """The items whose labels, two or more, all have one grade, and which got another."""
        unanimous = (self.matrix.votes > 0).sum(axis=1) == 1
        voted = np.array(self.matrix.scale, np.int64)[self.matrix.votes.argmax(axis=1)]
        other = (self.grades != voted) & (self.grades != UNDECIDED)
        marked: Mask = unanimous & (self.matrix.labels_per_item > 1) & other
        return marked

    @property
    def mean_entropy(self) -> float | None:
        """In bits; None without items."""
        return float(self.entropy.mean()) if len(self.entropy) else None


@dataclass(frozen=True)
class AggregationModel:
    """``fit`` is called with at least one label and two grades. ``quality`` names its own parameter
    of workers. ``iterations``: at most so many; 0: it does not iterate. ``slow``: many times slower
    than Dawid–Skene.
    """

    card: Card
    fit: Callable[[LabelMatrix, AggregationOptions], ModelFit]
    quality: str = ""
    iterations: int = 0
    draws: bool = False
    needs_gold: bool = False
    slow: bool = False

    @property
    def name(self) -> str:
        return self.card.name

    def describe_options(self, options: AggregationOptions) -> dict[str, Any]:
        """The options that matter to the model, as plain values; gold aside."""
        values: dict[str, Any] = {"ties": options.ties}
        if self.iterations:
            values["most_iterations"] = options.iterations or self.iterations
            values["tolerance"] = options.tolerance
        if self.draws:
            values |= {"seed": options.seed, "restarts": options.restarts}
        return values


def aggregate_labels(
    model: AggregationModel, matrix: LabelMatrix, options: AggregationOptions | None = None
) -> AggregatedLabels:
    """The grade of every item by ``model``. Items without labels do not exist.

    Raises ``MissingGoldError`` if the model needs gold and no worker has any.
    """
    options = options or AggregationOptions()
    if options.ties not in TIE_RULES:
        raise ValueError(f"ties must be one of {', '.join(TIE_RULES)}, not {options.ties}")
    if model.needs_gold and not any(answered for _, answered in options.gold.values()):
        raise MissingGoldError(f"{model.name} needs gold: no worker has answered any.")
    if not len(matrix) or len(matrix.scale) < 2:
        fit = ModelFit(np.ones((len(matrix.items), len(matrix.scale))))
    else:
        fit = model.fit(matrix, options)
    grades, ties = choose_grades(fit.posterior, matrix.scale, options.ties)
    chances = fit.posterior[matrix.item_codes, matrix.label_codes]
    per_worker = np.maximum(matrix.labels_per_worker, 1)
    accuracy = matrix.sum_by_worker(chances) / per_worker
    logs = np.log2(np.where(fit.posterior > 0, fit.posterior, 1.0))
    entropy = np.maximum(-(fit.posterior * logs).sum(axis=1), 0.0)
    return AggregatedLabels(
        model.name, matrix, options, fit, grades, ties, entropy=entropy, accuracy=accuracy
    )


def choose_grades(posterior: Floats, scale: Sequence[int], ties: str) -> tuple[Ints, Mask]:
    """The most probable grade of each item under the tie rule ``ties``, and where it was needed."""
    if not posterior.size:
        return np.zeros(0, np.int64), np.zeros(0, np.bool_)
    grades = np.array(scale, np.int64)
    best = posterior >= posterior.max(axis=1, keepdims=True) - TIE
    tied: Mask = best.sum(axis=1) > 1
    if ties == "highest":
        chosen = grades[len(grades) - 1 - best[:, ::-1].argmax(axis=1)]
    else:
        chosen = grades[best.argmax(axis=1)]
    if ties == "undecided":
        chosen = np.where(tied, UNDECIDED, chosen)
    return chosen, tied


def sum_values_by_code(codes: Ints, values: Floats, size: int) -> Floats:
    """Sums of ``values`` (n, or n × columns) over equal ``codes``, in the order of ``values``."""
    columns = [
        np.bincount(codes, weights=column, minlength=size).astype(np.float64)
        for column in np.atleast_2d(values.T)
    ]
    return columns[0] if values.ndim == 1 else np.stack(columns, axis=1)


def compute_posterior(logs: Floats) -> tuple[Floats, float]:
    """The normalised exponentials of each row, and the sum of the logarithms of their sums."""
    highest = logs.max(axis=1, keepdims=True)
    scaled = np.exp(logs - highest)
    totals = scaled.sum(axis=1, keepdims=True)
    return scaled / totals, float((highest + np.log(totals)).sum())


def run_until_rest(
    step: Callable[[State], tuple[State, float]],
    start: tuple[State, float],
    matrix: LabelMatrix,
    options: AggregationOptions,
    most: int,
) -> tuple[State, tuple[int, bool, float]]:
    """``step`` from ``start``, a state with its log-likelihood, until that changes by less than
    the tolerance per label, or the ``most`` iterations are done: the last state; the number of
    iterations, whether it converged, and the log-likelihood.
    """
    state, before = start
    iteration, converged = 0, False
    while iteration < (options.iterations or most) and not converged:
        iteration += 1
        state, after = step(state)
        converged = abs(after - before) < options.tolerance * len(matrix)
        before = after
    return state, (iteration, converged, before)


def fit_by_expectation(
    matrix: LabelMatrix,
    options: AggregationOptions,
    most: int,
    estimate: Callable[[LabelMatrix, Floats], Floats],
    sum_logs: Callable[[LabelMatrix, Floats], Floats],
) -> ModelFit:
    """Expectation-maximisation from the vote shares: ``estimate`` gives the parameters of the
    workers from a posterior, ``sum_logs`` the logarithm of P(labels of an item | grade) from them.
    """

    def step(state: tuple[Floats, Floats]) -> tuple[tuple[Floats, Floats], float]:
        posterior = state[0]
        quality = estimate(matrix, posterior)
        prior = np.maximum(posterior.mean(axis=0), SMALLEST)
        posterior, likelihood = compute_posterior(np.log(prior) + sum_logs(matrix, quality))
        return (posterior, quality), likelihood

    start = (matrix.vote_shares, np.ones(len(matrix.workers))), -np.inf
    (posterior, quality), end = run_until_rest(step, start, matrix, options, most)
    return ModelFit(posterior, quality, *end)


def describe_end(iterations: int) -> str:
    """When a fit of at most ``iterations`` ends, for cards."""
    rest = "Ends when the log-likelihood changes by less than 1e-6 per label"
    return f"{rest}, or after {iterations} iterations."


def build_matrix_from_labels(table: LabelTable) -> LabelMatrix:
    """The labels of ``table``; items and workers sorted by name."""
    items = sorted(range(len(table.pairs)), key=table.pairs.__getitem__)
    workers = sorted(range(len(table.assessors)), key=table.assessors.__getitem__)
    positions = table.positions[np.ix_(workers, items)].T
    rows, columns = np.nonzero(positions < len(table.scale))
    return LabelMatrix(
        tuple(table.pairs[at] for at in items),
        tuple(table.assessors[at] for at in workers),
        table.scale,
        rows.astype(np.int64),
        columns.astype(np.int64),
        positions[rows, columns],
    )


def count_gold_from_matrix(matrix: LabelMatrix, gold: Mapping[Pair, int]) -> GoldCounts:
    """By worker, the numbers of labels on pairs of ``gold`` that are correct, and of all."""
    counts: dict[str, tuple[int, int]] = {}
    codes = (matrix.item_codes, matrix.worker_codes, matrix.label_codes)
    for item, worker, label in zip(*(column.tolist() for column in codes), strict=True):
        correct = gold.get(matrix.items[item])
        if correct is not None:
            name = matrix.workers[worker]
            right, answered = counts.get(name, (0, 0))
            counts[name] = right + (matrix.scale[label] == correct), answered + 1
    return counts
