"""Simulated crowd workers, each a browser without cookies that speaks HTTP to a real server."""

import http.client
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Thread
from urllib.parse import parse_qsl, quote, urlencode
from uuid import uuid4

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
TRUTH = re.compile(r"truth-(\d)")
GRADES = 4
ACCURACY = {"honest": 0.92, "sloppy": 0.78, "abandoner": 0.9, "double-clicker": 0.92, "forger": 0.9}
REFUSED = (403, 404, 409)
CLICK_SECONDS = 0.02


@dataclass
class SimulatedWorker:
    """A worker with ``links`` to units of their own, and one of another worker to steal."""

    port: int
    kind: str
    links: list[str]
    stolen: str
    think: float
    arrival: float
    seed: int
    times: dict[str, list[float]] = field(default_factory=lambda: {"next": [], "submit": []})
    acknowledged: list[str] = field(default_factory=list)
    forged: Counter[str] = field(default_factory=Counter)
    admitted: list[str] = field(default_factory=list)
    replayed_uuids: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311
        self.connection: http.client.HTTPConnection | None = None

    def run(self, until: float) -> None:
        """Work on one unit after another until the time is up or the study wants no more."""
        time.sleep(self.random.uniform(0, self.arrival))
        for link in self.links:
            if time.monotonic() > until:
                break
            if self.kind == "forger":
                self.forge(link)
            try:
                if not self.work(link, until):
                    break
            except (OSError, http.client.HTTPException) as error:
                self.errors.append(f"{self.kind}: {error!r}")
        if self.connection is not None:
            self.connection.close()

    def work(self, link: str, until: float) -> bool:
        """A unit from its link to its end; False if no further one is given."""
        status, path, page = self.send("GET", link)
        if status != 303:
            self.refusals[" ".join(re.findall(r"<h1[^>]*>([^<]*)", page)) or str(status)] += 1
            if self.kind == "abandoner":
                # A task that is still open at the study comes to its end by itself.
                time.sleep(min(10.0, max(0.0, until - time.monotonic())))
            return self.kind == "abandoner"
        self.send("POST", path + "consent/", {"version": "1", "agree": "1"})
        status, _, page = self.send("POST", path + "begin/")
        if status != 303:
            self.refusals[f"begin {status}"] += 1
            return False
        leave_at = self.random.randint(1, 6) if self.kind == "abandoner" else 10_000
        answered, old = 0, {}
        while time.monotonic() < until:
            start = time.perf_counter()
            status, location, page = self.send("GET", path)
            self.times["next"].append(time.perf_counter() - start)
            if status == 303:  # over: stopped, or out of time
                return "end/" not in location or self.kind == "abandoner"
            fields = dict(HIDDEN.findall(page))
            if "uuid" not in fields:
                return self.finish(path, old)
            if answered == leave_at:
                # Half say so, half are just gone.
                if self.random.random() < 0.5:
                    self.send("POST", path + "leave/")
                return True
            time.sleep(self.random.expovariate(1 / self.think) if self.think else 0)
            self.answer(path, fields, page)
            answered, old = answered + 1, fields
        return False

    def answer(self, path: str, fields: dict[str, str], page: str) -> None:
        truth = TRUTH.search(page)
        form = {**fields, "grade": str(self.choose_grade(int(truth[1]) if truth else 0))}
        if self.kind == "double-clicker":
            Thread(target=self.send_apart, args=(path, form)).start()
            time.sleep(CLICK_SECONDS)
        start = time.perf_counter()
        status, location, _ = self.send("POST", path + "answer/", form)
        self.times["submit"].append(time.perf_counter() - start)
        if status == 303 and location == path:
            self.acknowledged.append(fields["uuid"])
        elif status != 303:
            self.errors.append(f"{self.kind}: answer {status}")

    def send_apart(self, path: str, form: dict[str, str]) -> None:
        """The first of two clicks, on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            self.request(connection, "POST", path + "answer/", form)
        except (OSError, http.client.HTTPException) as error:
            self.errors.append(f"first click: {error!r}")
        finally:
            connection.close()

    def choose_grade(self, truth: int) -> int:
        if self.kind == "spammer" or self.random.random() > ACCURACY[self.kind]:
            return self.random.randrange(GRADES)
        return truth

    def finish(self, path: str, old: dict[str, str]) -> bool:
        """Complete, twice for some; then replay an old answer, which must change nothing."""
        for _ in range(1 + (self.kind in ("double-clicker", "forger"))):
            status, _, _ = self.send("POST", path + "finish/")
            if status != 303:
                self.errors.append(f"{self.kind}: finish {status}")
                return False
        self.send("GET", path + "end/")
        if self.kind == "forger" and old:
            uuid = str(uuid4())
            self.replayed_uuids.append(uuid)
            form = {**old, "uuid": uuid, "grade": "0"}
            status, location, _ = self.send("POST", path + "answer/", form)
            refused = status in REFUSED or location.endswith("/end/")
            self.count("replayed answer", is_refused=refused)
        return True

    def forge(self, link: str) -> None:
        """Everything that a forger can do with links of their own, and with one of another."""
        path, _, text = link.partition("?")
        query = dict(parse_qsl(text))
        other = dict(parse_qsl(self.stolen.partition("?")[2]))
        forgeries = {
            "signature": {"sig": query["sig"][::-1]},
            "worker": {"wid": query["wid"] + "x"},
            "unit": {"uid": other["uid"]},
            "expiry": {"exp": str(int(query["exp"]) + 3600)},
            "key": {"kid": "k0"},
            "other's signature": {"sig": other["sig"]},
            "added parameter": {"trial": "1"},
            "preview": {"mode": "preview"},
        }
        for name, change in forgeries.items():
            changed = f"{path}?{urlencode({**query, **change}, quote_via=quote, safe='')}"
            self.count(name, is_refused=self.send("GET", changed)[0] in REFUSED)
        self.count("twice", is_refused=self.send("GET", link + "&wid=x")[0] in REFUSED)
        for name in (uuid4().hex, f"{uuid4().hex}.1xVFY2.{'A' * 43}"):
            status = self.send("GET", f"/w/unit/{name}/")[0]
            self.count("unit name", is_refused=status in REFUSED)
            status = self.send("POST", f"/w/unit/{name}/finish/")[0]
            self.count("unit name", is_refused=status in REFUSED)

    def count(self, name: str, *, is_refused: bool) -> None:
        self.forged[name] += 1
        if not is_refused:
            self.admitted.append(name)

    def send(
        self, method: str, path: str, form: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Status, target of a redirect, page; once more on a connection that was closed."""
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                return self.request(self.connection, method, path, form)
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.connection = None
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def request(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        form: dict[str, str] | None,
    ) -> tuple[int, str, str]:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode(form or {}) if method == "POST" else None
        connection.request(method, path, body, headers if body is not None else {})
        response = connection.getresponse()
        page = response.read().decode()
        if response.headers.get("Set-Cookie"):
            self.errors.append("a cookie was set")
        if response.status >= 500:
            self.errors.append(f"{method} {response.status}")
        return response.status, response.headers.get("Location", ""), page
