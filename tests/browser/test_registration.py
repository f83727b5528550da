"""A stranger signs up, confirms the address and registers a team; an organizer approves. 6 s.

All of it without scripts, by mail alone.
"""

import re

import pytest
from django.core import mail

from campaigns.models import Campaign, Mail, Member
from campaigns.services.accounts import confirm_address
from tests.browser.test_accessibility import serious

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a new long passphrase"


@pytest.fixture
def takes_teams(campaign, organizer, settings, live_server):
    settings.ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.POOLBENCH_URL = live_server.url
    confirm_address(organizer, "organizer@example.org")
    Campaign.objects.update(registration="approval")


def find_link(message) -> str:
    return re.search(r"http://[^\s/]+/\S+", message.body)[0]


def test_a_team_comes_in_by_mail_alone(takes_teams, open_page, visit, organizer):
    page = open_page(java_script_enabled=False)
    page.goto("/c/small/register/")
    page.get_by_role("link", name="Create account").click()
    page.get_by_label("Your name").fill("Stephen R.")
    page.get_by_label("E-mail").fill("stephen@city.example")
    page.get_by_label("Password", exact=False).first.fill(PASSWORD)
    page.get_by_label("Confirm password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.goto(find_link(mail.outbox[-1]))
    page.get_by_role("button", name="Confirm address").click()
    page.get_by_label("Username or e-mail").fill("stephen@city.example")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Small Task").click()
    page.get_by_label("Name of the team").fill("Okapi Farm")
    page.get_by_label("Affiliation").fill("City")
    page.get_by_role("button", name="Register team").click()
    page.get_by_text("waits for an organizer").wait_for()

    boss = visit(organizer, find_link(Mail.objects.get(kind="team_requested")))
    assert serious(boss) == []
    boss.get_by_role("button", name="Approve Okapi Farm").click()
    boss.get_by_text("Team Okapi Farm takes part.").wait_for()

    page.goto(find_link(Mail.objects.get(kind="team_approved")))
    page.get_by_label("E-mail").fill("karen@city.example")
    page.get_by_role("button", name="Create invitation").click()
    page.get_by_text("Invitation sent to karen@city.example").wait_for()
    assert mail.outbox[-1].to == ["karen@city.example"]
    assert Member.objects.filter(team__name="Okapi Farm").count() == 1


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/2fa/"])
def test_pages_of_accounts_are_accessible(takes_teams, open_page, visit, organizer, path):
    if "2fa" in path:
        page = visit(organizer, path, color_scheme="dark")
    else:
        page = open_page(color_scheme="dark")
        page.goto(path)
    assert serious(page) == []
