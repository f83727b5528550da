"""The coefficient panel: every coefficient, by pair of assessors and by topic, with intervals."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from poolbench.judging.agreement.coefficient import (
    DRAWS,
    AgreementCoefficient,
    AgreementCounts,
    CoefficientSums,
    Floats,
    Ints,
    count_all_assessors,
    count_two_assessors,
    iter_confusion_tables,
)
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import (
    AgreementReport,
    AssessorCounts,
    CoefficientPanel,
    Row,
)
from poolbench.statistics.bootstrap import percentile_estimates
from poolbench.statistics.draws import ResamplingOptions, multinomial_counts
from poolbench.statistics.estimate import Estimate, nan_to_none
from poolbench.statistics.least_topics import LEAST_TOPICS, TOO_FEW_TOPICS, has_enough_topics

ALL_UNDEFINED = "undefined for all {}"
PAIRS = "pairs of assessors"
TOO_FEW = "agreement needs at least two assessors"
TOO_MANY_PAIRS = "intervals per pair of assessors are computed for at most {} pairs"
CROWD = "the assessors are too many to be compared two by two"
MOST_PAIRS = 500
AT_ONCE = 2_000_000
"""Array elements in memory at once for the resamples of pairs of assessors."""


def agreement_report(
    labels: LabelTable,
    level: int,
    *,
    binary: bool = False,
    draws: ResamplingOptions | None = None,
    most_assessors: int | None = None,
) -> AgreementReport:
    """All coefficients; ``level`` is the lowest relevant grade. ``binary`` makes the grades
    binary at that level first. More than ``most_assessors`` are not compared two by two.
    """
    draws = draws or DRAWS
    relevant = (labels.judged & (labels.grades >= level)).sum(axis=1).tolist()
    counts = zip(labels.assessors, labels.judged.sum(axis=1).tolist(), relevant, strict=True)
    cut, at = (labels.binary(level), 1) if binary else (labels, level)
    couples = AssessorPairs(cut, at, draws, most_assessors)
    overall, topic_rows = coefficients_over_all(cut, at, draws)
    by_topic = {
        topic: CoefficientPanel(topic_rows[place], couples.topic_means(place))
        for place, topic in enumerate(cut.topics if len(cut.assessors) > 1 else ())
    }
    return AgreementReport(
        level=level,
        binary=binary,
        scale=cut.scale,
        documents=len(labels.pairs),
        assessors=tuple(AssessorCounts(*row) for row in counts),
        overall=overall,
        means=couples.means(),
        pairs=dict(zip(couples.names, couples.rows, strict=True)),
        confusion=dict(zip(couples.names, couples.confusion, strict=True)),
        by_topic=by_topic,
        topic_means=CoefficientPanel(
            _mean_row([panel.overall for panel in by_topic.values()], draws),
            _mean_row([panel.means for panel in by_topic.values()], draws),
        ),
        draws=draws,
        thirds=cut.thirds,
        left_out=cut.left_out,
    )


def compare_label_sets(tables: Floats, scale: tuple[int, ...], level: int) -> list[Row]:
    """Every coefficient for couples of label sets, from their confusion ``tables``
    (couples, topics, q, q).
    """
    counts = count_two_assessors(tables, scale, level)
    return _compute_rows(counts, TopicResamples(counts, DRAWS))


def _compute_rows(counts: AgreementCounts, resampled: "TopicResamples | None") -> list[Row]:
    whole = counts.summed()
    rows: list[Row] = [{} for _ in whole.units]
    for name, agreement in COEFFICIENTS.items():
        topics = np.count_nonzero(agreement.n(counts), axis=-1)
        values = agreement.compute(whole)
        estimates = _without_intervals(values, topics, TOO_MANY_PAIRS.format(MOST_PAIRS))
        if resampled:
            estimates = resampled.estimate(agreement, values, topics)
        for row, value in enumerate(_build_coefficients(agreement, whole, estimates)):
            rows[row][name] = value
    return rows


class TopicResamples:
    """Resamples of each couple's own topics; couples with too few topics have none.

    ``groups`` has the rows with the same number of topics, and their counts (rows, resamples),
    in ascending order of that number. ``crossed``: the last group has all topics, so that its
    resamples are also those of all couples together.
    """

    def __init__(self, counts: AgreementCounts, draws: ResamplingOptions) -> None:
        own = counts.units > 0
        sizes = own.sum(axis=-1)
        self.crossed = bool(own.all(axis=-1).any()) and has_enough_topics(own.shape[-1])
        self.groups: list[tuple[Ints, AgreementCounts]] = []
        for size in np.unique(sizes[sizes >= LEAST_TOPICS]).tolist():
            rows = np.flatnonzero(sizes == size)
            drawn = multinomial_counts(size, draws)
            self.groups.append((rows, _own_topics(counts, rows, own).over(drawn)))
        self.values: dict[str, list[Floats]] = {}

    def others(self, counts: AgreementCounts, topics: int) -> AgreementCounts | None:
        """The counts of couples that lack some of ``topics``; None if there are none."""
        table = counts.table
        rows = np.flatnonzero(np.count_nonzero(counts.units, axis=-1) < topics)
        if table is None or not has_enough_topics(topics) or not len(rows):
            return None
        return count_two_assessors(table[rows], counts.scale, counts.level)

    def compute(self, agreement: AgreementCoefficient) -> list[Floats]:
        """The values (rows, resamples) of each group, computed once."""
        if agreement.name not in self.values:
            self.values[agreement.name] = [agreement.compute(drawn) for _, drawn in self.groups]
        return self.values[agreement.name]

    def estimate(
        self, agreement: AgreementCoefficient, values: Floats, topics: Ints
    ) -> list[Estimate]:
        """``values`` by couple with their intervals."""
        estimates = _without_intervals(values, topics, TOO_FEW_TOPICS)
        for (rows, _), drawn in zip(self.groups, self.compute(agreement), strict=True):
            own = percentile_estimates(values[rows], drawn, topics[rows])
            for row, estimate in zip(rows.tolist(), own, strict=True):
                estimates[row] = estimate
        return estimates


def _without_intervals(values: Floats, topics: Ints, why: str) -> list[Estimate]:
    return [
        Estimate(nan_to_none(value), n, why=why)
        for value, n in zip(values.tolist(), topics.tolist(), strict=True)
    ]


def _own_topics(counts: AgreementCounts, rows: Ints, own: NDArray[np.bool_]) -> AgreementCounts:
    """``rows`` of counts, restricted to their ``own`` topics, of which each has as many."""
    table = counts.table
    if table is None:
        raise ValueError("only two label sets have topics of their own")
    taken = table[rows][own[rows]].reshape(len(rows), -1, *table.shape[2:])
    return count_two_assessors(taken, counts.scale, counts.level)


class AssessorPairs:
    """Every two assessors: ``rows`` of coefficients, ``confusion`` tables, and the sums for
    the means over pairs of assessors: overall, by topic and by resample.
    """

    def __init__(
        self, labels: LabelTable, level: int, draws: ResamplingOptions, most: int | None = None
    ) -> None:
        self.is_crowd = most is not None and len(labels.assessors) > most
        self.names = [] if self.is_crowd else list(combinations(labels.assessors, 2))
        self.rows: list[Row] = []
        self.confusion: list[list[list[int]]] = []
        self.topics = len(labels.topics)
        self.crowded = len(self.names) > MOST_PAIRS
        self.draws = None if self.crowded else draws
        self.sums = {name: CoefficientSums(self.topics, draws.resamples) for name in COEFFICIENTS}
        q = len(labels.scale)
        at_once = max(1, AT_ONCE // max(1, q * q * max(draws.resamples, self.topics)))
        every = iter(()) if self.is_crowd else iter_confusion_tables(labels)
        for tables in _chunks(every, at_once):
            self._take(tables, labels.scale, level)

    def _take(self, tables: Floats, scale: tuple[int, ...], level: int) -> None:
        counts = count_two_assessors(tables, scale, level)
        resampled = TopicResamples(counts, self.draws) if self.draws else None
        self.rows += _compute_rows(counts, resampled)
        self.confusion += tables.sum(axis=1).astype(int).tolist()
        others = resampled.others(counts, self.topics) if resampled else None
        drawn = None
        if self.draws and others:
            drawn = others.over(multinomial_counts(self.topics, self.draws))
        for name, agreement in COEFFICIENTS.items():
            self.sums[name].by_topic.add(agreement.compute(counts))
            self.sums[name].prevalence.add(np.where(counts.units > 0, counts.prevalence, np.nan))
            if drawn is not None:
                self.sums[name].drawn.add(agreement.compute(drawn))
            if resampled and resampled.crossed:
                self.sums[name].drawn.add(resampled.compute(agreement)[-1])

    def means(self) -> Row:
        """The mean of each coefficient over the pairs of assessors with a value."""
        coefficients = {}
        for name, sums in self.sums.items():
            values = [row[name] for row in self.rows]
            topics = int(np.count_nonzero(sums.prevalence.count))
            drawn = None if self.crowded else sums.drawn.mean
            coefficients[name] = _mean(values, drawn, topics, PAIRS)
        return self._explain(coefficients)

    def _explain(self, row: Row) -> Row:
        """``row`` with the reason why no pairs of assessors are compared, if none are."""
        if not self.is_crowd:
            return row
        return {name: replace(value, reason=CROWD, why=CROWD) for name, value in row.items()}

    def topic_means(self, topic: int) -> Row:
        """The means within one topic, without intervals."""
        coefficients = {}
        for name, sums in self.sums.items():
            count = int(sums.by_topic.count[topic])
            left_out = len(self.names) - count
            why = _describe_undefined(left_out, len(self.names), PAIRS)
            value = float(sums.by_topic.mean[topic]) if count else None
            shared = sums.prevalence.count[topic]
            prevalence = float(sums.prevalence.mean[topic]) if shared else None
            reason = why if count else ALL_UNDEFINED.format(PAIRS)
            coefficients[name] = Estimate(
                value, count, topics=int(count > 0), reason=reason, prevalence=prevalence
            )
        return self._explain(coefficients)


def coefficients_over_all(
    labels: LabelTable, level: int, draws: ResamplingOptions
) -> tuple[Row, list[Row]]:
    """The coefficients over all assessors together, and those of each topic."""
    many = {
        name: coefficient for name, coefficient in COEFFICIENTS.items() if not coefficient.pairwise
    }
    if len(labels.assessors) < 2:
        return {name: _undefined(TOO_FEW) for name in many}, []
    counts = count_all_assessors(labels, level)
    whole, drawn = counts.summed(), counts.over(multinomial_counts(len(labels.topics), draws))
    overall: Row = {}
    by_topic: list[Row] = [{} for _ in labels.topics]
    for name, agreement in many.items():
        topics = np.count_nonzero(agreement.n(counts), axis=-1)
        estimates = percentile_estimates(agreement.compute(whole), agreement.compute(drawn), topics)
        (overall[name],) = _build_coefficients(agreement, whole, estimates)
        for row, value in zip(by_topic, _within(agreement, counts), strict=True):
            row[name] = value
    return overall, by_topic


def _within(agreement: AgreementCoefficient, counts: AgreementCounts) -> list[Estimate]:
    """One coefficient for each topic of ``counts`` (1, topics)."""
    n = agreement.n(counts)[0]
    values = agreement.compute(counts)[0]
    return [
        _coefficient(
            agreement,
            Estimate(nan_to_none(value), int(size > 0)),
            int(size),
            float(share),
            has_interval=False,
        )
        for value, size, share in zip(values, n, counts.prevalence[0], strict=True)
    ]


def _build_coefficients(
    agreement: AgreementCoefficient, whole: AgreementCounts, estimates: Sequence[Estimate]
) -> list[Estimate]:
    columns = (agreement.n(whole).tolist(), whole.prevalence.tolist())
    return [
        _coefficient(agreement, estimate, int(n), prevalence)
        for estimate, n, prevalence in zip(estimates, *columns, strict=True)
    ]


def _coefficient(
    agreement: AgreementCoefficient,
    estimate: Estimate,
    n: int,
    prevalence: float,
    *,
    has_interval: bool = True,
) -> Estimate:
    share, topics = prevalence if n else None, estimate.n
    if estimate.value is None:
        why = agreement.why(n)
        return Estimate(
            None, n, why=why if has_interval else None, topics=topics, reason=why, prevalence=share
        )
    low, high, level = estimate.low, estimate.high, estimate.level
    return Estimate(estimate.value, n, low, high, level, estimate.why, topics, None, share)


def _undefined(why: str) -> Estimate:
    return Estimate(None, 0, why=why, topics=0, reason=why)


def _mean(values: list[Estimate], resampled: Floats | None, topics: int, unit: str) -> Estimate:
    """The unweighted mean of the defined values, with the interval of the ``resampled`` means, if
    they are not too many; ``unit`` names what is averaged over.
    """
    defined = [c.value for c in values if c.value is not None]
    shares = [c.prevalence for c in values if c.prevalence is not None]
    if not defined:
        why = ALL_UNDEFINED.format(unit) if values else TOO_FEW
        return _undefined(why)
    mean = sum(defined) / len(defined)
    estimate = Estimate(mean, topics, why=TOO_MANY_PAIRS.format(MOST_PAIRS))
    if resampled is not None:
        (estimate,) = percentile_estimates([mean], resampled[None], np.array([topics]))
    return replace(
        estimate,
        n=len(defined),
        topics=topics,
        reason=_describe_undefined(len(values) - len(defined), len(values), unit),
        prevalence=sum(shares) / len(shares) if shares else None,
    )


def _mean_row(rows: list[Row], draws: ResamplingOptions) -> Row:
    """The mean over topics of each coefficient, without topics that have no value."""
    means = {}
    for name in rows[0] if rows else ():
        cells = [row[name] for row in rows]
        values = np.array([c.value for c in cells if c.value is not None])
        drawn = multinomial_counts(len(values), draws) @ values / max(len(values), 1)
        means[name] = _mean(cells, drawn, len(values), "topics")
    return means


def _describe_undefined(count: int, total: int, unit: str) -> str | None:
    return f"{count} of {total} {unit} are undefined" if count else None


def _chunks(tables: Iterable[Floats], size: int) -> Iterator[Floats]:
    left = iter(tables)
    while chunk := list(islice(left, size)):
        yield np.stack(chunk)
