"""What a provider's list says was paid, against what the payment sheet says is owed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from poolbench.crowd.payment_sheet import SheetRow, is_approved
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats

MATCH_CLASSES = {
    "paid-twice": (
        "Paid twice",
        "Ask the provider to take the second payment back, or note it as a bonus.",
    ),
    "unknown-worker": (
        "Unknown worker",
        "No such worker came to the study: check that the list is its own, then report it.",
    ),
    "ids-erased": (
        "Perhaps of a worker whose IDs are erased",
        "A unit whose IDs are erased is owed as much: compare the times before you report it.",
    ),
    "other-worker": (
        "Unit of another worker",
        "The unit belongs to another worker: do not pay until the provider explains it.",
    ),
    "paid-without-work": (
        "Paid without work",
        "The worker came, but nothing is owed for this unit: ask for a return, or leave it.",
    ),
    "code-differs": (
        "Code or receipt does not match",
        "The code was not shown to this worker for this unit: look at the unit before approving.",
    ),
    "amount-differs": (
        "Amount differs",
        "Pay the difference as a bonus, or correct the amount at the provider.",
    ),
    "bonus-differs": (
        "Bonus differs",
        "The bonuses of this worker are not those on the sheet: pay the rest, or ask for it back.",
    ),
    "work-without-pay": (
        "Work without pay",
        "Approve the submission, or pay the amount as a bonus: the work was done.",
    ),
    "matched": ("Paid as owed", "Nothing to do."),
    "nothing-owed": ("Not paid, nothing owed", "Nothing to do."),
}
"""Title and what to do, by class, in the order of display."""
IN_ORDER = tuple(name for name in MATCH_CLASSES if name not in ("matched", "nothing-owed"))


@dataclass(frozen=True)
class ProviderSubmission:
    """A line of the provider's list. ``amount`` and ``bonus`` are None where the list has none;
    ``status`` is the provider's own word, ``paid`` what it means.
    """

    line: int
    unit: str
    worker: str
    status: str
    paid: bool
    amount: Decimal | None = None
    code: str = ""
    bonus: Decimal | None = None


@dataclass(frozen=True)
class MatchedRow:
    """A submission, a row of the sheet, or both, in one class.

    ``first`` is the sheet's row where another submission has been paid for it already.
    """

    kind: str
    submission: ProviderSubmission | None = None
    owed: SheetRow | None = None
    first: SheetRow | None = None

    @property
    def act(self) -> str:
        return MATCH_CLASSES[self.kind][1]

    @property
    def pseudonym(self) -> str:
        row = self.owed or self.first
        return row.pseudonym if row else ""

    @property
    def owed_amount(self) -> Decimal | None:
        row = self.owed or self.first
        return row.with_unit if row else None

    @property
    def owed_bonus(self) -> Decimal | None:
        row = self.owed or self.first
        return row.on_top if row else None

    @property
    def is_settled(self) -> bool:
        """Whether the list proves that all that is owed for the unit is paid."""
        row, listed = self.owed, self.submission
        if self.kind != "matched" or row is None or listed is None or row.dispute or row.due:
            return False
        approved = row.reward is not None and is_approved(row, row.reward)
        if listed.amount is None and not approved:
            return False
        return listed.amount == row.total or listed.bonus is not None or not row.on_top


@dataclass(frozen=True)
class Reconciliation:
    """Every submission and every row of the sheet, each in exactly one of ``rows``."""

    rows: tuple[MatchedRow, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Rows by class, in the order of ``MATCH_CLASSES``."""
        counts = Counter(row.kind for row in self.rows)
        return {kind: counts[kind] for kind in MATCH_CLASSES}

    @property
    def differences(self) -> list[tuple[str, str, str, list[MatchedRow]]]:
        """Class, title, what to do and rows, of the classes in which something is to do."""
        return [
            (kind, *MATCH_CLASSES[kind], rows)
            for kind in IN_ORDER
            if (rows := [row for row in self.rows if row.kind == kind])
        ]

    @property
    def proven_payments(self) -> list[int]:
        """The payments of units that the list proves to be paid."""
        return [row.owed.payment for row in self.rows if row.is_settled and row.owed]

    @property
    def is_clean(self) -> bool:
        return not self.differences


def reconcile_payments(
    submissions: Sequence[ProviderSubmission], owed: Sequence[SheetRow], workers: Iterable[str]
) -> Reconciliation:
    """Match by the provider's ID of the unit. ``workers`` are the provider's IDs of all who came.

    The first paid submission of a unit settles it, further ones are paid twice. Of a unit whose IDs
    are erased the receipt is matched, or the amount of a line that would be a stranger's.
    ``ValueError`` if the sheet has a unit twice.
    """
    erased = [row for row in owed if not row.has_ids]
    owed = [row for row in owed if row.has_ids]
    sheet = {row.unit_id: row for row in owed}
    if len(sheet) != len(owed):
        raise ValueError("a unit is on the payment sheet twice")
    known = frozenset(workers) | {row.worker_id for row in owed}
    settling = choose_settling(submissions)
    rows = [
        classify_submission(submission, sheet.get(submission.unit), settling, known)
        for submission in submissions
    ]
    rows = match_erased(rows, erased)
    rows = compare_bonuses(rows, submissions)
    listed = {row.owed.unit_id for row in rows if row.owed is not None}
    rows += [
        MatchedRow("work-without-pay" if row.amount else "nothing-owed", owed=row)
        for row in owed
        if row.unit_id not in listed
    ]
    return Reconciliation(tuple(rows))


def match_erased(rows: Sequence[MatchedRow], erased: Sequence[SheetRow]) -> list[MatchedRow]:
    """``rows``; those of strangers are compared with units whose IDs are ``erased``, each of which
    explains one: by its receipt for certain, by its amount perhaps.
    """
    left, matched = list(erased), list(rows)
    for is_certain in (True, False):
        for at, row in enumerate(matched):
            submission = row.submission
            if row.kind != "unknown-worker" or submission is None:
                continue
            unit = next((unit for unit in left if may_match(unit, submission, is_certain)), None)
            if unit is not None:
                left.remove(unit)
                matched[at] = replace(
                    row, kind="matched" if is_certain else "ids-erased", first=unit
                )
    return matched


def may_match(unit: SheetRow, submission: ProviderSubmission, is_certain: bool) -> bool:
    if is_certain:
        return bool(unit.receipt) and submission.code == unit.receipt
    return submission.amount in {None, unit.amount, unit.total}


def choose_settling(submissions: Sequence[ProviderSubmission]) -> dict[str, ProviderSubmission]:
    """By unit, the submission that is compared with the sheet: the first paid one, or the first."""
    settling: dict[str, ProviderSubmission] = {}
    for submission in submissions:
        before = settling.get(submission.unit)
        if before is None or (submission.paid and not before.paid):
            settling[submission.unit] = submission
    return settling


def classify_submission(
    submission: ProviderSubmission,
    row: SheetRow | None,
    settling: Mapping[str, ProviderSubmission],
    workers: frozenset[str],
) -> MatchedRow:
    """One submission in its class; only that of ``settling`` takes the row of the sheet."""
    if settling[submission.unit] is not submission:
        kind = "paid-twice" if submission.paid else "nothing-owed"
        return MatchedRow(kind, submission, first=row)
    if row is None:
        if not submission.paid:
            return MatchedRow("nothing-owed", submission)
        stranger = submission.worker not in workers
        return MatchedRow("unknown-worker" if stranger else "paid-without-work", submission)
    return MatchedRow(compare_payment(submission, row), submission, row)


def compare_payment(submission: ProviderSubmission, row: SheetRow) -> str:
    """The class of a submission and the row of its unit."""
    if submission.worker != row.worker_id:
        return "other-worker"
    if not submission.paid:
        return "work-without-pay" if row.amount else "nothing-owed"
    if not row.amount and submission.amount != 0:
        return "paid-without-work"
    if submission.code and row.codes and submission.code not in row.codes:
        return "code-differs"
    if submission.amount not in {None, row.amount, row.total, row.with_unit}:
        return "amount-differs"
    return "matched"


def compare_bonuses(
    rows: list[MatchedRow], submissions: Iterable[ProviderSubmission]
) -> list[MatchedRow]:
    """``rows``; of a worker whose bonuses are not those on the sheet, matched ones differ.

    Bonuses are compared by worker, since providers pay them to workers. Nothing is compared where
    the list has none; what was paid with the unit is not owed again.
    """
    paid: dict[str, Decimal] = {}
    for each in submissions:
        if each.bonus is not None:
            paid[each.worker] = paid.get(each.worker, Decimal(0)) + each.bonus
    owed = dict.fromkeys(paid, Decimal(0))
    for row in rows:
        if row.owed and row.submission and row.submission.paid and row.owed.worker_id in owed:
            with_unit = row.submission.amount
            owed[row.owed.worker_id] += row.owed.total - (
                row.owed.with_unit if with_unit is None else with_unit
            )
    wrong = {worker for worker in paid if paid[worker] != owed[worker]}
    return [
        replace(row, kind="bonus-differs")
        if row.kind == "matched" and row.owed and row.owed.worker_id in wrong
        else row
        for row in rows
    ]


RECORD = (
    "class", "line", "unit", "worker", "pseudonym", "status", "paid_amount", "owed_amount",
    "paid_bonus", "owed_bonus", "act",
)  # fmt: skip


def list_record_rows(reconciliation: Reconciliation) -> list[tuple[object, ...]]:
    """Every row as in the CSV file."""
    rows: list[tuple[object, ...]] = []
    for row in reconciliation.rows:
        submission, owed = row.submission, row.owed or row.first
        rows.append(
            (
                row.kind,
                submission.line if submission else None,
                submission.unit if submission else owed.unit_id if owed else None,
                submission.worker if submission else owed.worker_id if owed else None,
                owed.pseudonym if owed else None,
                submission.status if submission else None,
                submission.amount if submission else None,
                owed.with_unit if owed else None,
                submission.bonus if submission else None,
                owed.on_top if owed else None,
                row.act,
            )
        )
    return rows


def build_reconciliation_report(title: str, reconciliation: Reconciliation) -> Report:
    """All classes with their counts, then each difference with what to do."""
    records = list_record_rows(reconciliation)
    counts = Table(
        "classes",
        (Column("class", left=True), Column("rows")),
        [(MATCH_CLASSES[kind][0], count) for kind, count in reconciliation.counts.items()],
    )
    columns = make_columns(*RECORD[1:-1], left=True, undefined="")
    sections = [Section("Classes", (counts,), name="classes")]
    for kind, heading, act, _ in reconciliation.differences:
        rows = [record[1:-1] for record in records if record[0] == kind]
        sections.append(Section(heading, (Table(kind, columns, rows),), (act,), kind, titled=True))
    return Report(
        title,
        sections,
        record=Table("reconciliation", make_columns(*RECORD), records),
        data=lambda: {
            "counts": reconciliation.counts,
            "rows": [
                {
                    name: str(value) if isinstance(value, Decimal) else value
                    for name, value in zip(RECORD, record, strict=True)
                }
                for record in records
            ],
        },
    )


RECONCILIATION_FORMATS = make_formats(build_reconciliation_report)
