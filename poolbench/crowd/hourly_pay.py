"""Fair pay: what a unit pays per hour, and the smallest pay that keeps a promise.

Amounts are decimals in the currency of the study, times are seconds. Pure functions; where the
seconds come from is decided in ``crowd.queries.study_terms``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from poolbench.cards import Card
from poolbench.crowd.pay import HOUR, PayTerms, compute_practice_pay, compute_smallest_pay

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


@dataclass(frozen=True)
class PayCase:
    """One line of the pay table: a worker who takes ``seconds`` for what pays ``amount``."""

    who: str
    seconds: float
    amount: Decimal
    smallest: Decimal

    @property
    def minutes(self) -> float:
        return self.seconds / 60

    @property
    def hourly(self) -> float | None:
        return compute_hourly_pay(self.amount, self.seconds)

    @property
    def is_enough(self) -> bool:
        return self.amount >= self.smallest


@dataclass(frozen=True)
class PayAssessment:
    """What ``terms`` mean for workers who need ``seconds`` for a unit, and ``first_seconds`` of
    reading and practice before the first one.

    ``smallest`` unit pay meets the minimum at the median, ``smallest_practice`` for
    ``first_seconds``. Without practice (``has_practice``) reading is not paid by itself, so the
    unit pays for it: ``smallest_first``.
    """

    terms: PayTerms
    seconds: UnitSeconds
    first_seconds: float
    has_practice: bool

    @property
    def smallest(self) -> Decimal:
        return compute_smallest_pay(self.terms.hourly, self.seconds.median)

    @property
    def smallest_practice(self) -> Decimal:
        seconds = self.first_seconds if self.has_practice else 0.0
        return compute_smallest_pay(self.terms.hourly, seconds)

    @property
    def smallest_first(self) -> Decimal:
        """For a whole first unit: reading, practice and documents."""
        return compute_smallest_pay(self.terms.hourly, self.seconds.median + self.first_seconds)

    @property
    def practice_pay(self) -> Decimal:
        """What practice of ``first_seconds`` is paid."""
        if not self.has_practice:
            return Decimal(0)
        return compute_practice_pay(self.terms, self.first_seconds)

    @property
    def hourly(self) -> float | None:
        """At the median."""
        return compute_hourly_pay(self.terms.unit, self.seconds.median)

    @property
    def first(self) -> PayCase:
        seconds = self.seconds.median + self.first_seconds
        amount = self.terms.unit + self.practice_pay
        name = f"First unit, with reading{' and practice' if self.has_practice else ''}"
        return PayCase(name, seconds, amount, self.smallest_first)

    @property
    def cases(self) -> list[PayCase]:
        """The lines of the pay table: what is paid, by the rules of ``pay``."""
        unit, seconds = self.terms.unit, self.seconds
        slow = compute_smallest_pay(self.terms.hourly, seconds.slow)
        cases = [
            PayCase("Median", seconds.median, unit, self.smallest),
            PayCase("75th percentile", seconds.slow, unit, slow),
            self.first,
        ]
        if self.has_practice:
            pay, least = self.practice_pay, self.smallest_practice
            cases.append(PayCase("Practice alone", self.first_seconds, pay, least))
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
        "Seconds are those of complete units by the server's clock, practice aside, from 5 units.",
        "Before: active seconds of the campaign's assessors, from 20 judgments on; else of trials.",
        f"Otherwise assumed: {ASSUMED_SECONDS:g} s a document, {ASSUMED_SLOW_SECONDS:g} s if slow.",
        "From single judgments, a unit takes the percentile of one × its documents, all included.",
        f"Reading counts at {WORDS_PER_MINUTE} words a minute, practice at the median.",
        "Both precede the first unit; practice is paid for both by their time, passed or not.",
        "Without practice, the pay of a first unit has to cover its reading.",
        "Half of the workers need longer than the median: look at the 75th percentile too.",
    ),
    undefined="the seconds are 0.",
    example="24 documents at 25 s are 600 s. 2.00 a unit pay 12.00 an hour. A minimum of 12.50 "
    "needs 2.0833…, so 2.09.",
)
