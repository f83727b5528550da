"""What must hold on every page: the policy, cookies, CSRF, escaping, and no way around a gate."""

import json

import pytest
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.urls import reverse

from campaigns.models import Topic, User
from campaigns.services import jobs
from campaigns.services.collection import import_documents
from campaigns.services.runs import latest_check_job, submit_run
from tests.poolbench.texts.test_sanitizing import ATTACKS, NEVER
from tests.test_access import rows, urls

PASSWORD = "correct horse battery"


def client_of(who: User | None, **options: bool) -> Client:
    client = Client(**options)
    if who is not None:
        client.force_login(who)
    return client


def test_the_cookies_of_a_session_are_out_of_reach_for_scripts(client, stranger):
    answer = client.post(reverse("login"), {"username": "stranger", "password": PASSWORD})
    assert answer.status_code == 302
    session = answer.cookies["sessionid"]
    assert (session["httponly"], session["samesite"]) == (True, "Lax")


def test_behind_tls_the_cookies_are_secure():
    from workbench import settings

    assert settings.SESSION_COOKIE_SECURE == settings.CSRF_COOKIE_SECURE == settings.BEHIND_TLS


WITHOUT_COOKIES = ("crowd-", "api-interleaving", "api-click-preferences", "reminders-stop")
"""Pages and operations without sign-in: no cookie can be abused. See ``docs/decisions``."""


def test_every_post_needs_a_csrf_token(world, client_for):
    address = urls(world)
    let_in = []
    for name, method, statuses in rows():
        if method in ("POST", "PATCH"):
            role = "assessor" if statuses[5] < 400 else "organizer"
            client = client_for(role, enforce_csrf_checks=True)
            answer = client.generic(method, address[name], b"", content_type="application/json")
            if answer.status_code != 403 and not name.startswith(WITHOUT_COOKIES):
                let_in.append(f"{name}: {answer.status_code}")
    assert let_in == []


def test_tags_docnos_and_excerpts_with_markup_are_shown_as_text(world):
    run = world.run
    line = "1 Q0 <img/src=x/onerror=alert(1)> 1 oops <b>tag</b>\n"
    bad = submit_run(
        actor=world.people["owner"],
        campaign=world.campaign,
        team=run.team,
        data=line.encode(),
        file_name="<b>.txt",
    )
    jobs.run_here(latest_check_job(bad))
    page = client_of(world.people["owner"]).get(bad.get_absolute_url()).content.decode()
    assert "<img/src" not in page
    assert "<b>tag" not in page
    assert "<b>.txt" not in page
    assert "&lt;b&gt;.txt" in page


def test_html_documents_are_stored_without_anything_that_acts(world):
    """The attacks of ``tests.poolbench.texts.test_sanitizing``, through an import and a page."""
    lines = [
        json.dumps({"_id": f"attack{n}", "html": f"<p>seen</p>{attack}"})
        for n, attack in enumerate(ATTACKS)
    ]
    import_documents(
        actor=world.people["organizer"], campaign=world.campaign, data="\n".join(lines).encode()
    )
    stored = world.campaign.documents.filter(docno__startswith="attack")
    assert stored.count() == len(ATTACKS)
    client = client_of(world.people["assessor"])
    for document in stored:
        address = reverse("document-body", args=[world.campaign.slug])
        answer = client.get(address, {"docno": document.docno})
        html = answer.content.decode()
        assert document.body in html
        inside = document.body.replace("&lt;img src=1 onerror", "").lower()
        assert [sign for sign in NEVER if sign in inside] == []
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("sandbox allow-same-origin; default-src 'none';")


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("[x](javascript:alert(1))", 'href="javascript'),
        ("[x](data:text/html;base64,PHN2Zz4=)", 'href="data'),
        ('<img src="x" onerror="alert(1)">', "<img"),
        ("![x](https://tracker.example/x.gif)", "<img"),
        ("<a href='x' onclick='y()'>z</a>", "<a href='x'"),
    ],
)
def test_markdown_lets_no_script_or_image_through(text, never):
    html = Template("{% load prose %}{{ text|render_prose }}").render(Context({"text": text}))
    assert never not in html


def test_objects_of_another_campaign_are_not_there_under_ones_own(world):
    """An organizer of ``small`` asks for things of ``elsewhere`` below their own address."""
    slug, other = world.campaign.slug, world.elsewhere
    theirs = {
        "run": [other.run.pk],
        "run-file": [other.run.pk],
        "run-withdraw": [other.run.pk],
        "job": [other.job.pk],
        "plan-assign": [other.plan.pk],
        "score-set": [other.score_set.pk],
        "compare": [other.score_set.pk],
        "score-set-download": [other.score_set.pk, "csv"],
        "run-scores": [other.score_set.pk, other.run.pk],
        "run-scores-download": [world.score_set.pk, other.run.pk, "txt"],
        "pool": [99],
        "qrels": [99],
        "assessor-qrels": ["assessor-elsewhere"],
    }
    client = client_of(world.people["organizer"])
    found = {
        name: client.get(reverse(name, args=[slug, *args])).status_code
        for name, args in theirs.items()
    }
    assert set(found.values()) == {404}, found


@pytest.mark.parametrize(
    ("name", "thing"),
    [
        ("run-withdraw", "run"),
        ("plan-pause", "plan"),
        ("slot-reopen", "slot"),
        ("score-release", "draft"),
        ("invitation-revoke", "invitation"),
    ],
)
def test_acts_on_another_campaigns_objects_are_not_there(world, name, thing):
    address = reverse(name, args=[world.campaign.slug, getattr(world.elsewhere, thing).pk])
    assert client_of(world.people["organizer"]).post(address).status_code == 404


def test_a_pool_is_not_frozen_from_another_campaigns_runs(world):
    asked = {"run": [world.elsewhere.run.pk], "depth": "1", "seconds": "30", "after": "1"}
    answer = client_of(world.people["organizer"]).post(
        reverse("pools", args=[world.campaign.slug]), asked
    )
    assert answer.status_code == 422
    assert world.campaign.pools.count() == 1


def test_versions_of_pools_and_qrels_are_those_of_the_campaign_in_the_address(world):
    """Both campaigns have a version 1; each organizer gets their own."""
    client = client_of(world.people["organizer"])
    for name, args in {"pool-download": [1, "csv"], "qrels-download": [1], "qrels": [1]}.items():
        own = client.get(reverse(name, args=[world.campaign.slug, *args]))
        assert own.status_code == 200
        assert client.get(reverse(name, args=["elsewhere", *args])).status_code == 404


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_no_redirect_leaves_the_site(client, stranger, target):
    after_theme = client.post(reverse("theme"), {"theme": "dark", "next": target})
    assert after_theme.headers["Location"] == "/"
    signing_in = {"username": "stranger", "password": PASSWORD, "next": target}
    assert client.post(reverse("login"), signing_in).headers["Location"] == "/"


def test_hosts_that_are_not_ours_are_not_answered(settings):
    settings.ALLOWED_HOSTS = ["bench.example.org"]
    with pytest.raises(Exception, match="Invalid HTTP_HOST"):
        RequestFactory().get("/", headers={"host": "evil.example"}).get_host()
    assert Client().get("/", headers={"host": "evil.example"}).status_code == 400


def test_topic_numbers_with_odd_signs_find_their_page(world):
    """Identifiers go through addresses unharmed, and nothing but them."""
    for number in ("a/b", "q?x=1", "ü#1", "<b>"):
        Topic.objects.create(campaign=world.campaign, number=number, title="odd", position=9)
        address = reverse("topic", args=[world.campaign.slug, number])
        page = client_of(world.people["organizer"]).get(address)
        assert page.status_code == 200
        assert "<b></" not in page.content.decode()
