"""Documents to look at again: the list on *My topics*, and the desk that goes through them."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from campaigns.models import Campaign, User
from judging.models import Judgment, ReviewRequest
from judging.queries.judgments import Pair
from judging.queries.screen import current_judgments_by, recent_judgments
from judging.queries.today import list_open_reviews
from judging.services.judgments import name_restored
from judging.views.judging_screen import (
    JudgingDocument,
    JudgingScreen,
    build_screen,
    get_current_document,
    strictest_rationale,
)


@dataclass(frozen=True)
class ReviewLink:
    """A document of a request. ``judgment`` is None if the assessor's judgments do not contain it
    any more; ``url`` is the page on which it is changed.
    """

    topic: str
    docno: str
    judgment: Judgment | None
    url: str
    done: bool

    @property
    def pair(self) -> Pair:
        return self.topic, self.docno


@dataclass(frozen=True)
class ReviewNotice:
    """An open request, with the progress that the desk shows."""

    review: ReviewRequest
    links: list[ReviewLink]

    @property
    def done(self) -> int:
        return sum(link.done for link in self.links)

    @property
    def total(self) -> int:
        return sum(link.judgment is not None for link in self.links)

    @property
    def left(self) -> int:
        return self.total - self.done

    @property
    def next_url(self) -> str:
        """Where the desk goes on; "" when all are done."""
        return next((link.url for link in self.links if link.url and not link.done), "")


def list_review_notices(campaign: Campaign, assessor: User) -> list[ReviewNotice]:
    """The open requests to the assessor. A document is done once it was judged again, unless that
    was undone, or once its judgment was kept.
    """
    reviews = [row for row in list_open_reviews(campaign) if row.assessor_id == assessor.pk]
    docnos = {docno for review in reviews for _topic, docno in review.documents}
    judgments = current_judgments_by(campaign, assessor).filter(docno__in=docnos) if docnos else ()
    current = {(row.topic.number, row.docno): row for row in judgments}
    undos = list_own_undos(campaign, assessor, docnos) if docnos else ()
    undone = {name_restored(uuid) for uuid in undos}

    def link(review: ReviewRequest, topic: str, docno: str) -> ReviewLink:
        judgment = current.get((topic, docno))
        if judgment is None:
            return ReviewLink(topic, docno, None, "", done=False)
        query = {"docno": docno, "review": str(review.pk)}
        url = reverse("judge-change", args=[campaign.slug, topic], query=query)
        again = judgment.judged_at > review.requested_at and judgment.client_uuid not in undone
        done = again or [topic, docno] in review.unchanged
        return ReviewLink(topic, docno, judgment, url, done=done)

    return [ReviewNotice(row, [link(row, *pair) for pair in row.documents]) for row in reviews]


def list_own_undos(campaign: Campaign, assessor: User, docnos: Collection[str]) -> list[UUID]:
    """The ``client_uuid`` of the withdrawals of documents among ``docnos``."""
    own = campaign.judgments.filter(assessor=assessor, docno__in=docnos)
    return list(own.filter(kind=Judgment.Kind.WITHDRAWN).values_list("client_uuid", flat=True))


def find_review(campaign: Campaign, assessor: User, pk: str) -> ReviewNotice | None:
    """The assessor's open request with the primary key ``pk``."""
    notices = list_review_notices(campaign, assessor) if pk else ()
    return next((notice for notice in notices if str(notice.review.pk) == pk), None)


def build_review_documents(
    actor: User,
    campaign: Campaign,
    notice: ReviewNotice | None,
    seen: Collection[tuple[str, ...]],
    count: int,
) -> list[JudgingDocument]:
    """The next documents to look at again, without those that the page has ``seen``."""
    left = [
        link.judgment
        for link in (notice.links if notice else ())
        if link.judgment is not None and not link.done and link.pair not in seen
    ]
    # The first judgment is the one that counts: of a repeated document, too, that is changed.
    documents = []
    for row in left[:count]:
        document = get_current_document(actor, campaign, row.topic, row.docno)
        if document is not None:
            require_passages(campaign, document)
            documents.append(document)
    return documents


def require_passages(campaign: Campaign, document: JudgingDocument) -> None:
    """As the plans of its own topic ask: the desk goes through documents of several."""
    document.rationale = strictest_rationale(campaign, [document.topic])


def build_review_screen(
    actor: User, campaign: Campaign, notice: ReviewNotice, document: JudgingDocument
) -> JudgingScreen:
    """The desk that goes through the documents of ``notice``, of all topics."""
    topics = campaign.topics.filter(number__in={link.topic for link in notice.links})
    screen = build_screen(actor, campaign, document.topic)
    screen.review, screen.progress, screen.notebook = notice, notice, None
    screen.recent = recent_judgments(campaign, actor)
    screen.rationale = strictest_rationale(campaign, topics)
    screen.document = document
    require_passages(campaign, document)
    return screen
