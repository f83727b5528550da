"""The comparison on the desk: two documents, two rankings or one list, with the latest answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.http import HttpRequest
from django.urls import reverse

from campaigns.models import Campaign, Document, Topic, User
from judging.queries.screen import find_document
from judging.rules import SKIP_REASONS
from judging.views.judging_screen import SKIP_KEYS
from preferences.models import Comparison, ComparisonPlan, Preference
from preferences.queries.comparisons import (
    OwnPlan,
    find_chosen_side,
    find_last_answer,
    get_own_plan,
    list_own_preferences,
)
from preferences.queries.shown_documents import ComparedDocument, list_compared_documents
from preferences.services.comparisons import DisplayedComparison, sign_display

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

Kind = ComparisonPlan.Kind
QUESTIONS = {
    Kind.DOCUMENTS: "Which document answers the topic better?",
    Kind.RANKINGS: "Which list answers the topic better?",
    Kind.INTERLEAVED: "Pick the documents that answer the topic.",
}
SIDE_LABELS = {"left": "left is better", "right": "right is better", "tie": "equally good"}


@dataclass(frozen=True)
class ComparedSide:
    """One side: a document, or a ranking."""

    name: str
    label: str
    docno: str = ""
    document: Document | None = None
    documents: Sequence[ComparedDocument] = ()


@dataclass(frozen=True)
class ComparisonOnScreen:
    """A comparison to judge. ``previous`` is the assessor's last answer, ``side`` the one that it
    named; the answer counts unless ``undone``. Named ``document`` in shared templates.
    """

    display: str
    token: UUID | None
    topic: Topic
    sides: Sequence[ComparedSide]
    documents: Sequence[ComparedDocument]
    previous: Preference | None
    side: str
    undone: bool
    uuid: UUID = field(default_factory=uuid4)

    @property
    def answer(self) -> str:
        """The previous answer in words."""
        return describe_answer(self.previous) if self.previous else ""


@dataclass(frozen=True)
class ComparisonScreen:
    """The context around a comparison; names are those of the judging screen."""

    topic: Topic | None
    progress: OwnPlan
    last: Preference | None
    rationale: str = "no"
    recent: tuple[Preference, ...] = ()
    new_guidelines: bool = False
    undo_uuid: UUID = field(default_factory=uuid4)

    @property
    def total(self) -> int:
        return self.progress.done + self.progress.left

    @property
    def last_answer(self) -> str:
        return describe_answer(self.last) if self.last else ""


@dataclass(frozen=True)
class ComparisonDeskPage:
    campaign: Campaign
    plan: ComparisonPlan
    question: str
    screen: ComparisonScreen
    document: ComparisonOnScreen | None
    reasons: list[tuple[str, str, StrPromise]]
    home_url: str
    here_url: str
    skip_url: str
    message: str
    is_open: bool


def build_comparison(
    actor: User, display: DisplayedComparison, token: UUID | None
) -> ComparisonOnScreen:
    """``display`` with its documents and what ``actor`` answered before."""
    comparison = display.comparison
    previous = find_last_answer(actor, comparison)
    undone = previous is not None and is_undone(previous)
    kind, picks = comparison.plan.kind, previous.picks if previous else []
    interleaved = kind == Kind.INTERLEAVED
    campaign = comparison.plan.campaign
    return ComparisonOnScreen(
        display=sign_display(actor, comparison, swapped=display.swapped),
        token=token,
        topic=comparison.topic,
        sides=() if interleaved else build_sides(campaign, comparison, swapped=display.swapped),
        documents=(
            list_compared_documents(campaign, comparison.content["documents"], picks)
            if interleaved
            else ()
        ),
        previous=previous,
        side=find_chosen_side(previous, swapped=display.swapped) if previous else "",
        undone=undone,
    )


def build_sides(
    campaign: Campaign, comparison: Comparison, *, swapped: bool
) -> tuple[ComparedSide, ...]:
    """Left and right."""
    order = ("b", "a") if swapped else ("a", "b")
    names = zip(("left", "right"), ("Left", "Right"), order, strict=True)
    if comparison.plan.kind == Kind.RANKINGS:
        return tuple(
            ComparedSide(
                name, label, documents=list_compared_documents(campaign, comparison.content[side])
            )
            for name, label, side in names
        )
    docnos = {"a": comparison.docno_a, "b": comparison.docno_b}
    return tuple(
        ComparedSide(name, label, docnos[side], find_document(campaign, docnos[side]))
        for name, label, side in names
    )


def is_undone(preference: Preference) -> bool:
    """Whether a later revision withdrew it."""
    later = Preference.objects.filter(
        comparison=preference.comparison_id,
        assessor=preference.assessor_id,
        revision__gt=preference.revision,
    )
    return later.exists()


def describe_answer(preference: Preference) -> str:
    """An answer as its assessor gave it, by side; never by run."""
    if preference.kind == Preference.Kind.SKIP:
        return "skipped"
    if preference.comparison.plan.kind == Kind.INTERLEAVED:
        count = len(preference.picks)
        return f"{count} picked" if count else "none picked"
    return SIDE_LABELS[find_chosen_side(preference, swapped=preference.swapped)]


def build_desk_page(
    request: HttpRequest,
    plan: ComparisonPlan,
    document: ComparisonOnScreen | None,
    message: str,
) -> ComparisonDeskPage:
    actor, campaign = request.user, plan.campaign
    assert isinstance(actor, User)  # noqa: S101  # for mypy
    args = [campaign.slug, plan.pk]
    return ComparisonDeskPage(
        campaign=campaign,
        plan=plan,
        question=plan.question or QUESTIONS[Kind(plan.kind)],
        screen=ComparisonScreen(
            topic=document.topic if document else None,
            progress=get_own_plan(actor, plan),
            last=list_own_preferences(actor, campaign, plan).first(),
        ),
        document=document,
        reasons=[(name, SKIP_KEYS[name], label) for name, label in SKIP_REASONS.items()],
        home_url=reverse("comparisons", args=[campaign.slug]),
        here_url=reverse("comparison-desk", args=args),
        skip_url=reverse("comparison-skip", args=args),
        message=message,
        is_open=campaign.takes_judgments(),
    )
