"""One assessor over HTTP, as the judging screen does it."""

import http.client
import json
import random
import time
from collections import defaultdict
from threading import Thread
from typing import Any
from uuid import uuid4

AHEAD, AT_ONCE, PROGRESS = 3, 12, 30.0
"""At first, and in one request, as in static/js/judge/desk.js; seconds between counts."""
CSRF = "x" * 32
RETRIES, PATIENCE = 40, 0.25


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/health/")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server does not respond")


class Assessor:
    """Judges until ``until``; records acknowledged uuids, response times and errors."""

    def __init__(
        self, *, port: int, slug: str, session: str, topics: list[str], think: float, seed: int
    ) -> None:
        self.port, self.slug, self.topics, self.think = port, slug, topics, think
        self.headers = {
            "Content-Type": "application/json",
            "Cookie": f"sessionid={session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
        }
        self.draw = random.Random(seed)  # noqa: S311
        self.connection: http.client.HTTPConnection | None = None
        self.times: dict[str, list[float]] = defaultdict(list)
        self.begun: dict[str, list[float]] = defaultdict(list)
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self.retries, self.retried, self.latest = RETRIES, 0, 0.0
        self.progress_at = time.monotonic()
        self.ahead: list[dict[str, Any]] = []
        self.most_ahead = AHEAD

    def work(self, until: float) -> None:
        time.sleep(self.draw.uniform(0, self.think))
        at = 0
        while time.monotonic() < until and at < len(self.topics):
            topic = self.topics[at]
            self.fetch(topic)
            if not self.ahead:
                at, self.most_ahead = at + 1, AHEAD
                continue
            document = self.ahead.pop(0)
            time.sleep(self.draw.expovariate(1 / self.think))
            self.judge(topic, document)

    def fetch(self, topic: str) -> None:
        """Documents until ``most_ahead`` are here, when the last quarter of them is missing."""
        if len(self.ahead) > self.most_ahead - max(1, self.most_ahead // 4):
            return
        while (missing := self.most_ahead - len(self.ahead)) > 0:
            have = [each["token"] for each in self.ahead]
            body = {"topic": topic, "have": have, "count": min(AT_ONCE, missing)}
            if time.monotonic() - self.progress_at > PROGRESS:
                body["progress"], self.progress_at = True, time.monotonic()
            answer = self.timed("next", "judge-ahead", body) or {}
            self.most_ahead = answer.get("ahead", self.most_ahead)
            if not answer.get("documents"):
                return
            self.ahead += answer["documents"]

    def judge(self, topic: str, document: dict[str, Any]) -> None:
        uuid = str(uuid4())
        act = {
            "act": "judge", "uuid": uuid, "topic": topic, "docno": document["docno"],
            "token": document["token"], "grade": self.draw.choice([0, 0, 0, 1, 2]),
            "active_seconds": 3.5,
        }  # fmt: skip
        is_double = self.draw.random() < 0.02
        if is_double:
            second = Thread(target=self.send_again, args=(act,))
            second.start()
        self.act("submit", act)
        if is_double:
            second.join()
        if self.draw.random() < 0.01:
            undo = {"act": "undo", "uuid": str(uuid4()), "of": uuid}
            self.act("undo", undo)
            self.act("submit", {**act, "uuid": str(uuid4())})

    def act(self, name: str, act: dict[str, Any]) -> None:
        answer = self.timed(name, "judge-acts", {"acts": [act]})
        if answer is None:
            return
        (result,) = answer["results"]
        if result.get("ok"):
            self.acknowledged.append(act["uuid"])
        else:
            self.errors.append(f"{result.get('code')}: {result.get('message')}")

    def send_again(self, act: dict[str, Any]) -> None:
        """The second click of a double click, 20 ms later, on a separate connection."""
        time.sleep(0.02)
        twin = Assessor(port=self.port, slug=self.slug, session="", topics=[], think=1, seed=0)
        twin.headers = self.headers
        twin.act("submit", act)
        self.errors += twin.errors

    def timed(self, name: str, page: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The response; the same request is repeated while the server does not respond."""
        payload = json.dumps(body)
        for _ in range(self.retries):
            start = time.perf_counter()
            try:
                status, text = self.post(f"/c/{self.slug}/{page}/", payload)
            except (OSError, http.client.HTTPException):
                self.connection = None
                self.retried += 1
                time.sleep(PATIENCE)
                continue
            if status == 503:  # as the browser's queue does
                self.retried += 1
                time.sleep(PATIENCE)
                continue
            self.times[name].append(time.perf_counter() - start)
            self.begun[name].append(start)
            if status == 200:
                self.latest = time.monotonic()
                return dict(json.loads(text))
            self.errors.append(f"{page} returned {status}: {text[:200]!r}")
            return None
        self.errors.append(f"{page} did not respond")
        return None

    def post(self, path: str, body: str) -> tuple[int, bytes]:
        is_new = self.connection is None
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            self.connection.request("POST", path, body, self.headers)
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # The server may close an idle connection.
            self.connection = None
            if is_new:
                raise
            return self.post(path, body)
