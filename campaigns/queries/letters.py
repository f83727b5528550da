"""The text of a mail, from its template: plain text, where nothing is escaped."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from campaigns.models import User


def render_mail(kind: str, context: dict[str, Any]) -> tuple[str, str]:
    """Subject and body of ``templates/mail/{kind}.txt``, in the language of ``recipient``."""
    text = render_letter(f"mail/{kind}.txt", context, context["recipient"])
    subject, _, body = text.strip().partition("\n")
    return " ".join(subject.split())[:200], body.strip() + "\n"


def render_letter(template: str, context: dict[str, Any], recipient: User) -> str:
    with translation.override(recipient.mail_language):
        return render_to_string(template, context, using="mail")
