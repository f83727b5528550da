"""Who works at the site while something fails: teams, assessors, a monitor and a reader."""

import json
import re
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException
from typing import Any
from uuid import uuid4

from benchmarks.assessor import Assessor
from benchmarks.faults.campaign import STORM, TOPICS
from benchmarks.faults.site import Site

BOUNDARY = "poolbench-faults"
PAUSE, PATIENCE = 0.3, 120.0
PARTS = ("store", "database", "broker")


class Uploader:
    """Sends one run after the other, each until it is acknowledged, with a key of its own."""

    def __init__(self, port: int, token: str, name: str) -> None:
        self.port, self.token, self.name = port, token, name
        self.acknowledged: dict[str, int] = {}
        self.answers: Counter[int] = Counter()
        self.refused: list[str] = []
        self.latest = 0.0
        self.slowest = 0.0

    def work(self, over: Any) -> None:
        number = 0
        while not over.is_set():
            number += 1
            self.send(f"{self.name}u{number}", time.monotonic() + PATIENCE)
            over.wait(PAUSE)

    def send(self, tag: str, until: float) -> None:
        key = uuid4().hex
        while time.monotonic() < until:
            started = time.monotonic()
            status, text = self.post(tag, key)
            self.slowest = max(self.slowest, time.monotonic() - started)
            self.answers[status] += 1
            if status == 201:
                self.acknowledged[tag] = json.loads(text)["id"]
                self.latest = time.monotonic()
                return
            if status not in (0, 500, 502, 503):
                self.refused.append(f"{status}: {text[:200]!r}")
                return
            time.sleep(PAUSE)
        self.refused.append(f"{tag}: not within {PATIENCE} s")

    def post(self, tag: str, key: str) -> tuple[int, bytes]:
        lines = "".join(
            f"{topic} Q0 d{n:05} {n} {200 - n} {tag}\n"
            for topic in range(1, TOPICS + 1)
            for n in range(100)
        )
        fields = {"campaign": STORM, "team": "T"}
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        named = f'name="file"; filename="{tag}.txt"'
        parts += [f"--{BOUNDARY}\r\nContent-Disposition: form-data; {named}\r\n\r\n{lines}\r\n"]
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Authorization": f"Token {self.token}", "Idempotency-Key": key,
        }  # fmt: skip
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            body = "".join(parts) + f"--{BOUNDARY}--\r\n"
            connection.request("POST", "/api/runs/", body.encode(), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, HTTPException):
            return 0, b""
        finally:
            connection.close()


class Judge(Assessor):
    """Judges one document after the other; what is not acknowledged is sent again, as the
    browser's queue does.
    """

    def __init__(self, site: Site, person: dict[str, Any], seed: int) -> None:
        topics = [str(1 + (seed + n) % TOPICS) for n in range(TOPICS)]
        super().__init__(
            port=site.port, slug=person["slug"], session=person["session"], topics=topics,
            think=0.4, seed=seed,
        )  # fmt: skip
        self.retries = int(PATIENCE / 0.25)


class Monitor:
    """Asks ``/health/``, and a page, all the time; ``states`` are those in their order."""

    def __init__(self, site: Site, session: str) -> None:
        self.site, self.session = site, session
        self.states: list[tuple[float, str]] = []
        self.pages: Counter[int] = Counter()
        self.said: set[str] = set()

    def watch(self, over: Any) -> None:
        while not over.wait(0.5):
            seen = self.site.ask_health()
            parts = [f"{k} {v}" for k, v in seen.items() if k in PARTS and v not in ("ok", "low")]
            state = " ".join([str(seen["status"]), *(f"({part})" for part in parts)])
            if not self.states or self.states[-1][1] != state:
                self.states.append((time.monotonic(), state))
            self.pages[self.read_page()] += 1

    def read_page(self) -> int:
        connection = HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        try:
            cookie = {"Cookie": f"sessionid={self.session}"}
            connection.request("GET", f"/c/{STORM}/judge/", headers=cookie)
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status >= 500:
                words = text.partition("<h1>")[2].partition("</p>")[0]
                self.said.add(f"{answer.status} {' '.join(strip_tags(words).split())}")
        except (OSError, HTTPException):
            return 0
        finally:
            connection.close()
        return answer.status


def strip_tags(text: str) -> str:
    return re.sub("<[^>]*>", " ", text)
