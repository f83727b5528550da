"""Lists of names as they are typed, with blanks between them."""

from __future__ import annotations

import re

_NAME = re.compile(r"(?:\([^()]*\)?|[^\s(])+")


def split_names(text: str) -> list[str]:
    """The names in ``text``, split at white space outside brackets.

    ``map P_5(list=condensed, rel=2)`` are two. A bracket that is not closed keeps what
    follows with its name.
    """
    return _NAME.findall(text)
