"""Event codes of all apps, and the phrases that pages show for them.

The log stores codes, so that it can be read in any language and searched by programs. A code is
``object.act``; a new kind of event adds a line here.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

EVENT_PHRASES = {
    "campaign.created": _("Campaign created"),
    "campaign.updated": _("Settings changed"),
    "campaign.copied": _("Campaign copied"),
    "campaign.closed": _("Campaign closed"),
    "campaign.reopened": _("Campaign reopened"),
    "campaign.deleted": _("Campaign deleted"),
    "campaign.restored": _("Campaign restored"),
    # Of former versions, whose logs keep it.
    "threshold.changed": _("Threshold of a verdict changed"),
    "board.changed": _("Visibility to participants changed"),
    "submissions.closed": _("Submission closed"),
    "campaign.archived": _("Archive made"),
    "campaign.loaded": _("Campaign loaded from an archive"),
    "submissions.reopened": _("Submission reopened"),
    "submissions.extended": _("Submission extended"),
    "campaign.scale_set": _("Grade scale set"),
    "text.corrected": _("Text corrected"),
    "task.created": _("Task created"),
    "task.updated": _("Task changed"),
    "task.deleted": _("Task deleted"),
    "topics.imported": _("Topics imported"),
    "topics.deleted": _("Topics deleted"),
    "documents.imported": _("Documents imported"),
    "documents.registered": _("Documents registered by their files"),
    "documents.deleted": _("Documents deleted"),
    "data.added": _("Data file added"),
    "data.changed": _("Data changed"),
    "data.edited": _("Description of a data file changed"),
    "data.published": _("Data published"),
    "data.released": _("Data released"),
    "data.removed": _("Data file removed"),
    "page.edited": _("Public page edited"),
    "page.published": _("Public page published"),
    "page.withdrawn": _("Public page taken down"),
    "invitation.created": _("Invitation created"),
    "invitation.revoked": _("Invitation revoked"),
    "member.joined": _("Member joined"),
    "member.removed": _("Member removed"),
    "team.created": _("Team created"),
    "team.updated": _("Team's details changed"),
    "team.requested": _("Team registered"),
    "team.request_refused": _("Registration of a team refused"),
    "terms.accepted": _("Terms of participation accepted"),
    "ownership.transferred": _("Campaign handed over"),
    "message.sent": _("Message sent"),
    "mail.canceled": _("Mail canceled"),
    "mail.requeued": _("Mail sent again"),
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
    "plan.one_more": "More judgments requested",
    "plan.leases_canceled": _("Expired leases canceled"),
    "slot.reopened": _("Document reopened"),
    "slot.passed_on": _("Skipped document passed on"),
    "slots.returned": _("Documents returned"),
    "assignment.paused": _("Assignment paused"),
    "assignment.resumed": _("Assignment resumed"),
    "assignment.reassigned": _("Documents reassigned"),
    "alarm.put_aside": _("Alarm put aside"),
    "alarm.brought_back": _("Alarm brought back"),
    "review.requested": _("Documents sent to an assessor to look at again"),
    "review.done": _("Documents looked at again"),
    "stopping.rule_set": _("Stopping rule set"),
    "exclusion.set": "Crowd work set aside",
    "exclusion.undone": "Crowd work counted again",
    "worker.withdrawn": "Consent of a crowd worker withdrawn",
    "gold.added": "Gold pairs added",
    "gold.retired": "Gold pair retired",
    "training.added": _("Training pairs added"),
    "training.removed": _("Training pairs removed"),
    "judgments.imported": _("Judgments imported"),
    "clicks.imported": _("Click log imported"),
    "automatic.created": _("Automatic assessor added"),
    "automatic.judgments_submitted": _("Automatic judgments submitted"),
    "automatic.card_written": "Prompt card for a model written",
    "automatic.texts_given": "Texts may be sent to a model",
    "automatic.model_asked": "Model asked for judgments",
    "study.created": _("Crowd study created"),
    "study.changed": _("Crowd study changed"),
    "study.consent_written": _("Consent text of a crowd study written"),
    "study.started": _("Crowd study started"),
    "study.paused": _("Crowd study paused"),
    "study.resumed": _("Crowd study resumed"),
    "study.extended": _("Crowd study extended"),
    "study.labels_requested": "More judgments of unsure documents requested",
    "payment.bonus_granted": "Bonus granted",
    "payment.batch_made": "Payment batch made",
    "payment.batch_paid": "Payment batch marked as paid",
    "payment.batch_voided": "Payment batch made void",
    "payment.settled": "Payments on the provider's list marked as paid",
    "payment.disputed": "Payment disputed",
    "payment.dispute_ended": "Dispute of a payment ended",
    "study.stopped": _("Crowd study stopped"),
    "round.opened": _("Adjudication round opened"),
    "round.pairs_removed": _("Resolved pairs removed from the round"),
    "round.closed": _("Adjudication round closed"),
    "qrels.frozen": _("Qrels frozen"),
    "qrels.released": _("Qrels released"),
    "qrels.published": _("Qrels published"),
    "comparisons.created": _("Plan of comparisons created"),
    "comparisons.paused": _("Plan of comparisons paused"),
    "comparisons.resumed": _("Plan of comparisons resumed"),
    "comparisons.closed": _("Plan of comparisons closed"),
    "comparisons.reopened": _("Skipped comparisons offered again"),
    "scores.evaluated": _("Runs evaluated"),
    "scores.released": _("Scores released"),
    "scores.published": _("Scores published"),
    "crowd.key_destroyed": "Key of worker IDs destroyed",
    "study.key_added": "Link key added",
    "study.key_retired": "Link key retired",
}
NOTICES = (
    "board.changed",
    "data.changed",
    "data.published",
    "data.released",
    "qrels.published",
    "qrels.released",
    "submissions.reopened",
    "submissions.extended",
    "text.corrected",
)
"""Events that participants see, although the log is for organizers. That submission is closed
is no event: the deadline says so.
"""


def describe_value(value: object) -> str:
    """A value of an event's data in words: ``{"n": 2, "share": 0.25}`` as ``n 2, share 0.25``."""
    if isinstance(value, Mapping):
        items = (f"{key} {describe_value(each)}" for key, each in value.items())
        return ", ".join(items) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(describe_value, value)) or "none"
    words = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
