"""Teams that register themselves: requests, the page of a team, terms, leaving. 3 s."""

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from campaigns.models import Campaign, Event, Invitation, Mail, Member, Team, TeamRequest
from campaigns.queries.teams import list_team_rows
from campaigns.services import people, teams
from campaigns.services.accounts import is_sign_up_open
from campaigns.services.campaigns import update_campaign
from campaigns.services.teams import TeamEntry
from tests.confirming import confirm
from tests.pages import read_page, read_words
from tests.refusals import refusing
from tests.world.people import user

ENTRY = TeamEntry("Okapi Farm", "City University", "Stephen R., s@city.example")
POSTED = {"name": "Okapi\r\nFarm", "affiliation": "City University", "contact": "Stephen R."}
REGISTER = "/c/small/register/"


@pytest.fixture
def takes_teams(campaign, organizer):
    """``takes_teams(registration)``: the campaign lets teams register, with terms."""

    def change(registration: str = "approval", terms: str = "# Terms\n\nBe **kind**."):
        return update_campaign(
            actor=organizer, campaign=campaign, registration=registration, terms=terms
        )

    return change


@pytest.fixture
def waiting(takes_teams, stranger):
    return teams.request_team(actor=stranger, campaign=takes_teams(), entry=ENTRY, terms_version=1)


def test_a_team_registers_and_an_organizer_approves(takes_teams, as_user, stranger, organizer):
    takes_teams()
    organizer.email = "boss@example.org"
    organizer.save()
    client = as_user(stranger)
    assert "<strong>kind</strong>" in read_page(client.get(REGISTER))
    assert "is required" in read_page(client.post(REGISTER, POSTED | {"version": 1}))
    assert client.post(REGISTER, POSTED | {"version": 1, "accept": "on"})["Location"] == REGISTER
    assert "waits for an organizer" in read_words(client.get(REGISTER))
    assert client.get("/c/small/").status_code == 404
    assert (Team.objects.count(), TeamRequest.objects.get().name) == (0, "Okapi Farm")
    letter = Mail.objects.get(kind="team_requested")
    assert (letter.address, "Okapi Farm" in letter.subject) == ("boss@example.org", True)

    boss = as_user(organizer)
    assert "1 team waits for your approval" in read_words(boss.get("/c/small/"))
    assert "Okapi Farm" in read_words(boss.get("/c/small/people/"))
    pk = TeamRequest.objects.get().pk
    assert boss.post(f"/c/small/people/requests/{pk}/approve/").status_code == 302
    member = Member.objects.get(user=stranger)
    assert (member.role, member.team.affiliation) == ("participant", "City University")
    codes = set(Event.objects.values_list("code", flat=True))
    assert {"team.requested", "terms.accepted", "team.created", "member.joined"} <= codes
    with refusing("already-decided"):
        teams.approve_team_request(actor=organizer, request=TeamRequest.objects.get())


def test_a_refusal_has_a_reason_that_the_person_reads(waiting, as_user, organizer, stranger):
    with refusing("no-reason"):
        teams.refuse_team_request(actor=organizer, request=waiting, reason=" ")
    teams.refuse_team_request(actor=organizer, request=waiting, reason="Two teams a site.")
    shown = read_words(as_user(stranger).get(REGISTER))
    assert "was not accepted" in shown
    assert "Two teams a site." in shown
    again = teams.request_team(
        actor=stranger, campaign=waiting.campaign, entry=ENTRY, terms_version=1
    )
    assert again.state == "waiting"


def test_an_open_campaign_takes_a_team_at_once(takes_teams, as_user, stranger):
    takes_teams("open", terms="")
    assert as_user(stranger).post(REGISTER, POSTED)["Location"] == "/c/small/team/"
    assert Member.objects.get(user=stranger).team.name == "Okapi Farm"


def test_who_cannot_register(takes_teams, waiting, campaign, organizer, stranger, as_user):
    register = {"campaign": campaign, "entry": ENTRY, "terms_version": 1}
    with refusing("request-waiting"):
        teams.request_team(actor=stranger, **register)
    with refusing("has-role"):
        teams.request_team(actor=organizer, **register)
    with refusing("terms-changed"):
        teams.request_team(actor=user("late"), **register | {"terms_version": 0})
    people.get_or_create_team(actor=organizer, campaign=campaign, name="okapi farm")
    with refusing("team-exists"):
        teams.request_team(actor=user("twin"), **register)
    with pytest.raises(IntegrityError), transaction.atomic():
        TeamRequest.objects.create(campaign=campaign, user=stranger, name="other")
    takes_teams("closed")
    with refusing("registration-closed"):
        teams.request_team(actor=user("other"), **register)
    assert as_user(stranger).get(REGISTER).status_code == 404


def test_only_organizers_decide(waiting, assessor, participant):
    for actor in (assessor, participant, waiting.user):
        with pytest.raises(PermissionDenied):
            teams.approve_team_request(actor=actor, request=waiting)
        with pytest.raises(PermissionDenied):
            teams.refuse_team_request(actor=actor, request=waiting, reason="no")


def test_other_teams_are_not_found(participant, rival, team, other_team, as_user):
    client = as_user(participant)
    assert "Alpha" in read_page(client.get("/c/small/team/"))
    assert client.get(f"/c/small/people/teams/{other_team.pk}/").status_code == 403
    with refusing("other-team"):
        teams.update_team(actor=participant, team=other_team, affiliation="x", contact="x")
    with refusing("other-team"):
        teams.invite_colleague(actor=participant, team=other_team)
    theirs, _ = teams.invite_colleague(actor=rival, team=other_team)
    gone = client.post("/c/small/team/", {"act": "revoke", "invitation": theirs.pk})
    assert (gone.status_code, Invitation.objects.count()) == (404, 1)
    elsewhere = Client()
    elsewhere.force_login(user("outsider"))
    assert elsewhere.get("/c/small/team/").status_code == 404


def test_a_member_invites_by_mail_and_by_link(participant, team, as_user, stranger):
    client = as_user(participant)
    client.post("/c/small/team/", {"act": "invite", "address": "karen@example.org"})
    (message,) = mail.outbox
    link = next(word for word in message.body.split() if "/join/" in word)
    assert (message.to, Mail.objects.count()) == (["karen@example.org"], 0)
    page = read_page(client.get("/c/small/team/"))
    path = link.removeprefix("http://localhost:8000")
    assert "karen@example.org" in page
    assert path in page
    joined = as_user(stranger).post(path)
    assert (joined["Location"], Member.objects.get(user=stranger).team) == ("/c/small/", team)


def test_a_team_has_a_limit_of_invitations(participant, team):
    for _ in range(teams.MOST_INVITATIONS):
        made, _sent = teams.invite_colleague(actor=participant, team=team)
    teams.revoke_team_invitation(actor=participant, invitation=made)
    with refusing("too-many-invitations"):
        teams.invite_colleague(actor=participant, team=team)


def test_names_put_no_line_into_a_mail(participant, team):
    participant.first_name = "Eve\r\nBcc: all@example.org\r\n"
    participant.save()
    teams.invite_colleague(actor=participant, team=team, address="karen@example.org")
    (message,) = mail.outbox
    assert (message.recipients(), "\n" in message.subject) == (["karen@example.org"], False)
    assert "Bcc" not in message.message()


def test_new_terms_are_accepted_anew(participant, takes_teams, as_user):
    takes_teams()
    client = as_user(participant)
    assert "Terms of participation not accepted" in read_words(client.get("/c/small/"))
    assert client.post("/c/small/team/terms/", {"version": "1"})["Location"] == "/c/small/team/"
    assert "not accepted" not in read_words(client.get("/c/small/team/"))
    assert client.post("/c/small/team/terms/", {"version": "1"}).status_code == 302
    takes_teams(terms="Be kinder.")
    assert client.post("/c/small/team/terms/", {"version": "1"}).status_code == 409
    assert "not accepted" in read_words(client.get("/c/small/team/"))
    client.post("/c/small/team/terms/", {"version": "2"})
    accepted = participant.accepted_terms.values_list("terms__version", "terms__text")
    assert sorted(accepted) == [(1, "# Terms\n\nBe **kind**."), (2, "Be kinder.")]


def test_the_last_member_who_leaves_is_asked(participant, alpha, as_user):
    client = as_user(participant)
    shown = read_words(client.get("/c/small/team/leave/"))
    assert "You are the only member of the team" in shown
    assert confirm(client, "/c/small/team/leave/", confirm=[]).status_code == 422
    assert confirm(client, "/c/small/team/leave/")["Location"] == "/"
    assert not participant.memberships.exists()
    assert client.get("/c/small/team/leave/").status_code == 404


def test_organizers_see_who_has_not_submitted(page, campaign, organizer, alpha, rival, other_team):
    people.get_or_create_team(actor=organizer, campaign=campaign, name="Gamma")
    states = {row.team.name: row.state for row in list_team_rows(campaign)}
    assert states == {"Alpha": "submitted", "Beta": "no-runs", "Gamma": "no-members"}
    rival.email = "rival@example.org"
    rival.save()
    shown = read_words(page.get("/c/small/people/teams/?state=no-runs"))
    assert ("Beta" in shown, "Gamma" in shown) == (True, False)
    assert "rival@example.org" in read_page(page.get("/c/small/people/teams/?state=no-runs"))


def test_a_member_changes_what_the_team_says_of_itself(participant, team, as_user):
    fields = {"act": "details", "affiliation": "City <b>", "contact": "Karen"}
    assert as_user(participant).post("/c/small/team/", fields).status_code == 302
    team.refresh_from_db()
    assert (team.affiliation, team.contact) == ("City <b>", "Karen")
    assert "City &lt;b&gt;" in read_page(as_user(participant).get("/c/small/team/"))


def test_home_names_campaigns_that_take_teams(takes_teams, waiting, as_user):
    shown = read_words(as_user(waiting.user).get("/"))
    assert "Okapi Farm: waiting" in shown
    assert "Your registration waits for an organizer." in shown
    Campaign.objects.update(registration="closed")
    assert "Okapi Farm" not in read_words(as_user(waiting.user).get("/"))


def test_a_deleted_campaign_takes_no_teams(takes_teams, as_user, stranger):
    takes_teams()
    client = as_user(stranger)
    assert client.get("/c/small/register/").status_code == 200
    Campaign.objects.update(removal_at=timezone.now())
    assert client.get("/c/small/register/").status_code == 404
    assert not is_sign_up_open()


def test_a_request_by_a_member_is_not_approved(waiting, campaign, organizer, stranger):
    people.add_member(actor=organizer, campaign=campaign, user=stranger, role="assessor")
    with refusing("has-role"):
        teams.approve_team_request(actor=organizer, request=waiting)


def test_a_closed_campaign_leaves_teams_alone(campaign, organizer, team, participant):
    type(campaign).objects.update(closed_at=timezone.now())
    team.refresh_from_db()
    for actor in (organizer, participant):
        with refusing("campaign-closed"):
            teams.update_team(actor=actor, team=team, affiliation="x", contact="y")
