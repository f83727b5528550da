"""A true web server refuses large bodies before it writes any of them to a file."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.services.test_workers import find_free_port, make_installation, manage, start_gunicorn

MEGABYTE = 1_000_000
START = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
TOKEN = """
from campaigns.models import User
from campaigns.services.tokens import create_token
print(create_token(User.objects.create_user("u")))
"""


class Server:
    """gunicorn over an installation in ``folder``, with temporary folders of its own."""

    def __init__(self, folder: Path, migrated: Callable[[Path], None]) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        env = make_installation(folder, migrated, POOLBENCH_VAR=str(folder / "var"))
        self.token = manage(env, "shell", "-v", "0", "-c", TOKEN).strip()
        self.port = find_free_port()
        env["TMPDIR"] = str(self.temporary)
        self.process = start_gunicorn("workbench.wsgi", self.port, env)
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.1)
        raise TimeoutError

    def send(self, head: list[str], parts: Iterator[bytes]) -> tuple[int, bytes, int, int]:
        """``(status, body, bytes sent, most bytes in the temporary folders)``."""
        sent = most = 0
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            connection.sendall("\r\n".join([*head, "Host: localhost", "", ""]).encode())
            with suppress(OSError):
                for part in parts:
                    connection.sendall(part)
                    sent += len(part)
                    most = max(most, self.stored())
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            body = answer.read()
        return answer.status, body, sent, max(most, self.stored())

    def stored(self) -> int:
        sizes = []
        uploads = (self.temporary, self.temporary.parent / "var" / "uploads")
        for path in (path for folder in uploads for path in folder.rglob("*")):
            with suppress(OSError):
                sizes.append(path.stat().st_size)
        return sum(sizes)


@pytest.fixture(scope="module")
def server(tmp_path_factory, migrated) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("bodies"), migrated)
    yield made
    made.process.terminate()
    made.process.wait(20)


def form() -> Iterator[bytes]:
    yield START
    for _ in range(300):
        yield bytes(MEGABYTE)


def chunks() -> Iterator[bytes]:
    for part in form():
        yield f"{len(part):x}\r\n".encode() + part + b"\r\n"
    yield b"0\r\n\r\n"


TYPE = "Content-Type: multipart/form-data; boundary=x"
# With the cookie, the CSRF check looks for a token in the form, and so parses all of it.
COOKIE = f"Cookie: csrftoken={'x' * 32}"


@pytest.mark.service
@pytest.mark.parametrize("path", ["/accounts/login/", "/theme/", "/c/small/runs/upload/"])
def test_an_anonymous_form_of_300_megabytes_is_not_stored(server, path):
    length = f"Content-Length: {300 * MEGABYTE + len(START)}"
    head = [f"POST {path} HTTP/1.1", TYPE, COOKIE, length]
    status, body, _sent, stored = server.send(head, form())
    assert (status, stored) == (413, 0)
    assert b"too large" in body


@pytest.mark.full
@pytest.mark.service
def test_a_form_in_chunks_is_not_stored_either(server):
    head = ["POST /accounts/login/ HTTP/1.1", TYPE, COOKIE, "Transfer-Encoding: chunked"]
    status, body, _sent, stored = server.send(head, chunks())
    assert (status, stored) == (413, 0)
    assert b"Content-Length" in body


@pytest.mark.service
def test_json_of_11_megabytes_gets_a_json_answer(server):
    text = json.dumps({"title": "x" * 11 * MEGABYTE}).encode()
    for token in ([], [f"Authorization: Token {server.token}"]):
        head = ["POST /api/campaigns/ HTTP/1.1", "Content-Type: application/json", *token]
        head.append(f"Content-Length: {len(text)}")
        status, body, _sent, stored = server.send(head, iter([text]))
        assert (status, json.loads(body)["code"], stored) == (413, "too-large", 0)


@pytest.mark.service
def test_a_small_body_in_chunks_is_read(server):
    head = ["POST /api/campaigns/ HTTP/1.1", "Content-Type: application/json"]
    head += [f"Authorization: Bearer {server.token}", "Transfer-Encoding: chunked"]
    for size, understood in ((b"8\r\n", True), (b"9\r\n", False)):  # the second is malformed
        parts = iter([size, b'{"a": 1}\r\n0\r\n\r\n'])
        status, body, _sent, _stored = server.send(head, parts)
        assert (status, b"This field is required" in body) == (400, understood)
