"""The pages of adjudication and of qrels releases, as organizers and adjudicators use them."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Role, User
from judging.models import Judgment, Plan, Purpose, Qrels
from judging.services.adjudication import (
    list_pairs_to_adjudicate,
    open_round,
    record_meeting_decision,
)
from judging.services.judgments import claim_next
from judging.services.qrels import freeze_qrels
from tests.confirming import confirm
from tests.csv_reading import csv_body
from tests.examples import ALL
from tests.pages import read_page
from tests.world.people import joined


@pytest.fixture
def disputed(restore, double_plan, campaign):
    """d1 0/3, d2 1/1, d3 1/2, with comments."""
    restore("reasons")
    return campaign


@pytest.fixture
def visit(client):
    """``visit(user, name, *args, **query)``: the page as text."""

    def get(user: User, name: str, *args: object, **query: object) -> str:
        client.force_login(user)
        answer = client.get(reverse(name, args=["small", *args], query=query))
        assert answer.status_code == 200
        return read_page(answer)

    return get


@pytest.fixture
def send(client):
    """``send(user, name, body, *args, **query)``: where the post leads to, as text."""

    def post(user: User, name: str, body: dict, *args: object, **query: object) -> str:
        client.force_login(user)
        address = reverse(name, args=["small", *args], query=query)
        answer = client.post(address, body, follow=True)
        assert answer.status_code == 200
        return read_page(answer)

    return post


@pytest.fixture
def send_confirmed(client):
    """As ``send``, through the confirmation page."""

    def post(user: User, name: str, *args: object, data: dict | None = None) -> str:
        client.force_login(user)
        done = confirm(client, reverse(name, args=["small", *args]), data)
        return read_page(client.get(done.url))

    return post


def token_in(page: str) -> str:
    return re.search(r'name="token" value="([^"]+)"', page)[1]


# Rounds


def test_an_organizer_opens_a_round_and_ends_it(
    disputed, organizer, adjudicator, visit, send, send_confirmed
):
    page = visit(organizer, "adjudication")
    assert "2</dd>" in page
    body = {"apart": "2", "blind": "open", "adjudicators": [adjudicator.pk]}
    assert "Round opened: 1 pair to adjudicate" in send(organizer, "round-open", body)
    plan = disputed.plans.get(kind=Plan.Kind.ADJUDICATE)
    assert (plan.blind, plan.slots.get().item.docno) == (False, "d1")
    told = send(organizer, "round-open", body)
    assert "No pairs with this grade difference" in told
    assert "Round closed; 1 pair left" in send_confirmed(organizer, "round-end", plan.pk)
    assert not plan.slots.exists()


def test_a_round_without_adjudicators_is_told(disputed, organizer, visit, send):
    assert "A round needs an adjudicator" in visit(organizer, "adjudication")
    joined(disputed, "adjudicator", Role.ADJUDICATOR)
    assert "to fix" in send(organizer, "round-open", {"apart": "1", "blind": "blind"})


def test_agreed_pairs_can_be_left_out(begin, organizer, assessor, grade, visit, send):
    plan = begin()
    grade(assessor, "d3", 2)
    assert "Remove 1 now in agreement" in visit(organizer, "adjudication")
    send(organizer, "round-end", {"only": "agreed"}, plan.pk)
    assert [slot.item.docno for slot in plan.slots.all()] == ["d1"]


def test_an_adjudicator_sees_own_work_and_no_organizers_figures(begin, adjudicator, visit):
    begin()
    page = visit(adjudicator, "adjudication")
    assert "0 of 2 adjudicated or skipped" in page
    assert "assessor2" not in page
    assert "New round" not in page
    head = visit(adjudicator, "campaign")
    assert "2 disagreements to adjudicate" in head
    assert reverse("adjudicate", args=["small"]) in head


# The screen of a round


@pytest.mark.parametrize("blind", [True, False])
def test_the_screen_shows_the_judgments_only_where_the_round_is_open(
    begin, adjudicator, visit, blind
):
    begin(blind=blind)
    page = visit(adjudicator, "adjudicate")
    assert "Document 1" in page
    for said in ("first on d1", "second on d1", "Judgments by assessor", "<blockquote"):
        assert (said in page) is not blind
    for secret in ("assessor2", "SECRETRUN", "SECRETTEAM", "98765432"):
        assert secret not in page


def test_pairs_are_settled_skipped_and_taken_back_by_plain_posts(begin, adjudicator, visit, send):
    begin()
    page = visit(adjudicator, "adjudicate")
    body = {"docno": "d1", "client_uuid": uuid4(), "token": token_in(page), "grade": "2"}
    page = send(adjudicator, "adjudicate", body, topic="1")
    assert "Document 3" in page
    assert 'aria-label="Documents adjudicated or skipped"' in page
    assert "1 of 2" in page
    body = {"docno": "d3", "client_uuid": uuid4(), "token": token_in(page), "reason": "undecided"}
    page = send(adjudicator, "adjudication-skip", body, topic="1")
    assert "All resolved" in page
    page = send(adjudicator, "adjudication-undo", {"client_uuid": uuid4()})
    assert "Document 3" in page
    log = Judgment.objects.filter(purpose=Purpose.ADJUDICATE).order_by("pk")
    said = [("d1", "grade"), ("d3", "skip"), ("d3", "withdrawn")]
    assert list(log.values_list("docno", "kind")) == said
    assert {row.lease is not None for row in log[:2]} == {True}


def test_what_is_refused_is_told_and_the_next_pair_comes(begin, adjudicator, visit, send):
    begin()
    body = {"docno": "d1", "client_uuid": uuid4(), "grade": "9"}
    page = send(adjudicator, "adjudicate", body, topic="1")
    assert "Not saved. Grade 9 is not on the grade scale" in page
    assert "the form was incomplete" in send(adjudicator, "adjudicate", {}, topic="1")
    assert not Judgment.objects.filter(purpose=Purpose.ADJUDICATE).exists()


def test_nothing_left_is_told_calmly(disputed, adjudicator, visit):
    page = visit(adjudicator, "adjudicate")
    assert "No disagreements for you" in page


# The meeting


def test_the_meeting_lists_filters_and_settles_one_after_another(disputed, organizer, visit, send):
    page = visit(organizer, "consensus")
    assert page.index(">d1</a>") < page.index(">d3</a>")
    assert ">d3</a>" not in visit(organizer, "consensus", apart=2)
    assert ">d1</a>" not in visit(organizer, "consensus", of="2")
    both = {"one": "assessor", "other": "assessor2"}
    assert ">d1</a>" in visit(organizer, "consensus", **both)
    assert ">d1</a>" not in visit(organizer, "consensus", one="organizer")
    page = visit(organizer, "consensus-pair", topic="1", docno="d1")
    assert "first on d1" in page
    assert "<bdi>assessor2</bdi>" in page
    body = {
        "topic": "1",
        "docno": "d1",
        "grade": "2",
        "client_uuid": uuid4(),
        "comment": "so be it",
    }
    page = send(organizer, "consensus-pair", body, topic="1", docno="d1")
    assert "first on d3" in page
    made = Judgment.objects.get(purpose=Purpose.ADJUDICATE)
    assert (made.docno, made.grade, made.comment) == ("d1", 2, "so be it")
    body |= {"docno": "d3", "client_uuid": uuid4()}
    page = send(organizer, "consensus-pair", body, topic="1", docno="d3")
    assert "No unresolved pairs left in this list" in page
    assert "resolved" in visit(organizer, "consensus", state="settled")


def test_a_decision_can_be_taken_back_at_the_meeting(disputed, organizer, topic, visit, send):
    record_meeting_decision(
        actor=organizer, campaign=disputed, topic=topic, docno="d1", grade=2, client_uuid=uuid4()
    )
    assert '<span class="word">Undo</span>' in visit(
        organizer, "consensus-pair", topic="1", docno="d1"
    )
    body = {"topic": "1", "docno": "d1", "client_uuid": uuid4()}
    assert "Not resolved yet" in send(organizer, "consensus-undo", body)
    assert "no decision to undo" in send(organizer, "consensus-undo", body | {
        "client_uuid": uuid4()
    })  # fmt: skip


def test_adjudicators_meet_letters_not_names(disputed, adjudicator, visit):
    assert "assessor2" not in visit(adjudicator, "consensus")
    assert ">d1</a>" in visit(adjudicator, "consensus", one="organizer")
    page = visit(adjudicator, "consensus-pair", topic="1", docno="d1")
    assert "<strong>A</strong>" in page
    assert "first on d1" in page
    assert "assessor2" not in page


def test_the_meeting_hides_what_one_may_still_get_blind(begin, adjudicator, visit, client):
    begin(blind=True)
    assert ">d1</a>" not in visit(adjudicator, "consensus")
    address = reverse("consensus-pair", args=["small"], query={"topic": "1", "docno": "d1"})
    assert client.get(address).status_code == 404


def test_an_assessor_who_adjudicates_does_not_meet_pairs_still_to_judge(
    double_plan, campaign, assessor, assessor2, assessor3, topic, grade, visit
):
    campaign.members.create(user=assessor3, role=Role.ADJUDICATOR)
    double_plan.slots.filter(item__docno="d1").first()
    for user, value in ((assessor, 0), (assessor2, 3)):
        grade(user, "d1", value)
    assert ">d1</a>" in visit(assessor3, "consensus")
    double_plan.assignments.create(topic=topic, assessor=assessor3)
    double_plan.slots.create(
        item=double_plan.slots.filter(item__docno="d1")[0].item, topic=topic, k=2, position=0
    )
    assert ">d1</a>" not in visit(assessor3, "consensus")


def test_the_disagreements_download(disputed, organizer, visit):
    lines = csv_body(visit(organizer, "disagreements-download")).splitlines()
    assert lines[0] == "topic,docno,apart,crosses_relevance,state,adjudicated,assessor,assessor2"
    assert lines[1:] == ["1,d1,3,1,new,,0,3", "1,d3,1,0,new,,1,2"]


def test_adjudicators_open_only_their_pages(disputed, adjudicator, client):
    client.force_login(adjudicator)
    statuses = {
        name: client.get(reverse(name, args=["small"])).status_code
        for name in ("adjudication", "consensus", "adjudicate", "disagreements-download",
                     "qrels-list", "judging", "agreement", "work")
    }  # fmt: skip
    assert statuses == {
        "adjudication": 200, "consensus": 200, "adjudicate": 200, "disagreements-download": 403,
        "qrels-list": 403, "judging": 403, "agreement": 403, "work": 403,
    }  # fmt: skip


@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.full), 3])
def test_a_screen_costs_the_same_queries_however_much_waits(
    disputed, organizer, adjudicator, client, django_assert_num_queries, count
):
    pairs = list_pairs_to_adjudicate(disputed, min_difference=1, crossing=False)
    topic = pairs[0][0]
    pairs = [*pairs, (topic, "d4", 0.0)][:count]
    open_round(
        actor=organizer, campaign=disputed, pairs=pairs, adjudicators=[adjudicator], blind=False
    )
    claim_next(actor=adjudicator, campaign=disputed, topic=None, kind=Plan.Kind.ADJUDICATE)
    client.force_login(adjudicator)
    with django_assert_num_queries(QUERIES):
        client.get(reverse("adjudicate", args=["small"]))


QUERIES = 16


# Qrels


def test_policies_are_set_side_by_side_with_how_many_pairs_differ(disputed, organizer, visit):
    page = visit(organizer, "qrels-list", policy="majority")
    rows = dict(
        re.findall(r'mono">([a-z-]+)</span></th>.*?<td class="num">([\d–]+)</td></tr>', page)
    )
    assert rows == {
        "single": "2", "majority": "–", "median-floor": "1", "mean-floor": "1", "maximum": "2",
    }  # fmt: skip


def test_the_form_puts_a_policy_together(disputed, organizer, topic, send_confirmed):
    record_meeting_decision(
        actor=organizer, campaign=disputed, topic=topic, docno="d1", grade=2, client_uuid=uuid4()
    )
    forms = (
        ({"policy": "majority", "adjudicated": "on"}, "adjudicated-majority"),
        ({"policy": "own", "own": "assessor:assessor"}, "assessor:assessor"),
        ({"policy": "adjudicated-maximum"}, "adjudicated-maximum"),
        ({"policy": "maximum"}, "maximum"),
    )
    for body, name in forms if ALL else forms[:2]:
        page = send_confirmed(organizer, "qrels-freeze", data=body)
        frozen = Qrels.objects.latest("version")
        assert f"Qrels {frozen.version} frozen: " in page
        assert frozen.policy == name


def test_what_the_form_cannot_release_is_told(disputed, organizer, send):
    assert "Unknown policy: loudest" in send(organizer, "qrels-list", {"policy": "loudest"})
    told = send(organizer, "qrels-list", {"policy": "assessor:nobody"})
    assert "nobody is not an assessor who has judged" in told
    assert "single leaves 2 pairs undecided" in send(organizer, "qrels-list", {"policy": "single"})
    told = send(organizer, "qrels-list", {"policy": "majority", "as_of": "2999-01-01T00:00:00"})
    assert "must not be in the future" in told
    assert not Qrels.objects.exists()


def test_a_release_as_of_a_past_moment_from_the_page(disputed, organizer, send_confirmed):
    before = timezone.now()
    Judgment.objects.filter(docno="d3").update(judged_at=before + timezone.timedelta(hours=1))
    body = {"policy": "maximum", "as_of": f"{before:%Y-%m-%dT%H:%M:%S.%f}"}
    assert "Qrels 1 frozen: 2 pairs" in send_confirmed(organizer, "qrels-freeze", data=body)


def test_two_releases_are_compared(disputed, organizer, topic, visit):
    release = {"actor": organizer, "campaign": disputed}
    freeze_qrels(**release, policy="majority")
    record_meeting_decision(
        actor=organizer, campaign=disputed, topic=topic, docno="d1", grade=2, client_uuid=uuid4()
    )
    made = freeze_qrels(**release, policy="adjudicated-majority")
    page = visit(organizer, "qrels-compare")
    assert "From qrels 1 to qrels 2" in page
    assert ">d1<" in page
    assert ">d3<" not in page
    lines = csv_body(visit(organizer, "qrels-changes", before=1, after=2)).splitlines()
    assert lines == ["topic,docno,before,after", "1,d1,0,2"]
    same = visit(organizer, "qrels-compare", before=2, after=2)
    assert "the same pairs and grades" in same
    page = visit(organizer, "qrels", made.version)
    assert "Decided by adjudication" in page
    assert "organizer 1" in page


def test_a_release_that_is_not_there_is_not_compared(disputed, organizer, client):
    client.force_login(organizer)
    address = reverse("qrels-compare", args=["small"])
    assert client.get(address).status_code == 404
    freeze_qrels(actor=organizer, campaign=disputed, policy="majority")
    for asked in ("?before=7", "?before=x", "?after=99999999999"):
        assert client.get(address + asked).status_code == 404
    assert client.get(address).status_code == 200
