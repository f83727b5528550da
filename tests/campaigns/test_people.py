"""Teams, members and invitation links."""

from datetime import timedelta

import pytest
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.models import Event, Invitation, Member, Role, Team, User
from campaigns.queries.confirmations.people import describe_removal
from campaigns.services import people
from campaigns.services.campaigns import create_campaign
from tests.refusals import refusing
from tests.world.people import SCALE, user

SECOND = timedelta(seconds=1)


@pytest.fixture
def invite(campaign, organizer):
    """``invite(role)``: an invitation and its token."""

    def make(role: str, **fields):
        made = people.create_invitation(actor=organizer, campaign=campaign, role=role, **fields)
        return made, people.sign_invitation_token(made)

    return make


def test_accept_makes_a_member_of_the_links_team(campaign, invite, stranger):
    invitation, token = invite("participant", team_name="Gamma")
    member = people.accept_invitation(user=stranger, token=token)
    assert (member.role, member.team.name) == ("participant", "Gamma")
    invitation.refresh_from_db()
    assert invitation.uses_left == 0
    told = Event.objects.filter(campaign=campaign, code="member.joined").first()
    assert (told.actor, told.subject) == (stranger, "stranger (participant, Gamma)")


def test_a_link_stays_the_same_and_links_of_before_are_good(invite, monkeypatch):
    invitation, token = invite("viewer", uses=2)
    before = signing.dumps(invitation.pk, salt=people.SALT)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert people.sign_invitation_token(invitation) == token != before
    assert people.get_invitation(before) == people.get_invitation(token) == invitation
    with refusing("bad-link"):
        people.get_invitation(token[:-1] + ("a" if token[-1] != "a" else "b"))


def test_accept_again_uses_nothing_up(invite, stranger):
    invitation, token = invite("viewer", uses=2)
    first, again = (people.accept_invitation(user=stranger, token=token) for _ in range(2))
    assert first == again
    invitation.refresh_from_db()
    assert invitation.uses_left == 1


def test_accept_does_not_raise_a_role(invite, assessor):
    invitation, token = invite("organizer")
    with refusing("has-role"):
        people.accept_invitation(user=assessor, token=token)
    assert [m.role for m in assessor.memberships.all()] == ["assessor"]
    invitation.refresh_from_db()
    assert invitation.uses_left == 1


def test_accept_does_not_change_teams(invite, participant):
    with refusing("has-role"):
        people.accept_invitation(user=participant, token=invite("participant", team_name="Beta")[1])


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda _: Invitation.objects.update(uses_left=0), "used-up"),
        (lambda _: Invitation.objects.update(expires_at=timezone.now() - SECOND), "expired"),
        (lambda i: people.revoke_invitation(actor=i.created_by, invitation=i), "revoked"),
    ],
)
def test_accept_of_a_dead_link_says_why(invite, stranger, spoil, code):
    invitation, token = invite("viewer")
    spoil(invitation)
    with refusing(code):
        people.accept_invitation(user=stranger, token=token)
    assert not stranger.memberships.exists()


def test_accept_of_a_forged_link_is_refused(campaign, stranger):
    with refusing("bad-link"):
        people.accept_invitation(user=stranger, token="12:abc:def")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"role": "participant"}, "bad-team"),
        ({"role": "assessor", "team_name": "Alpha"}, "bad-team"),
        ({"role": "king"}, "bad-role"),
        ({"role": "viewer", "uses": 0}, "bad-invitation"),
        ({"role": "viewer", "days": 366}, "bad-invitation"),
        ({"role": "participant", "team_name": "x" * 61}, "bad-team"),
        ({"role": "participant", "team_name": " "}, "bad-team"),
    ],
)
def test_invite_with_nonsense_leaves_nothing(campaign, organizer, fields, code):
    with refusing(code):
        people.create_invitation(actor=organizer, campaign=campaign, **fields)
    assert not Invitation.objects.exists()
    assert not Team.objects.exists()


def test_only_organizers_invite_add_and_remove(campaign, assessor, stranger):
    with pytest.raises(PermissionDenied):
        people.create_invitation(actor=assessor, campaign=campaign, role="organizer")
    with pytest.raises(PermissionDenied):
        people.add_member(actor=assessor, campaign=campaign, user=stranger, role="viewer")
    with pytest.raises(PermissionDenied):
        people.remove_member(actor=assessor, member=assessor.memberships.get())


def test_add_member_with_a_team_of_another_campaign_is_refused(campaign, organizer, stranger):
    other = create_campaign(actor=organizer, title="Other", scale=SCALE)
    team = people.get_or_create_team(actor=organizer, campaign=other, name="Alpha")
    fields = {"actor": organizer, "campaign": campaign, "user": stranger, "role": "participant"}
    with refusing("bad-team"):
        people.add_member(**fields, team=team)


def test_add_member_gives_a_second_role_but_no_second_team(
    campaign, organizer, participant, other_team
):
    fields = {"actor": organizer, "campaign": campaign, "user": participant}
    people.add_member(**fields, role=Role.VIEWER)
    assert participant.memberships.count() == 2
    with refusing("other-team"):
        people.add_member(**fields, role=Role.PARTICIPANT, team=other_team)


def test_the_last_organizer_stays(campaign, organizer):
    member = Member.objects.get(campaign=campaign, user=organizer)
    with refusing("last-organizer"):
        people.remove_member(actor=organizer, member=member)
    second = people.add_member(
        actor=organizer, campaign=campaign, user=user("second"), role="organizer"
    )
    people.remove_member(actor=second.user, member=member)
    assert [m.user for m in campaign.members.all()] == [second.user]


def test_make_team_finds_the_team_of_that_name(campaign, organizer, team):
    assert people.get_or_create_team(actor=organizer, campaign=campaign, name=" Alpha ") == team


def test_sign_up_makes_the_account_only_with_an_open_link(invite):
    _, token = invite("assessor")
    made = people.create_account(token=token, username="ann", password="secret secret", name="Ann")
    assert made.check_password("secret secret")
    assert made.memberships.get().role == "assessor"
    with refusing("used-up"):
        people.create_account(token=token, username="bob", password="x")
    assert not User.objects.filter(username="bob").exists()


def test_who_was_removed_does_not_come_back_by_their_own_link(campaign, organizer, stranger):
    """Nor by another of their team."""
    given = {"campaign": campaign, "actor": organizer}
    second = people.add_member(**given, user=stranger, role="organizer")
    made = people.create_invitation(actor=stranger, campaign=campaign, role="organizer", uses=9)
    people.remove_member(actor=organizer, member=second, decision=agreed(second))
    assert not Invitation.objects.filter(pk=made.pk).exists()
    member = people.add_member(**given, user=stranger, role="participant", team="Gamma")
    colleague = people.create_invitation(**given, role="participant", team_name="Gamma")
    people.remove_member(actor=organizer, member=member, decision=agreed(member))
    assert not Invitation.objects.filter(pk=colleague.pk).exists()


def agreed(member: Member) -> Decision:
    choices = describe_removal(member).iter_choices()
    return Decision(frozenset(choice.code for choice in choices))


def test_an_organizer_who_cannot_sign_in_does_not_count(campaign, organizer, stranger):
    people.add_member(actor=organizer, campaign=campaign, user=stranger, role="organizer")
    User.objects.filter(pk=stranger.pk).update(is_active=False)
    own = campaign.members.get(user=organizer, role="organizer")
    with refusing("last-organizer"):
        people.remove_member(actor=organizer, member=own, decision=agreed(own))
