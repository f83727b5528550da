"""Crowd studies: texts, keys, workers and their units, gold, payments, what providers report."""

from crowd.models.payments import BatchItem, PaymentBatch, PaymentDispute
from crowd.models.studies import ConsentText, CrowdKey, LinkKey, ProviderEvent, Study
from crowd.models.units import Bonus, CrowdWorker, GoldPair, Payment, WorkUnit

__all__ = [
    "BatchItem",
    "Bonus",
    "ConsentText",
    "CrowdKey",
    "CrowdWorker",
    "GoldPair",
    "LinkKey",
    "Payment",
    "PaymentBatch",
    "PaymentDispute",
    "ProviderEvent",
    "Study",
    "WorkUnit",
]
