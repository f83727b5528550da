"""What the assessor had before them when they judged: since when, and with which guidelines."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from judging.models import Slot
from judging.services.judgment_log import JudgmentSubmission


def compute_shown_at(submission: JudgmentSubmission, slot: Slot | None) -> datetime | None:
    """When the document was shown: the browser's time, within the limits of the lease.

    A document that was fetched ahead was leased before it was shown. Without its lease, an
    impossible time is dropped.
    """
    now, reported = timezone.now(), submission.served_at
    leased = slot.leased_at if slot and is_under_lease(submission, slot) else None
    if leased is not None:
        return min(max(reported or leased, leased), now)
    is_possible = reported is not None and submission.campaign.created_at <= reported <= now
    return reported if is_possible else None


def resolve_guideline_version(submission: JudgmentSubmission, slot: Slot | None) -> int:
    """The guideline version on the assessor's page: as the client states it, otherwise the one
    that was current when the document was checked out, otherwise the current one.

    A page that has been open for long may show an older version than the lease's. Raises
    ``ActionRefused`` for a version that does not exist yet.
    """
    current, stated = submission.campaign.guideline_version, submission.guideline_version
    if stated is None:
        leased = slot.guideline_version if slot and is_under_lease(submission, slot) else None
        return current if leased is None else leased
    if not 0 <= stated <= current:
        raise ActionRefused(
            "no-guidelines",
            _("Guideline version %(version)s does not exist.") % {"version": stated},
            _("Reload the page and judge again."),
        )
    return stated


def is_under_lease(submission: JudgmentSubmission, slot: Slot) -> bool:
    return (slot.assessor_id, slot.token) == (submission.actor.pk, submission.token)
