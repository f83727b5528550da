"""What the judging screen shows: one document in hand, and everything that stands around it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Document, Grade, Topic, User
from judging.models import Judgment, Plan, Slot
from judging.queries.judging_documents import (
    former_judgments,
    get_checked_out_slot,
    get_own_pace,
    last_two_judgments,
)
from judging.queries.judgments import own_current_judgments
from judging.queries.screen import (
    MyTopic,
    find_document,
    my_topics,
    recent_judgments,
    topic_progress,
)
from judging.rules import FLAGS, SKIP_REASONS
from judging.templatetags.judging import format_hours

AHEAD = 3
SKIP_KEYS = dict(zip(SKIP_REASONS, "bldo", strict=True))
FLAG_KEYS = dict(zip(FLAGS, "bld", strict=True))
SHORT_FLAGS = {"broken": _("broken"), "language": _("language"), "duplicate": _("duplicate")}


@dataclass
class JudgingDocument:
    """A document to be judged. ``before`` is what the assessor said of it already; it stands
    unless ``taken_back``. ``token`` is its lease.
    """

    topic: Topic
    docno: str
    document: Document | None
    token: UUID | str | None = None
    before: Judgment | None = None
    taken_back: bool = False
    uuid: UUID = field(default_factory=uuid4)

    @property
    def marks(self) -> str:
        """What the screen fills in again, as JSON."""
        if self.before is None:
            return ""
        names = ("kind", "grade", "comment", "flags", "duplicate_of", "passages")
        return json.dumps({name: getattr(self.before, name) for name in names})


@dataclass
class JudgingScreen:
    """The topic and what stands around the paper; without paper nothing is left here."""

    campaign: Campaign
    topic: Topic
    progress: MyTopic
    recent: list[Judgment]
    last: Judgment | None
    per_hour: float | None
    rationale: str
    paper: JudgingDocument | None = None
    said: str = ""
    undo_uuid: UUID = field(default_factory=uuid4)

    @property
    def time_left(self) -> str:
        return format_hours(self.progress.left / self.per_hour) if self.per_hour else ""

    @property
    def lease_seconds(self) -> int:
        return 60 * int(settings.POOLBENCH_LEASE_MINUTES)

    @property
    def new_guidelines(self) -> bool:
        """Have the guidelines changed since the assessor last judged?"""
        return self.last is not None and self.last.guideline_version < (
            self.campaign.guideline_version
        )


def build_screen(assessor: User, campaign: Campaign, topic: Topic) -> JudgingScreen:
    return JudgingScreen(
        campaign=campaign,
        topic=topic,
        progress=topic_progress(campaign, assessor, topic),
        recent=recent_judgments(campaign, assessor, topic),
        last=own_current_judgments(campaign, assessor).first(),
        per_hour=get_own_pace(campaign, assessor),
        rationale=strictest_rationale(campaign, topic),
    )


def strictest_rationale(campaign: Campaign, topic: Topic) -> str:
    """What the plans of the topic ask for at most: the screen is one for the documents of all."""
    plans = campaign.plans.filter(kind=Plan.Kind.JUDGE, assignments__topic=topic)
    asked = set(plans.order_by().values_list("rationale", flat=True).distinct())
    return max(asked, key=Plan.Rationale.values.index, default=Plan.Rationale.NO)


def build_judging_documents(
    actor: User, campaign: Campaign, slots: Sequence[Slot]
) -> list[JudgingDocument]:
    """The papers of leased slots, in their order."""
    docnos = [slot.item.docno for slot in slots]
    documents = {row.docno: row for row in campaign.documents.filter(docno__in=docnos)}
    former = former_judgments(actor, slots)
    return [
        JudgingDocument(
            topic=slot.topic,
            docno=slot.item.docno,
            document=documents.get(slot.item.docno),
            token=slot.token,
            before=former.get(slot.pk),
            taken_back=slot.pk in former,
        )
        for slot in slots
    ]


def get_current_document(
    actor: User, campaign: Campaign, topic: Topic, docno: str, token: str = ""
) -> JudgingDocument | None:
    """A document that ``actor`` has: held and unjudged, or judged before; else None."""
    slot = get_checked_out_slot(actor, campaign, topic, docno=docno, token=token)
    if slot is not None:
        return build_judging_documents(actor, campaign, [slot])[0]
    said = last_two_judgments(actor, campaign, topic, docno, token)
    if not said:
        return None
    back = said[0].kind == Judgment.Kind.WITHDRAWN
    paper = JudgingDocument(topic, docno, find_document(campaign, docno), taken_back=back)
    paper.before = said[-1] if back else said[0]
    paper.token = paper.before.lease
    return paper


def parse_uuid_text(text: str) -> str:
    """``text`` if it is a uuid, else nothing."""
    try:
        return str(UUID(text))
    except ValueError:
        return ""


def screen_context(screen: JudgingScreen) -> dict[str, Any]:
    """The context of ``judging/screen.html`` and its parts."""
    return {
        "screen": screen,
        "campaign": screen.campaign,
        "paper": screen.paper,
        "grades": grades_by_value(screen.campaign),
        "reasons": [(name, SKIP_KEYS[name], told) for name, told in SKIP_REASONS.items()],
        "flags": [(name, FLAG_KEYS[name], SHORT_FLAGS[name], told) for name, told in FLAGS.items()],
    }


def topic_finished_context(
    actor: User, campaign: Campaign, topic: Topic, progress: MyTopic, told: str = ""
) -> dict[str, Any]:
    """What is said when nothing is left in this topic: calmly, with the next on offer."""
    topics = my_topics(campaign, actor)
    return {
        "campaign": campaign,
        "topic": topic,
        "mine": next((row for row in topics if row.topic == topic), progress),
        "next": next_topic([row for row in topics if row.topic != topic]),
        "told": told,
        "is_open": campaign.takes_judgments(),
    }


def render_judging_document(
    request: HttpRequest, campaign: Campaign, paper: JudgingDocument
) -> str:
    context = {"campaign": campaign, "paper": paper, "grades": grades_by_value(campaign)}
    return render_to_string("judging/_paper.html", context, request)


def next_topic(topics: list[MyTopic]) -> MyTopic | None:
    """The topic to go on with: one that is begun before one that is not."""
    ready = [row for row in topics if row.left and not (row.paused and not row.checked_out)]
    return min(ready, key=lambda row: row.done == 0 and row.checked_out == 0, default=None)


def grades_by_value(campaign: Campaign) -> dict[int, Grade]:
    return {grade.value: grade for grade in campaign.grades.all()}


def change_url(campaign: Campaign, row: Judgment) -> str:
    query = {"docno": row.docno} | ({"token": str(row.lease)} if row.lease else {})
    return reverse("judge-change", args=[campaign.slug, row.topic.number], query=query)
