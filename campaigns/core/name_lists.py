"""Space-separated lists of names, as users type them."""

from __future__ import annotations

import re

_NAME = re.compile(r"(?:\([^()]*\)?|[^\s(])+")


def split_names(text: str) -> list[str]:
    """The names in ``text``, split at whitespace outside brackets.

    ``map P_5(list=condensed, rel=2)`` are two. After an unclosed bracket, the rest belongs to
    its name.
    """
    return _NAME.findall(text)
