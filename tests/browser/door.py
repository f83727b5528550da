"""The door of the live server: who writes beside it holds the door shut meanwhile."""

import threading
from collections.abc import Callable

from django.core.handlers.wsgi import WSGIHandler


class Door:
    """One request at a time: the live server's threads share the one connection of a database
    in memory. Once it is shut none is let in, such as the last word of a page that is closed. A
    test that writes while a page is open does so in its own ``turn``.
    """

    def __init__(self) -> None:
        self.turn, self.answer, self.is_open = threading.RLock(), WSGIHandler.__call__, True

    def let_in(self, handler: WSGIHandler, environ: object, start: Callable[..., object]) -> object:
        with self.turn:
            if self.is_open:
                return self.answer(handler, environ, start)
            start("503 Service Unavailable", [])
            return []

    def shut(self) -> None:
        with self.turn:
            self.is_open = False


DOOR = Door()
