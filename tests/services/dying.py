"""The product's WSGI application with a header that kills the process before it answers."""

import os
import signal
from collections.abc import Iterable
from typing import Any

from workbench.wsgi import application as whole


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """What was asked is done, and committed; then, if asked so, the worker dies."""
    answer = whole(environ, start_response)
    if environ.get("HTTP_X_DIE"):
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
