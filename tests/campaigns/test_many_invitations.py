"""Lists of invitations, and handing a campaign over. 1 s."""

import csv

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied

from campaigns.models import Event, Invitation, Member, Team
from campaigns.services import people
from campaigns.services.invitation_lists import create_invitations
from tests.confirming import confirm
from tests.pages import read_words
from tests.refusals import list_faults, refusing
from tests.world.people import user

URL = "/c/small/people/invite/list/"
LIST = """\
address,name,role,team
ada@example.org,Ada,participant,Okapi
"bob@example.org","Bob, B.",participant,Okapi
cy@example.org,Cy,assessor,
"""


def test_every_fault_of_a_list_is_told_and_nothing_is_done(campaign, organizer, page):
    wrong = LIST + (
        "ada@example.org,Ada,viewer,\nnonsense,N,viewer,\nd@example.org,D,king,\n"
        "e@example.org,E,participant,\nf@example.org,F,viewer,Okapi\ng@example.org\n"
        f"h@example.org,H,participant,{'x' * 61}\n"
    )
    faults = list_faults(create_invitations, actor=organizer, campaign=campaign, text=wrong)
    assert [(fault.line, fault.code) for fault in faults] == [
        (5, "EV04"), (6, "EV03"), (7, "EV05"), (8, "EV07"), (9, "EV07"), (10, "EV02"),
        (11, "EV08"),
    ]  # fmt: skip
    answer = page.post(URL, {"rows": wrong})
    assert (answer.status_code, "line 7" in read_words(answer)) == (422, True)
    assert not Invitation.objects.exists()
    assert not Team.objects.exists()


@pytest.mark.parametrize(
    ("text", "code"), [("a,b\n", "EV01"), ("address,name,role,team\n", "EV06")]
)
def test_a_list_needs_a_head_and_people(campaign, organizer, text, code):
    faults = list_faults(create_invitations, actor=organizer, campaign=campaign, text=text)
    assert code in [fault.code for fault in faults]


def test_a_list_becomes_links_and_mails(page, campaign):
    assert page.post(URL, {"rows": LIST}).status_code == 302
    assert [message.to for message in mail.outbox] == [
        ["ada@example.org"], ["bob@example.org"], ["cy@example.org"],
    ]  # fmt: skip
    assert Team.objects.get().name == "Okapi"
    rows = csv.DictReader(page.get("/c/small/people/invitations.csv").content.decode().splitlines())
    links = {row["address"]: row["link"] for row in rows}
    assert links.keys() == {"ada@example.org", "bob@example.org", "cy@example.org"}
    assert all("http://testserver/join/" in link for link in links.values())


def test_without_mail_the_links_are_there_to_download(campaign, page, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    answer = page.post(URL, {"rows": LIST}, follow=True)
    assert "3 invitations created, 0 sent by mail." in read_words(answer)
    assert Invitation.objects.count() == 3


def test_only_organizers_invite_by_lists(campaign, assessor):
    with pytest.raises(PermissionDenied):
        create_invitations(actor=assessor, campaign=campaign, text=LIST)


def test_a_campaign_is_handed_over_in_one_act(campaign, organizer, viewer, page):
    url = f"/c/small/people/transfer/?successor={viewer.pk}"
    assert "Hand Small Task over to viewer?" in read_words(page.get(url))
    assert confirm(page, url, confirm=[]).status_code == 422
    assert confirm(page, url)["Location"] == "/"
    roles = set(Member.objects.values_list("user__username", "role"))
    assert roles == {("viewer", "viewer"), ("viewer", "organizer")}
    event = Event.objects.get(code="ownership.transferred")
    assert event.data["confirmed"]["consents"] == ["hands-over"]
    assert page.get("/c/small/").status_code == 404


def test_it_is_handed_to_members_only(campaign, organizer, viewer):
    for successor in (user("outsider"), organizer):
        with refusing("bad-successor"):
            people.transfer_ownership(actor=organizer, campaign=campaign, successor=successor)
    with pytest.raises(PermissionDenied):
        people.transfer_ownership(actor=viewer, campaign=campaign, successor=viewer)
