"""Teams, members and invitation links."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Event, Invitation, Member, Role, Team, User
from campaigns.services import people
from tests.world.people import user


def refusal(act, **arguments):
    with pytest.raises(ActionRefused) as caught:
        act(**arguments)
    return caught.value.code


def test_accept_makes_a_member_of_the_links_team(campaign, organizer, stranger):
    invitation = people.create_invitation(
        actor=organizer, campaign=campaign, role="participant", team_name="Gamma"
    )
    member = people.accept_invitation(user=stranger, token=people.sign_invitation_token(invitation))
    assert (member.role, member.team.name) == ("participant", "Gamma")
    invitation.refresh_from_db()
    assert invitation.uses_left == 0
    told = Event.objects.filter(campaign=campaign, code="member.joined").first()
    assert (told.actor, told.subject) == (stranger, "stranger (participant, Gamma)")


def test_accept_again_uses_nothing_up(campaign, organizer, stranger):
    invitation = people.create_invitation(actor=organizer, campaign=campaign, role="viewer", uses=2)
    token = people.sign_invitation_token(invitation)
    assert people.accept_invitation(user=stranger, token=token) == people.accept_invitation(
        user=stranger, token=token
    )
    invitation.refresh_from_db()
    assert invitation.uses_left == 1


def test_accept_does_not_raise_a_role(campaign, organizer, assessor):
    invitation = people.create_invitation(actor=organizer, campaign=campaign, role="organizer")
    assert (
        refusal(
            people.accept_invitation, user=assessor, token=people.sign_invitation_token(invitation)
        )
        == "has-role"
    )
    assert [m.role for m in assessor.memberships.all()] == ["assessor"]
    invitation.refresh_from_db()
    assert invitation.uses_left == 1


def test_accept_does_not_change_teams(campaign, organizer, participant):
    invitation = people.create_invitation(
        actor=organizer, campaign=campaign, role="participant", team_name="Beta"
    )
    assert (
        refusal(
            people.accept_invitation,
            user=participant,
            token=people.sign_invitation_token(invitation),
        )
        == "has-role"
    )


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda i: Invitation.objects.filter(pk=i.pk).update(uses_left=0), "used-up"),
        (
            lambda i: Invitation.objects.filter(pk=i.pk).update(
                expires_at=timezone.now() - timedelta(seconds=1)
            ),
            "expired",
        ),
        (lambda i: people.revoke_invitation(actor=i.created_by, invitation=i), "revoked"),
    ],
)
def test_accept_of_a_dead_link_says_why(campaign, organizer, stranger, spoil, code):
    invitation = people.create_invitation(actor=organizer, campaign=campaign, role="viewer")
    token = people.sign_invitation_token(invitation)
    spoil(invitation)
    assert refusal(people.accept_invitation, user=stranger, token=token) == code
    assert not stranger.memberships.exists()


def test_accept_of_a_forged_link_is_refused(campaign, stranger):
    assert refusal(people.accept_invitation, user=stranger, token="12:abc:def") == "bad-link"


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
    assert refusal(people.create_invitation, actor=organizer, campaign=campaign, **fields) == code
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
    from campaigns.services.campaigns import create_campaign
    from tests.world.people import SCALE

    other = create_campaign(actor=organizer, title="Other", scale=SCALE)
    team = people.get_or_create_team(actor=organizer, campaign=other, name="Alpha")
    code = refusal(
        people.add_member,
        actor=organizer,
        campaign=campaign,
        user=stranger,
        role="participant",
        team=team,
    )
    assert code == "bad-team"


def test_add_member_gives_a_second_role_but_no_second_team(
    campaign, organizer, participant, other_team
):
    people.add_member(actor=organizer, campaign=campaign, user=participant, role=Role.VIEWER)
    assert participant.memberships.count() == 2
    code = refusal(
        people.add_member,
        actor=organizer,
        campaign=campaign,
        user=participant,
        role=Role.PARTICIPANT,
        team=other_team,
    )
    assert code == "other-team"


def test_the_last_organizer_stays(campaign, organizer):
    member = Member.objects.get(campaign=campaign, user=organizer)
    assert refusal(people.remove_member, actor=organizer, member=member) == "last-organizer"
    second = people.add_member(
        actor=organizer, campaign=campaign, user=user("second"), role="organizer"
    )
    people.remove_member(actor=second.user, member=member)
    assert [m.user for m in campaign.members.all()] == [second.user]


def test_make_team_finds_the_team_of_that_name(campaign, organizer, team):
    assert people.get_or_create_team(actor=organizer, campaign=campaign, name=" Alpha ") == team


def test_sign_up_makes_the_account_only_with_an_open_link(campaign, organizer):
    invitation = people.create_invitation(actor=organizer, campaign=campaign, role="assessor")
    token = people.sign_invitation_token(invitation)
    made = people.create_account(token=token, username="ann", password="secret secret", name="Ann")
    assert made.check_password("secret secret")
    assert made.memberships.get().role == "assessor"
    assert refusal(people.create_account, token=token, username="bob", password="x") == "used-up"
    assert not User.objects.filter(username="bob").exists()
