"""The sheet against the provider's list: each class by a table, every row exactly once."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd import provider_lists
from poolbench.crowd.payment_sheet import BatchedAmount, SheetRow
from poolbench.crowd.provider_lists import COLUMN_NAMES, read_amount, read_submissions
from poolbench.crowd.reconciliation import (
    MATCH_CLASSES,
    ProviderSubmission,
    build_reconciliation_report,
    reconcile_payments,
)
from poolbench.files.faults import InvalidFile


def submission(unit: str, worker: str, amount: str = "", **more: object) -> ProviderSubmission:
    fields = {"line": 2, "status": "approved", "paid": True, **more}
    return ProviderSubmission(
        unit=unit, worker=worker, amount=Decimal(amount) if amount else None, **fields
    )


ended = partial(
    SheetRow, payment=1, state="complete", judged=20, seconds=60.0, gold_right=4, gold_shown=4,
    currency="EUR", reason="complete: pay for a unit",
)  # fmt: skip


def owed(unit: str, worker: str, amount: str = "1.50", **more: object) -> SheetRow:
    fields = {"bonus": Decimal(0), "pseudonym": f"worker-{worker}", **more}
    return ended(unit_id=unit, worker_id=worker, amount=Decimal(amount), **fields)


CODES = frozenset({"C0DE", "receipt"})
CASES = {
    "paid as owed": ([submission("u", "w", "1.50")], [owed("u", "w")], ["matched"]),
    "no amount in the list": ([submission("u", "w")], [owed("u", "w")], ["matched"]),
    "paid with the bonus": (
        [submission("u", "w", "1.75")], [owed("u", "w", bonus=Decimal("0.25"))], ["matched"],
    ),
    "too little": ([submission("u", "w", "1.40")], [owed("u", "w")], ["amount-differs"]),
    "paid twice": (
        [submission("u", "w"), submission("u", "w")], [owed("u", "w")], ["matched", "paid-twice"],
    ),
    "returned, then paid": (
        [submission("u", "w", paid=False), submission("u", "w")],
        [owed("u", "w")],
        ["nothing-owed", "matched"],
    ),
    "not in the list": ([], [owed("u", "w")], ["work-without-pay"]),
    "IDs erased, and one line too many": (
        [submission("u", "w", "1.50"), submission("v", "x", "1.50")],
        [owed("", "", state="a"), owed("", "", "0.20", state="b")],
        ["ids-erased", "unknown-worker"],
    ),
    "IDs erased, known by the receipt": (
        [submission("u", "w", "1.50"), submission("v", "x", "1.50", code="r1")],
        [owed("", "", receipt="r1")],
        ["unknown-worker", "matched"],
    ),
    "waits for approval": (
        [submission("u", "w", paid=False)], [owed("u", "w")], ["work-without-pay"],
    ),
    "nothing owed, not in the list": ([], [owed("u", "w", "0")], ["nothing-owed"]),
    "nothing owed, but paid": (
        [submission("u", "w", "1.50")], [owed("u", "w", "0")], ["paid-without-work"],
    ),
    "nothing owed, returned": (
        [submission("u", "w", paid=False)], [owed("u", "w", "0")], ["nothing-owed"],
    ),
    "unit without a row": (
        [submission("v", "w")], [owed("u", "w")], ["paid-without-work", "work-without-pay"],
    ),
    "stranger": ([submission("v", "x")], [owed("u", "w")], ["unknown-worker", "work-without-pay"]),
    "stranger, not paid": ([submission("v", "x", paid=False)], [], ["nothing-owed"]),
    "unit of another": ([submission("u", "x")], [owed("u", "w")], ["other-worker"]),
    "wrong code": (
        [submission("u", "w", code="F00")], [owed("u", "w", codes=CODES)], ["code-differs"],
    ),
    "right code": (
        [submission("u", "w", code="C0DE")], [owed("u", "w", codes=CODES)], ["matched"],
    ),
    "no code known": ([submission("u", "w", code="F00")], [owed("u", "w")], ["matched"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_class_by_example(case):
    submissions, sheet, kinds = CASES[case]
    answer = reconcile_payments(submissions, sheet, ["known"])
    assert [row.kind for row in answer.rows] == kinds


def test_a_worker_without_a_row_is_known():
    answer = reconcile_payments([submission("v", "known")], [], ["known"])
    assert answer.counts["paid-without-work"] == 1


def test_a_unit_is_on_the_sheet_once():
    with pytest.raises(ValueError, match="twice"):
        reconcile_payments([], [owed("u", "w"), owed("u", "w")], [])


IDS = st.sampled_from("abcdef")
SUBMISSIONS = st.lists(
    st.builds(
        ProviderSubmission, line=st.integers(2, 99), unit=IDS, worker=IDS, status=st.just("s"),
        paid=st.booleans(), amount=st.sampled_from([None, Decimal(0), Decimal(1), Decimal(2)]),
        code=st.sampled_from(["", "x", "y"]),
    ),
    max_size=12,
)  # fmt: skip
SHEETS = st.lists(
    st.builds(
        ended, unit_id=IDS, worker_id=IDS, pseudonym=IDS,
        amount=st.sampled_from([Decimal(0), Decimal(1)]), bonus=st.just(Decimal(1)),
        codes=st.sampled_from([frozenset(), frozenset("x")]),
    ),
    max_size=6,
    unique_by=lambda row: row.unit_id,
)  # fmt: skip


@given(SUBMISSIONS, SHEETS, st.lists(IDS))
def test_every_row_of_both_sides_is_in_exactly_one_class(submissions, sheet, workers):
    answer = reconcile_payments(submissions, sheet, workers)
    assert [row.submission for row in answer.rows if row.submission] == submissions
    listed = Counter(row.owed for row in answer.rows if row.owed)
    assert listed == Counter(sheet)
    assert sum(answer.counts.values()) == len(answer.rows)
    assert set(answer.counts) == set(MATCH_CLASSES)
    assert sum(len(rows) for *_, rows in answer.differences) + answer.counts["matched"] + (
        answer.counts["nothing-owed"]
    ) == len(answer.rows)
    # Nobody's pay is settled twice, and what is paid beyond the first is named.
    paid = Counter(each.unit for each in submissions if each.paid)
    assert answer.counts["paid-twice"] == sum(count - 1 for count in paid.values())


def batched(row: SheetRow, reward: str = "1.50") -> SheetRow:
    """``row`` with all that is owed for it in a batch."""
    amounts = ((row.amount, False), (row.bonus, True))
    items = (BatchedAmount(n, kind, 1, Decimal(reward), is_paid=False) for n, kind in amounts if n)
    return replace(row, batched=tuple(items))


BONUSES = {
    # list, sheet, classes, what the list proves to be paid
    "approved at the reward, the rest on top": (
        [submission("u", "w", "1.50", bonus=Decimal("0.40"))],
        [batched(owed("u", "w", "1.70", bonus=Decimal("0.20")))], ["matched"], [1],
    ),
    "the rest is missing": (
        [submission("u", "w", "1.50", bonus=Decimal("0.20"))],
        [batched(owed("u", "w", "1.70", bonus=Decimal("0.20")))], ["bonus-differs"], [],
    ),
    "no bonuses in the list": (
        [submission("u", "w", "1.50")], [batched(owed("u", "w", "1.70"))], ["matched"], [],
    ),
    "all at once": ([submission("u", "w", "1.70")], [batched(owed("u", "w", "1.70"))],
                    ["matched"], [1]),
    "at once, and as a bonus again": (
        [submission("u", "w", "1.70", bonus=Decimal("0.20"))],
        [batched(owed("u", "w", "1.70"))], ["bonus-differs"], [],
    ),
    "a bonus for two units": (
        [submission("u", "w", "1.50", bonus=Decimal("0.30")),
         submission("v", "w", "1.50", bonus=Decimal(0))],
        [batched(owed("u", "w", "1.60")), batched(owed("v", "w", "1.70", payment=2))],
        ["matched", "matched"], [1, 2],
    ),
    "no amount, approved in full": ([submission("u", "w")], [batched(owed("u", "w"))],
                                    ["matched"], [1]),
    "no amount, owed a part": ([submission("u", "w")], [batched(owed("u", "w", "0.24"))],
                               ["matched"], []),
    "in no batch": ([submission("u", "w", "1.50")], [owed("u", "w")], ["matched"], []),
    "disputed": ([submission("u", "w", "1.50")], [replace(batched(owed("u", "w")), dispute="x")],
                 ["matched"], []),
}  # fmt: skip


@pytest.mark.parametrize("case", BONUSES.values(), ids=BONUSES)
def test_bonuses_are_compared_and_what_is_proven_is_settled(case):
    submissions, sheet, kinds, settled = case
    answer = reconcile_payments(submissions, sheet, [])
    assert [row.kind for row in answer.rows] == kinds
    assert answer.proven_payments == settled


def test_the_report_has_every_row():
    answer = reconcile_payments([submission("v", "x")], [owed("u", "w")], [])
    report = build_reconciliation_report("A study", answer)
    assert [row[0] for row in report.record.rows] == ["unknown-worker", "work-without-pay"]
    assert report.data()["rows"][1]["owed_amount"] == "1.50"
    assert [section.title for section in report.sections] == [
        "Classes", "Unknown worker", "Work without pay",
    ]  # fmt: skip


GENERIC = "id,worker,status,amount,code\nu1,w1,approved,1.50,C0DE\nu2,w2,AWAITING REVIEW,,\n"
PROLIFIC = (
    "Submission id,Participant id,Status,Started at,Completion code\n"
    '"u1","w1","APPROVED","2026-11-01T10:00:00","C0DE"\nu2,w2,TIMED-OUT,,\n'
)


@pytest.mark.parametrize(
    "text", [GENERIC, PROLIFIC, GENERIC.replace("\n", "\r\n"), "\ufeff" + GENERIC]
)
def test_lists_are_read_by_the_names_of_columns(text):
    first, second = read_submissions(text.encode())
    assert (first.line, first.unit, first.worker, first.paid, first.code) == (
        2, "u1", "w1", True, "C0DE",
    )  # fmt: skip
    assert (second.line, second.unit, second.worker, second.paid, second.amount) == (
        3, "u2", "w2", False, None,
    )  # fmt: skip


@pytest.mark.parametrize("unit", COLUMN_NAMES["unit"])
def test_every_declared_name_of_a_column_is_found(unit):
    (row,) = read_submissions(f"{unit.upper()},worker_id,assignment-status\nu,w,paid\n".encode())
    assert (row.unit, row.worker, row.paid) == ("u", "w", True)


def faults(data: bytes) -> list[tuple[str, int | None, int | None]]:
    with pytest.raises(InvalidFile) as invalid:
        read_submissions(data, "list.csv")
    assert all(fault.fix for fault in invalid.value.report.faults)
    return [(fault.code, fault.line, fault.column) for fault in invalid.value.report.faults]


def test_all_faults_are_reported_at_once():
    data = (
        b"id,worker,status,amount\n,w,approved,1\nu," + b"w" * 201 + b",approved,1\n"
        b"u,w,maybe,1\nu,w,approved,-1\nu,w\nu,w,maybe,1e9\n"
    )
    assert faults(data) == [
        ("ER05", 2, 1), ("ER05", 3, 3), ("ER06", 4, 5), ("ER07", 5, 14), ("ER04", 6, None),
        ("ER06", 7, 5), ("ER07", 7, 11),
    ]  # fmt: skip


@pytest.mark.parametrize(("data", "code"), [
    (b"", ("ER03", None, None)), (b"id,worker\nu,w\n", ("ER03", 1, 1)),
    (b"id,worker,status\nu,\xff,paid\n", ("ER02", 2, 3)),
    (b"id,worker,status\nu,\0,paid\n", ("ER02", 2, None)),
    (b'id,worker,status\nu,"w,paid\n', ("ER04", 2, None)),
])  # fmt: skip
def test_a_list_that_cannot_be_read(data, code):
    assert faults(data) == [code]


def test_lists_are_bounded(monkeypatch):
    monkeypatch.setattr(provider_lists, "MOST_ROWS", 2)
    assert faults(b"id,worker,status\n" + b"u,w,paid\n" * 3) == [("ER01", 4, None)]
    monkeypatch.setattr(provider_lists, "MOST_BYTES", 10)
    assert faults(b"id,worker,status\n") == [("ER01", None, None)]


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1.50", "1.50"), ("£1.50", "1.50"), ("EUR 2", "2"), ("2 EUR", "2"), ("0", "0"),
     ("1,50", None), ("-1", None), ("nan", None), ("1.505", None), ("", None)],
)  # fmt: skip
def test_amounts(text, amount):
    assert read_amount(text) == (Decimal(amount) if amount else None)


@given(st.binary(max_size=200))
def test_no_file_raises_anything_else(data):
    try:
        submissions = read_submissions(data)
    except InvalidFile as invalid:
        codes = set(invalid.report.counts)
        if not codes or not codes <= {f"ER0{n}" for n in range(1, 8)}:
            raise
    else:
        assert all(row.unit and row.worker for row in submissions)
