"""Accounts of strangers: sign-up, confirmed addresses, new passwords, second factor. 3 s."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import ApiToken, Campaign, User
from campaigns.services import people
from campaigns.services.accounts import confirm_address, make_reset_url, remove_unconfirmed_accounts
from campaigns.services.tokens import create_token
from tests.pages import read_page, run_command
from tests.world.people import user
from workbench.logs import mask_links

PASSWORD, NEW = "correct horse battery", "a new long passphrase"
SIGN_UP, RESET = "/accounts/signup/", "/accounts/password/reset/"
ANSWERED = {"first_name": "Ada\r\nBcc: x@example.org", "password1": NEW, "password2": NEW}


@pytest.fixture
def with_mail(settings):
    """As settings are with EMAIL_URL; mails go to ``mail.outbox``."""
    settings.POOLBENCH_SIGN_UP = "open"
    settings.ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def ada(db):
    made = user("ada", first_name="Ada")
    confirm_address(made, "ada@example.org")
    User.objects.filter(pk=made.pk).update(last_login=timezone.now())
    return made


def read_answer(response) -> str:
    """The page without the tokens of its forms."""
    return re.sub(r'value="[^"]*"', "", read_page(response))


def find_link(message) -> str:
    return re.search(r"http://localhost:8000(/\S+)", message.body)[1]


def sign_in(name: str, password: str, client: Client | None = None, **more):
    given = {"username": name, "password": password, **more}
    return (client or Client()).post("/accounts/login/", given)


def test_sign_up_asks_for_a_confirmed_address(with_mail, db):
    client = Client()
    answer = client.post(SIGN_UP, ANSWERED | {"email": "New@Example.org"})
    assert answer["Location"] == "/accounts/confirm-email/"
    made = User.objects.get(first_name="Ada Bcc: x@example.org")
    assert (made.email, client.get("/account/").status_code) == ("", 302)
    assert sign_in(made.username, NEW)["Location"] == "/accounts/confirm-email/"
    (message,) = mail.outbox
    assert (message.to, made.username in message.body) == (["new@example.org"], True)
    link = find_link(message)
    assert "new@example.org" in read_page(client.get(link))
    made.refresh_from_db()
    assert made.email == ""  # a look at the link is no confirmation: scanners of mails look
    assert client.post(link).status_code == 302
    made.refresh_from_db()
    assert made.email == "new@example.org"
    assert sign_in("NEW@example.org", NEW)["Location"] == "/"
    assert "has been used" in read_page(client.get(link))


def test_sign_up_says_the_same_of_an_address_with_an_account(with_mail, ada):
    known, fresh = Client(), Client()
    told = [
        client.post(SIGN_UP, ANSWERED | {"email": address}, follow=True)
        for client, address in ((known, "ada@example.org"), (fresh, "new@example.org"))
    ]
    pages = [read_answer(each).replace("ada@", "new@") for each in told]
    assert pages[0] == pages[1]
    assert User.objects.filter(first_name__startswith="Ada").count() == 2
    assert "You have an account" in mail.outbox[0].subject


@pytest.mark.parametrize(
    ("setting", "registration", "is_open"),
    [
        ("invitation", "open", False), ("campaigns", "closed", False),
        ("campaigns", "approval", True), ("campaigns", "open", True), ("open", "closed", True),
    ],
)  # fmt: skip
def test_who_may_sign_up(settings, campaign, setting, registration, is_open):
    settings.POOLBENCH_SIGN_UP = setting
    Campaign.objects.update(registration=registration)
    fields = ANSWERED | {"username": "newcomer", "email": "new@example.org"}
    assert ('name="password1"' in read_page(Client().get(SIGN_UP))) is is_open
    Client().post(SIGN_UP, fields)
    assert User.objects.filter(first_name__startswith="Ada").exists() is is_open
    assert ("Create account" in read_page(Client().get("/accounts/login/"))) is is_open


def test_without_mail_an_account_has_a_username_and_no_address(settings, db):
    settings.POOLBENCH_SIGN_UP = "open"
    client = Client()
    assert client.post(SIGN_UP, ANSWERED | {"username": "newcomer"})["Location"] == "/"
    assert client.get("/account/").status_code == 200
    assert not EmailAddress.objects.exists()


def test_a_reset_link_works_once_and_ends_sessions_and_token(ada):
    inside, client = Client(), Client()
    sign_in("ada", PASSWORD, inside)
    create_token(ada)
    asked = client.post(RESET, {"email": "ADA@example.org"}, follow=True)
    (message,) = mail.outbox
    link = find_link(message)
    shown = client.get(link, follow=True)
    form = {"password1": NEW, "password2": NEW}
    address = shown.redirect_chain[-1][0]
    assert client.post(address, form)["Location"] == "/accounts/password/reset/key/done/"
    assert inside.get("/account/").status_code == 302
    assert not ApiToken.objects.exists()
    assert sign_in("ada", PASSWORD).status_code == 200
    assert "has been used" in read_page(Client().get(link, follow=True))
    assert "has been used" in read_page(client.post(address, form))
    assert sign_in("ada", NEW).status_code == 302
    # Whoever asks reads the same, whether there is such an account or not.
    stranger = Client().post(RESET, {"email": "nobody@example.org"}, follow=True)
    assert read_answer(asked) == read_answer(stranger)
    assert "No account" in mail.outbox[-1].subject
    warning = mail.outbox[1]
    assert (warning.to, "ada" in warning.body) == (["ada@example.org"], True)


def test_an_address_that_is_not_confirmed_gets_no_reset_link_and_no_sign_in(ada):
    EmailAddress.objects.update(verified=False)
    User.objects.update(email="")
    Client().post(RESET, {"email": "ada@example.org"})
    assert [message.subject for message in mail.outbox] == ["No account with this address"]
    assert sign_in("ada@example.org", PASSWORD).status_code == 200
    assert sign_in("ada", PASSWORD).status_code == 302


def test_links_begin_with_the_address_of_the_site(ada, settings):
    settings.ALLOWED_HOSTS = ["*"]
    Client().post(RESET, {"email": "ada@example.org"}, headers={"host": "evil.example"})
    assert "evil" not in mail.outbox[0].body
    assert "http://localhost:8000/accounts/password/reset/key/" in mail.outbox[0].body


def test_the_operator_makes_a_reset_link(ada):
    printed = run_command("reset_link", "ada").strip()
    assert printed.startswith("http://localhost:8000/accounts/password/reset/key/")
    link = printed.removeprefix("http://localhost:8000")
    assert "New password" in read_page(Client().get(link, follow=True))


def test_requests_for_mail_are_limited(ada):
    statuses = [Client().post(RESET, {"email": "ada@example.org"}).status_code for _ in range(6)]
    assert statuses == [302] * 5 + [429]
    assert len(mail.outbox) == 5


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_sign_in_and_sign_up_lead_nowhere_else(settings, ada, target):
    settings.POOLBENCH_SIGN_UP = "open"
    assert sign_in("ada", PASSWORD, next=target)["Location"] == "/"
    fields = ANSWERED | {"username": "newcomer", "next": target}
    assert Client().post(SIGN_UP, fields)["Location"] == "/"
    assert (
        Client().post(RESET, {"email": "ada@example.org", "next": target})["Location"]
        == "/accounts/password/reset/done/"
    )


def test_a_new_address_replaces_the_old_one_once_confirmed(ada):
    client = Client()
    sign_in("ada", PASSWORD, client)
    add = {"email": "ada@new.example", "action_add": ""}
    asked = client.post("/accounts/email/", add)
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    client.post(asked["Location"], {"password": PASSWORD})
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    client.post(find_link(mail.outbox[-1]))
    ada.refresh_from_db()
    assert ada.email == "ada@new.example"
    assert mail.outbox[-1].to == ["ada@example.org"]  # warned
    assert [row.email for row in EmailAddress.objects.all()] == ["ada@new.example"]


def test_the_second_factor_is_asked_for_after_the_password(ada):
    client = Client()
    sign_in("ada", PASSWORD, client)
    asked = client.get("/accounts/2fa/totp/activate/")
    client.post(asked["Location"], {"password": PASSWORD})
    shown = client.get("/accounts/2fa/totp/activate/")
    secret = shown.context["form"].secret
    picture = client.get("/accounts/2fa/totp/qr.svg")
    assert (picture["Content-Type"], b"<svg" in picture.content) == ("image/svg+xml", True)
    made = client.post("/accounts/2fa/totp/activate/", {"code": make_code(secret)})
    codes = read_page(client.get(made["Location"]))
    recovery = re.search(r"<li>(\d{8})</li>", codes)[1]

    other = Client()
    assert (
        sign_in("ada", PASSWORD, other, next="/help/")["Location"] == "/accounts/2fa/authenticate/"
    )
    assert other.get("/account/").status_code == 302
    wrong = other.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert "Incorrect code" in read_page(wrong)
    assert other.post("/accounts/2fa/authenticate/", {"code": recovery})["Location"] == "/help/"
    assert "device" in other.cookies
    assert other.get("/account/").status_code == 200
    again = Client()
    sign_in("ada", PASSWORD, again)
    assert again.post("/accounts/2fa/authenticate/", {"code": recovery}).status_code == 200


def make_code(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(timezone.now().timestamp()) // 30))


def test_a_reset_link_expires(ada, monkeypatch, settings):
    link = make_reset_url(ada)[len(settings.POOLBENCH_URL) :]
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert "too old" in read_page(Client().get(link, follow=True))


def test_a_changed_password_is_told_to_the_confirmed_address(ada):
    client = Client()
    sign_in("ada", PASSWORD, client)
    fields = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    client.post("/accounts/password/", fields)
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]


def test_pages_without_mail_say_so(settings, ada):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert "sends no mail" in read_page(Client().get(RESET))
    client = Client()
    client.force_login(ada)
    assert "sends no mail" in read_page(client.get("/accounts/email/"))


@pytest.mark.parametrize("name", ["account_login", "login"])
def test_the_sign_in_page_has_both_names(name):
    assert reverse(name) == "/accounts/login/"


def test_a_newcomer_with_a_link_can_give_an_address(campaign, organizer):
    made = people.create_invitation(actor=organizer, campaign=campaign, role="viewer")
    client, link = Client(), f"/join/{people.sign_invitation_token(made)}/"
    fields = {"name": "Eve", "username": "eve", "email": "eve@example.org"}
    client.post(link, fields | {"password1": NEW, "password2": NEW})
    assert User.objects.get(username="eve").email == ""
    client.post(find_link(mail.outbox[0]))
    assert User.objects.get(username="eve").email == "eve@example.org"


def test_the_operator_removes_a_second_factor(ada):
    Authenticator.objects.create(user=ada, type="totp", data={})
    run_command("reset_link", "ada", without_second_factor=True)
    assert not Authenticator.objects.exists()


def test_the_log_hides_links_of_accounts():
    text = "GET /accounts/password/reset/key/5-d8x-61c/ /accounts/password/reset/key/done/"
    assert mask_links(text).endswith("/key/…/ /accounts/password/reset/key/done/")


def test_accounts_never_confirmed_are_removed(with_mail, ada):
    for name in ("old", "new"):
        Client().post(SIGN_UP, ANSWERED | {"first_name": name, "email": f"{name}@example.org"})
    month = timezone.now() - timedelta(days=31)
    User.objects.exclude(username="new").update(date_joined=month)
    assert remove_unconfirmed_accounts() == 1
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "new"}


def test_who_never_confirmed_signs_in_where_no_mail_is_sent(settings, db):
    made = user("eve")
    EmailAddress.objects.create(user=made, email="eve@example.org", primary=True)
    assert sign_in("eve", PASSWORD)["Location"] == "/accounts/confirm-email/"
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert sign_in("eve", PASSWORD)["Location"] == "/"
