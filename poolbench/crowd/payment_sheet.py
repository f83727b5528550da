"""The payment sheet as a report, and as the lists that providers take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from poolbench.reports.csv import format_csv_line
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats


@dataclass(frozen=True)
class SheetRow:
    """A unit that came to an end. ``worker_id`` and ``unit_id`` are the provider's, empty once the
    key is destroyed; ``aside`` says whether its work was set aside, which does not change the pay.
    ``is_whole`` says that the unit is complete; others are owed a part.
    """

    payment: int
    pseudonym: str
    worker_id: str
    unit_id: str
    state: str
    judged: int
    seconds: float
    gold_right: int
    gold_shown: int
    amount: Decimal
    bonus: Decimal
    currency: str
    reason: str
    bonus_reasons: tuple[str, ...] = ()
    receipt: str = ""
    codes: frozenset[str] = frozenset()
    worker: int = 0
    aside: bool = False
    is_whole: bool = True

    @property
    def total(self) -> Decimal:
        return self.amount + self.bonus


@dataclass(frozen=True)
class SheetTotal:
    """Sums of one currency; ``hourly`` is pay without bonuses for an hour of server time."""

    currency: str
    units: int
    workers: int
    seconds: float
    amount: Decimal
    bonus: Decimal

    @property
    def total(self) -> Decimal:
        return self.amount + self.bonus

    @property
    def hourly(self) -> Decimal | None:
        return self.amount * 3600 / Decimal(repr(self.seconds)) if self.seconds else None


def sum_payments(rows: Sequence[SheetRow]) -> list[SheetTotal]:
    """Totals by currency, in the order of their names."""
    return [
        SheetTotal(
            currency=currency,
            units=len(own),
            workers=len({row.pseudonym for row in own}),
            seconds=sum(row.seconds for row in own),
            amount=sum((row.amount for row in own), Decimal(0)),
            bonus=sum((row.bonus for row in own), Decimal(0)),
        )
        for currency in sorted({row.currency for row in rows})
        for own in [[row for row in rows if row.currency == currency]]
    ]


RECORD = (
    "pseudonym", "worker", "unit", "state", "judged", "seconds", "gold_right", "gold_shown",
    "amount", "bonus", "currency", "reason", "receipt",
)  # fmt: skip


def list_sheet_values(row: SheetRow) -> tuple[object, ...]:
    """The cells of ``RECORD``; a text that a spreadsheet would run gets a quote before it."""
    texts = [escape_formula(text) for text in (row.worker_id, row.unit_id)]
    reason = "; ".join([row.reason, *row.bonus_reasons])
    return (
        row.pseudonym, *texts, row.state, row.judged, round(row.seconds, 1), row.gold_right,
        row.gold_shown, f"{row.amount:.2f}", f"{row.bonus:.2f}", row.currency,
        escape_formula(reason), row.receipt,
    )  # fmt: skip


def escape_formula(text: str) -> str:
    return "'" + text if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def build_payment_report(title: str, rows: Sequence[SheetRow]) -> Report:
    """The rows with their totals."""
    totals = Table(
        "totals",
        (
            Column("currency", left=True),
            *make_columns("units", "workers", "amount", "bonus", "total"),
        ),
        [(t.currency, t.units, t.workers, t.amount, t.bonus, t.total) for t in sum_payments(rows)],
    )
    values = [list_sheet_values(row) for row in rows]
    sheet = Table("payments", make_columns(*RECORD, left=True), values)
    return Report(
        title,
        [Section("Totals", (totals,), name="totals"), Section("Units", (sheet,), name="units")],
        conditions={"amounts": "owed for the unit; bonus comes on top"},
        record=Table("payments", make_columns(*RECORD), values),
        data=lambda: {
            "totals": [
                {
                    "currency": total.currency,
                    "units": total.units,
                    "workers": total.workers,
                    "amount": f"{total.amount:.2f}",
                    "bonus": f"{total.bonus:.2f}",
                }
                for total in sum_payments(rows)
            ],
            "payments": [dict(zip(RECORD, cells, strict=True)) for cells in values],
        },
    )


PAYMENT_FORMATS = make_formats(build_payment_report)


def format_approve_list(rows: Iterable[SheetRow]) -> str:
    """The provider's IDs of the complete units with an amount, one on a line, without a header."""
    return write_list((row.unit_id,) for row in rows if row.unit_id and row.is_whole and row.amount)


def format_part_list(rows: Iterable[SheetRow]) -> str:
    """``unit,worker,amount`` for each unit that is owed a part only, without a header."""
    return write_list(
        (row.unit_id, row.worker_id, f"{row.amount:.2f}")
        for row in rows
        if row.unit_id and not row.is_whole and row.amount
    )


def format_bonus_list(rows: Iterable[SheetRow]) -> str:
    """``worker,amount`` for each worker with a bonus, added up, without a header."""
    sums: dict[str, Decimal] = {}
    for row in rows:
        if row.worker_id and row.bonus:
            sums[row.worker_id] = sums.get(row.worker_id, Decimal(0)) + row.bonus
    return write_list((worker, f"{amount:.2f}") for worker, amount in sums.items())


def write_list(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV: an ID with a comma or a quotation mark stays one cell."""
    return "".join(map(format_csv_line, rows))
