"""Wrong passwords are limited by name and address, lock nobody else out, and are logged."""

import logging
from datetime import timedelta

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.test import Client
from django.urls import reverse

from campaigns.services.sign_in import wait_after
from tests.examples import ALL
from tests.pages import run_command
from tests.world.people import user

PASSWORD = "correct horse battery"


@pytest.fixture
def tries(settings) -> int:
    """How many are free for a name at an address; five times as many for either of them."""
    if not ALL:
        settings.POOLBENCH_SIGN_IN_TRIES = 4
    return settings.POOLBENCH_SIGN_IN_TRIES


def sign_in(name: str, password: str = "", address: str = "1.1.1.1", client=None, **extra):
    given = {"username": name, "password": password or "guess"}
    return (client or Client()).post(reverse("login"), given, REMOTE_ADDR=address, **extra)


def guess(times: int, name: str, address: str = "1.1.1.1", client=None) -> list[int]:
    return [sign_in(name, address=address, client=client).status_code for _ in range(times)]


def pass_time(minutes: float) -> None:
    for attempt in AccessAttempt.objects.all():
        earlier = attempt.attempt_time - timedelta(minutes=minutes)
        AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=earlier)


def test_the_wait_doubles_with_every_further_failure(stranger):
    assert [wait_after(n, 10) // timedelta(minutes=1) for n in (9, 10, 11, 12, 15, 16, 99)] == [
        0, 1, 2, 4, 32, 60, 60,
    ]  # fmt: skip
    assert guess(10, "stranger") == [200] * 9 + [429]
    answer = sign_in("stranger", PASSWORD)
    assert (answer.status_code, 50 < int(answer.headers["Retry-After"]) <= 60) == (429, True)
    assert "Try again in 1 minute," in answer.content.decode()
    pass_time(1)
    assert guess(1, "stranger") == [429]
    assert 110 < int(sign_in("stranger", PASSWORD).headers["Retry-After"]) <= 120
    pass_time(2)
    assert sign_in("stranger", PASSWORD).status_code == 302
    assert guess(9, "stranger") == [200] * 9


def test_tries_while_waiting_do_not_prolong_the_wait(stranger):
    guess(10, "stranger")
    pass_time(0.5)
    assert set(guess(20, "stranger")) == {429}
    assert int(sign_in("stranger").headers["Retry-After"]) <= 30


def test_a_name_hammered_from_many_addresses_is_limited(stranger, tries):
    few, addresses = tries // 2 + 1, [f"2.2.2.{n}" for n in range(10)]
    statuses = [status for where in addresses for status in guess(few, "stranger", where)]
    assert statuses == [200] * (5 * tries - 1) + [429] * 11
    assert sign_in("stranger", PASSWORD, "3.3.3.3").status_code == 429


def test_who_signed_in_before_is_not_locked_out_by_others(stranger, tries):
    browser = Client()
    assert sign_in("stranger", PASSWORD, "5.5.5.5", browser).status_code == 302
    browser.post(reverse("logout"))
    for n in range(10):
        guess(tries // 2 + 1, "stranger", f"2.2.2.{n}")
    assert sign_in("stranger", PASSWORD, "3.3.3.3").status_code == 429
    # From an address, and then from a browser, that are known.
    assert sign_in("stranger", PASSWORD, "5.5.5.5").status_code == 302
    guess(tries, "stranger", "4.4.4.4")
    assert sign_in("stranger", PASSWORD, "4.4.4.4").status_code == 429
    assert sign_in("stranger", PASSWORD, "4.4.4.4", browser).status_code == 302


def test_a_known_browser_is_limited_by_itself(stranger):
    browser = Client()
    sign_in("stranger", PASSWORD, "5.5.5.5", browser)
    browser.post(reverse("logout"))
    assert guess(10, "stranger", "6.6.6.6", browser) == [200] * 9 + [429]
    assert sign_in("stranger", PASSWORD, "6.6.6.6").status_code == 302


def test_a_browser_of_somebody_else_or_a_made_up_one_is_not_known(stranger):
    user("mallory")
    browser = Client()
    sign_in("mallory", PASSWORD, "1.1.1.1", browser)
    number = AccessLog.objects.get().user_agent
    browser.post(reverse("logout"))
    guess(10, "stranger", "7.7.7.7")
    assert sign_in("stranger", PASSWORD, "7.7.7.7", browser).status_code == 429
    for faked in ("known device", number):
        answer = sign_in("stranger", PASSWORD, "7.7.7.7", HTTP_USER_AGENT=faked)
        assert answer.status_code == 429
    client = Client()
    client.cookies["device"] = "made-up:1:2"
    assert sign_in("stranger", PASSWORD, "7.7.7.7", client).status_code == 429


def test_one_password_for_many_names_from_one_address_is_limited(db, tries):
    names = [user(f"u{n}").username for n in range(5 * tries + 10)]
    statuses = [sign_in(name, "letmein1").status_code for name in names]
    assert statuses == [200] * (5 * tries - 1) + [429] * 11
    assert sign_in(names[-1], PASSWORD, "8.8.8.8").status_code == 302


def test_behind_a_proxy_the_true_address_counts(stranger, settings):
    settings.POOLBENCH_PROXIES = 1
    for n in range(12):  # a client that claims another address each time
        header = {"HTTP_X_FORWARDED_FOR": f"9.9.9.{n}, 6.6.6.6"}
        answer = sign_in("stranger", address="10.0.0.1", **header)
    assert answer.status_code == 429
    other = {"HTTP_X_FORWARDED_FOR": "7.7.7.7"}
    assert sign_in("stranger", PASSWORD, "10.0.0.1", **other).status_code == 302
    assert set(AccessFailureLog.objects.values_list("ip_address", flat=True)) == {"6.6.6.6"}


def test_guesses_of_the_old_password_are_limited(stranger, client):
    client.force_login(stranger)
    wrong = {
        "old_password": "guess",
        "new_password1": "a new horse",
        "new_password2": "a new horse",
    }
    statuses = [client.post(reverse("password_change"), wrong).status_code for _ in range(11)]
    assert statuses == [200] * 9 + [429, 429]
    assert (
        client.post(reverse("password_change"), wrong | {"old_password": PASSWORD}).status_code
        == 429
    )
    stored = "".join(AccessAttempt.objects.values_list("post_data", flat=True))
    assert "horse" not in stored
    assert "guess" not in stored
    pass_time(5)
    assert (
        client.post(reverse("password_change"), wrong | {"old_password": PASSWORD}).status_code
        == 302
    )


def test_the_log_names_who_and_from_where(stranger, client, caplog):
    with caplog.at_level(logging.INFO, "poolbench.sign_in"):
        sign_in("stranger", PASSWORD, "1.2.3.4", client)
        client.post(reverse("logout"), REMOTE_ADDR="1.2.3.4")
        guess(11, "x\nsign-in accepted: user='y'", "6.6.6.6")
    lines = [record.getMessage() for record in caplog.records]
    assert lines[:2] == [
        "sign-in accepted: user='stranger' address=1.2.3.4 path=/accounts/login/",
        "sign-in ended: user='stranger' address=1.2.3.4 path=/accounts/logout/",
    ]
    kinds = [line.partition(":")[0] for line in lines[2:]]
    assert kinds == ["sign-in failed"] * 10 + ["sign-in locked", "sign-in refused"]
    assert "user=\"x\\nsign-in accepted: user='y'\" address=6.6.6.6" in lines[2]


def test_the_log_is_written_by_default():
    from workbench import settings

    assert settings.LOGGING["loggers"]["poolbench.sign_in"]["level"] == "INFO"


def test_sign_ins_can_be_read_later(stranger):
    sign_in("stranger", PASSWORD, "1.2.3.4")
    guess(10, "nobody", "6.6.6.6")

    def lines(**options: object) -> list[list[str]]:
        told = run_command("sign_ins", **options).splitlines()
        return [line.split("\t")[1:5] for line in told]

    path = reverse("login")
    assert lines()[:2] == [
        ["accepted", "stranger", "1.2.3.4", path],
        ["failed", "nobody", "6.6.6.6", path],
    ]
    assert lines(failed=True)[-1] == ["locked", "nobody", "6.6.6.6", path]
    assert lines(user="stranger") == lines(address="1.2.3.4") == lines()[:1]
