"""A site as ``deploy/`` sets it up: nginx with TLS, web server, worker and tick on PostgreSQL and
Redis, and its backup restored elsewhere.

``install.sh`` writes the configuration; what the units name is started from here, under other
ports, folders and databases.
"""

import json
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from http.client import HTTPResponse
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import (
    HTTPCookieProcessor,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    build_opener,
)

import pytest
from aiosmtpd.controller import Controller
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.services.test_mail import Sink
from tests.services.test_workers import ROOT, find_free_port, manage
from tests.world.files import run_text, upload

pytestmark = pytest.mark.service
DEPLOY, PROGRAMS = ROOT / "deploy", Path(sys.executable).parent
PASSWORD = "correct horse battery"
BUILD = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import begin, joined, user
owner = user("owner", can_create_campaigns=True)
campaign = begin(owner, "Site", "site")
type(campaign).objects.update(registration="open")
team = campaign.teams.create(name="Alpha")
assessor = joined(campaign, "assessor", "assessor")
participant = joined(campaign, "participant", "participant", team)
type(participant).objects.filter(pk=participant.pk).update(email="participant@example.org")
pool = make_pool(campaign, {"1": ["d1", "d2"]})
create_plan(actor=owner, pool=pool, overlap=1, assessors={"1": [assessor]})
for docno, grade in (("d1", 1), ("d2", 0)):
    topic = campaign.topics.get(number="1")
    submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=grade)
freeze_qrels(actor=owner, campaign=campaign, policy="majority")
"""
CHECK = """
from django.core.management import call_command
from campaigns.models import Run
call_command("restore", "{file}")
call_command("migrate", check=True)
call_command("check_store")
call_command("check_judging")
call_command("qrels", "verify")
print(*Run.objects.values_list("tag", "state").get())
"""


def need(name: str) -> str:
    if not (value := os.environ.get(name)):
        pytest.skip(f"needs a server: set {name}")
    return value


@pytest.fixture(scope="module")
def make_database() -> Iterator[Callable[[str], str]]:
    """``make_database(name)``: the URL of a new one; all are dropped at the end."""
    import psycopg

    url, made = need("POOLBENCH_TEST_POSTGRESQL"), list[str]()
    with psycopg.connect(url, autocommit=True) as server:

        def make(name: str) -> str:
            made.append(f"kit_{os.getpid()}_{name}")
            server.execute(f"CREATE DATABASE {made[-1]}")
            return f"{url.rpartition('/')[0]}/{made[-1]}"

        yield make
        for name in made:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Site:
    """What ``install.sh`` has written below ``root``, with ports and folders of its own."""

    def __init__(self, root: Path, database: str) -> None:
        self.root, self.var, self.programs = root, root / "var", list[subprocess.Popen[bytes]]()
        self.http, self.https, self.web, smtp = (find_free_port() for _ in range(4))
        self.sink = Sink()
        self.mail_server = Controller(self.sink, hostname="127.0.0.1", port=smtp)
        install = [DEPLOY / "install.sh", "localhost", "--files", root]
        subprocess.run(install, check=True, capture_output=True)
        self.var.mkdir()
        lines = (root / "etc/poolbench/env").read_text().splitlines()
        settings = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
        redis = need("POOLBENCH_TEST_REDIS")
        self.env = {**os.environ, **settings} | {
            "POOLBENCH_VAR": str(self.var), "DATABASE_URL": database, "CELERY_BROKER_URL": redis,
            "CACHE_URL": redis, "POOLBENCH_QUEUE": f"site-{os.getpid()}", "PYTHONPATH": str(ROOT),
            "POOLBENCH_BIND": f"127.0.0.1:{self.web}", "POOLBENCH_CHECK_AT_ONCE_BYTES": "0",
            "POOLBENCH_INLINE": "0", "POOLBENCH_WEB_PROCESSES": "1",
            "EMAIL_URL": f"smtp://127.0.0.1:{smtp}", "POOLBENCH_MAIL_FROM": "pb@example.org",
            "POOLBENCH_ADMINS": "operator@example.org",
        }  # fmt: skip
        self.cookies = CookieJar()
        self.opener = self.make_opener()

    def make_opener(self) -> OpenerDirector:
        trusted = ssl.create_default_context(cafile=self.root / "etc/poolbench/tls/cert.pem")
        return build_opener(HTTPSHandler(context=trusted), HTTPCookieProcessor(self.cookies))

    def for_another_visitor(self) -> "Site":
        """The same site, seen by somebody with cookies of their own."""
        site = copy(self)
        site.cookies = CookieJar()
        site.opener = site.make_opener()
        return site

    def read_command(self, unit: str) -> list[str]:
        text = (self.root / f"etc/systemd/system/poolbench-{unit}.service").read_text()
        text = text.replace("/opt/poolbench/venv/bin", str(PROGRAMS))
        text = text.replace("/opt/", f"{self.root}/opt/").replace(
            "/var/lib/poolbench", str(self.var)
        )
        return shlex.split(re.findall("(?m)^ExecStart=(.*)$", text)[0])

    def start(self, *command: str | Path) -> None:
        log = (self.root / "log").open("ab")
        self.programs.append(
            subprocess.Popen(command, cwd=self.var, env=self.env, stdout=log, stderr=log)
        )

    def start_nginx(self) -> None:
        """The site's file as it is, but for ports and folders, in an nginx of our own."""
        text = (self.root / "etc/nginx/sites-enabled/poolbench").read_text()
        text = re.sub(r"listen \[::\].*\n", "", text)
        text = text.replace("listen 80;", f"listen 127.0.0.1:{self.http};")
        text = text.replace("listen 443 ", f"listen 127.0.0.1:{self.https} ")
        text = text.replace("127.0.0.1:8000", f"127.0.0.1:{self.web}")
        text = text.replace("/etc/poolbench", f"{self.root}/etc/poolbench")
        text = text.replace("/var/log/nginx", str(self.root))
        paths = "".join(
            f"{name}_temp_path {self.root}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        whole = f"pid {self.root}/pid; error_log {self.root}/error.log; events {{}}\n"
        (self.root / "nginx.conf").write_text(f"{whole} http {{\n{paths}{text}}}\n")
        self.start(find_nginx(), "-c", self.root / "nginx.conf", "-g", "daemon off;")

    def ask(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str]:
        """Status and text of the answer over TLS."""
        from urllib.request import Request

        headers = {"Referer": "https://localhost/", **headers}
        request = Request(f"https://localhost:{self.https}{path}", data, headers)
        try:
            answer: HTTPResponse | HTTPError = self.opener.open(request, timeout=60)
        except HTTPError as error:
            answer = error
        return answer.status or 0, answer.read().decode()

    def post(self, path: str, **fields: str) -> str:
        """The page that comes after the form there was sent."""
        assert self.ask(path)[0] == 200
        form = urlencode(fields | {"csrfmiddlewaretoken": self.token()}).encode()
        status, text = self.ask(path, form)
        assert status == 200, text
        return text

    def find_mail(self, address: str) -> str:
        """The newest mail to the address, once it has come."""
        end = time.monotonic() + 90
        while time.monotonic() < end:
            for mail in reversed(self.sink.mails):
                if mail["To"] == address:
                    return str(mail.get_content())
            time.sleep(0.1)
        pytest.fail(f"no mail to {address}: {(self.root / 'log').read_text()[-2000:]}")

    def token(self) -> str:
        return next(str(it.value) for it in self.cookies if it.name == "csrftoken")

    def wait(self, path: str, text: str) -> None:
        """Until the page says ``text``."""
        end, seen = time.monotonic() + 90, ""
        while text not in seen:
            assert time.monotonic() < end, seen or (self.root / "log").read_text()
            with suppress(URLError):
                seen = self.ask(path)[1]
            time.sleep(0.1)

    def stop(self) -> None:
        for program in self.programs:
            program.send_signal(signal.SIGTERM)
        for program in self.programs:
            program.wait(60)


def find_nginx() -> str:
    path = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    return path or pytest.skip("needs nginx: apt-get install nginx-light")


@pytest.fixture(scope="module")
def site(tmp_path_factory, make_database) -> Iterator[Site]:
    find_nginx()
    root = tmp_path_factory.mktemp("site")
    root.chmod(0o755)  # nginx's workers have a user of their own
    made = Site(root, make_database("site"))
    manage(made.env, "shell", "-v", "0", "-c", BUILD)
    try:
        for unit in ("web", "worker", "tick"):
            made.start(*made.read_command(unit))
        made.start_nginx()
        made.mail_server.start()
        yield made
    finally:
        made.stop()
        made.mail_server.stop()


@pytest.fixture(scope="module")
def accepted_run(site) -> str:
    """Uploaded by a participant on the page, checked by the worker: its tag."""
    site.wait("/health/", '"status": "ok"')
    assert "Sign in" in site.ask("/accounts/login/")[1]
    fields = {"username": "participant", "password": PASSWORD}
    form = urlencode(fields | {"csrfmiddlewaretoken": site.token()}).encode()
    assert site.ask("/accounts/login/", form)[0] == 200
    page = "/c/site/runs/upload/"
    assert site.ask(page)[0] == 200
    sent = {"csrfmiddlewaretoken": site.token(), "team": "1", "kind": "automatic", "priority": "1"}
    body = encode_multipart(BOUNDARY, sent | {"file": upload(run_text())})
    assert site.ask(page, body, **{"Content-Type": MULTIPART_CONTENT})[0] == 200
    site.wait("/api/runs/", '"state":"accepted"')
    return "first"


def test_a_participant_sees_the_run_that_the_worker_checked(site, accepted_run):
    assert accepted_run in site.ask("/c/site/runs/")[1]
    session = next(it for it in site.cookies if it.name == "sessionid")
    assert session.secure


def test_a_mail_tells_the_team(site, accepted_run):
    """Queued by the worker in the transaction of the check, sent by the next tick."""
    manage(site.env, "tick")
    told = site.find_mail("participant@example.org")
    assert f"Run {accepted_run} of team Alpha was checked and accepted." in told
    assert "https://localhost/c/site/runs/" in told


def test_a_stranger_takes_part_by_mail_alone(site):
    """Signs up, confirms the address by the link in the mail, and registers a team."""
    site.wait("/health/", '"status": "ok"')
    stranger = site.for_another_visitor()
    fields = {"first_name": "Karen S. J.", "email": "karen@city.example"}
    words = {"password1": "a new long passphrase", "password2": "a new long passphrase"}
    stranger.post("/accounts/signup/", **fields, **words)
    link = re.search(r"https://localhost(/\S+)", stranger.find_mail("karen@city.example"))
    stranger.post(link[1])
    stranger.post("/accounts/login/", username="karen@city.example", password=words["password1"])
    registered = {"name": "Okapi Farm", "affiliation": "City", "contact": "Karen"}
    page = stranger.post("/c/site/register/", **registered)
    assert "Okapi Farm" in page
    assert stranger.ask("/c/site/team/")[0] == 200
    assert link[1] not in (site.root / "log").read_text()


def test_what_the_proxy_refuses_and_adds(site):
    site.wait("/health/", '"status": "ok"')
    with pytest.raises(HTTPError) as moved:
        build_opener(NoRedirect).open(f"http://127.0.0.1:{site.http}/help/?q=a")
    assert moved.value.code == 301
    assert moved.value.headers["Location"] == "https://127.0.0.1/help/?q=a"
    status, text = site.ask("/accounts/login/", bytes(10_000_001))
    assert (status, "nginx" in text) == (413, True)
    assert site.ask("/metrics")[0] == 403
    own = f"http://127.0.0.1:{site.web}/metrics"
    assert "\npoolbench_up 1\n" in build_opener().open(own).read().decode()
    (ours,) = (line for line in read_log(site) if line.get("message") == "GET /metrics"
               and line["status"] == 403)  # fmt: skip
    theirs = re.search(r'"GET /metrics" 403 \d+ \S+ (\w+)', (site.root / "access.log").read_text())
    assert ours["request_id"] == theirs[1]
    starts = [line for line in read_log(site) if "Starting gunicorn" in str(line.get("message"))]
    assert len(starts) == 1


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_args: object) -> None:
        return None


def read_log(site: Site) -> Iterator[dict[str, object]]:
    for line in (site.root / "log").read_text().splitlines():
        with suppress(ValueError):
            yield json.loads(line)


def test_the_doctor_finds_nothing(site):
    site.wait("/health/", '"status": "ok"')
    findings = json.loads(manage(site.env, "doctor", "--format", "json"))
    assert [it for it in findings if it["state"] != "ok"] == []
    assert {"database", "broker", "worker", "tick", "migrations", "clock", "backup"} <= {
        it["name"] for it in findings
    }


@pytest.mark.full
def test_a_backup_is_restored_elsewhere(site, accepted_run, make_database, tmp_path):
    """And the checks of store, judgments and qrels find all of it."""
    file = tmp_path / "backup.tar"
    manage(site.env, "backup", str(file))
    elsewhere = site.env | {
        "POOLBENCH_VAR": str(tmp_path / "var"), "DATABASE_URL": make_database("restored"),
    }  # fmt: skip
    checked = manage(elsewhere, "shell", "-v", "0", "-c", CHECK.format(file=file))
    key = tmp_path / "var/secret_key"
    assert key.read_text() == (site.var / "secret_key").read_text()
    assert key.stat().st_mode & 0o777 == 0o600
    assert "missing: 0; damaged: 0; not named by any row: 0" in checked
    assert checked.split()[-2:] == [accepted_run, "accepted"]
