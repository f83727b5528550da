"""The files of all batches add up to the payment sheet, whatever ended how, and at which pay."""

import csv
from collections import Counter
from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd.pay import PayTerms, UnitOutcome, compute_payment
from poolbench.crowd.payment_sheet import (
    PROVIDER_LISTS,
    BatchedAmount,
    SheetRow,
    select_batch,
    select_due,
    sum_payments,
)
from tests.examples import examples

ZERO = Decimal(0)
cents = st.integers(0, 300).map(lambda n: Decimal(n) / 100)
outcomes = st.builds(
    UnitOutcome,
    state=st.sampled_from(["complete", "abandoned", "screened", "refused"]),
    started=st.booleans(),
    judged=st.integers(0, 8),
    size=st.just(8),
    seconds=st.floats(0, 900),
    skipped=st.integers(0, 8),
    practice=st.integers(0, 3),
    practice_seconds=st.floats(0, 300),
).filter(lambda one: one.skipped <= one.judged)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("end"), outcomes, st.integers(1, 3)),
        st.tuples(st.just("raise"), cents, cents),
        st.tuples(st.just("bonus"), st.integers(0, 9), cents),
        st.tuples(st.just("dispute"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("batch"), cents, st.none()),
        st.tuples(st.just("paid"), st.integers(1, 3), st.none()),
        st.tuples(st.just("erase"), st.integers(0, 9), st.none()),
    ),
    max_size=25,
)


class Sheet:
    """Rows as the workbench keeps them: amounts written once, batched once."""

    def __init__(self) -> None:
        self.terms = PayTerms(Decimal("0.95"), Decimal("0.40"), Decimal("12.00"))
        self.rows: list[SheetRow] = []
        self.rewards: list[Decimal] = []

    def end(self, outcome: UnitOutcome, worker: int) -> None:
        if outcome.state == "complete":
            outcome = replace(outcome, started=True)
        decision = compute_payment(outcome, self.terms)
        if decision is None:
            return
        at = len(self.rows)
        self.rows.append(
            SheetRow(
                at, f"w{worker}", f"p{worker}", f"u{at}", outcome.state, outcome.judged,
                outcome.seconds, 0, 0, decision.amount, ZERO, "EUR", decision.reason,
                is_whole=outcome.state == "complete",
            )
        )  # fmt: skip

    def change(self, at: int, **more: object) -> None:
        self.rows[at] = replace(self.rows[at], **more)

    def batch(self, reward: Decimal) -> None:
        self.rewards.append(reward)
        for due in select_due(self.rows):
            row = self.rows[due.payment]
            new = [(due.amount, False), (due.bonus, True)]
            items = (
                BatchedAmount(amount, kind, len(self.rewards), reward, is_paid=False)
                for amount, kind in new
                if amount
            )
            self.change(due.payment, batched=(*row.batched, *items))

    def mark_paid(self, number: int) -> None:
        for at, row in enumerate(self.rows):
            batched = (replace(b, is_paid=b.is_paid or b.batch == number) for b in row.batched)
            if not row.dispute:
                self.change(at, batched=tuple(batched))

    def play(self, step: tuple) -> None:
        name, one, other = step
        if name == "end":
            self.end(one, other)
        elif name == "raise":
            unit, practice = self.terms.unit + one, self.terms.practice + other
            self.terms = replace(self.terms, unit=unit, practice=practice)
        elif name == "batch":
            self.batch(one)
        elif name == "paid":
            self.mark_paid(one)
        elif one < len(self.rows) and name == "erase":
            self.change(one, worker_id="", unit_id="")
        elif one < len(self.rows) and name == "bonus":
            self.change(one, bonus=self.rows[one].bonus + other)
        elif one < len(self.rows):
            self.change(one, dispute="account closed" if other else "")


def pay_files(rows: list[SheetRow], reward: Decimal) -> Counter:
    """What a provider pays who does what the files say, by unit or worker, read apart from us."""
    paid = Counter()
    for name, write in PROVIDER_LISTS.items():
        for cells in csv.reader(write(rows, reward).splitlines()):
            amount = reward if name == "approve" else Decimal(cells[-1])
            paid[name, cells[0]] += amount
            assert amount > 0 or name == "approve"
    return paid


@examples(300)
@given(steps)
def test_the_files_pay_what_the_sheet_owes(history):
    sheet = Sheet()
    for step in history:
        sheet.play(step)
    paid = [
        pay_files(select_batch(sheet.rows, number), reward)
        for number, reward in enumerate(sheet.rewards, start=1)
    ]
    owed = sum((row.total for row in sheet.rows), ZERO)
    due = sum((row.due for row in sheet.rows), ZERO)
    # What is paid by hand leaves the file when it is marked as paid.
    handed = sum((row.paid for row in sheet.rows if not row.has_ids), ZERO)
    assert sum((sum(each.values(), ZERO) for each in paid), ZERO) == owed - due - handed
    # No unit is approved, or paid in part, twice, and none for more than it is owed.
    with_unit = Counter(key for each in paid for key in each if key[0] in {"approve", "parts"})
    assert len({unit for _, unit in with_unit}) == with_unit.total()
    for (name, unit), amount in (item for each in paid for item in each.items()):
        assert (name, unit) not in with_unit or amount <= sheet.rows[int(unit[1:])].amount
    for total in sum_payments(sheet.rows):
        assert total.due + total.sent + total.paid + total.disputed == total.total == owed
        assert min(total.due, total.sent, total.paid, total.disputed) >= 0


def test_a_next_batch_has_only_what_came_later():
    sheet = Sheet()
    complete = UnitOutcome("complete", True, 8, 8)
    sheet.end(replace(complete, practice=2, practice_seconds=60), 1)  # .95 + .20
    sheet.end(replace(complete, skipped=6), 2)  # .95 · 2/8 = .2375
    sheet.batch(Decimal("0.95"))
    sheet.change(0, bonus=Decimal("0.15"))
    sheet.end(complete, 1)
    sheet.batch(Decimal("0.95"))
    files = [
        [write(select_batch(sheet.rows, number), Decimal("0.95")) for write in
         PROVIDER_LISTS.values()]
        for number in (1, 2)
    ]  # fmt: skip
    assert files == [["u0\n", "u1,p2,0.24\n", "p1,0.20\n", ""], ["u2\n", "", "p1,0.15\n", ""]]


def test_after_a_raise_units_owed_less_than_the_reward_are_paid_in_part():
    sheet = Sheet()
    sheet.end(UnitOutcome("complete", True, 8, 8), 1)
    sheet.play(("raise", Decimal("0.15"), ZERO))
    sheet.end(UnitOutcome("complete", True, 8, 8), 2)
    paid = {reward: pay_files(sheet.rows, Decimal(reward)) for reward in ("0.95", "1.10")}
    assert paid["0.95"] == {("approve", "u0"): Decimal("0.95"), ("approve", "u1"): Decimal("0.95"),
                            ("bonuses", "p2"): Decimal("0.15")}  # fmt: skip
    assert paid["1.10"] == {("approve", "u1"): Decimal("1.10"), ("parts", "u0"): Decimal("0.95")}
