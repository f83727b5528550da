"""Fair pay: what a unit pays per hour, and the smallest pay that keeps a promise.

Amounts are decimals in the currency of the study, times are seconds. Pure functions; where the
seconds come from is decided in ``crowd.queries.study_terms``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

import numpy as np

from poolbench.cards import Card
from poolbench.crowd.pay import PayTerms

HOUR = 3600
ASSUMED_SECONDS = 30.0
ASSUMED_SLOW_SECONDS = 45.0
"""Seconds for a document where nothing was measured, and those of a slow worker."""
WORDS_PER_MINUTE = 200
"""Reading speed for instructions and consent: slow readers of plain English."""


@dataclass(frozen=True)
class UnitSeconds:
    """Seconds of one unit at the median and at the 75th percentile.

    ``n`` observations from ``source``: ``units`` of this study, ``judgments`` of the campaign's
    assessors, ``trials`` of this study, or ``assumed`` (n = 0). ``per_document`` is the median for
    one document.
    """

    median: float
    slow: float
    n: int
    source: str
    per_document: float


def compute_unit_seconds(seconds: Sequence[float], documents: int, source: str) -> UnitSeconds:
    """Of whole units of ``documents`` documents, each of which took one of ``seconds``.

    Raises ``ValueError`` without observations.
    """
    if not len(seconds):
        raise ValueError("no observations")
    median, slow = np.percentile(np.asarray(seconds, dtype=float), [50, 75]).tolist()
    return UnitSeconds(median, slow, len(seconds), source, median / max(documents, 1))


def estimate_unit_seconds(seconds: Sequence[float], documents: int, source: str) -> UnitSeconds:
    """Of units of ``documents`` documents, of which single ones took ``seconds``.

    Raises ``ValueError`` without observations.
    """
    one = compute_unit_seconds(seconds, 1, source)
    return UnitSeconds(
        one.median * documents, one.slow * documents, one.n, source, one.per_document
    )


def assume_unit_seconds(documents: int) -> UnitSeconds:
    """Of units of ``documents`` documents, before anything was measured."""
    return UnitSeconds(
        ASSUMED_SECONDS * documents, ASSUMED_SLOW_SECONDS * documents, 0, "assumed", ASSUMED_SECONDS
    )


def measure_reading_seconds(*texts: str) -> float:
    """Seconds to read ``texts`` at ``WORDS_PER_MINUTE``."""
    return sum(len(text.split()) for text in texts) * 60 / WORDS_PER_MINUTE


def compute_hourly_pay(amount: Decimal, seconds: float) -> float | None:
    """The pay for an hour of work that pays ``amount`` for ``seconds``; None without time."""
    return float(amount) * HOUR / seconds if seconds > 0 else None


def compute_smallest_pay(hourly_minimum: Decimal, seconds: float) -> Decimal:
    """The smallest amount in cents that pays ``hourly_minimum`` for ``seconds``.

    Exact: seconds count to the millisecond, and only the result is rounded, up.
    """
    exact = Fraction(hourly_minimum) * Fraction(round(seconds * 1000), 1000) / HOUR
    return Decimal(ceil(exact * 100)) / 100


@dataclass(frozen=True)
class PayCase:
    """One line of the pay table: a worker who takes ``seconds`` for what pays ``amount``."""

    who: str
    seconds: float
    amount: Decimal
    smallest: Decimal | None

    @property
    def minutes(self) -> float:
        return self.seconds / 60

    @property
    def hourly(self) -> float | None:
        return compute_hourly_pay(self.amount, self.seconds)

    @property
    def is_enough(self) -> bool:
        return self.smallest is None or self.amount >= self.smallest


@dataclass(frozen=True)
class PayAssessment:
    """What ``terms`` mean for workers who need ``seconds`` for a unit, and ``first_seconds`` of
    reading and practice before the first one.

    ``smallest`` unit pay meets the minimum at the median. ``smallest_screen_out`` meets it for
    ``first_seconds``; 0 where practice has no pass mark, so that none is screened out before the
    work (``screens_out``).
    """

    terms: PayTerms
    seconds: UnitSeconds
    first_seconds: float
    screens_out: bool

    @property
    def smallest(self) -> Decimal:
        return compute_smallest_pay(self.terms.hourly, self.seconds.median)

    @property
    def smallest_screen_out(self) -> Decimal:
        return compute_smallest_pay(
            self.terms.hourly, self.first_seconds if self.screens_out else 0.0
        )

    @property
    def hourly(self) -> float | None:
        """At the median."""
        return compute_hourly_pay(self.terms.unit, self.seconds.median)

    @property
    def cases(self) -> list[PayCase]:
        """The lines of the pay table."""
        unit, seconds = self.terms.unit, self.seconds
        slow = compute_smallest_pay(self.terms.hourly, seconds.slow)
        first = seconds.median + self.first_seconds
        cases = [
            PayCase("Median", seconds.median, unit, self.smallest),
            PayCase("75th percentile", seconds.slow, unit, slow),
            PayCase("First unit, with reading and practice", first, unit, None),
        ]
        if least := self.smallest_screen_out:
            amount = self.terms.screen_out
            cases.append(PayCase("Failed practice", self.first_seconds, amount, least))
        return cases


PAY = Card(
    name="hourly-pay",
    title="Pay per hour",
    formula="hourly pay = unit pay × 3600 / seconds of a unit\n"
    "smallest unit pay = hourly minimum × seconds / 3600, rounded up to the cent",
    reading="What a unit pays per hour at the median time and at the 75th percentile, and the "
    "smallest unit pay that keeps the promised hourly minimum.",
    source="Poolbench; the percentiles interpolate linearly (Hyndman and Fan's type 7).",
    range="0 and above, in the currency of the study",
    edge_cases=(
        "Seconds are those of complete units by the server's clock, from 5 units on.",
        "Before: active seconds of the campaign's assessors, from 20 judgments on; else of trials.",
        f"Otherwise assumed: {ASSUMED_SECONDS:g} s a document, {ASSUMED_SLOW_SECONDS:g} s if slow.",
        "From single judgments, a unit takes the percentile of one × its documents, all included.",
        f"Reading counts at {WORDS_PER_MINUTE} words a minute, practice at the median.",
        "Both precede the first unit, and are what failed practice pays for.",
        "Half of the workers need longer than the median: look at the 75th percentile too.",
    ),
    undefined="the seconds are 0.",
    example="24 documents at 25 s are 600 s. 2.00 a unit pay 12.00 an hour. A minimum of 12.50 "
    "needs 2.0833…, so 2.09.",
)
