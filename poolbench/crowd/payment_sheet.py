"""The payment sheet as a report, and as the lists that providers take."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from poolbench.reports.csv import format_csv_line
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats


@dataclass(frozen=True)
class BatchedAmount:
    """The amount of a unit, or one of its bonuses, in batch ``batch``, which approves units at
    ``reward``.
    """

    amount: Decimal
    is_bonus: bool
    batch: int
    reward: Decimal
    is_paid: bool


@dataclass(frozen=True)
class SheetRow:
    """A unit that came to an end. ``worker_id`` and ``unit_id`` are the provider's, empty once they
    are erased; ``aside`` says whether its work was set aside, which does not change the pay.
    ``is_whole`` says that the unit is complete: the provider can approve it. ``batched`` is what
    batches have of its amount and bonus; ``dispute`` is why the rest waits.
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
    batched: tuple[BatchedAmount, ...] = ()
    dispute: str = ""

    @property
    def has_ids(self) -> bool:
        """Whether the provider can pay it; otherwise it is paid by hand."""
        return bool(self.worker_id and self.unit_id)

    @property
    def total(self) -> Decimal:
        return self.amount + self.bonus

    @property
    def paid(self) -> Decimal:
        return sum((each.amount for each in self.batched if each.is_paid), Decimal(0))

    @property
    def sent(self) -> Decimal:
        """In batches that are not paid yet."""
        return sum((each.amount for each in self.batched if not each.is_paid), Decimal(0))

    @property
    def due(self) -> Decimal:
        """In no batch."""
        return self.total - self.paid - self.sent

    @property
    def disputed(self) -> Decimal:
        return self.due + self.sent if self.dispute else Decimal(0)

    @property
    def batches(self) -> str:
        """The numbers of its batches that are not paid."""
        return ", ".join(
            str(n) for n in sorted({each.batch for each in self.batched if not each.is_paid})
        )

    @property
    def payment_state(self) -> str:
        """disputed, owed, in batch n, paid; or nothing owed."""
        if self.dispute:
            return "disputed"
        if self.due:
            return "owed"
        if self.sent:
            return f"in batch {self.batches}"
        return "paid" if self.paid else "nothing owed"

    @property
    def reward(self) -> Decimal | None:
        """At which its batch approves the unit; None in no batch."""
        return next((each.reward for each in self.batched if not each.is_bonus), None)

    @property
    def with_unit(self) -> Decimal:
        """What the provider pays with the unit: the reward of its batch, or its amount."""
        return self.amount if self.reward is None else split_amount(self, self.reward)[0]

    @property
    def on_top(self) -> Decimal:
        """What the provider pays as a bonus."""
        return self.total - self.with_unit


def split_amount(row: SheetRow, reward: Decimal) -> tuple[Decimal, Decimal]:
    """What is paid with the unit, and as a bonus on top, where approving a unit pays ``reward``."""
    with_unit = reward if is_approved(row, reward) else row.amount
    return with_unit, row.total - with_unit


def is_approved(row: SheetRow, reward: Decimal) -> bool:
    """Whether the provider can approve the unit without paying more than is owed for it."""
    return row.has_ids and row.is_whole and bool(row.amount) and row.amount >= reward


def select_due(rows: Iterable[SheetRow]) -> list[SheetRow]:
    """What the next batch contains: rows with only the amounts that are in no batch, disputes
    aside.
    """
    return [
        left for row in rows if not row.dispute for left in [subtract_batched(row)] if left.total
    ]


def subtract_batched(row: SheetRow) -> SheetRow:
    amount, bonus = sum_batched(row.batched)
    return replace(row, amount=row.amount - amount, bonus=row.bonus - bonus, batched=())


def select_batch(rows: Iterable[SheetRow], number: int) -> list[SheetRow]:
    """Rows with only the amounts that batch ``number`` contains."""
    chosen = []
    for row in rows:
        if own := tuple(each for each in row.batched if each.batch == number):
            amount, bonus = sum_batched(own)
            chosen.append(replace(row, amount=amount, bonus=bonus, batched=own))
    return chosen


def sum_batched(batched: Iterable[BatchedAmount]) -> tuple[Decimal, Decimal]:
    """For units, and as bonuses."""
    sums = [Decimal(0), Decimal(0)]
    for each in batched:
        sums[each.is_bonus] += each.amount
    return sums[0], sums[1]


@dataclass(frozen=True)
class SheetTotal:
    """Sums of one currency: ``total`` is ``due``, in batches (``sent``), ``paid`` or ``disputed``;
    ``hourly`` is pay without bonuses for an hour of server time.
    """

    currency: str
    units: int
    workers: int
    seconds: float
    amount: Decimal
    bonus: Decimal
    paid: Decimal
    sent: Decimal
    disputed: Decimal

    @property
    def total(self) -> Decimal:
        return self.amount + self.bonus

    @property
    def due(self) -> Decimal:
        """In no batch and not disputed."""
        return self.total - self.paid - self.sent - self.disputed

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
            paid=sum((row.paid for row in own), Decimal(0)),
            sent=sum((row.sent for row in own if not row.dispute), Decimal(0)),
            disputed=sum((row.disputed for row in own), Decimal(0)),
        )
        for currency in sorted({row.currency for row in rows})
        for own in [[row for row in rows if row.currency == currency]]
    ]


RECORD = (
    "pseudonym", "worker", "unit", "state", "judged", "seconds", "gold_right", "gold_shown",
    "amount", "bonus", "currency", "payment", "reason", "receipt",
)  # fmt: skip

SUMS = ("amount", "bonus", "total", "due", "sent", "paid", "disputed")


def list_sheet_values(row: SheetRow) -> tuple[object, ...]:
    """The cells of ``RECORD``; a text that a spreadsheet would run gets a quote before it."""
    texts = [escape_formula(text) for text in (row.worker_id, row.unit_id)]
    disputes = [f"disputed: {row.dispute}"] if row.dispute else []
    reason = "; ".join([row.reason, *row.bonus_reasons, *disputes])
    return (
        row.pseudonym, *texts, row.state, row.judged, round(row.seconds, 1), row.gold_right,
        row.gold_shown, f"{row.amount:.2f}", f"{row.bonus:.2f}", row.currency,
        row.payment_state, escape_formula(reason), row.receipt,
    )  # fmt: skip


def escape_formula(text: str) -> str:
    return "'" + text if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def build_payment_report(title: str, rows: Sequence[SheetRow]) -> Report:
    """The rows with their totals."""
    totals = Table(
        "totals",
        (Column("currency", left=True), *make_columns("units", "workers", *SUMS)),
        [
            (t.currency, t.units, t.workers, *(getattr(t, name) for name in SUMS))
            for t in sum_payments(rows)
        ],
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
                    **{name: f"{getattr(total, name):.2f}" for name in SUMS},
                }
                for total in sum_payments(rows)
            ],
            "payments": [dict(zip(RECORD, cells, strict=True)) for cells in values],
        },
    )


PAYMENT_FORMATS = make_formats(build_payment_report)


def format_approve_list(rows: Iterable[SheetRow], reward: Decimal) -> str:
    """The provider's IDs of the units to approve, each of which it pays ``reward``, one on a line,
    without a header.
    """
    return write_list((row.unit_id,) for row in rows if is_approved(row, reward))


def format_part_list(rows: Iterable[SheetRow], reward: Decimal) -> str:
    """``unit,worker,amount`` for each unit to be paid without approving it, without a header."""
    return write_list(
        (row.unit_id, row.worker_id, f"{row.amount:.2f}")
        for row in rows
        if row.has_ids and row.amount and not is_approved(row, reward)
    )


def format_bonus_list(rows: Iterable[SheetRow], reward: Decimal) -> str:
    """``worker,amount`` for each worker who is owed something on top, added up, without a header:
    bonuses, and for approved units what they are owed above ``reward``.
    """
    sums: dict[str, Decimal] = {}
    for row in rows:
        if row.has_ids and (extra := split_amount(row, reward)[1]):
            sums[row.worker_id] = sums.get(row.worker_id, Decimal(0)) + extra
    return write_list((worker, f"{amount:.2f}") for worker, amount in sums.items())


def format_hand_list(rows: Iterable[SheetRow], _reward: Decimal) -> str:
    """``pseudonym,receipt,amount`` for each unit whose provider's IDs are erased, as far as it is
    not marked as paid: its worker has the receipt as a code.
    """
    return write_list(
        (row.pseudonym, row.receipt, f"{row.total - row.paid:.2f}")
        for row in rows
        if not row.has_ids and row.total > row.paid
    )


def write_list(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV: an ID with a comma or a quotation mark stays one cell."""
    return "".join(map(format_csv_line, rows))


PROVIDER_LISTS: dict[str, Callable[[Iterable[SheetRow], Decimal], str]] = {
    "approve": format_approve_list,
    "parts": format_part_list,
    "bonuses": format_bonus_list,
    "by-hand": format_hand_list,
}
"""The files of a batch, by name, from its rows and its reward: they add up to the batch."""
