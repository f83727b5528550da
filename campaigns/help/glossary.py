"""The glossary of docs/glossary.md: words, what they mean, and their anchors.

The glossary is a set of tables whose first two columns are *word* (or *verb*) and *means*. A cell
of words lists several of one meaning, separated by commas, colons, semicolons or slashes, with an
abbreviation or symbol in parentheses.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ROW = re.compile(r"^\| *([^|]+?) *\| *([^|]*?) *\|", re.MULTILINE)
_MARKUP = re.compile(r"[*`]|\[([^\]]*)\]\([^)]*\)")
_HEADS = {"word", "verb"}


@dataclass(frozen=True)
class GlossaryEntry:
    """A word with its meaning in plain text, and where the glossary has it."""

    word: str
    meaning: str
    anchor: str


def parse_glossary(text: str) -> Mapping[str, GlossaryEntry]:
    """The entries of the glossary by word in lower case; of a word that occurs twice, the first."""
    entries: dict[str, GlossaryEntry] = {}
    for cell, meaning in _ROW.findall(text):
        if cell in _HEADS or not cell.strip("-: "):
            continue
        plain = _MARKUP.sub(lambda match: match[1] or "", meaning)
        for word in list_cell_words(cell):
            entries.setdefault(word.lower(), GlossaryEntry(word, plain, make_word_anchor(word)))
    return entries


def list_cell_words(cell: str) -> list[str]:
    """The words of a cell; what is in parentheses counts as a word if it is longer than a letter.

    >>> list_cell_words("leave-one-group-out (LOGO), pool depth (k)")
    ['leave-one-group-out', 'LOGO', 'pool depth']
    """
    plain = _MARKUP.sub(lambda match: match[1] or "", cell)
    parts = (part.strip() for part in re.split(r"[,:;/()]", plain))
    return [part for part in parts if len(part) > 1]


def make_word_anchor(word: str) -> str:
    """``w-pool-depth`` of "pool depth": apart from the anchors of headings by its first letters.

    >>> make_word_anchor("judged@k")
    'w-judged@k'
    """
    return "w-" + re.sub(r"[^\w@-]+", "-", word.lower()).strip("-")
