"""Addresses behind proxies, bodies bounded before parsing, rates, and answers nobody stores."""

import json
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse

from campaigns.services.tokens import create_token
from tests.test_access import patterns, rows, urls
from tests.test_security import client_of
from workbench.request_limits import TAKE_FILES, ClientAddressMiddleware, PlainRequest

SMALL, LARGE = 65_536, 10_000_000


class ForbiddenHandler(MemoryFileUploadHandler):
    """Fails as soon as a file of a form is parsed."""

    def new_file(self, *_args: object, **_kwargs: object) -> None:
        raise AssertionError("the body was parsed")


@pytest.fixture
def _nothing_is_parsed(settings):
    settings.FILE_UPLOAD_HANDLERS = [f"{__name__}.ForbiddenHandler"]


# Addresses


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "6.6.6.6", "127.0.0.1"),
        (1, "6.6.6.6", "6.6.6.6"),
        (1, "9.9.9.9, 6.6.6.6", "6.6.6.6"),
        (2, "9.9.9.9, 6.6.6.6,10.0.0.1", "6.6.6.6"),
        (2, "6.6.6.6", "127.0.0.1"),
        (1, "2001:DB8::1", "2001:db8::1"),
        (1, "unknown", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_the_address_is_counted_from_the_right(settings, proxies, forwarded, address):
    settings.POOLBENCH_PROXIES = proxies
    request = HttpRequest()
    request.META = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": forwarded}
    ClientAddressMiddleware(lambda request: request)(request)
    assert request.META["REMOTE_ADDR"] == address


# Bodies


def big(size: int) -> SimpleUploadedFile:
    return SimpleUploadedFile("big.txt", b"x" * size)


@pytest.mark.usefixtures("_nothing_is_parsed")
@pytest.mark.parametrize("name", ["login", "theme", "run-upload", "home"])
def test_anonymous_bodies_are_small(world, name):
    address = urls(world)[name]
    answer = Client(enforce_csrf_checks=True).post(address, {"file": big(SMALL)})
    assert answer.status_code == 413
    assert "You are not signed in" in answer.content.decode()


@pytest.mark.usefixtures("_nothing_is_parsed")
def test_bodies_beyond_the_maximum_are_refused_to_everyone(world, settings):
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 1000
    client = client_of(world.people["owner"])
    address = urls(world)
    for name in ("run-upload", "account"):
        answer = client.post(address[name], {"file": big(LARGE + 2000)})
        assert (answer.status_code, "too large" in answer.content.decode()) == (413, True)
    answer = client.post("/api/runs/", {"file": big(LARGE + 2000)})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_json_of_11_megabytes_is_answered_in_json(world):
    body = json.dumps({"title": "x" * 11_000_000})
    for client in (client_of(world.people["organizer"]), Client()):
        answer = client.post("/api/campaigns/", body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_programs_that_are_signed_out_are_told_so(world):
    """The judging screen keeps its judgments on 401, and gives single ones up on 413."""
    body = json.dumps({"acts": [], "comment": "x" * SMALL})
    for address in (reverse("judge-sync", args=[world.campaign.slug]), "/api/judgments/"):
        answer = Client().post(address, body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (401, "signed-out")
    dead = Client(headers={"Authorization": "Token dead"})
    assert dead.post("/api/runs/", {"file": big(SMALL)}).status_code == 401


def test_members_send_files_by_session_and_token(world):
    owner = world.people["owner"]
    program = Client(headers={"Authorization": f"Token {create_token(owner)}"})
    body = {"campaign": world.campaign.slug, "file": big(LARGE + 1)}
    assert program.post("/api/runs/", body).json()["state"] == "received"
    body = {"team": world.run.team.pk, "kind": "automatic", "priority": 1, "file": big(SMALL)}
    answer = client_of(owner).post(reverse("run-upload", args=[world.campaign.slug]), body)
    assert answer.status_code == 302


def test_only_pages_with_large_files_take_them(world):
    """Every other page refuses a form of the same size, whoever sends it."""
    assert set(patterns()) >= TAKE_FILES
    client = client_of(world.people["organizer"], raise_request_exception=False)
    address = urls(world)
    refused = {
        name
        for name, method, _ in rows()
        if method == "POST"
        and client.post(
            address[name],
            b"--x--",
            content_type="multipart/form-data; boundary=x",
            headers={"Content-Length": str(LARGE + 1)},
        ).status_code
        == 413
    }
    assert refused == {name for name, method, _ in rows() if method == "POST"} - TAKE_FILES


def test_bodies_without_a_length_are_read_up_to_the_smallest_limit(world):
    small = {"username": "owner", "password": "correct horse battery"}
    for text, status in (("", 302), ("x" * SMALL, 413)):
        encoded = "&".join(f"{name}={value}" for name, value in {**small, "x": text}.items())
        answer = Client().generic(
            "POST",
            reverse("login"),
            b"",
            CONTENT_TYPE="application/x-www-form-urlencoded",
            headers={"Transfer-Encoding": "chunked", "Content-Length": ""},
            **{"wsgi.input_terminated": True, "wsgi.input": BytesIO(encoded.encode())},
        )
        assert answer.status_code == status
    answer = Client().post(
        "/api/runs/", small, headers={"Transfer-Encoding": "chunked", "Content-Length": ""}
    )
    assert (answer.status_code, "Content-Length" in answer.json()["fix"]) == (413, True)


@pytest.mark.parametrize(
    ("claimed", "kept"),
    [
        ("application/json; charset=punycode", "application/json"),
        ("text/plain; x*=unknown''a", "text/plain"),
        ("multipart/form-data; charset=idna; boundary=ab-c", "multipart/form-data; boundary=ab-c"),
        ('multipart/form-data; boundary="a b"; charset=x', 'multipart/form-data; boundary="a b"'),
        ("", ""),
    ],
)
def test_a_request_is_in_utf_8_whatever_it_claims(claimed, kept):
    """Django decodes the query by that codec, before any middleware, and fails or takes seconds."""
    asked = {"REQUEST_METHOD": "GET", "QUERY_STRING": "q=%C3%A9", "wsgi.input": BytesIO()}
    request = PlainRequest(asked | {"CONTENT_TYPE": claimed})
    assert request.META["CONTENT_TYPE"] == kept
    assert request.GET["q"] == "é"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("campaigns/", {"title": "x" * 1_000_001}, 413),
        ("campaigns/", {"title": list(range(2_000))}, 413),
        ("campaigns/", {"title": {str(at): 1 for at in range(1_000)}}, 413),
        ("plans/preview/", {"topics": ["1"] * 9_000}, 400),
        ("plans/preview/", {"topics": ["1"] * 10_000}, 413),
        ("automatic/{pk}/judgments/", {"judgments": [""] * 10_001}, 400),
        ("automatic/{pk}/judgments/", {"judgments": [""] * 110_000}, 413),
    ],
)
def test_json_is_bounded_in_bytes_and_values(world, path, body, status):
    """Each value may be an error of its own in the answer; that takes longer than reading it."""
    address = f"/api/{path}".format(pk=world.automatic.pk)
    answer = client_of(world.people["organizer"]).post(
        address, json.dumps(body), content_type="application/json"
    )
    assert answer.status_code == status
    assert answer.json().get("code", "") == ("too-large" if status == 413 else "")


def test_an_answer_names_the_first_hundred_errors_of_a_list(world):
    rows = json.dumps({"judgments": [{"topic": ""}] * 5_000})
    answer = client_of(world.people["organizer"]).post(
        f"/api/automatic/{world.automatic.pk}/judgments/", rows, content_type="application/json"
    )
    assert [*answer.json()["judgments"]] == [str(at) for at in range(100)]


def test_a_batch_of_judgments_is_read_for_its_organizers_only(world):
    """A refused parser would fail here: the sender is asked for first."""
    answer = client_of(world.people["rival"]).post(
        f"/api/automatic/{world.automatic.pk}/judgments/", "{", content_type="application/json"
    )
    assert answer.status_code == 404


# Rates


def test_the_api_is_limited_per_user(world, settings):
    settings.POOLBENCH_API_RATE = "3/min"
    owner, rival = (client_of(world.people[name]) for name in ("owner", "rival"))
    statuses = [owner.get("/api/runs/").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    answer = owner.get("/api/campaigns/")
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert rival.get("/api/runs/").status_code == 200
    settings.POOLBENCH_API_RATE = ""
    assert owner.get("/api/runs/").status_code == 200


def test_strangers_have_a_rate_of_their_own(world, settings):
    settings.POOLBENCH_ANONYMOUS_RATE = "2/min"
    body = {"documents": ["x"], "clicked": ["x"], "ranking": ["x"]}

    def ask(client: Client) -> int:
        address = "/api/click-preferences/"
        return client.post(address, body, content_type="application/json").status_code

    assert [ask(Client()) for _ in range(3)] == [200, 200, 429]
    token = create_token(world.people["owner"])
    owner = Client(headers={"Authorization": f"Token {token}"})
    assert [ask(owner) for _ in range(3)] == [200, 200, 200]


def test_uploads_are_limited_per_user_on_pages_and_api(world, settings):
    settings.POOLBENCH_UPLOAD_RATE = "2/min"
    owner = client_of(world.people["owner"])
    page = reverse("run-upload", args=[world.campaign.slug])
    assert owner.post(page, {"file": big(1)}).status_code == 422
    assert owner.post("/api/runs/", {"file": big(1)}).status_code == 400
    for address in (page, "/api/runs/"):
        answer = owner.post(address, {"file": big(1)})
        assert answer.status_code == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 60
        assert b"Too many uploads" in answer.content
    assert client_of(world.people["rival"]).post(page, {"file": big(1)}).status_code == 422


def test_counts_are_shared_by_processes_and_a_failing_cache_stops_nobody(world, settings, tmp_path):
    files = "django.core.cache.backends.filebased.FileBasedCache"
    settings.CACHES = {"default": {"BACKEND": files, "LOCATION": tmp_path / "cache"}}
    settings.POOLBENCH_API_RATE = "1/min"
    owner = client_of(world.people["owner"])
    assert [owner.get("/api/runs/").status_code for _ in range(2)] == [200, 429]
    blocked = tmp_path / "file"
    blocked.write_text("")
    away = "django.core.cache.backends.redis.RedisCache"
    for broken in ((files, blocked / "cache"), (away, "redis://127.0.0.1:1/0")):
        settings.CACHES = {"default": dict(zip(("BACKEND", "LOCATION"), broken, strict=True))}
        assert [owner.get("/api/runs/").status_code for _ in range(2)] == [200, 200]


def test_the_judging_screen_is_not_limited(world, settings):
    settings.POOLBENCH_API_RATE = settings.POOLBENCH_UPLOAD_RATE = "1/hour"
    client = client_of(world.people["assessor"])
    address = reverse("judge-sync", args=[world.campaign.slug])
    for _ in range(3):
        answer = client.post(address, json.dumps({"acts": []}), content_type="application/json")
        assert answer.status_code == 200


# Caches


def test_a_program_does_not_store_what_it_gets(world):
    """Nor does a browser: ``test_access`` asks every page."""
    program = Client(headers={"Authorization": f"Token {create_token(world.people['owner'])}"})
    assert "no-store" in program.get("/api/runs/").headers["Cache-Control"]


def test_public_answers_and_document_bodies_keep_their_headers(world):
    assert "Cache-Control" not in Client().get(reverse("measures")).headers
    world.campaign.documents.update(format="html", body="<p>x</p>")
    answer = client_of(world.people["assessor"]).get(urls(world)["document-body"])
    assert answer.headers["Cache-Control"] == "private, no-cache"
