"""Receipts: proof that a unit was done as it is claimed, by HMAC."""

import hmac
import json
from dataclasses import astuple, dataclass
from decimal import Decimal
from hashlib import sha256

LENGTH = 32
"""Hexadecimal digits of a receipt: 128 bits."""


@dataclass(frozen=True)
class ReceiptFields:
    """What a receipt is bound to: the unit's public ID, worker, study, work and amount."""

    unit: str
    worker: str
    study: int
    judged: int
    amount: Decimal
    currency: str


def make_receipt(secret: bytes, fields: ReceiptFields) -> str:
    """The receipt, ``LENGTH`` hexadecimal digits."""
    values = [format(value, ".2f") if isinstance(value, Decimal) else value
              for value in astuple(fields)]  # fmt: skip
    text = json.dumps(["receipt-1", *values], ensure_ascii=True, separators=(",", ":"))
    return hmac.new(secret, text.encode(), sha256).hexdigest()[:LENGTH]


def check_receipt(secret: bytes, fields: ReceiptFields, receipt: str) -> bool:
    """Whether ``receipt`` belongs to exactly these fields."""
    expected = make_receipt(secret, fields)
    return hmac.compare_digest(expected.encode(), receipt.strip().lower().encode())
