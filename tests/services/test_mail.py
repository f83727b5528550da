"""Mails through true ticks and an SMTP server that listens here.

An installation in a temporary folder, whose mails a tick sends to the sink; the outcome is read
from its table and from what the sink took. Each tick is a process.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from time import sleep

import pytest
from aiosmtpd.controller import Controller

from tests.services.test_workers import ROOT, find_free_port, make_installation, manage

pytestmark = pytest.mark.service
REFUSED = "gone@example.org"
BUILD = """
from campaigns.models import Campaign, User
from campaigns.services.campaigns import create_campaign
from poolbench.judging.scale import GradeSpec
owner = User.objects.create(username="owner", can_create_campaigns=True)
scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
campaign = create_campaign(actor=owner, title="Žlutý task", slug="c", scale=scale)
for name in ("ann", "gone", "bob"):
    User.objects.create(username=name, email=f"{name}@example.org")
"""
QUEUES = {
    "all": ("runs_deadline", ("ann", "gone", "bob"), 1),
    "one": ("scores_released", ("ann",), 1),
    "many": ("scores_released", ("ann", "bob"), 20),
}
"""Kind of mail, recipients, and how many each of them gets."""
QUEUE = f"""
from django.db import connection
from campaigns.services.mail import queue_mail
for name, (kind, names, times) in {QUEUES!r}.items():
    people = User.objects.filter(username__in=names).order_by("pk")
    for n in range(times):
        queue_mail(kind, people, key=str(n), campaign=campaign, path="/c/c/", context={{"runs": 1}})
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE queued_" + name + " AS SELECT * FROM campaigns_mail")
        cursor.execute("DELETE FROM campaigns_mail")
"""
"""After ``BUILD``: what each test finds queued, made once."""


class Sink:
    """Takes mails, but for one address; ``on_recipient`` runs before it answers to each."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.on_recipient: Callable[[], object] = lambda: None

    async def handle_RCPT(self, _server, _session, envelope, address, _options) -> str:  # noqa: N802
        self.on_recipient()
        if address == REFUSED:
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope) -> str:  # noqa: N802
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        self.recipients += envelope.rcpt_tos
        return "250 OK"


class Installation:
    def __init__(self, env: dict[str, str], folder: Path, sink: Sink) -> None:
        self.env, self.file, self.sink = env, folder / "db.sqlite3", sink

    def queue(self, name: str) -> None:
        """What is ``name`` in ``QUEUES``, and nothing else."""
        with closing(sqlite3.connect(self.file)) as database, database:
            database.execute("DELETE FROM campaigns_mail")
            database.execute(f"INSERT INTO campaigns_mail SELECT * FROM queued_{name}")

    def start_tick(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "tick"]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=quiet, stderr=quiet)

    def tick(self) -> None:
        assert self.start_tick().wait(60) == 0

    def read(self) -> list[tuple[str, int]]:
        """State and attempts of each mail."""
        with closing(sqlite3.connect(self.file)) as database:
            return database.execute(
                "SELECT state, attempts FROM campaigns_mail ORDER BY id"
            ).fetchall()

    def make_due(self) -> None:
        with closing(sqlite3.connect(self.file)) as database, database:
            database.execute("UPDATE campaigns_mail SET send_after = '2020-01-01 00:00:00'")


@pytest.fixture(scope="module")
def installed(tmp_path_factory, migrated) -> Iterator[Installation]:
    sink, port = Sink(), find_free_port()
    folder = tmp_path_factory.mktemp("mail")
    env = make_installation(
        folder, migrated, EMAIL_URL=f"smtp://127.0.0.1:{port}", POOLBENCH_MAIL_FROM="pb@example.org"
    )
    manage(env, "shell", "-v", "0", "-c", BUILD + QUEUE)
    controller = Controller(sink, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield Installation(env, folder, sink)
    finally:
        controller.stop()


@pytest.fixture
def sink(installed) -> Sink:
    installed.sink.__init__()
    return installed.sink


def test_a_refused_recipient_fails_and_the_others_get_theirs(installed, sink):
    installed.queue("all")
    installed.tick()
    assert installed.read() == [("sent", 1), ("failed", 1), ("sent", 1)]
    assert sink.recipients == ["ann@example.org", "bob@example.org"]
    first, second = sink.mails
    assert (first["To"], second["To"]) == ("ann@example.org", "bob@example.org")
    assert first["From"] == "pb@example.org"
    assert "Žlutý task" in first["Subject"]
    text = first.get_content().replace("\r\n", "\n")
    assert text.startswith("Dear ann,\n")
    assert "bob" not in first.as_string()
    link = first["List-Unsubscribe"].strip("<> ")
    assert link in text
    assert link != second["List-Unsubscribe"].strip("<> ")


def test_a_tick_that_dies_after_its_claim_loses_no_mail(installed, sink):
    installed.queue("one")
    tick = installed.start_tick()
    sink.on_recipient = lambda: (os.kill(tick.pid, signal.SIGKILL), sleep(0.2))
    assert tick.wait(60) == -signal.SIGKILL
    assert installed.read() == [("queued", 1)]
    assert sink.mails == []
    sink.on_recipient = lambda: None
    installed.tick()  # not due yet
    assert sink.mails == []
    installed.make_due()
    installed.tick()
    assert installed.read() == [("sent", 2)]
    assert len(sink.mails) == 1


@pytest.mark.full
def test_two_ticks_at_once_send_each_mail_once(installed, sink):
    installed.queue("many")
    sink.on_recipient = lambda: sleep(0.05)
    ticks = [installed.start_tick() for _ in range(2)]
    assert [tick.wait(60) for tick in ticks] == [0, 0]
    assert set(installed.read()) == {("sent", 1)}
    ids = [mail["Message-ID"] for mail in sink.mails]
    assert len(ids) == len(set(ids)) == 40
