"""What an organizer decides about a study, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from poolbench.crowd.pay import PayTerms


@dataclass(frozen=True)
class StudyOptions:
    """All that an organizer decides about a study, except pool, topics and redundancy.

    The fields are those of ``Study``, with its defaults.
    """

    title: str
    provider: str
    provider_settings: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    instructions: str = ""
    contact: str = ""
    unit_size: int = 20
    one_topic: bool = False
    unit_minutes: int = 60
    units_per_worker: int = 5
    max_units: int | None = None
    max_screened: int | None = None
    gold_per_unit: int = 4
    repeats_per_unit: int = 0
    practice_pass: int = 0
    stop_after: int = 8
    stop_below: float = 0.6
    floor_seconds: float = 2.0
    floor_per_1000: float = 1.0
    extra_budget: int = 0
    aggregation: str = "dawid-skene-one-coin"
    currency: str = "EUR"
    pay_per_unit: Decimal = Decimal(0)
    screen_out_pay: Decimal = Decimal(0)
    hourly_minimum: Decimal = Decimal(0)
    retention_until: date | None = None

    @property
    def documents(self) -> int:
        """Of a full unit, gold and repeats included."""
        return self.unit_size + self.gold_per_unit + self.repeats_per_unit

    @property
    def terms(self) -> PayTerms:
        return PayTerms(self.pay_per_unit, self.screen_out_pay, self.hourly_minimum)


@dataclass(frozen=True)
class StudyExtension:
    """New limits of a study; None leaves one as it is. None of them can shrink."""

    max_units: int | None = None
    max_screened: int | None = None
    units_per_worker: int | None = None
    redundancy: int | None = None
    extra_budget: int | None = None
    retention_until: date | None = None
