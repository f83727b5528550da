"""Freezing qrels, closing a plan or a round: asked before, logged with what was overridden."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from judging.models import Qrels
from tests.confirming import api, confirm, read_confirmation
from tests.pages import read_page


@pytest.fixture
def qrels_address() -> str:
    return reverse("qrels-freeze", args=["small"])


def test_freezing_qrels_lists_open_work(as_user, organizer, begin, disputed, qrels_address):
    begin()
    client = as_user(organizer)
    assert f'formaction="{qrels_address}"' in read_page(client.get("/c/small/results/qrels/"))
    page = read_page(client.get(qrels_address, {"policy": "majority"}))
    assert "Freeze qrels 1?" in page
    assert "3 adjudications open." in page
    assert "Judging is not complete." in page
    answer = confirm(client, qrels_address, {"policy": "majority"}, confirm=["judging-open"])
    assert answer.status_code == 422
    assert not Qrels.objects.exists()
    assert confirm(client, qrels_address, {"policy": "majority"}).status_code == 302
    kept = disputed.events.get(code="qrels.frozen").data["confirmed"]
    assert kept["overridden"] == ["judging-open", "adjudications-open"]


def test_judging_goes_on_while_the_page_is_read(
    as_user, organizer, assessor, grade, disputed, qrels_address
):
    """What was read is frozen: later judgments neither outdate the page nor enter the version."""
    client = as_user(organizer)
    form = read_confirmation(client.post(qrels_address, {"policy": "maximum"}))
    grade(assessor, "d4", 3)
    assert client.post(qrels_address, form).status_code == 302
    text = client.get(f"{Qrels.objects.get().get_absolute_url()}qrels.txt").getvalue().decode()
    assert "1 0 d4 1\n" in text


def test_a_new_round_shows_the_page_again(as_user, organizer, begin, qrels_address):
    client = as_user(organizer)
    form = read_confirmation(client.post(qrels_address, {"policy": "majority"}))
    begin()
    assert client.post(qrels_address, form).status_code == 409
    assert not Qrels.objects.exists()


def test_the_api_and_the_command_ask_the_same(organizer, disputed):
    client = api(organizer)
    body = {"campaign": "small", "policy": "majority"}
    refused = client.post(reverse("api-qrels-list"), body, format="json")
    assert (refused.status_code, refused.data["missing"]) == (409, ["judging-open"])
    with pytest.raises(CommandError, match="judging-open"):
        call_command("qrels", "freeze", "small", "--policy", "majority", stdout=StringIO())
    assert not Qrels.objects.exists()
    confirmed = ("--confirm", "judging-open")
    call_command("qrels", "freeze", "small", "--policy", "majority", *confirmed, stdout=StringIO())
    done = client.post(reverse("api-qrels-list"), body | {"confirm": ["judging-open"]}, "json")
    assert done.status_code == 201


def test_closing_a_plan_says_what_is_canceled(as_user, organizer, double_plan, campaign):
    address = reverse("plan-close", args=["small", double_plan.pk])
    client = as_user(organizer)
    slots = double_plan.slots.count()
    page = read_page(client.get(address))
    assert f"{slots} judgments not yet started are canceled" in page
    assert confirm(client, address, confirm=[]).status_code == 422
    assert double_plan.slots.count() == slots
    assert confirm(client, address).status_code == 302
    assert not double_plan.slots.exists()
    assert campaign.events.get(code="plan.closed").data["confirmed"]["consents"] == ["work-ends"]


def test_closing_a_round_lists_undecided_pairs(as_user, organizer, begin, disputed):
    plan = begin()
    address = reverse("round-end", args=["small", plan.pk])
    client = as_user(organizer)
    assert "3 pairs are not decided." in read_page(client.get(address))
    assert confirm(client, address, confirm=[]).status_code == 422
    assert plan.slots.exists()
    assert confirm(client, address).status_code == 302
    assert not plan.slots.exists()
    kept = disputed.events.get(code="round.closed").data["confirmed"]
    assert kept["overridden"] == ["pairs-undecided"]


def test_removing_an_assessor_names_the_topics_they_hold(
    as_user, organizer, assessor, double_plan, campaign
):
    member = campaign.members.get(user=assessor)
    address = reverse("member-remove", args=["small", member.pk])
    page = read_page(as_user(organizer).get(address))
    assert "3 topics are assigned to them." in page
    assert confirm(as_user(organizer), address, confirm=["loses-access"]).status_code == 422
    assert confirm(as_user(organizer), address).status_code == 302
    assert not campaign.members.filter(user=assessor).exists()


@pytest.mark.parametrize("act", ["pause", "resume", "close"])
def test_the_api_of_plans_leaves_rounds_alone(begin, organizer, disputed, act):
    plan = begin()
    answer = api(organizer).post(reverse(f"api-plan-{act}", args=[plan.pk]), {}, format="json")
    assert answer.status_code == 409
    assert "This is an adjudication round." in read_page(answer)
    assert type(plan).objects.get(pk=plan.pk).state == "open"
    assert plan.slots.count() == 3
    assert not disputed.events.filter(code__startswith="plan.").exclude(code="plan.created")
