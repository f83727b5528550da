"""Parse JSON that others wrote: bounded in depth, and every failure a ``ValueError``."""

import json
from typing import Any

MAX_DEPTH = 100
"""Lists and objects within each other. Records, forms and exports have fewer than ten."""
_TOO_DEEP = f"nested too deeply, limit: {MAX_DEPTH} levels"
_DECODER = json.JSONDecoder()


def parse_json(text: str | bytes) -> Any:
    """The value of ``text``.

    Raises ``ValueError``: not JSON (``json.JSONDecodeError``, with line and column), an integer
    of more digits than Python reads, or lists and objects nested beyond ``MAX_DEPTH``.
    """
    try:
        return check_depth(json.loads(text))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def parse_json_at(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at ``text[at]``, and where it ends; raises as ``parse_json``."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        return check_depth(value), end
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def check_depth(value: Any) -> Any:
    """``value``; raises ``ValueError`` if it is nested beyond ``MAX_DEPTH``."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH + 1):
        if not level:
            return value
        level = [
            item
            for parent in level
            for item in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(item, dict | list)
        ]
    raise ValueError(_TOO_DEEP)
