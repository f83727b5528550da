"""Fill the marked blocks of docs/*.md: ``make docs``. Needs no database.

A block is the text between two lines of a page that are comments in HTML, so not displayed::

    <!-- begin: measures.families -->
    …
    <!-- end -->

Prose is in the page; a block has only what the code knows better, such as cards, tables and
computed examples. ``tests/test_docs.py`` says which block is stale.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import django

from poolbench.crowd.quality.gold import render_operating_table
from workbench import card_docs, command_docs

DOCS = Path(__file__).parent.parent / "docs"
Blocks = Mapping[str, Callable[[], str]]
"""The function that renders each block, by the name of the block."""
BLOCKS: Blocks = {
    **card_docs.BLOCKS,
    **command_docs.BLOCKS,
    "crowd.stop-rule": render_operating_table,
}
MARKER = re.compile(r"^<!-- (?:begin: (\S+)|end) -->$", re.MULTILINE)
BLOCK = re.compile(r"^<!-- begin: (\S+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)


def list_blocks(page: str) -> list[str]:
    """The names of the blocks of a page; ``ValueError`` if one has no end or is inside another."""
    names: list[str | None] = [match[1] for match in MARKER.finditer(page)]
    begun = [name for name in names[::2] if name is not None]
    if len(begun) * 2 != len(names) or any(names[1::2]):
        raise ValueError(f"lines of begin and end do not alternate: {names}")
    return begun


def fill_blocks(page: str, blocks: Blocks) -> str:
    """The page with every block as ``blocks`` renders it.

    Raises ``ValueError`` for a block without a function, without an end or inside another.
    """
    if unknown := sorted({*list_blocks(page)} - {*blocks}):
        raise ValueError(f"no function renders the block {', '.join(unknown)}")
    return BLOCK.sub(lambda match: _mark(match[1], blocks[match[1]]()), page)


def find_stale_blocks(page: str, blocks: Blocks) -> list[str]:
    """The names of the blocks whose text is not what ``blocks`` renders."""
    before, after = BLOCK.findall(page), BLOCK.findall(fill_blocks(page, blocks))
    return [name for (name, old), (_, new) in zip(before, after, strict=True) if old != new]


def _mark(name: str, text: str) -> str:
    # Blank lines around the text are a matter of the renderer, not of the page.
    body = text.strip("\n")
    return f"<!-- begin: {name} -->\n{body}\n<!-- end -->"


def main() -> None:
    """Fill the blocks of all pages and print the names of those that were stale."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    for path in sorted(DOCS.glob("*.md")):
        page = path.read_text()
        if stale := find_stale_blocks(page, BLOCKS):
            path.write_text(fill_blocks(page, BLOCKS))
            sys.stdout.write(f"{path.name}: {', '.join(stale)}\n")


if __name__ == "__main__":
    main()
