"""The judging screen: one document, with its topic, progress and latest judgments."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID, uuid4

from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Document, Grade, Topic, User
from campaigns.views.helpers import SignedInRequest
from judging.models import Judgment, Plan, Purpose, Slot, TopicNote
from judging.queries.adjudication import list_anonymous_judgments, own_adjudication_progress
from judging.queries.duplicates import OwnDuplicates, list_own_duplicates
from judging.queries.judgments import own_current_judgments
from judging.queries.notebook import Notebook, list_notes_of_all, load_notebook
from judging.queries.screen import (
    PREFETCHED,
    RECENT,
    count_ahead,
    find_document,
    former_judgments,
    get_assessor_topic,
    get_checked_out_slot,
    get_own_pace,
    last_two_judgments,
    latest_judgment,
    recent_judgments,
)
from judging.queries.slots import PURPOSES
from judging.rules import FLAGS, SKIP_REASONS
from judging.templatetags.judging import format_hours

ADJUDICATE = Plan.Kind.ADJUDICATE
LISTED = 5
"""Number of latest judgments in the list, as many as in judge/bar.js."""
SKIP_KEYS = dict(zip(SKIP_REASONS, "blxo", strict=True))
FLAG_KEYS = dict(zip(FLAGS, "bldqe", strict=True))
SHORT_FLAGS = {
    "broken": _("unreadable"),
    "language": _("other language"),
    "duplicate": _("duplicate"),
    "unsure": _("unsure"),
    "typical": _("typical"),
}
KEYED_ANSWERS = {
    "reasons": [(name, SKIP_KEYS[name], label) for name, label in SKIP_REASONS.items()],
    "flags": [(name, FLAG_KEYS[name], SHORT_FLAGS[name], label) for name, label in FLAGS.items()],
}
"""What else can be said of a document, each with the key that says it."""


@dataclass
class JudgingDocument:
    """A document to judge. ``previous_judgment`` is the assessor's last judgment of it, which is
    current unless ``undone``. ``token`` is its lease. ``judgments`` are those that an adjudicator
    sees beside it (see ``list_anonymous_judgments``), none in a blind round. ``rationale`` is that
    of its topic, where it is not the screen's. ``duplicates`` are those judged by the assessor.
    ``first_language`` is what is shown first of a document with a translation.
    """

    topic: Topic
    docno: str
    content: Document | None
    token: UUID | str | None = None
    previous_judgment: Judgment | None = None
    undone: bool = False
    judgments: Sequence[tuple[str, Judgment]] = ()
    rationale: str = ""
    duplicates: OwnDuplicates | None = None
    first_language: str = Plan.Language.BOTH
    uuid: UUID = field(default_factory=uuid4)

    @property
    def language_shown(self) -> str:
        """What a page without a script shows: both of a document with a translation."""
        return Plan.Language.BOTH if hasattr(self.content, "translation") else ""

    @property
    def previous_json(self) -> str:
        """The previous judgment as JSON, to fill in the form again."""
        if self.previous_judgment is None:
            return ""
        names = ("kind", "grade", "comment", "flags", "duplicate_of", "passages")
        return json.dumps({name: getattr(self.previous_judgment, name) for name in names})


class Progress(Protocol):
    """Of a topic, of adjudication, or of a request to look at documents again."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def left(self) -> int: ...


@dataclass
class JudgingScreen:
    """The topic and the document, which is None if none remains in the topic. Adjudication, and a
    ``review`` (see ``ReviewNotice``), go through all topics: ``topic`` is that of the document.
    ``back`` is the address of the list from which a single document is changed. ``ahead`` is how
    many documents the page fetches ahead.
    """

    campaign: Campaign
    topic: Topic | None
    progress: Progress
    recent: list[Judgment]
    last: Judgment | None
    per_hour: float | None
    rationale: str
    document: JudgingDocument | None = None
    kind: str = Plan.Kind.JUDGE
    review: Any = None
    back: str = ""
    ahead: int = PREFETCHED
    notebook: Notebook | None = None
    undo_uuid: UUID = field(default_factory=uuid4)

    @property
    def recent_links(self) -> list[tuple[Judgment, str]]:
        """The latest, each with the address at which it is changed."""
        return [(row, judgment_change_url(self.campaign, row)) for row in self.recent[:LISTED]]

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

    @property
    def new_errata(self) -> bool:
        """Has a text been corrected since the assessor last judged?"""
        return self.last is not None and self.last.erratum < self.campaign.last_erratum

    @property
    def read_guidelines(self) -> str:
        """The version that the assessor last judged with, if there is a newer one; else ""."""
        return str(self.last.guideline_version) if self.last and self.new_guidelines else ""

    @property
    def guidelines_changed_at(self) -> datetime | None:
        """When the current version of the guidelines came into force; None without any."""
        version = self.campaign.guideline_versions.first()
        return version.at if version else None


def build_screen(assessor: User, campaign: Campaign, topic: Topic) -> JudgingScreen:
    progress = get_assessor_topic(campaign, assessor, topic)
    per_hour = get_own_pace(campaign, assessor)
    return JudgingScreen(
        campaign=campaign,
        topic=topic,
        progress=progress,
        recent=recent_judgments(campaign, assessor, topic),
        last=own_current_judgments(campaign, assessor).first(),
        per_hour=per_hour,
        rationale=strictest_rationale(campaign, [topic]),
        ahead=count_ahead(campaign, assessor, progress, per_hour),
        notebook=load_notebook(campaign, assessor, topic),
    )


def build_adjudication_screen(
    adjudicator: User, campaign: Campaign, document: JudgingDocument | None
) -> JudgingScreen:
    decisions = own_current_judgments(campaign, adjudicator, PURPOSES[ADJUDICATE])
    recent = list(decisions[:RECENT])
    return JudgingScreen(
        campaign=campaign,
        topic=document.topic if document else None,
        progress=own_adjudication_progress(campaign, adjudicator),
        recent=recent,
        last=recent[0] if recent else None,
        per_hour=get_own_pace(campaign, adjudicator, ADJUDICATE),
        rationale=Plan.Rationale.NO,
        document=document,
        kind=ADJUDICATE,
    )


def strictest_rationale(campaign: Campaign, topics: Collection[Topic]) -> str:
    """How far a rationale is required: one screen serves all plans of the topics, so the strictest
    of their settings.
    """
    plans = campaign.plans.filter(kind=Plan.Kind.JUDGE, assignments__topic__in=topics)
    requested = set(plans.order_by().values_list("rationale", flat=True).distinct())
    return max(requested, key=Plan.Rationale.values.index, default=Plan.Rationale.NO)


def build_judging_documents(
    actor: User, campaign: Campaign, slots: Sequence[Slot]
) -> list[JudgingDocument]:
    """The documents of checked-out slots, in their order."""
    docnos = [slot.docno for slot in slots]
    rows = campaign.documents.filter(docno__in=docnos).select_related("translation")
    documents = {row.docno: row for row in rows}
    former = former_judgments(actor, slots)
    duplicates = list_own_duplicates(actor, campaign, slots)
    languages = load_first_languages(slots, documents)
    return [
        JudgingDocument(
            topic=slot.topic,
            docno=slot.docno,
            content=documents.get(slot.docno),
            token=slot.token,
            previous_judgment=former.get(slot.pk),
            undone=slot.pk in former,
            judgments=list_judgments_beside(campaign, slot),
            duplicates=duplicates.get(slot.pk),
            first_language=languages.get(slot.plan_id, Plan.Language.BOTH),
        )
        for slot in slots
    ]


def load_first_languages(
    slots: Sequence[Slot], documents: Mapping[str, Document]
) -> dict[int, str]:
    """By plan, what is shown first of documents with a translation, if any of them has one."""
    if not any(hasattr(document, "translation") for document in documents.values()):
        return {}
    plans = Plan.objects.filter(pk__in={slot.plan_id for slot in slots})
    return dict(plans.values_list("pk", "first_language"))


def list_judgments_beside(campaign: Campaign, slot: Slot | None) -> list[tuple[str, Judgment]]:
    """What an adjudicator sees of the others' judgments: nothing in a blind round."""
    if slot is None or slot.purpose != Purpose.ADJUDICATE or slot.plan.blind:
        return []
    return list_anonymous_judgments(campaign, slot.topic, slot.docno)


def list_notes_beside(document: JudgingDocument | None) -> list[TopicNote]:
    """The assessors' notes on the topic, where their judgments are beside the document too."""
    return list_notes_of_all(document.topic) if document and document.judgments else []


def get_current_document(
    actor: User,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    token: str = "",
    kind: str = Plan.Kind.JUDGE,
) -> JudgingDocument | None:
    """A document that ``actor`` has checked out or judged before; otherwise None."""
    slot = get_checked_out_slot(actor, campaign, topic, docno=docno, token=token, kind=kind)
    if slot is not None:
        return build_judging_documents(actor, campaign, [slot])[0]
    judgments = last_two_judgments(actor, campaign, topic, docno, token, kind)
    if not judgments:
        return None
    undone = judgments[0].kind == Judgment.Kind.WITHDRAWN
    document = JudgingDocument(topic, docno, find_document(campaign, docno), undone=undone)
    document.previous_judgment = judgments[-1] if undone else judgments[0]
    document.token = document.previous_judgment.lease
    document.judgments = list_judgments_beside(campaign, document.previous_judgment.slot)
    if (former := document.previous_judgment.slot) is not None:
        document.first_language = former.plan.first_language
    if not token and not undone and kind == Plan.Kind.JUDGE:
        # What My judgments shows; the change is one of the first judgment, which counts.
        latest = latest_judgment(actor, campaign, topic, docno)
        document.previous_judgment = latest or document.previous_judgment
    return document


def parse_uuid_text(text: str) -> str:
    """``text`` if it is a UUID, otherwise an empty string."""
    try:
        return str(UUID(text))
    except ValueError:
        return ""


def build_screen_page(screen: JudgingScreen) -> dict[str, object]:
    """The context of ``judging/screen.html`` and its parts."""
    return {
        "screen": screen,
        "campaign": screen.campaign,
        "document": screen.document,
        "grades": grades_by_value(screen.campaign),
        "notes": list_notes_beside(screen.document),
        **list_desk_urls(screen.campaign, screen.kind, screen.topic, review=screen.review),
        **({"next_url": screen.back} if screen.back else {}),
        **KEYED_ANSWERS,
    }


def list_desk_urls(
    campaign: Campaign, kind: str, topic: Topic | None, *, review: object = None
) -> dict[str, str]:
    """The addresses of an assessor's desk, which is that of a topic, or of an adjudicator's."""
    slug, number = [campaign.slug], topic.number if topic else ""
    if kind == ADJUDICATE:
        names, here, query = ("adjudicate", "adjudication-skip"), slug, {"topic": number}
    else:
        names, here, query = ("judge", "judge-skip"), [*slug, number], {}
    judge_url, skip_url = (reverse(name, args=here, query=query) for name in names)
    return {
        "next_url": reverse("work", args=slug) if review else reverse(names[0], args=here),
        "judge_url": judge_url,
        "skip_url": skip_url,
        "undo_url": reverse("adjudication-undo" if query else "judge-undo", args=slug),
        "home_url": reverse("adjudication" if query else "work", args=slug),
    }


def render_judging_documents(
    request: SignedInRequest,
    campaign: Campaign,
    documents: Sequence[JudgingDocument],
    kind: str,
    *,
    review: bool = False,
) -> list[dict[str, str]]:
    """Documents as the script takes them. Where they are of several topics, what changes with each
    comes along: the topic, and the judgments that stand beside an adjudicator's.
    """
    names = {"html": "judging/_judging_document.html"}
    if kind == ADJUDICATE or review:
        names["parts"] = "judging/_document_parts.html"
    templates = {key: get_template(name) for key, name in names.items()}
    grades, rendered = grades_by_value(campaign) if documents else {}, []
    for document in documents:
        context = {
            "campaign": campaign, "document": document, "topic": document.topic, "grades": grades,
            "notes": list_notes_beside(document),
            **list_desk_urls(campaign, kind, document.topic, review=review),
        }  # fmt: skip
        rendered.append({
            "docno": document.docno, "topic": document.topic.number,
            "token": str(document.token or ""),
            **{key: each.render(context, request) for key, each in templates.items()},
        })  # fmt: skip
    return rendered


def grades_by_value(campaign: Campaign) -> dict[int, Grade]:
    return {grade.value: grade for grade in campaign.grades.all()}


def judgment_change_url(campaign: Campaign, judgment: Judgment) -> str:
    """The URL of the screen on which ``judgment`` can be changed."""
    query = {"docno": judgment.docno}
    query |= {"token": str(judgment.lease)} if judgment.lease else {}
    if judgment.purpose == Purpose.ADJUDICATE:
        query["topic"] = judgment.topic.number
        return reverse("adjudicate", args=[campaign.slug], query=query)
    return reverse("judge-change", args=[campaign.slug, judgment.topic.number], query=query)
