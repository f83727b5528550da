"""Qrels versions are shown to nobody until they are released to the teams, or published."""

import pytest
from django.test import override_settings
from django.urls import reverse

from campaigns import store
from campaigns.models import Mail, Topic, User
from crowd.models import GoldPair, Study
from judging.queries.qrels_release import describe_qrels_release
from judging.services.qrels_release import release_qrels
from tests.confirming import confirm
from tests.refusals import refusal

ROLES = ("anonymous", "stranger", "viewer", "owner", "rival", "assessor", "organizer", "foreigner")


def list_statuses(world, client_for) -> dict[str, list[int]]:
    """For each role: the version's own address, that of the data file, and how many the API has."""
    own = reverse("qrels-download", args=["small", 1])
    file = reverse("data-file", args=["small", "qrels-1.txt"])
    found = {}
    for role in ROLES:
        client = client_for(role)
        listed = client.get("/api/data-files/?campaign=small").json()["results"]
        count = sum(each["name"] == "qrels-1.txt" for each in listed)
        found[role] = [client.get(own).status_code, client.get(file).status_code, count]
    return found


FROZEN = {
    "anonymous": [302, 302, 0], "stranger": [404, 404, 0], "viewer": [403, 404, 0],
    "owner": [403, 404, 0], "rival": [403, 404, 0], "assessor": [403, 404, 0],
    "organizer": [200, 404, 0], "foreigner": [404, 404, 0],
}  # fmt: skip
TEAMS = FROZEN | {role: [200, 200, 1] for role in ("owner", "rival", "organizer")}
PUBLIC = {role: [200, 200, 1] for role in ROLES} | {
    "anonymous": [302, 200, 1], "stranger": [404, 200, 1], "foreigner": [404, 200, 1],
}  # fmt: skip


@override_settings(POOLBENCH_API_RATE="", POOLBENCH_ANONYMOUS_RATE="")
def test_who_has_a_version_before_and_after_each_act(world, client_for):
    User.objects.filter(username="owner").update(email="owner@example.org")
    assert list_statuses(world, client_for) == FROZEN
    client, address = client_for("organizer"), reverse("qrels-release", args=["small", 1])
    assert confirm(client, address, confirm=["for-teams"]).status_code == 422
    assert confirm(client, address).status_code == 302
    assert list_statuses(world, client_for) == TEAMS
    assert confirm(client, f"{address}?to=everybody").status_code == 302
    assert list_statuses(world, client_for) == PUBLIC
    text = client_for("anonymous").get(reverse("data-file", args=["small", "qrels-1.txt"]))
    assert text.getvalue() == store.get_blob(world.qrels.path)
    codes = [event.code for event in world.campaign.events.filter(code__startswith="qrels.")]
    assert codes == ["qrels.published", "qrels.released", "qrels.frozen"]
    kept = world.campaign.events.get(code="qrels.released").data["confirmed"]
    assert kept["consents"] == ["for-teams"]
    assert "judging-open" in kept["overridden"]
    mails = Mail.objects.filter(kind="qrels_released")  # once, though it was published too
    assert {mail.address for mail in mails} == {"owner@example.org", ""}
    mail = mails.get(address="owner@example.org")
    assert mail.subject == "Qrels 1 released: Small"
    assert world.qrels.sha256 in mail.body


def test_a_version_is_never_taken_back(world):
    actor, qrels = world.people["organizer"], world.qrels
    release_qrels(actor=actor, qrels=qrels, audience="everybody")
    for audience in ("everybody", "teams", "organizers", "nobody"):
        assert refusal(release_qrels, actor=actor, qrels=qrels, audience=audience) == (
            "already-released"
        )


def test_topics_withheld_since_are_not_shown(world):
    Topic.objects.filter(campaign=world.campaign, number="1").update(withheld=True)
    act = {"actor": world.people["organizer"], "qrels": world.qrels, "audience": "teams"}
    assert refusal(release_qrels, **act) == "withheld-topics"


@pytest.mark.parametrize(("state", "is_open"), [("running", True), ("stopped", False)])
def test_gold_by_which_workers_are_tested_has_to_be_overridden(world, state, is_open):
    Study.objects.filter(pk=world.study.pk).update(state=state)
    campaign, by = world.campaign, world.people["organizer"]
    for number, docno in (("1", "d1"), ("1", "d9"), ("2", "d1")):  # the first one is judged
        topic = campaign.topics.get(number=number)
        GoldPair.objects.create(campaign=campaign, topic=topic, docno=docno, grade=2, created_by=by)
    matters = describe_qrels_release(world.qrels, "teams").open
    gold = [matter.text for matter in matters if matter.override.code == "gold-known"]
    one = "1 gold pair of crowd studies that have not ended is in these qrels."
    assert gold == [one] * is_open
