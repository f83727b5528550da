"""Crowd studies: texts, keys, payments, and what providers report."""

from crowd.models.keys import CrowdKey, LinkKey
from crowd.models.payments import Bonus, Payment
from crowd.models.studies import ConsentText, ProviderEvent, Study

__all__ = ["Bonus", "ConsentText", "CrowdKey", "LinkKey", "Payment", "ProviderEvent", "Study"]
