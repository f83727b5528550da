"""Requests to a language model: an OpenAI-compatible address of the operator's settings.

The key is read from the environment for each request. It is in no setting, row, log or message;
no redirect is followed, which would hand it to another address.
"""

import json
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from threading import Event, Lock
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from campaigns.errors import ActionRefused
from poolbench.judging.prompts import ANSWER_TOKENS, TEMPERATURE

KEY = "POOLBENCH_MODEL_KEY"
ATTEMPTS = 8
FIRST_WAIT, LONGEST_WAIT, LONGEST_RETRY_AFTER = 1.0, 60.0, 900.0
"""Seconds; each wait is about twice the one before. What Retry-After asks for is obeyed up to a
quarter of an hour."""
SOCKET_SECONDS, WHOLE_SECONDS = 60.0, 180.0
"""Until the next bytes of an answer, and until its end."""
MOST_BYTES = 1 << 20
AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
"""Statuses after which the same request may succeed."""
STOPPED = "model-stopped"
"""The code of a refusal that follows from another."""
FIX = "What was answered is kept: start again later, and it goes on with the rest."


class Unanswered(Exception):  # noqa: N818 -- an outcome that is tried again
    """A request that may succeed later; after ``seconds`` if the other side named them."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        self.seconds = seconds
        super().__init__(reason)


class NoRedirects(HTTPRedirectHandler):
    """The key is for the given address alone: a redirect is an answer of its own, and no grade."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


@dataclass(frozen=True)
class ModelReply:
    """The text of an answer, its tokens, and the seconds that it took."""

    text: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float


@dataclass
class RequestGate:
    """Lets a request pass when its turn has come: at most ``per_minute``, evenly; none while the
    other side asked for a pause, or after ``stopped`` is set.
    """

    per_minute: float
    clock: Callable[[], float] = time.monotonic
    stopped: Event = field(default_factory=Event)
    _next: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def take_turn(self) -> float:
        """The seconds until the turn of the caller, which is taken."""
        with self._lock:
            now = self.clock()
            turn = max(now, self._next)
            self._next = turn + 60 / self.per_minute
            return turn - now

    def hold(self, seconds: float) -> None:
        """Let no request pass for so long."""
        with self._lock:
            self._next = max(self._next, self.clock() + seconds)

    def wait(self, seconds: float) -> None:
        """Raises ``ActionRefused`` if the work ends during that time."""
        if self.stopped.wait(seconds):
            raise ActionRefused(STOPPED, "The requests were stopped.", FIX)


@dataclass(frozen=True)
class ModelEndpoint:
    """A ``model`` at ``address``, which the caller has compared with the operator's list."""

    address: str
    model: str
    gate: RequestGate
    seconds: tuple[float, float] = (SOCKET_SECONDS, WHOLE_SECONDS)

    def ask(self, prompt: str) -> ModelReply:
        """The answer to one prompt, after as many attempts as it takes.

        Raises ``ActionRefused`` for a refusal that no waiting helps against, and after the last
        attempt. No request of the gate begins then: it would be refused, or paid for nothing.
        """
        try:
            return self._ask_again(prompt)
        except ActionRefused:
            self.gate.stopped.set()
            raise

    def _ask_again(self, prompt: str) -> ModelReply:
        for attempt in range(ATTEMPTS):
            self.gate.wait(self.gate.take_turn())
            try:
                return self._send(prompt)
            except Unanswered as failure:
                if attempt == ATTEMPTS - 1:
                    message = f"The model did not answer after {ATTEMPTS} attempts: {failure}."
                    raise ActionRefused("model-silent", message, FIX) from None
                if failure.seconds is not None:
                    self.gate.hold(failure.seconds)
                else:
                    # Spread, so that requests that failed together do not come together again.
                    longest = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
                    self.gate.wait(longest * random.uniform(0.5, 1))  # noqa: S311
        raise AssertionError("the last attempt returns or raises")

    def _send(self, prompt: str) -> ModelReply:
        started = time.monotonic()
        opener = build_opener(NoRedirects)
        try:
            with opener.open(self._build_request(prompt), timeout=self.seconds[0]) as answer:
                body = read_bounded(answer, started + self.seconds[1])
        except HTTPError as error:
            with error:
                if error.code in AGAIN:
                    seconds = read_retry_after(error.headers.get("Retry-After", ""))
                    raise Unanswered(f"status {error.code}", seconds) from None
            message = f"The model's address refused the request with status {error.code}."
            fix = f"Check the address, the model's name and the operator's {KEY}."
            raise ActionRefused("model-refused", message, fix) from None
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise Unanswered(f"{type(error).__name__}: {reason}") from None
        return read_reply(body, time.monotonic() - started)

    def _build_request(self, prompt: str) -> Request:
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": TEMPERATURE,
            "max_tokens": ANSWER_TOKENS,
        }
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY):
            headers["Authorization"] = f"Bearer {key}"
        # The settings are checked to have http or https alone.
        url = f"{self.address.rstrip('/')}/chat/completions"
        return Request(url, json.dumps(body).encode(), headers, method="POST")  # noqa: S310


def read_bounded(answer: HTTPResponse, until: float) -> bytes:
    """The body; raises ``Unanswered`` for one that is too long, too slow or cut off."""
    parts, size = list[bytes](), 0
    while part := answer.read1(65_536):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise Unanswered("the answer is too long")
        if time.monotonic() > until:
            raise Unanswered("the answer takes too long")
    if answer.length:
        raise Unanswered("the answer was cut off")
    return b"".join(parts)


def read_retry_after(value: str) -> float | None:
    """The seconds that ``Retry-After`` asks for, as a number or a date; None without one."""
    try:
        if value.strip().isdigit():
            return min(float(value), LONGEST_RETRY_AFTER)
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER)


def read_reply(body: bytes, seconds: float) -> ModelReply:
    """The reply in the JSON of an answer; raises ``Unanswered`` for anything else."""
    try:
        reply = json.loads(body)
        text = reply["choices"][0]["message"]["content"] or ""
        usage = reply.get("usage") or {}
        counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
        if not isinstance(text, str) or min(counts) < 0:
            raise ValueError
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise Unanswered("the answer is not of the expected form") from None
    return ModelReply(text, counts[0], counts[1], seconds)
