"""Documents to look at again: sent by an organizer, or chosen by the assessor among their own."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_open, require_permission
from campaigns.services import events
from judging.models import ReviewRequest
from judging.queries.judgments import Pair
from judging.queries.screen import current_judgments_by

MOST_DOCUMENTS = 200


def request_review(
    *,
    actor: User,
    campaign: Campaign,
    assessor: User,
    message: str = "",
    count: int = 20,
    topic: str = "",
    documents: Sequence[tuple[str, str]] = (),
) -> ReviewRequest:
    """Ask ``assessor`` to look at ``documents`` (topic, docno) again that they have judged; if
    none, at their last ``count`` judgments, of ``topic`` if it is not "". With ``count`` 0 only
    the message is sent.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = current_judgments_by(campaign, assessor).filter(grade__isnull=False)
    if topic:
        rows = rows.filter(topic__number=topic)
    count = min(max(count, 0), MOST_DOCUMENTS)
    if documents:
        wanted = set(documents)
        candidates = rows.filter(docno__in={docno for _, docno in wanted})
        known = {(row.topic.number, row.docno) for row in candidates}
        if wanted - known:
            number, docno = min(wanted - known)
            raise ActionRefused(
                "not-judged",
                _("The assessor has not judged document %(docno)s of topic %(topic)s.")
                % {"docno": docno, "topic": number},
                _("Choose documents that the assessor has judged."),
            )
        chosen = [list(pair) for pair in dict.fromkeys(documents)]
    else:
        chosen = [[row.topic.number, row.docno] for row in rows[:count]]
    if not chosen and not message.strip():
        raise ActionRefused(
            "nothing",
            _("There is nothing to send: no judged documents, and no message."),
            _("Write a message, or choose a topic that the assessor has judged."),
        )
    with transaction.atomic():
        events.log_event(
            campaign=campaign, actor=actor, code="review.requested", subject=assessor.username,
            documents=len(chosen), topic=topic,
        )  # fmt: skip
        return ReviewRequest.objects.create(
            campaign=campaign, assessor=assessor, message=message.strip(), documents=chosen,
            requested_by=actor,
        )  # fmt: skip


def finish_review(
    *, actor: User, campaign: Campaign, pk: int, answer: str = ""
) -> ReviewRequest | None:
    """The assessor has looked at the documents; None if that was said before."""
    require_open(campaign)
    with transaction.atomic():
        row = (
            ReviewRequest.objects.select_for_update()
            .filter(campaign=campaign, assessor=actor, pk=pk, done_at=None)
            .first()
        )
        if row is None:
            return None
        row.done_at, row.answer = timezone.now(), answer
        row.save(update_fields=["done_at", "answer"])
        events.log_event(campaign=campaign, actor=actor, code="review.done", subject=actor.username)
    return row


def start_own_review(
    *, actor: User, campaign: Campaign, documents: Sequence[Pair]
) -> ReviewRequest:
    """A list of the actor's own: the first ``MOST_DOCUMENTS`` of ``documents`` (topic, docno).
    It takes the place of the one before.
    """
    require_permission(actor, "campaigns.judge", campaign)
    require_open(campaign)
    if not documents:
        raise ActionRefused("nothing", _("No judgments match the filter."))
    own = ReviewRequest.objects.filter(campaign=campaign, assessor=actor, requested_by=actor)
    with transaction.atomic():
        own.filter(done_at=None).update(done_at=timezone.now())
        return ReviewRequest.objects.create(
            campaign=campaign, assessor=actor, requested_by=actor,
            documents=[list(pair) for pair in documents[:MOST_DOCUMENTS]],
        )  # fmt: skip


def keep_judgment(*, actor: User, campaign: Campaign, pk: int, pair: Pair) -> None:
    """The actor has looked at a document of the request ``pk`` again, and its judgment stands.
    Repeating it does nothing, and neither does a request that has been finished.
    """
    require_permission(actor, "campaigns.judge", campaign)
    with transaction.atomic():
        rows = ReviewRequest.objects.select_for_update()
        row = rows.filter(campaign=campaign, assessor=actor, pk=pk).first()
        if row is None or list(pair) not in row.documents:
            raise ActionRefused("no-review", _("This list does not contain the document."))
        if list(pair) not in row.unchanged:
            row.unchanged.append(list(pair))
            row.save(update_fields=["unchanged"])
