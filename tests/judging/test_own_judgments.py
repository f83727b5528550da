"""Going over one's own judgments: what the filters select, and the list on the desk."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from judging.models import Judgment, ReviewRequest
from judging.queries.own_judgments import list_own_judgments
from judging.services.reviews import keep_judgment, start_own_review
from judging.views.reviews import list_review_notices
from tests.pages import read_page
from tests.world.judgments import submit_judgment


@pytest.fixture
def judged(plan, campaign, assessor, topic):
    """d1 changed, d2 unsure, d3 with a comment, d4 fast; all others took a minute each."""

    def act(docno: str, grade: int, **more: object) -> Judgment:
        said = {"active_seconds": 60.0, "docno": docno, "grade": grade, **more}
        return submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)

    act("d1", 1)
    act("d2", 0, flags=["unsure"])
    act("d3", 0, comment="why")
    act("d4", 0, active_seconds=29.9)
    act("d1", 2)
    for at in range(8):
        own = {"campaign": campaign, "topic": topic, "assessor": assessor, "docno": f"x{at}"}
        Judgment.objects.create(
            **own, revision=1, kind="grade", grade=0, source="screen", active_seconds=60.0
        )
    return act


def select(campaign, assessor, kind: str) -> list[str]:
    rows = list_own_judgments(campaign, assessor).select_kind(kind)
    return [row.docno for row in rows]


def test_each_kind_selects_its_judgments(judged, campaign, assessor):
    found = {kind: select(campaign, assessor, kind) for kind in ("unsure", "comment", "changed")}
    assert found == {"unsure": ["d2"], "comment": ["d3"], "changed": ["d1"]}
    assert select(campaign, assessor, "fast") == ["d4"]
    judged("d2", 0)  # No longer unsure; the same grade again is no change.
    assert (select(campaign, assessor, "unsure"), select(campaign, assessor, "changed")) == (
        [],
        ["d1"],
    )


def test_fast_needs_ten_documents_with_a_time(plan, campaign, assessor, topic):
    for docno, seconds in (("d1", 60), ("d2", 1)):
        said = {"docno": docno, "grade": 0, "active_seconds": seconds}
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)
    assert select(campaign, assessor, "fast") == []


def test_other_grades_for_the_same_text(plan, campaign, assessor, assessor2, topic):
    texts = {"d1": "a b", "d2": "A  b", "d3": "c d", "d4": "c d"}
    for docno, body in texts.items():
        campaign.documents.filter(docno=docno).update(title="", body=body)
    group_campaign_duplicates(request_duplicates(campaign))
    for docno, grade in (("d1", 1), ("d2", 0), ("d3", 1), ("d4", 1)):
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=grade)
    assert sorted(select(campaign, assessor, "contradicts")) == ["d1", "d2"]
    # Also of one grade: the other one is what contradicts it.
    zeros = list_own_judgments(campaign, assessor).select_grade(0).select_kind("contradicts")
    assert [row.docno for row in zeros] == ["d2"]
    submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="d2", grade=1)
    assert select(campaign, assessor, "contradicts") == []
    assert select(campaign, assessor2, "contradicts") == []


def test_since_a_day(judged, campaign, assessor):
    yesterday = timezone.now() - timedelta(1)
    Judgment.objects.filter(docno="d2").update(judged_at=yesterday)
    rows = list_own_judgments(campaign, assessor)
    today = [row.docno for row in rows.select_since(timezone.now().date())]
    assert len(rows.select_since(yesterday.date())) == len(today) + 1
    assert "d2" not in today


def test_a_list_of_ones_own_is_ticked_by_keeping_and_by_judging(
    judged, campaign, assessor, as_user, organizer
):
    client = as_user(assessor)
    answer = client.post(reverse("my-review", args=["small"]), {"topic": "1"})
    review = ReviewRequest.objects.get()
    assert (len(review.documents), review.is_own) == (12, True)
    assert answer.url.endswith(f"docno=x7&review={review.pk}")
    assert "j keeps" in read_page(client.get(reverse("my-judgments", args=["small"])))
    act = {"act": "keep", "uuid": str(uuid4()), "review": review.pk, "topic": "1", "docno": "d2"}
    url = reverse("judge-sync", args=["small"])
    for _ in range(2):
        sent = client.post(url, {"acts": [act]}, content_type="application/json").json()
        assert sent["results"][0]["ok"]
    judged("d3", 1)
    (notice,) = list_review_notices(campaign, assessor)
    assert [link.docno for link in notice.links if link.done] == ["d3", "d2"]
    assert "Your list: 2 of 12" in read_page(client.get(reverse("work", args=["small"])))
    bad = client.post(url, {"acts": [act | {"docno": "d9"}]}, content_type="application/json")
    assert bad.json()["results"][0]["code"] == "no-review"
    # It is the assessor's own affair.
    page = read_page(as_user(organizer).get(reverse("judging-today", args=["small"])))
    assert "Sent to look at again" not in page


def test_another_list_takes_its_place_and_an_empty_one_is_refused(judged, campaign, assessor):
    first = start_own_review(actor=assessor, campaign=campaign, documents=[("1", "d1")])
    start_own_review(actor=assessor, campaign=campaign, documents=[("1", "d2")])
    assert [notice.total for notice in list_review_notices(campaign, assessor)] == [1]
    first.refresh_from_db()
    assert first.done_at is not None
    with pytest.raises(ActionRefused, match="No judgments match"):
        start_own_review(actor=assessor, campaign=campaign, documents=[])


def test_a_list_is_kept_by_its_own_assessor_alone(judged, campaign, assessor, assessor2):
    review = start_own_review(actor=assessor, campaign=campaign, documents=[("1", "d1")])
    with pytest.raises(ActionRefused, match="does not contain"):
        keep_judgment(actor=assessor2, campaign=campaign, pk=review.pk, pair=("1", "d1"))


@pytest.mark.parametrize("text", ["2026-02-30", "today", "9999-99-99"])
def test_a_day_that_is_none_selects_all(judged, as_user, assessor, text):
    page = as_user(assessor).get(reverse("my-judgments", args=["small"]), {"since": text})
    assert read_page(page).count("<tr>") == 13


def test_at_the_end_of_a_topic_what_one_was_unsure_of_is_offered(
    plan, campaign, assessor, topic, as_user
):
    for docno in ("d1", "d2", "d3", "d4"):
        flags = ["unsure"] if docno in ("d1", "d3") else []
        said = {"docno": docno, "grade": 0, "flags": flags}
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)
    page = read_page(as_user(assessor).get(reverse("judge", args=["small", "1"])))
    assert "You were unsure of 2 documents." in page
