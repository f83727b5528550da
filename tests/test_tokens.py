"""API tokens: stored as digests, with an end, revoked by a new password."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import ApiToken, User
from campaigns.services.tokens import create_token

PASSWORD = "correct horse battery"


def ask(header: str) -> int:
    return Client(headers={"Authorization": header}).get("/api/campaigns/").status_code


def test_the_key_is_not_stored(stranger):
    key = create_token(stranger)
    row = ApiToken.objects.values().get()
    assert key not in str(row)
    assert ask(f"Token {row['digest']}") == 401


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ("Token {}", 200), ("Bearer {}", 200), ("token  {}", 200), ("bearer {} ", 200),
        ("Token {}x", 401), ("Basic {}", 401), ("Token", 401), ("", 401), ("{}", 401),
        ("Token {} {}", 401),
    ],
)  # fmt: skip
def test_the_header(stranger, form, status):
    assert ask(form.format(*[create_token(stranger)] * 2)) == status


def test_a_token_ends(stranger, client, settings):
    settings.POOLBENCH_TOKEN_DAYS = 100
    client.force_login(stranger)
    page = client.get("/account/").content.decode()
    assert [f'value="{n}"' in page for n in (7, 30, 90, 100, 365)] == [True] * 4 + [False]
    for chosen, days in (({}, 100), ({"days": "30"}, 30), ({"days": "365"}, 100)):
        client.post("/account/token/", chosen)
        token = ApiToken.objects.get()
        assert token.expires_at - token.created_at - timedelta(days=days) < timedelta(minutes=1)
    key = create_token(stranger, 7)
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert ask(f"Token {key}") == 401
    assert "Your token expired on" in client.get("/account/").content.decode()


def test_a_new_password_revokes_the_token_however_it_is_set(stranger, client):
    client.force_login(stranger)
    key = create_token(stranger)
    new = {
        "old_password": PASSWORD,
        "new_password1": "a new horse 1",
        "new_password2": "a new horse 1",
    }
    assert client.post(reverse("password_change"), new | {"old_password": "x"}).status_code == 200
    assert ask(f"Token {key}") == 200
    assert client.post(reverse("password_change"), new).status_code == 302
    assert ask(f"Token {key}") == 401
    key = create_token(stranger)
    with patch("getpass.getpass", return_value="another horse 2"):
        call_command("changepassword", "stranger", stdout=StringIO())
    assert ask(f"Token {key}") == 401


def test_other_changes_of_an_account_keep_the_token(stranger, client, settings):
    key = create_token(stranger)
    user = User.objects.get(pk=stranger.pk)
    user.first_name = "Ann"
    user.save()
    # Signing in brings an old hash up to date.
    settings.PASSWORD_HASHERS += ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    User.objects.update(password=make_password(PASSWORD, hasher="pbkdf2_sha256"))
    client.post(reverse("login"), {"username": "stranger", "password": PASSWORD})
    assert User.objects.get(pk=stranger.pk).password.startswith("md5")
    assert ask(f"Token {key}") == 200


def test_a_token_of_a_deactivated_user_is_not_valid(stranger):
    key = create_token(stranger)
    User.objects.update(is_active=False)
    assert ask(f"Token {key}") == 401


def test_the_last_use_is_noted_once_a_minute(stranger, client, django_assert_num_queries):
    key = create_token(stranger)
    assert ApiToken.objects.get().last_used_at is None
    ask(f"Token {key}")
    first = ApiToken.objects.get().last_used_at
    ask(f"Token {key}")
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    ask(f"Token {key}")
    assert ApiToken.objects.get().last_used_at >= first
    client.force_login(stranger)
    page = client.get("/account/").content.decode()
    assert all(word in page for word in ("Created", "Last used", "Expires"))
