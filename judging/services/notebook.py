"""The notebook of a topic: write an entry, remove one."""

from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from campaigns.rules import require_open, require_permission
from judging.models import TopicNote

MOST_ENTRIES = 500


def save_note(
    *, actor: User, topic: Topic, uuid: UUID, text: str, kind: str, docno: str = ""
) -> TopicNote:
    """Add an entry to the actor's notebook on ``topic``; the same ``uuid`` again adds none."""
    require_permission(actor, "campaigns.judge", topic.campaign)
    require_open(topic.campaign)
    known = TopicNote.objects.filter(client_uuid=uuid, assessor=actor, topic=topic).first()
    if known is not None:
        return known
    if topic.notes.filter(assessor=actor, removed_at=None).count() >= MOST_ENTRIES:
        raise ActionRefused(
            "notebook-full",
            _("A notebook has at most %(most)s entries.") % {"most": MOST_ENTRIES},
            _("Remove entries that you no longer need."),
        )
    fields = {"kind": kind, "text": text, "docno": docno, "client_uuid": uuid}
    try:
        with transaction.atomic():
            return TopicNote.objects.create(topic=topic, assessor=actor, **fields)
    except IntegrityError:
        raise ActionRefused("uuid-taken", _("This entry was saved before.")) from None


def remove_note(*, actor: User, campaign: Campaign, uuid: UUID) -> None:
    """Take an entry of the actor's out of the notebook; one that is gone stays so."""
    require_permission(actor, "campaigns.judge", campaign)
    require_open(campaign)
    own = TopicNote.objects.filter(topic__campaign=campaign, assessor=actor, client_uuid=uuid)
    own.filter(removed_at=None).update(removed_at=timezone.now())
