"""Crowd studies: texts, keys, workers and their units, gold, payments, what providers report."""

from crowd.models.studies import ConsentText, CrowdKey, LinkKey, ProviderEvent, Study
from crowd.models.units import Bonus, CrowdWorker, GoldPair, Payment, WorkUnit

__all__ = [
    "Bonus",
    "ConsentText",
    "CrowdKey",
    "CrowdWorker",
    "GoldPair",
    "LinkKey",
    "Payment",
    "ProviderEvent",
    "Study",
    "WorkUnit",
]
