"""Documents to look at again: the list on *My topics*, and the desk that goes through them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from campaigns.models import Campaign, User
from judging.models import Judgment, ReviewRequest
from judging.queries.judgments import Pair
from judging.queries.screen import current_judgments_by
from judging.queries.today import list_open_reviews
from judging.views.judging_screen import (
    JudgingDocument,
    get_current_document,
    judgment_change_url,
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


def list_review_notices(campaign: Campaign, assessor: User) -> list[ReviewNotice]:
    """The open requests to the assessor. A document is done once it was judged again."""
    reviews = [row for row in list_open_reviews(campaign) if row.assessor_id == assessor.pk]
    docnos = {docno for review in reviews for _topic, docno in review.documents}
    judgments = current_judgments_by(campaign, assessor).filter(docno__in=docnos) if docnos else ()
    current = {(row.topic.number, row.docno): row for row in judgments}

    def link(review: ReviewRequest, topic: str, docno: str) -> ReviewLink:
        judgment = current.get((topic, docno))
        if judgment is None:
            return ReviewLink(topic, docno, None, "", done=False)
        url = judgment_change_url(campaign, judgment, review.pk)
        done = judgment.judged_at > review.requested_at
        return ReviewLink(topic, docno, judgment, url, done=done)

    return [ReviewNotice(row, [link(row, *pair) for pair in row.documents]) for row in reviews]


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
    documents = (
        get_current_document(actor, campaign, row.topic, row.docno, str(row.lease or ""))
        for row in left[:count]
    )
    return [document for document in documents if document is not None]
