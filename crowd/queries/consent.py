"""Consent texts of a study, and the values of their placeholders."""

from __future__ import annotations

from decimal import Decimal

from crowd.core.consent import fill_placeholders
from crowd.models import ConsentText, Study
from crowd.queries.keys import find_key_date
from crowd.queries.unit_seconds import count_unit_documents, load_study_seconds


def get_consent_text(study: Study) -> ConsentText | None:
    """The latest version, which new units are shown; None before the first."""
    return study.consent_texts.order_by("-version").first()


def format_amount(amount: Decimal, currency: str) -> str:
    return f"{amount:.2f} {currency}"


def fill_consent_text(study: Study, text: str) -> str:
    """``text`` with the placeholders of ``crowd.core.consent`` filled from ``study``."""
    return fill_placeholders(text, load_consent_values(study))


def load_consent_values(study: Study) -> dict[str, str]:
    """What the placeholders of ``crowd.core.consent`` stand for, by name."""
    documents = count_unit_documents(study)
    minutes = max(round(load_study_seconds(study).median / 60), 1)
    until = find_key_date(study)
    return {
        "title": study.title,
        "documents": str(documents),
        "minutes": str(minutes),
        "unit_minutes": str(study.unit_minutes),
        "units_per_worker": str(study.units_per_worker),
        "pay": format_amount(study.pay_per_unit, study.currency),
        "screen_out_pay": format_amount(study.screen_out_pay, study.currency),
        "hourly": format_amount(study.hourly_minimum, study.currency),
        "retention": f"{until.day} {until:%B %Y}" if until else "(no date yet)",
        "contact": study.contact or "(no contact yet)",
    }
