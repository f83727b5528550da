"""The connection of ``poolbench client`` to an installation: address, token, requests, retries."""

import json
import os
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener
from uuid import uuid4

from poolbench.commands.command import CliError

ATTEMPTS = 5
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before an attempt is repeated; each pause is twice the one before."""
TIMEOUT = 120.0
BUSY = (429, 502, 503, 504)
"""Statuses after which the same request may succeed."""
UNREACHED = 3
"""Exit status if the installation did not answer; 1 if it refused."""
PAGE = 1000


class RefusedError(CliError):
    """The installation's refusal, with its code, as in docs/api.md."""

    def __init__(self, status: int, body: Any) -> None:
        self.http_status, self.body = status, body
        super().__init__(describe_refusal(status, body))


def describe_refusal(status: int, body: Any) -> str:
    """The sentence for people: message and fix, or the messages by field."""
    if not isinstance(body, dict):
        return f"The installation answered with status {status}."
    if "detail" in body:
        code = f" ({body['code']})" if body.get("code") else ""
        return " ".join(filter(None, [f"{body['detail']}{code}", body.get("fix")]))
    if "faults" in body:
        faults = [f"{fault['code']} {fault['message']} {fault['fix']}" for fault in body["faults"]]
        return "The file has errors.\n" + "\n".join(faults)
    fields = (f"{name}: {' '.join(map(str, texts))}" for name, texts in body.items() if texts)
    return f"The request is malformed. {' '.join(fields)}"


class KeepTokenHere(HTTPRedirectHandler):
    """No redirect is followed: the token is for the given address alone."""

    def redirect_request(self, *arguments: Any) -> None:
        *_rest, newurl = arguments
        place = "{0.scheme}://{0.netloc}".format(urlsplit(newurl))
        raise CliError(f"The address leads to {place}: give that one as --url.")


@dataclass(frozen=True)
class Connection:
    """An installation at ``url``, with a user's ``token``. ``pause`` waits between attempts."""

    url: str
    token: str
    opener: ClassVar[OpenerDirector] = build_opener(KeepTokenHere)

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of an answer."""
        return json.loads(self.fetch(path, **query))

    def fetch(self, path: str, **query: Any) -> bytes:
        """An answer as it is."""
        fields = {name: value for name, value in query.items() if value not in (None, "")}
        text = f"?{urlencode(fields)}" if fields else ""
        return self.send("GET", f"{path}{text}")

    def iter_rows(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """All rows of a list, page by page."""
        offset = 0
        while True:
            page = self.get(path, limit=PAGE, offset=offset, **query)
            yield from page["results"]
            offset += len(page["results"])
            if not page["next"] or not page["results"]:
                return

    def upload(self, path: str, name: str, data: bytes, fields: Mapping[str, Any], key: str) -> Any:
        """Send a file; the same ``key`` again, after a lost answer, is the same upload."""
        boundary = uuid4().hex
        body = encode_form(boundary, name, data, fields)
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Idempotency-Key": key,
        }
        return json.loads(self.send("POST", path, body, headers))

    def send(
        self, method: str, path: str, body: bytes | None = None, more: Mapping[str, str] = {}
    ) -> bytes:
        """The answer, after as many attempts as it takes; only what is idempotent comes here."""
        headers = {"Authorization": f"Token {self.token}", "Accept": "*/*", **more}
        # The scheme is http or https: open_connection refuses others.
        request = Request(f"{self.url}/api/{path}", body, headers, method=method)  # noqa: S310
        for attempt in range(ATTEMPTS):
            pause = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
            try:
                with self.opener.open(request, timeout=TIMEOUT) as answer:
                    return bytes(answer.read())
            except HTTPError as error:
                if error.code not in BUSY or attempt == ATTEMPTS - 1:
                    raise RefusedError(error.code, read_body(error)) from error
                pause = read_pause(error, pause)
            except (URLError, HTTPException, OSError) as error:
                if attempt == ATTEMPTS - 1:
                    reason = getattr(error, "reason", None) or error
                    message = f"{self.url} does not answer: {reason}."
                    raise CliError(message, status=UNREACHED) from error
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")


def read_body(error: HTTPError) -> Any:
    try:
        return json.loads(error.read())
    except (ValueError, HTTPException, OSError):
        return None


def read_pause(error: HTTPError, pause: float) -> float:
    """What the answer asks for in ``Retry-After``, within reason."""
    seconds = error.headers.get("Retry-After", "")
    return min(float(seconds), LONGEST_PAUSE) if seconds.isdigit() else pause


def encode_form(boundary: str, name: str, data: bytes, fields: Mapping[str, Any]) -> bytes:
    """The fields and the file as multipart/form-data."""
    parts = []
    for field, value in fields.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n'
        parts.append(f"{head}{value}\r\n".encode())
    file_name = name.replace('"', "%22").replace("\r", " ").replace("\n", " ")
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n'
    )
    parts += [f"{head}Content-Type: application/octet-stream\r\n\r\n".encode(), data]
    return b"".join([*parts, f"\r\n--{boundary}--\r\n".encode()])


def find_config_file() -> Path:
    """``client.toml`` in the folder for settings of the user's programs."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "poolbench" / "client.toml"


def open_connection(options: Mapping[str, Any]) -> Connection:
    """The connection by option, environment or configuration file, in this order."""
    config = read_config(find_config_file())
    url, token = (
        str(options[name] or os.environ.get(f"POOLBENCH_{name.upper()}") or config.get(name) or "")
        for name in ("url", "token")
    )
    for name, value in (("url", url), ("token", token)):
        if not value:
            where = f"--{name}, POOLBENCH_{name.upper()} or {find_config_file()}"
            raise CliError(f"No {name}. Give it by {where}.")
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.netloc:
        raise CliError(f"{url} is no address: it begins with https:// or http://.")
    if not token.isascii() or not token.isprintable():
        raise CliError("The token has characters that no token has.")
    return Connection(url.rstrip("/"), token)


def read_config(path: Path) -> dict[str, Any]:
    """``url`` and ``token`` of a file that only its owner can read; empty without one."""
    try:
        text, mode = path.read_text("utf-8"), path.stat().st_mode
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: {error}.") from error
    if mode & 0o077:
        raise CliError(f"Others can read {path}, which has a token. Run: chmod 600 {path}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CliError(f"{path} is no TOML: {error}.") from error


def escape_slug(slug: str) -> str:
    """A campaign's slug as a part of a path."""
    return quote(slug, safe="")
