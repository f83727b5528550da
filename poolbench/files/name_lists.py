"""Names as users type them: space-separated lists, and one of a list."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

Named = TypeVar("Named")
_NAME = re.compile(r"(?:\([^()]*\)?|[^\s(])+")


def split_names(text: str) -> list[str]:
    """The names in ``text``, split at whitespace outside brackets.

    ``map P_5(list=condensed, rel=2)`` are two. After an unclosed bracket, the rest belongs to
    its name.
    """
    return _NAME.findall(text)


def choose_named(entries: Mapping[str, Named], name: str, kind: str) -> Named:
    """The entry ``name``; raises ``ValueError`` with the closest names, else with all."""
    if name in entries:
        return entries[name]
    if close := get_close_matches(name.lower(), entries, cutoff=0.5):
        raise ValueError(f"unknown {kind} {name!r}. Did you mean {' or '.join(close)}?")
    raise ValueError(f"unknown {kind} {name!r}; use one of {', '.join(entries)}")
