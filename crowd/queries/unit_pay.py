"""What a unit is paid, and the time by which it is."""

from decimal import Decimal

from crowd.models import Bonus, ConsentText, Payment, Study, WorkUnit
from crowd.queries.unit_pages import list_answer_times
from crowd.queries.unit_work import load_unit_answers
from poolbench.crowd.hourly_pay import measure_reading_seconds
from poolbench.crowd.pay import PayDecision, UnitOutcome, compute_payment
from poolbench.crowd.units import sum_working_seconds


def compute_unit_payment(
    unit: WorkUnit, study: Study, state: str | None = None
) -> PayDecision | None:
    """What is owed for ``unit`` as it ended, or if it ended now in ``state``; None for nothing."""
    answers = load_unit_answers(unit)
    if unit.is_over:
        practice, work = unit.practice_seconds, unit.server_seconds - unit.practice_seconds
    else:
        practice, work = measure_unit(unit, study)
    outcome = UnitOutcome(
        state=state or unit.state,
        started=unit.started_at is not None,
        judged=answers.judged,
        size=unit.size,
        seconds=work,
        skipped=answers.skipped,
        practice=len(list_answer_times(unit, practice=True)),
        practice_seconds=practice,
    )
    return compute_payment(outcome, study.options.terms)


def preview_leaving_pay(unit: WorkUnit, study: Study) -> Decimal | None:
    """What is owed for ``unit`` if its worker stops now; None where nothing was done yet."""
    if unit.trial:
        return None
    decision = compute_unit_payment(unit, study, WorkUnit.State.ABANDONED)
    return None if decision is None else decision.amount


def find_paid_amount(payment: Payment) -> Decimal:
    """What the worker of a unit reads: the amount with its bonuses so far."""
    bonuses = Bonus.objects.filter(payment=payment).values_list("amount", flat=True)
    return sum(bonuses, payment.amount)


def measure_unit(unit: WorkUnit, study: Study) -> tuple[float, float]:
    """Seconds of practice, with the reading before it, and those of the work, from its start.

    Reading lasts from the first page to consent, at most as long as its texts take. It counts
    where practice follows.
    """
    practised, practice = list_answer_times(unit, practice=True), 0.0
    if practised:
        consented = unit.consented_at or unit.offered_at
        reading = max((consented - unit.offered_at).total_seconds(), 0.0)
        practice = min(reading, measure_reading(unit, study))
        practice += sum_working_seconds(consented, practised)
    if unit.started_at is None:
        return practice, 0.0
    return practice, sum_working_seconds(unit.started_at, list_answer_times(unit))


def measure_reading(unit: WorkUnit, study: Study) -> float:
    """Seconds for what the worker of ``unit`` read before practice."""
    consent = ConsentText.objects.filter(study=study, version=unit.consent_version or 0).first()
    return measure_reading_seconds(
        study.summary, study.instructions, consent.text if consent else ""
    )
