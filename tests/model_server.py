"""A model on this machine, for tests: it answers as it is told, and remembers what it was asked."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread


@dataclass
class FakeModel:
    """``answer(prompt, number)`` gives a text, or a tuple of status, headers and body.

    ``cut``: the connection ends in the middle of a body. ``slow``: seconds before an answer.
    """

    answer: Callable[[str, int], object] = lambda _prompt, _number: '{"grade": 1}'
    address: str = ""
    cut: set[int] = field(default_factory=set)
    slow: dict[int, float] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    bodies: list[dict[str, object]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


def fill_body(text: str) -> bytes:
    """An answer in the form of the real ones."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


@contextmanager
def serve_model(model: FakeModel) -> Iterator[FakeModel]:
    """``model`` at its ``address`` for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][0]["content"]
            with model.lock:
                number = len(model.prompts)
                model.prompts.append(prompt)
                model.bodies.append(body)
                model.keys.append(self.headers.get("Authorization", ""))
            time.sleep(model.slow.get(number, 0))
            answer = model.answer(prompt, number)
            status, headers, sent = (
                answer if isinstance(answer, tuple) else (200, {}, fill_body(str(answer)))
            )
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent[: len(sent) // 2] if number in model.cut else sent)

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    model.address = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
