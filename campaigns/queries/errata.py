"""Corrections of texts: what can be corrected, and what each has changed."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Document, Erratum, Grade, Topic
from poolbench.texts.text_diff import DiffLine, diff_lines

TEXTS: dict[str, dict[str, Any]] = {
    Erratum.Kind.TOPIC: {
        "title": _("Title"),
        "description": _("Description"),
        "narrative": _("Narrative"),
    },
    Erratum.Kind.GRADE: {"label": _("Label"), "meaning": _("Description")},
    Erratum.Kind.DOCUMENT: {"title": _("Title")},
}
"""The names of the texts that can be corrected, by kind and field."""


@dataclass(frozen=True)
class Correction:
    """An erratum with its changes: the name of each text, and its lines."""

    erratum: Erratum
    changes: list[tuple[str, list[DiffLine]]]


def find_correctable(campaign: Campaign, kind: str, name: str) -> Topic | Grade | Document | None:
    if kind == Erratum.Kind.TOPIC:
        return campaign.topics.filter(number=name).first()
    if kind == Erratum.Kind.DOCUMENT:
        return campaign.documents.filter(docno=name).first()
    grades = campaign.grades.all() if kind == Erratum.Kind.GRADE else ()
    return next((grade for grade in grades if str(grade.value) == name), None)


def list_corrections(campaign: Campaign) -> list[Correction]:
    """Newest first."""
    return [
        Correction(
            erratum,
            [
                (TEXTS[erratum.kind][field], diff_lines(erratum.before[field], text))
                for field, text in erratum.after.items()
            ],
        )
        for erratum in campaign.errata.select_related("by")
    ]
