"""Whether a receipt that a worker shows is ours, and of which unit."""

from __future__ import annotations

from dataclasses import dataclass

from crowd.core.receipts import LENGTH
from crowd.models import Payment, Study
from crowd.services.keys import is_receipt_valid
from crowd.services.unit_ends import describe_receipt
from judging.models import WorkUnit


@dataclass(frozen=True)
class ReceiptCheck:
    """``unit`` is the one that the receipt was given for; ``is_valid``: bound to its work."""

    receipt: str
    unit: WorkUnit | None = None
    is_valid: bool = False


def find_receipt(*, study: Study, receipt: str) -> ReceiptCheck:
    """Look the receipt up, and compute it again from what the unit says now."""
    receipt = receipt.strip().lower()[:64].replace("\0", "")
    if len(receipt) != LENGTH:
        return ReceiptCheck(receipt)
    units = WorkUnit.objects.select_related("worker__user", "plan__study")
    unit = units.filter(plan=study.plan_id, receipt=receipt).first()
    if unit is None:
        return ReceiptCheck(receipt)
    payment = Payment.objects.filter(unit=unit).first()
    return ReceiptCheck(receipt, unit, is_receipt_valid(describe_receipt(unit, payment), receipt))
