from uuid import uuid4

from judging.api.judgments import JudgmentViewSet
from judging.api.plans import PlanViewSet
from judging.api.qrels import QrelsViewSet
from judging.api.stopping import StoppingRuleViewSet
from judging.models import Judgment, Plan


def test_an_assessor_judges_through_the_api(plan, assessor, call):
    place = {"campaign": "small", "topic": "1"}
    status, served = call(JudgmentViewSet, assessor, "next", "post", place)
    assert (status, served["docno"], served["body"]) == (200, "d1", "The text of document 1.")
    said = {**place, "docno": "d1", "grade": 2, "client_uuid": str(uuid4())}
    said["token"] = served["token"]
    first = call(JudgmentViewSet, assessor, "create", "post", said)
    assert first == call(JudgmentViewSet, assessor, "create", "post", said)
    assert (first[0], first[1]["grade"], first[1]["source"]) == (200, 2, "api")
    assert first[1]["purpose"] == "judge"
    status, back = call(JudgmentViewSet, assessor, "undo", "post", {"campaign": "small"})
    assert (status, back["kind"], back["docno"]) == (200, "withdrawn", "d1")
    passed = {**said, "client_uuid": str(uuid4()), "reason": "broken"}
    assert call(JudgmentViewSet, assessor, "skip", "post", passed)[1]["kind"] == "skip"


def test_next_is_null_when_nothing_is_left(plan, assessor, grade, call):
    for docno in ("d1", "d2", "d3", "d4"):
        grade(assessor, docno, 1)
    place = {"campaign": "small", "topic": "1"}
    served = call(JudgmentViewSet, assessor, "next", "post", place)[1]
    assert served["docno"] is None


def test_what_the_services_refuse_is_409(plan, assessor, call):
    said = {"campaign": "small", "topic": "1", "docno": "d1", "grade": 9}
    said["client_uuid"] = str(uuid4())
    status, answer = call(JudgmentViewSet, assessor, "create", "post", said)
    assert (status, answer["code"]) == (409, "off-scale")
    said["topic"] = "77"
    assert call(JudgmentViewSet, assessor, "create", "post", said)[0] == 404
    assert not Judgment.objects.exists()


def test_judgments_are_listed_by_role(
    double_plan, organizer, assessor, assessor2, participant, stranger, grade, call
):
    grade(assessor, "d1", 1)
    grade(assessor, "d1", 2)
    grade(assessor2, "d1", 3)

    def seen(user):
        return call(JudgmentViewSet, user, "list")[1]["count"]

    assert [seen(u) for u in (organizer, assessor, assessor2, participant, stranger)] == [
        3, 2, 1, 0, 0,
    ]  # fmt: skip


def test_qrels_and_plans_are_the_organizers(plan, organizer, assessor, participant, grade, call):
    grade(assessor, "d1", 1)
    release = {"campaign": "small", "policy": "single", "confirm": ["judging-open"]}
    status, made = call(QrelsViewSet, organizer, "create", "post", release)
    assert (status, made["pairs"], made["manifest"]["policy"]) == (201, 1, "single")
    assert call(QrelsViewSet, organizer, "text", pk=made["id"]) == (200, b"1 0 d1 1\n")
    assert call(QrelsViewSet, organizer, "retrieve", pk=made["id"])[1]["sha256"] == made["sha256"]
    for user in (assessor, participant):
        assert call(QrelsViewSet, user, "list")[1]["count"] == 0
        assert call(PlanViewSet, user, "list")[1]["count"] == 0
    assert call(PlanViewSet, organizer, "list")[1]["results"][0]["assignments"][0] == {
        "topic": "1",
        "assessor": "assessor",
        "paused": False,
    }


def test_a_plan_is_foreseen_and_made_through_the_api(
    pool, organizer, assessor, assessor2, participant, call
):
    everyone = {number: ["assessor", "assessor2"] for number in "123"}
    asked = {
        "campaign": "small", "pool": 1, "design": "blocks", "assessors": everyone,
        "parameters": {"n": 2, "shared": 4}, "third_from": 0, "order": "docno",
    }  # fmt: skip
    status, seen = call(PlanViewSet, organizer, "preview", "post", asked)
    assert (status, seen["judgments"], seen["shared_least"], seen["exact"]) == (200, 13, 4, True)
    assert {row["judgments"] for row in seen["loads"]} == {6, 7}
    assert not Plan.objects.exists()
    status, made = call(PlanViewSet, organizer, "create", "post", asked)
    assert (status, made["design"], made["overlap"], made["order"]) == (201, "blocks", 2, "docno")
    assert made["parameters"] == {"n": 2, "shared": 4, "rest": 1}
    assert call(PlanViewSet, organizer, "create", "post", asked)[0] == 409
    strange = asked | {"assessors": {"1": ["nobody"]}}
    assert call(PlanViewSet, organizer, "preview", "post", strange)[0] == 409
    assert call(PlanViewSet, organizer, "create", "post", asked | {"pool": 9})[0] == 404


def test_a_plan_is_paused_and_closed_for_good_through_the_api(plan, organizer, call):
    for act, state in (("pause", "paused"), ("resume", "open"), ("close", "closed")):
        if act == "close":
            status, refused = call(PlanViewSet, organizer, act, "post", pk=plan.pk)
            assert (status, refused["code"]) == (409, "not-confirmed")
        consent = {"confirm": ["work-ends"]}
        status, made = call(PlanViewSet, organizer, act, "post", consent, pk=plan.pk)
        assert (status, made["state"], bool(made["closed_at"])) == (200, state, state == "closed")
    for act in ("pause", "resume"):
        assert call(PlanViewSet, organizer, act, "post", pk=plan.pk)[0] == 409
    seen = call(PlanViewSet, organizer, "retrieve", pk=plan.pk)[1]
    assert (seen["state"], seen["closed_at"]) == ("closed", made["closed_at"])


def test_flags_passages_and_the_original_come_through_the_api(plan, assessor, call):
    said = {
        "campaign": "small", "topic": "1", "docno": "d1", "grade": 2,
        "client_uuid": str(uuid4()), "flags": ["duplicate"], "duplicate_of": "d9",
        "passages": [{"start": 4, "end": 8, "text": "text"}, {"text": "pasted"}],
        "active_seconds": 8.5,
    }  # fmt: skip
    status, made = call(JudgmentViewSet, assessor, "create", "post", said)
    assert (status, made["flags"], made["duplicate_of"]) == (200, ["duplicate"], "d9")
    assert made["passages"] == [
        {"start": 4, "end": 8, "text": "text"}, {"start": None, "end": None, "text": "pasted"},
    ]  # fmt: skip
    assert Judgment.objects.get().passages == [[4, 8, "text"], [None, None, "pasted"]]
    assert call(JudgmentViewSet, assessor, "create", "post", {**said, "flags": ["odd"]})[0] == 400
    skip = {**said, "docno": "d2", "client_uuid": str(uuid4()), "reason": "broken"}
    skip |= {"flags": ["broken"]}
    assert call(JudgmentViewSet, assessor, "skip", "post", skip)[1]["flags"] == ["broken"]


def test_a_named_judgment_is_taken_back(plan, assessor, grade, call):
    first = grade(assessor, "d1", 1)
    grade(assessor, "d2", 1)
    back = {"campaign": "small", "of": str(first.client_uuid)}
    status, made = call(JudgmentViewSet, assessor, "undo", "post", back)
    assert (status, made["docno"], made["kind"]) == (200, "d1", "withdrawn")


def test_an_assessor_does_not_see_what_was_a_repeat(
    plan, campaign, organizer, assessor, grade, call
):
    first = grade(assessor, "d1", 1)
    grade(assessor, "d2", 1)
    Judgment.objects.create(
        campaign=campaign, topic=first.topic, docno="d1", assessor=assessor, purpose="repeat",
        revision=1, kind="grade", grade=2, source="screen",
    )  # fmt: skip
    purposes = {assessor: ["judge"] * 3, organizer: ["judge", "judge", "repeat"]}
    for user, expected in purposes.items():
        rows = call(JudgmentViewSet, user, "list")[1]["results"]
        assert sorted(row["purpose"] for row in rows) == expected


def test_the_rule_that_ends_topics_is_set_and_read(plan, organizer, assessor, grade, call):
    grade(assessor, "d1", 0)
    asked = {"campaign": "small", "documents": 1}
    status, made = call(StoppingRuleViewSet, organizer, "create", "post", asked)
    assert (status, made["documents"], made["relevant"], made["ended"]) == (201, 1, None, ["1"])
    status, rows = call(StoppingRuleViewSet, organizer, "list")
    assert [row["id"] for row in rows["results"]] == [made["id"]]
    assert call(StoppingRuleViewSet, assessor, "list")[1]["results"] == []
    wrong = asked | {"documents": 0, "relevant": "many"}
    status, told = call(StoppingRuleViewSet, organizer, "create", "post", wrong)
    assert (status, told.keys()) == (400, {"documents", "relevant"})
