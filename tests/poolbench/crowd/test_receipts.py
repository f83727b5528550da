"""Receipts: bound to every field of the work."""

import hmac
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256

import pytest

from poolbench.crowd.receipts import ReceiptFields, check_receipt, make_receipt

FIELDS = ReceiptFields("u1", "worker-abc234", 7, 20, Decimal("1.5"), "EUR")


def test_a_receipt_is_an_hmac_of_all_fields():
    text = '["receipt-1","u1","worker-abc234",7,20,"1.50","EUR"]'
    assert make_receipt(b"key", FIELDS) == hmac.new(b"key", text.encode(), sha256).hexdigest()[:32]


def test_a_receipt_is_checked_as_typed():
    receipt = make_receipt(b"key", FIELDS)
    assert check_receipt(b"key", FIELDS, receipt)
    assert check_receipt(b"key", FIELDS, f" {receipt.upper()}\n")
    assert check_receipt(b"key", replace(FIELDS, amount=Decimal("1.50")), receipt)
    assert not check_receipt(b"other", FIELDS, receipt)
    assert not check_receipt(b"key", FIELDS, receipt[:-1])
    assert not check_receipt(b"key", FIELDS, "é")


@pytest.mark.parametrize(
    "change",
    [{"unit": "u2"}, {"worker": "worker-x"}, {"study": 8}, {"judged": 21},
     {"amount": Decimal("1.51")}, {"currency": "USD"}],
)  # fmt: skip
def test_a_receipt_of_other_work_is_not_valid(change):
    assert not check_receipt(b"key", replace(FIELDS, **change), make_receipt(b"key", FIELDS))
