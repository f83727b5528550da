"""What is owed for a unit that came to an end: rules in words and amounts in cents."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import ceil

from poolbench.cards import Card

CENT = Decimal("0.01")
HOUR = 3600

PAY_RULES = Card(
    name="pay",
    title="What is paid for a unit",
    formula=(
        "complete: pay for the unit; if more than half of its documents were skipped, "
        "pay · (judged − skipped) / documents\n"
        "abandoned or refused after work: pay · judged / documents\n"
        "stopped or set aside: the larger of pay · judged / documents and hourly minimum · "
        "seconds / 3600, at most the pay for the unit\n"
        "practice answered in this unit, on top of all these: hourly minimum · seconds of reading "
        "and practice / 3600, rounded up to the cent, at most the pay for practice"
    ),
    reading="Every unit with work in it is paid; bad work is set aside, not unpaid.",
    source="The study's settings; decision 0050.",
    range="0 to the pay for a unit, in the study's currency",
    edge_cases=(
        "Amounts are rounded to the cent, half a cent up.",
        "At least 0.01 is owed for a paid unit with a judged document.",
        "A unit that ended without an answer, to a document or in practice, is not on the sheet.",
        "A unit with fewer documents, because no more were left, is paid in full when complete.",
        "A trial is never paid.",
        "Practice is paid by its time also if it was not passed, or if no documents were left.",
        "Reading counts from the first page to consent, at most at 200 words a minute.",
        "Without an hourly minimum, practice is paid in full whatever its time.",
        "A skipped document counts as judged, unless more than half of a complete unit is.",
    ),
    example="1.50 for 24 documents, 7 judged, then abandoned: 1.50 · 7/24 = .4375, so 0.44. "
    "Stopped after 7 documents and 240 seconds with a minimum of 12.00 an hour: 12.00 · 240/3600 "
    "= .80, more than .44, so 0.80. Complete with 13 of 24 skipped: 1.50 · 11/24 = .6875, so 0.69. "
    "First unit complete after 185 seconds of reading and practice, for which at most 1.00 is "
    "paid: 1.50 and 12.00 · 185/3600 = .6166…, so 0.62, together 2.12.",
)


@dataclass(frozen=True)
class PayTerms:
    """The amounts of a study: for a unit, for practice at most, and the promise for an hour."""

    unit: Decimal
    practice: Decimal
    hourly: Decimal


@dataclass(frozen=True)
class UnitOutcome:
    """How a unit ended. ``state`` is complete, abandoned, screened or refused; ``started`` is
    False when it ended before its first document; ``size`` are its documents, ``judged`` those
    answered, ``skipped`` those of them without a grade. ``seconds`` are those of its documents,
    ``practice_seconds`` those of reading and of its ``practice`` answers.
    """

    state: str
    started: bool
    judged: int
    size: int
    seconds: float = 0.0
    skipped: int = 0
    practice: int = 0
    practice_seconds: float = 0.0


@dataclass(frozen=True)
class PayDecision:
    amount: Decimal
    reason: str


def compute_payment(outcome: UnitOutcome, terms: PayTerms) -> PayDecision | None:
    """The amount and its reason; None where nothing was done and nothing is owed."""
    work = compute_work_payment(outcome, terms)
    if not outcome.practice:
        return work
    amount = compute_practice_pay(terms, outcome.practice_seconds)
    if work is None:
        return PayDecision(amount, f"{explain_practice(outcome)}: {amount} for practice")
    return PayDecision(work.amount + amount, f"{work.reason}; {amount} for practice")


def compute_practice_pay(terms: PayTerms, seconds: float) -> Decimal:
    """What reading and practice of ``seconds`` are paid: their time, at most ``terms.practice``."""
    most = round_to_cent(terms.practice)
    return min(most, compute_smallest_pay(terms.hourly, seconds)) if terms.hourly else most


def compute_smallest_pay(hourly_minimum: Decimal, seconds: float) -> Decimal:
    """The smallest amount in cents that pays ``hourly_minimum`` for ``seconds``.

    Exact: seconds count to the millisecond, and only the result is rounded, up.
    """
    exact = Fraction(hourly_minimum) * Fraction(round(seconds * 1000), 1000) / HOUR
    return (Decimal(ceil(exact * 100)) / 100).quantize(CENT)


def explain_practice(outcome: UnitOutcome) -> str:
    """How a unit ended in which practice was all that was done."""
    end = {"screened": "practice not passed", "refused": "practice done, then no documents"}
    words = "practice done, then stopped"
    return words if outcome.started else end.get(outcome.state, words)


def compute_work_payment(outcome: UnitOutcome, terms: PayTerms) -> PayDecision | None:
    """What is owed for documents, practice aside."""
    size = max(outcome.size, outcome.judged)
    if outcome.state == "complete":
        if 2 * outcome.skipped <= size:
            return PayDecision(round_to_cent(terms.unit), "complete: pay for a unit")
        graded = outcome.judged - outcome.skipped
        words = f"complete: {outcome.skipped} of {size} documents skipped, pay for {graded}"
        return PayDecision(raise_to_cent(terms.unit * graded / size, terms.unit), words)
    if not outcome.judged:
        return None
    share = terms.unit * outcome.judged / size
    words = f"{outcome.judged} of {size} documents judged"
    if outcome.state != "screened":
        return PayDecision(raise_to_cent(share, terms.unit), f"{outcome.state}: {words}")
    time = terms.hourly * Decimal(repr(outcome.seconds)) / 3600
    if time > share:
        return PayDecision(
            raise_to_cent(min(time, terms.unit), terms.unit),
            f"screened out: {outcome.seconds:.0f} seconds at the hourly minimum",
        )
    return PayDecision(raise_to_cent(share, terms.unit), f"screened out: {words}")


def round_to_cent(amount: Decimal) -> Decimal:
    """Half a cent up."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def raise_to_cent(amount: Decimal, pay: Decimal) -> Decimal:
    """``amount`` to the cent; not 0 for work in a unit that is paid."""
    return max(round_to_cent(amount), CENT if pay else Decimal(0))
