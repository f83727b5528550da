"""Event codes of all apps, and the phrases that pages show for them.

The log stores codes, so that it can be read in any language and searched by programs. A code is
``object.act``; a new kind of event adds a line here.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

EVENT_PHRASES = {
    "campaign.created": _("Campaign created"),
    "campaign.updated": _("Settings changed"),
    "board.changed": _("Visibility to participants changed"),
    "submissions.closed": _("Submission closed"),
    "campaign.scale_set": _("Grade scale set"),
    "topics.imported": _("Topics imported"),
    "topics.deleted": _("Topics deleted"),
    "documents.imported": _("Documents imported"),
    "documents.deleted": _("Documents deleted"),
    "invitation.created": _("Invitation created"),
    "invitation.revoked": _("Invitation revoked"),
    "member.joined": _("Member joined"),
    "member.removed": _("Member removed"),
    "team.created": _("Team created"),
    "run.submitted": _("Run submitted"),
    "run.accepted": _("Run accepted"),
    "run.rejected": _("Run rejected"),
    "run.rejections_dismissed": _("Rejected runs dismissed"),
    "run.replaced": _("Run replaced"),
    "run.withdrawn": _("Run withdrawn"),
    "run.file_removed": _("File of rejected run removed"),
    "pool.frozen": _("Pool frozen"),
    "plan.created": _("Judging plan created"),
    "plan.assigned": _("Assessors assigned"),
    "plan.paused": _("Judging plan paused"),
    "plan.resumed": _("Judging plan resumed"),
    "plan.closed": _("Judging plan closed"),
    "plan.leases_canceled": _("Expired leases canceled"),
    "slot.reopened": _("Document reopened"),
    "slot.passed_on": _("Skipped document passed on"),
    "slots.returned": _("Documents returned"),
    "assignment.paused": _("Assignment paused"),
    "assignment.resumed": _("Assignment resumed"),
    "assignment.reassigned": _("Documents reassigned"),
    "stopping.rule_set": _("Stopping rule set"),
    "training.added": _("Training pairs added"),
    "training.changed": _("Training pair changed"),
    "training.removed": _("Training pairs removed"),
    "judgments.imported": _("Judgments imported"),
    "automatic.created": _("Automatic assessor added"),
    "automatic.judgments_submitted": _("Automatic judgments submitted"),
    "round.opened": _("Adjudication round opened"),
    "round.pairs_removed": _("Resolved pairs removed from the round"),
    "round.closed": _("Adjudication round closed"),
    "qrels.frozen": _("Qrels frozen"),
    "scores.evaluated": _("Runs evaluated"),
    "scores.released": _("Scores released"),
}
NOTICES = ("board.changed", "submissions.closed")
"""Events that participants see, although the log is for organizers."""
