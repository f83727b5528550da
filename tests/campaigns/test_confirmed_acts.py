"""The facts before an act, and the acts: removing members, conflicting roles, closing submission,
deleting the collection.
"""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import (
    Confirmation,
    ConfirmationChoice,
    Consequence,
    Decision,
    OpenMatter,
)
from campaigns.errors import ConfirmationNeeded
from campaigns.models import Campaign, Member, Role
from campaigns.services.campaigns import close_submissions
from campaigns.services.people import add_member, remove_member
from tests.confirming import api, confirm, read_confirmation
from tests.pages import read_page
from tests.refusals import refusing
from tests.world.files import checked_run

MEMBERS = "/c/small/people/"


def member_of(campaign, user) -> Member:
    return campaign.members.get(user=user)


# Members


def test_removing_a_member_says_what_stays_and_needs_consent(
    as_user, organizer, participant, campaign, team
):
    checked_run(participant, campaign, team)
    address = reverse("member-remove", args=["small", member_of(campaign, participant).pk])
    client = as_user(organizer)
    assert address in read_page(client.get(MEMBERS))
    page = read_page(client.get(address))
    assert "Remove participant as participant?" in page
    assert "They are the only member of team Alpha, which has 1 run." in page
    assert "can no longer open the campaign" in page
    assert confirm(client, address, confirm=["loses-access"]).status_code == 422
    assert client.post(address).status_code == 200
    assert campaign.members.filter(user=participant).exists()
    assert confirm(client, address).status_code == 302
    kept = campaign.events.get(code="member.removed").data["confirmed"]
    assert (kept["overridden"], kept["consents"]) == (["team-empty"], ["loses-access"])


def test_a_removal_that_was_overtaken_is_shown_again(
    as_user, organizer, participant, campaign, team
):
    address = reverse("member-remove", args=["small", member_of(campaign, participant).pk])
    client = as_user(organizer)
    form = read_confirmation(client.get(address))
    checked_run(participant, campaign, team)
    assert client.post(address, form).status_code == 409
    assert campaign.members.filter(user=participant).exists()


def test_the_last_organizer_is_told_on_the_page(as_user, organizer, campaign):
    address = reverse("member-remove", args=["small", member_of(campaign, organizer).pk])
    refused = confirm(as_user(organizer), address)
    assert refused.status_code == 409
    assert "You cannot remove the last organizer" in read_page(refused)


def test_the_api_removes_with_consent(organizer, assessor, campaign):
    address = reverse("api-member-remove", args=[member_of(campaign, assessor).pk])
    refused = api(organizer).post(address, {}, format="json")
    assert (refused.status_code, refused.data["missing"]) == (409, ["loses-access"])
    body = {"confirm": ["loses-access"]}
    assert api(organizer).post(address, body, format="json").status_code == 204
    assert not campaign.members.filter(user=assessor).exists()


# Conflicting roles


@pytest.mark.parametrize("role", ["assessor", "adjudicator", "organizer"])
def test_a_conflicting_role_is_added_only_after_a_warning(
    as_user, organizer, participant, campaign, role
):
    client, address = as_user(organizer), reverse("member-add", args=["small"])
    body = {"username": "participant", "role": role, "team": ""}
    asked = client.post(address, body)
    assert asked.status_code == 302
    page = read_page(client.get(asked.url))
    assert f"would have conflicting roles: participant, {role}" in page
    assert confirm(client, asked.url, confirm=[]).status_code == 422
    assert campaign.members.filter(user=participant).count() == 1
    assert confirm(client, asked.url).status_code == 302
    assert campaign.members.filter(user=participant).count() == 2
    event = campaign.events.filter(code="member.joined").first()
    assert event.data["confirmed"]["overridden"] == ["conflicting-roles"]
    assert read_page(client.get(MEMBERS)).count("conflicting roles</span>") == 2


def test_a_participant_role_conflicts_as_well(as_user, organizer, assessor, campaign, team):
    body = {"username": "assessor", "role": "participant", "team": "Alpha"}
    asked = as_user(organizer).post(reverse("member-add", args=["small"]), body)
    assert asked.status_code == 302
    assert confirm(as_user(organizer), asked.url).status_code == 302
    assert campaign.members.get(user=assessor, role="participant").team == team


def test_roles_that_do_not_conflict_need_no_consent(as_user, organizer, assessor, campaign):
    body = {"username": "assessor", "role": "adjudicator", "team": ""}
    done = as_user(organizer).post(reverse("member-add", args=["small"]), body)
    assert done.url == MEMBERS
    assert "conflicting roles" not in read_page(as_user(organizer).get(MEMBERS))
    with pytest.raises(ConfirmationNeeded):
        add_member(
            actor=organizer, campaign=campaign, user=assessor, role=Role.PARTICIPANT,
            team=campaign.teams.create(name="New"), decision=Decision(),
        )  # fmt: skip


def test_the_api_flags_and_marks_conflicting_roles(organizer, participant, campaign):
    address, client = reverse("api-member-list"), api(organizer)
    body = {"campaign": "small", "username": "participant", "role": "assessor"}
    refused = client.post(address, body, format="json")
    assert (refused.status_code, refused.data["missing"]) == (409, ["conflicting-roles"])
    body["confirm"] = ["conflicting-roles"]
    assert client.post(address, body, "json").status_code == 201
    rows = client.get(address, {"campaign": "small"}).json()["results"]
    marked = {(row["username"], row["role"]): row["conflicts"] for row in rows}
    assert marked["participant", "assessor"] == ["participant", "assessor"]
    assert marked["participant", "participant"] == ["participant", "assessor"]
    assert marked["organizer", "organizer"] == []
    assert api(participant).get(address).json()["results"] == []


# Submission


def test_closing_submission_is_confirmed_logged_and_told(
    as_user, organizer, participant, campaign, team, other_team
):
    before = timezone.now() + timedelta(days=9)
    Campaign.objects.update(runs_deadline=before)
    client, address = as_user(organizer), reverse("submissions-close", args=["small"])
    page = read_page(client.get(address))
    assert "2 teams without an accepted run: Alpha, Beta." in page
    assert "1 team, 1 person" in page
    assert confirm(client, address, confirm=[]).status_code == 422
    campaign.refresh_from_db()
    assert campaign.takes_runs()
    assert confirm(client, address).status_code == 302
    campaign.refresh_from_db()
    assert not campaign.takes_runs()
    event = campaign.events.get(code="submissions.closed")
    assert event.data["deadline_before"] == before.isoformat()
    assert event.data["confirmed"]["overridden"] == ["teams-without-run"]
    assert client.get(address).status_code == 302
    told = read_page(as_user(participant).get("/c/small/runs/"))
    assert "Submission closed" in told
    assert "Submit run" not in told


def test_the_api_closes_submission_with_consent(organizer, participant, campaign):
    address = reverse("api-campaign-close-submissions", args=["small"])
    refused = api(organizer).post(address, {}, format="json")
    assert refused.status_code == 409
    done = api(organizer).post(address, {"confirm": refused.data["missing"]}, format="json")
    assert done.status_code == 200
    assert done.data["runs_deadline"] is not None
    with refusing("already-closed"):
        close_submissions(actor=organizer, campaign=campaign)


def test_old_notices_end_and_other_teams_campaigns_are_silent(
    as_user, organizer, participant, stranger, campaign
):
    close_submissions(actor=organizer, campaign=campaign)
    assert "Submission closed" in read_page(as_user(participant).get("/c/small/"))
    Campaign.objects.update(runs_deadline=timezone.now() - timedelta(days=31))
    assert "Submission closed" not in read_page(as_user(participant).get("/c/small/"))
    campaign.teams.update(runs_deadline=timezone.now() - timedelta(days=1))
    assert "Submission closed" in read_page(as_user(participant).get("/c/small/"))


# The collection


@pytest.mark.parametrize("noun", ["topics", "documents"])
def test_deleting_the_collection_is_confirmed(as_user, organizer, campaign, noun):
    client, address = as_user(organizer), reverse(f"{noun}-delete", args=["small"])
    rows = getattr(campaign, noun)
    count = rows.count()
    assert f"Delete {count} {noun}" in read_page(client.get(address))
    assert confirm(client, address, confirm=[]).status_code == 422
    assert rows.count() == count
    assert confirm(client, address).status_code == 302
    assert not rows.exists()
    assert campaign.events.get(code=f"{noun}.deleted").data["confirmed"]["consents"]


@pytest.mark.parametrize("noun", ["topics", "documents"])
def test_a_collection_in_use_is_not_even_asked_about(
    as_user, organizer, participant, campaign, team, noun
):
    client, act = as_user(organizer), f"Delete all {noun}"
    assert act in read_page(client.get(reverse(noun, args=["small"])))
    checked_run(participant, campaign, team)
    assert act not in read_page(client.get(reverse(noun, args=["small"])))
    for ask in (client.get, client.post):
        answer = ask(reverse(f"{noun}-delete", args=["small"]))
        assert answer.status_code == 409
        assert "cannot be deleted" in read_page(answer)
    assert getattr(campaign, noun).exists()


def test_without_a_decision_a_program_is_not_asked(organizer, assessor, campaign):
    remove_member(actor=organizer, member=member_of(campaign, assessor))
    assert "confirmed" not in campaign.events.get(code="member.removed").data


CLOSE = ConfirmationChoice("close", "Close now")
OPEN = OpenMatter(
    "Open until Friday.", ConfirmationChoice("open", "Although open"), "2 waiting", remedy=CLOSE
)
LATE = OpenMatter("3 open.", ConfirmationChoice("late", "Although 3 are open"))
ASKED = Confirmation(
    question="Release?",
    before="Before you release",
    button="Release to 3 teams",
    back="/",
    open=(OPEN, LATE),
    done=("All runs are in.",),
    consequences=(Consequence("3 teams", "see their scores."),),
    consents=(ConfirmationChoice("seen", "3 teams see it"),),
)


def missing(*codes: str) -> list[str]:
    return [choice.code for choice in ASKED.list_missing(Decision(frozenset(codes)))]


def test_every_open_matter_and_every_consent_is_needed():
    assert missing() == ["open", "late", "seen"]
    assert missing("open", "late", "seen") == []
    assert missing("late", "unknown") == ["open", "seen"]


def test_a_remedy_stands_for_the_override():
    assert missing("close", "late", "seen") == []


def test_the_digest_covers_what_was_read_but_not_running_counts():
    counted = replace(ASKED, open=(replace(OPEN, detail="1 waiting"), LATE))
    assert counted.digest == ASKED.digest
    others = (
        replace(ASKED, open=(OPEN,)),
        replace(ASKED, open=(OPEN, replace(LATE, text="4 open."))),
        replace(ASKED, consequences=(Consequence("4 teams", "see their scores."),)),
        replace(ASKED, done=()),
        replace(ASKED, consents=()),
    )
    assert len({ASKED.digest, *(other.digest for other in others)}) == 6


def test_the_log_keeps_the_facts_and_the_choices():
    kept = ASKED.record(Decision(frozenset({"close", "late", "seen", "unknown"})))
    assert kept["overridden"] == ["late"]
    assert kept["consents"] == ["seen"]
    assert kept["ticked"] == ["close", "late", "seen"]
    assert kept["open"][0] == {
        "code": "open", "text": "Open until Friday.", "detail": "2 waiting",
    }  # fmt: skip
    assert kept["consequences"] == [["3 teams", "see their scores."]]
    both = ASKED.record(Decision(frozenset({"open", "late", "seen"})))
    assert both["overridden"] == ["open", "late"]
