"""Accounts, teams, data, mails, the public page, changed scores: no English left. 5 s."""

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from campaigns.models import Campaign, Mail
from campaigns.services import teams
from campaigns.services.accounts import confirm_address
from campaigns.services.campaigns import update_campaign
from campaigns.services.data_files import add_data_file, release_data_file
from campaigns.services.mail import make_reminder_url, queue_mail
from campaigns.services.public_page import edit_public_page, publish_page
from evaluation.services.release import publish_scores, release_scores
from evaluation.services.scoring import score_campaign
from tests.pages import read_page
from tests.translation.english import find_english, list_english
from tests.world.files import QRELS, qrels_release, run_form, run_text, upload

VISITOR_PAGES = (
    "/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/",
    "/accounts/password/reset/done/", "/accounts/confirm-email/",
    "/accounts/confirm-email/nonsense/", "/accounts/password/reset/key/1-nonsense/",
    "/accounts/password/reset/key/done/",
)  # fmt: skip
ACCOUNT_PAGES = (
    "/account/", "/account/delete/", "/account/mail/", "/accounts/email/", "/accounts/2fa/",
    "/accounts/reauthenticate/", "/accounts/2fa/totp/activate/",
)  # fmt: skip
FACTOR_PAGES = (
    "/account/", "/accounts/2fa/", "/accounts/2fa/recovery-codes/",
    "/accounts/2fa/recovery-codes/generate/", "/accounts/2fa/totp/deactivate/",
)  # fmt: skip
SIGN_IN = {"username": "participant", "password": "correct horse battery"}
GERMAN = {"accept-language": "de"}
ENTRY = teams.TeamEntry("Okapi", "none", "none")
FIELDS = [{"name": "note", "label": "Okapi", "kind": "yes_no", "required": True}]


@pytest.mark.parametrize("sign_up", ["open", "closed"])
@pytest.mark.parametrize("backend", ["locmem", "dummy"])
def test_pages_before_signing_in_are_german(db, campaign, participant, settings, sign_up, backend):
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    settings.POOLBENCH_SIGN_UP = sign_up
    assert find_english(Client(), campaign, VISITOR_PAGES) == {}


def test_pages_of_an_account_are_german(campaign, participant, monkeypatch):
    secret, client = "2345672345672345", Client()
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.generate_totp_secret", lambda: secret)
    client.post("/accounts/login/", SIGN_IN)
    client.post("/accounts/reauthenticate/", SIGN_IN)
    assert find_english(client, campaign, ACCOUNT_PAGES) == {}
    confirm_address(participant, "none@example.org")
    code = format_hotp_value(hotp_value(secret, int(timezone.now().timestamp()) // 30))
    assert client.post("/accounts/2fa/totp/activate/", {"code": code}).status_code == 302
    assert find_english(client, campaign, FACTOR_PAGES) == {}
    other = Client()
    other.post("/accounts/login/", SIGN_IN)
    assert find_english(other, campaign, ["/accounts/2fa/authenticate/"]) == {}


def test_mails_of_accounts_are_german(participant):
    confirm_address(participant, "none@example.org")
    for address in ("none@example.org", "nobody@example.org"):
        Client().post("/accounts/password/reset/", {"email": address}, headers=GERMAN)
    asked, unknown = mail.outbox
    assert "Neues Passwort setzen" in asked.subject
    assert "wurde für das Konto participant ein neues Passwort angefordert" in asked.body
    assert "Kein Konto mit dieser Adresse" in unknown.subject


@pytest.fixture
def task(campaign, organizer, team) -> Campaign:
    """A campaign with terms, a run form, a published page and a data file."""
    update_campaign(
        actor=organizer, campaign=campaign, registration="approval", terms="Zweck.",
        run_fields=FIELDS,
    )  # fmt: skip
    file = add_data_file(
        actor=organizer, campaign=campaign, name="none.txt", data=b"none", title="none"
    ).file
    release_data_file(actor=organizer, file=file, audience="everybody")
    edit_public_page(actor=organizer, campaign=campaign, summary="Zweck.", call="Leitsatz.")
    publish_page(actor=organizer, campaign=campaign)
    return campaign


def test_pages_of_a_team_are_german(task, participant, stranger, as_user, organizer):
    client, register = as_user(stranger), ["/c/small/register/"]
    assert find_english(client, task, register) == {}
    request = teams.request_team(actor=stranger, campaign=task, entry=ENTRY, terms_version=1)
    request.refresh_from_db()
    assert find_english(client, task, register) == {}
    teams.refuse_team_request(actor=organizer, request=request, reason="none")
    assert find_english(client, task, register) == {}
    member = as_user(participant)
    member.post("/c/small/team/", {"act": "invite"}, follow=True)
    names = ("team/", "team/terms/", "team/leave/", "data/", "runs/upload/")
    addresses = [f"/c/small/{name}" for name in names]
    assert find_english(member, task, [*addresses, "/p/small/", "/?all"]) == {}
    assert find_english(Client(), task, ["/p/small/", "/"]) == {}


def test_a_check_alone_and_several_runs_are_german(campaign, team, participant, as_user):
    client = as_user(participant)
    files = {"1": run_text(), "2": run_text("1x")}

    def send(language: str = "en", **fields: str):
        sent = run_form(team) | {"file": [upload(data, name) for name, data in files.items()]}
        headers = {"accept-language": language}
        return client.post("/c/small/runs/upload/", sent | fields, headers=headers)

    shown = [read_page(send(language, check="1")) for language in ("en", "de")]
    assert list_english(campaign, *shown) == []
    assert find_english(client, campaign, [send()["Location"]]) == {}


def test_mails_on_the_account_page_and_the_end_of_reminders_are_german(
    campaign, participant, as_user
):
    participant.mail_language = "de"
    participant.save()
    told = queue_mail("scores_released", [participant], key="1", campaign=campaign)
    Mail.objects.update(subject="Zweck.")
    pk = Mail.objects.get().pk
    assert told[0].subject == "Ergebnisse freigegeben: Small Task"
    assert "Guten Tag participant" in told[0].body
    reminders = make_reminder_url(participant).removeprefix(settings.POOLBENCH_URL)
    client = as_user(participant)
    assert find_english(client, campaign, ["/account/mail/", reminders]) == {}
    client.post(reminders)
    assert f"/account/mail/{pk}/" in read_page(client.get("/account/mail/", headers=GERMAN))


def test_changed_scores_and_published_ones_are_german(
    organizer, task, score_set, alpha, participant, as_user
):
    newer = qrels_release(task, QRELS.replace("1 0 d3 0", "1 0 d3 1") + "1 0 d7 1\n", 2)
    later = score_campaign(actor=organizer, campaign=task, qrels=newer)
    for each in (score_set, later):
        release_scores(actor=organizer, score_set=each)
    client = as_user(participant)
    run = f"run/{alpha.pk}/"
    addresses = [
        f"/c/small/results/scores/{later.pk}/{run}",
        f"/c/small/results/scores/{later.pk}/{run}changes/?measure=map&topic=1",
    ]
    assert find_english(client, task, addresses) == {}
    first = f"/c/small/results/scores/{score_set.pk}/{run}changes/"
    assert find_english(as_user(organizer), task, [first]) == {}
    publish_scores(actor=organizer, score_set=later)
    assert find_english(Client(), task, ["/p/small/"]) == {}
