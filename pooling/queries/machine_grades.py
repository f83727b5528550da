"""Grades of an automatic assessor that help to draw a sample: as of a row of its log, hashed.

The pool is built again from the same rows, whatever the assessor graded since. Judgments belong to
a higher layer; only reverse relations are used here.
"""

from typing import Any

from django.db.models import QuerySet

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.run_listing import attach_machine_grades, hash_machine_grades
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import QrelsTable


def attach_current_grades(
    campaign: Campaign, listing: RunListing, name: str
) -> tuple[RunListing, dict[str, Any]]:
    """``listing`` with the current grades of the automatic assessor ``name``, and what says which
    these are: how many rows its log has, and their hash.
    """
    if not campaign.automatic_assessors.filter(name=name).exists():
        known = ", ".join(campaign.automatic_assessors.values_list("name", flat=True)) or "none"
        fix = f"Known ones: {known}. Import its grades, or leave machine out of the spec."
        raise ActionRefused("no-machine", f"Unknown automatic assessor: {name}.", fix)
    rows = list_log(campaign, name).count()
    graded = attach_machine_grades(listing, load_grades(campaign, name, rows))
    return graded, {"name": name, "rows": rows, "sha256": hash_machine_grades(graded)}


def attach_frozen_grades(
    campaign: Campaign, listing: RunListing, inputs: dict[str, Any]
) -> RunListing:
    """``listing`` with the grades that a frozen pool of ``inputs`` was drawn with, if any.

    Raises ``ActionRefused`` if the log no longer has them.
    """
    if (machine := inputs.get("machine")) is None:
        return listing
    grades = load_grades(campaign, machine["name"], machine["rows"])
    graded = attach_machine_grades(listing, grades)
    if hash_machine_grades(graded) != machine["sha256"]:
        message = f"The grades of {machine['name']} are not those that the pool was drawn with."
        raise ActionRefused("machine-changed", message, "The documents to judge are unaffected.")
    return graded


def list_log(campaign: Campaign, name: str) -> QuerySet[Any]:
    """The judgments of an automatic assessor. Keys are others where an archive is loaded, the order
    is not.
    """
    log = campaign.judgments.filter(purpose="automatic", assessor__automatic__name=name)
    return log.order_by("pk")


def load_grades(campaign: Campaign, name: str, rows: int) -> QrelsTable:
    """Its latest grade of each pair after the first ``rows`` rows of its log."""
    log = list_log(campaign, name).values_list("topic__number", "docno", "kind", "grade")[:rows]
    latest = {(topic, docno): (kind, grade) for topic, docno, kind, grade in log}
    return qrels_from_rows(
        (topic, docno, grade)
        for (topic, docno), (kind, grade) in latest.items()
        if kind == "grade" and grade is not None
    )
