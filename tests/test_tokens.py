"""API tokens: stored as digests, with an end, revoked by a new password."""

from datetime import timedelta
from io import StringIO
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.api.authentication import TokenScope
from campaigns.models import ApiToken, User
from campaigns.services.data_files import add_data_file
from campaigns.services.people import add_member
from campaigns.services.tokens import MOST_TOKENS, create_token, digest_key
from tests.refusals import refusing
from workbench.api import router

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
    form = {"name": "laptop", "scopes": ["read"]}
    for chosen, days in (("100", 100), ("30", 30)):
        client.post("/account/token/", form | {"days": chosen})
        token = ApiToken.objects.first()
        assert token.expires_at - token.created_at - timedelta(days=days) < timedelta(minutes=1)
    key = create_token(stranger, 7)
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert ask(f"Token {key}") == 401
    assert "<strong>expired</strong>" in client.get("/account/").content.decode()


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
    assert all(word in page for word in ("Last used", "Expires"))


# Scopes


def program(user: User, **given: object) -> Client:
    return Client(headers={"Authorization": f"Token {create_token(user, **given)}"})


ACTS = {
    "read": ("get", "/api/campaigns/small/", {}),
    "submit": ("post", "/api/runs/", {"campaign": "small"}),
    "judge": ("post", "/api/judgments/next/", {"campaign": "small"}),
    "organize": ("post", "/api/campaigns/small/close-submissions/", {}),
}


@pytest.mark.parametrize("scope", list(ACTS))
def test_a_token_is_good_for_its_scopes_only(organizer, campaign, scope):
    """Of the four acts one is let in; the others are refused with code and fix."""
    caller = program(organizer, scopes=[scope])
    for needed, (method, address, body) in ACTS.items():
        answer = getattr(caller, method)(address, body or None)
        if needed == scope:
            assert answer.json().get("code") != "scope-missing"
        else:
            assert (answer.status_code, answer.json()["code"]) == (403, "scope-missing")
            assert answer.json()["fix"].startswith(f"Create a token with the scope “{needed}”")


def test_a_token_of_before_has_all_scopes(organizer, campaign):
    ApiToken.objects.create(
        user=organizer, digest=digest_key("old"), expires_at=timezone.now() + timedelta(days=1)
    )
    caller = Client(headers={"Authorization": "Token old"})
    assert caller.get("/api/campaigns/small/").status_code == 200
    close = "/api/campaigns/small/close-submissions/"
    assert caller.post(close, {}, content_type="application/json").status_code == 200


def test_a_token_for_one_campaign_sees_no_other(world):
    owner, elsewhere = world.people["organizer"], world.elsewhere.campaign
    add_member(actor=elsewhere.created_by, campaign=elsewhere, user=owner, role="organizer")
    everywhere, caller = program(owner), program(owner, campaign=world.campaign)
    assert everywhere.get("/api/campaigns/").json()["count"] == 2
    assert [row["slug"] for row in caller.get("/api/campaigns/").json()["results"]] == ["small"]
    assert everywhere.get(f"/api/pools/{world.elsewhere.pool.pk}/").status_code == 200
    for row in ("pools", "qrels", "runs", "score-sets", "plans", "members"):
        listed = caller.get(f"/api/{row}/").json()["results"]
        assert {each["campaign"] for each in listed} == {"small"}, row
    for kind, row in (("pools", "pool"), ("runs", "run"), ("run-scores", "scores")):
        pk = getattr(world.elsewhere, row).pk
        assert caller.get(f"/api/{kind}/{pk}/").status_code == 404
    new = {"title": "New", "relevance_level": 1, "grades": []}
    assert caller.post("/api/campaigns/", new, content_type="application/json").status_code >= 400
    answer = caller.post("/api/campaigns/small/copy/", {"title": "N"}, "application/json")
    assert answer.status_code == 403
    secret = add_data_file(
        actor=elsewhere.created_by, campaign=elsewhere, name="secret.txt", data=b"s", title="S"
    ).file
    file = f"/api/data-files/{secret.pk}/file/"
    assert [each.get(file).status_code for each in (everywhere, caller)] == [200, 404]


def test_every_view_of_the_api_knows_the_scopes():
    """But for calculators, which have nothing of a campaign."""
    views = {
        view.__name__: view.permission_classes
        for _prefix, view, _name in router.registry
        if not any(issubclass(each, TokenScope) for each in view.permission_classes)
    }
    assert set(views) == {"ClickPreferenceViewSet", "InterleavingViewSet", "MeasureViewSet"}


def test_tokens_are_limited_and_others_cannot_be_revoked(stranger, organizer, client):
    keys = [create_token(organizer) for _ in range(MOST_TOKENS)]
    with refusing("too-many-tokens"):
        create_token(organizer)
    client.force_login(stranger)
    pk = ApiToken.objects.first().pk
    assert client.post(f"/account/token/{pk}/revoke/").status_code == 404
    assert ask(f"Token {keys[-1]}") == 200
