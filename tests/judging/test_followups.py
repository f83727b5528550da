"""What a judgment sets off: a third assessor, a blind repeat; and training before all."""

import re
from uuid import uuid4

import pytest

from campaigns.errors import ActionRefused
from judging.models import Judgment, Plan, Purpose, Slot, TrainingPair
from judging.queries.judgments import current_judgments
from judging.services.judgments import claim_next, undo_judgment
from judging.services.reviews import request_review
from judging.services.training import answer_training_pair, next_training_pair
from judging.views.reviews import list_review_notices
from tests.refusals import refusal
from tests.world.judgments import submit_judgment


@pytest.fixture
def third_plan(double_plan, organizer, assessor, assessor2, assessor3) -> Plan:
    from judging.services.assignments import assign_topics

    Plan.objects.filter(pk=double_plan.pk).update(third_from=2)
    people = {number: [assessor, assessor2, assessor3] for number in "123"}
    assign_topics(actor=organizer, plan=double_plan, assessors=people)
    return Plan.objects.get(pk=double_plan.pk)


def slots_of(docno: str) -> list[tuple[int, str]]:
    found = Slot.objects.filter(item__docno=docno, purpose="judge").order_by("k")
    return list(found.values_list("k", "state"))


def test_a_third_is_asked_where_two_are_far_apart(
    third_plan, assessor, assessor2, assessor3, grade, next_of
):
    grade(assessor, "d1", 0)
    grade(assessor2, "d1", 1)
    assert slots_of("d1") == [(0, "judged"), (1, "judged")]
    grade(assessor2, "d1", 2)
    assert slots_of("d1") == [(0, "judged"), (1, "judged"), (100, "open")]
    grade(assessor, "d1", 3)
    assert next_of(assessor).item.docno == "d2"
    third = next_of(assessor3)
    assert (third.item.docno, third.k) == ("d1", 100)
    grade(assessor3, "d1", 3, token=third.token)
    assert slots_of("d1") == [(0, "judged"), (1, "judged"), (100, "judged")]


def test_no_third_while_one_judgment_is_missing_or_skipped(
    third_plan, assessor, assessor2, grade, skip
):
    grade(assessor, "d1", 0)
    skip(assessor2, "d1", "broken")
    assert slots_of("d1") == [(0, "judged"), (1, "skipped")]


def walk(assessor, campaign, topic, give) -> list[tuple[str, str]]:
    """Judge all that comes; return the documents in order and what they were for."""
    seen = []
    while (slot := claim_next(actor=assessor, campaign=campaign, topic=topic)) is not None:
        seen.append((slot.item.docno, slot.purpose))
        give(assessor, slot.item.docno, len(seen) % 3, token=slot.token)
    return seen


def test_a_document_comes_again_later_and_once(repeat_plan, campaign, assessor, topic, grade):
    seen = walk(assessor, campaign, topic, grade)
    for name in (f"x{n:02}" for n in range(3)):
        first, again = (at for at, (docno, _) in enumerate(seen) if docno == name)
        assert seen[first][1] == "judge"
        assert seen[again][1] == "repeat"
        assert again - first > 3
    assert len(seen) == 9
    assert seen[3:5] == [("x03", "judge"), ("x00", "repeat")]


def test_repeats_are_kept_apart_from_judgments(repeat_plan, campaign, assessor, topic, grade):
    walk(assessor, campaign, topic, grade)
    assert current_judgments(campaign).count() == 6
    again = Judgment.objects.filter(purpose=Purpose.REPEAT)
    assert {row.revision for row in again} == {1}
    assert sorted(again.values_list("docno", flat=True)) == ["x00", "x01", "x02"]
    ranks = Judgment.objects.order_by("pk").values_list("rank_shown", flat=True)
    assert list(ranks) == list(range(1, 10))


def test_a_change_of_the_first_judgment_is_no_repeat(
    repeat_plan, campaign, assessor, grade, next_of
):
    first = next_of(assessor)
    grade(assessor, "x00", 1, token=first.token)
    assert grade(assessor, "x00", 2).purpose == "judge"
    assert grade(assessor, "x00", 3, token=first.token).purpose == "judge"
    for _ in range(3):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, 1, token=slot.token)
    again = next_of(assessor)
    assert (again.item.docno, again.purpose) == ("x00", "repeat")
    # Its lease is taken away while it is on the screen: it stays a repeat.
    Slot.objects.filter(pk=again.pk).update(
        state="open", assessor=None, expires_at=None, token=uuid4()
    )
    assert grade(assessor, "x00", 0, token=again.token).purpose == "repeat"
    assert grade(assessor, "x00", 0, token=again.token).revision == 2
    assert current_judgments(campaign).get(docno="x00").grade == 3


def test_undo_of_a_repeat_takes_the_repeat_back(repeat_plan, campaign, assessor, grade, next_of):
    for _ in range(4):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, 1, token=slot.token)
    slot = next_of(assessor)
    assert slot.purpose == "repeat"
    grade(assessor, slot.item.docno, 2, token=slot.token)
    assert undo_judgment(actor=assessor, campaign=campaign).purpose == "repeat"
    again = next_of(assessor)
    assert (again.pk, again.purpose) == (slot.pk, "repeat")
    assert current_judgments(campaign).filter(docno=slot.item.docno).exists()


def test_looking_again_at_a_repeated_document_changes_what_counts(
    repeat_plan, campaign, organizer, assessor, grade, next_of, as_user
):
    for value in (1, 1, 1, 1, 2):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, value, token=slot.token)
    assert slot.purpose == "repeat"
    pair = ("1", slot.item.docno)
    request_review(actor=organizer, campaign=campaign, assessor=assessor, documents=[pair])
    [notice] = list_review_notices(campaign, assessor)
    page = as_user(assessor).get(notice.links[0].url).content.decode()
    token = re.search(r'<article[^>]*data-token="([^"]+)"', page)[1]
    assert grade(assessor, slot.item.docno, 3, token=token).purpose == "judge"
    assert current_judgments(campaign).get(docno=slot.item.docno).grade == 3


@pytest.fixture
def training(campaign, topic) -> list[TrainingPair]:
    pairs = [("t1", 2), ("t2", 0)]
    return [
        TrainingPair.objects.create(
            campaign=campaign, topic=topic, docno=docno, grade=grade, position=at
        )
        for at, (docno, grade) in enumerate(pairs)
    ]


def test_training_comes_before_the_real_work(plan, training, campaign, assessor, grade, next_of):
    with pytest.raises(ActionRefused, match="training"):
        next_of(assessor)
    while (pair := next_training_pair(actor=assessor, campaign=campaign)) is not None:
        uuid = uuid4()
        for given in (1, 1, 3):
            said = {"actor": assessor, "campaign": campaign, "pair": pair}
            kept = answer_training_pair(
                **said, grade=given, client_uuid=uuid if given == 1 else uuid4()
            )
            assert (kept.grade, kept.purpose, kept.revision) == (1, "training", 1)
    assert Judgment.objects.count() == 2
    assert current_judgments(campaign).count() == 0
    assert next_of(assessor).item.docno == "d1"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"flags": ["nice"]}, "no-flag"),
        ({"flags": ["broken", "broken"]}, "no-flag"),
        ({"flags": ["duplicate"], "duplicate_of": "d1"}, "no-original"),
        ({"flags": ["duplicate"], "duplicate_of": "no such"}, "no-original"),
        ({"passages": [(4, 4, "x")]}, "bad-passages"),
        ({"passages": [(0, None, "x")]}, "bad-passages"),
        ({"passages": [(0, 1, "")]}, "bad-passages"),
        ({"passages": [(0, 1, "x")] * 51}, "bad-passages"),
    ],
)
def test_bad_marks_are_refused(plan, grade, assessor, more, code):
    assert refusal(grade, assessor, "d1", 1, **more) == code
    assert Judgment.objects.count() == 0


def test_a_relevant_document_needs_a_passage_where_the_plan_asks(
    plan, campaign, assessor, topic, grade
):
    Plan.objects.update(rationale=Plan.Rationale.RELEVANT)
    grade(assessor, "d1", 0)
    assert refusal(grade, assessor, "d2", campaign.relevance_level) == "no-passage"
    given = submit_judgment(
        actor=assessor, campaign=campaign, topic=topic, docno="d2", grade=2, passages=[(0, 3,
        "abc")],
    )  # fmt: skip
    assert given.grade == 2
