"""Pages of the help, read from docs/ and kept in memory until a file changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.urls import reverse

from campaigns.help.glossary import GlossaryEntry, parse_glossary
from campaigns.help.guide import PAGE_ROLES
from campaigns.help.pages import GLOSSARY, ROOT_PAGES, HelpPage, list_help_passages, parse_help_page
from campaigns.help.search import (
    FEW,
    MANY,
    HelpIndex,
    HelpMatch,
    build_help_index,
    list_unknown_words,
    search_passages,
)
from poolbench.cache import Cache

Loaded = TypeVar("Loaded")
_cache: Cache[tuple[str, Path, int], object] = Cache(300, lasting=True)
_indexes: Cache[tuple[str | int, ...], HelpIndex] = Cache(5, lasting=True)


def load_glossary() -> Mapping[str, GlossaryEntry]:
    """The words of the glossary in lower case; none in an installation without docs/."""
    path = _docs() / f"{GLOSSARY}.md"
    return _load_once("glossary", path, parse_glossary) if path.is_file() else {}


def load_help_page(name: str) -> HelpPage | None:
    """The page ``name``, such as ``formats`` or ``README``; None if there is none."""
    path = find_help_file(name)
    if not path:
        return None
    root = reverse("help")
    return _load_once(root, path, lambda text: parse_help_page(name, text, root))


def search_help(query: str, role: str = "") -> tuple[list[HelpMatch], list[str]]:
    """The passages of docs/ that match, the best first, without decisions and changes, and the
    words that none of them has: then at most ``FEW`` that have others. With ``role`` pages that
    are for another role are left out.
    """
    if not query.strip():
        return [], []
    files = {
        name: path
        for name, path in list_help_files().items()
        if name != "CHANGELOG"
        and not name.startswith("decisions/")
        and role in ("", PAGE_ROLES.get(name, role))
    }
    stamp: tuple[str | int, ...] = (role, *(path.stat().st_mtime_ns for path in files.values()))
    index = _indexes.get_or_compute(stamp, lambda: _build_index(files))
    unknown = list_unknown_words(index, query)
    return search_passages(index, query, FEW if unknown else MANY), unknown


def list_code_anchors() -> frozenset[str]:
    """The anchors of the page of formats, among them every code of a fault."""
    page = load_help_page("formats")
    return page.anchors if page else frozenset()


def find_help_file(name: str) -> Path | None:
    """The Markdown file of a page. Only files that are listed are ever opened."""
    return list_help_files().get(name)


def find_help_image(name: str) -> Path | None:
    """A PNG of docs/images."""
    images = {path.name: path for path in (_docs() / "images").glob("*.png")}
    return images.get(name)


def list_help_files() -> dict[str, Path]:
    """Every page by name, in alphabetical order: docs/, its decisions, and pages of the root."""
    docs = _docs()
    files = {
        path.relative_to(docs).with_suffix("").as_posix(): path
        for path in (*sorted(docs.glob("*.md")), *sorted(docs.glob("decisions/*.md")))
    }
    root = {name: settings.RESOURCE_DIR / f"{name}.md" for name in ROOT_PAGES}
    return files | {name: path for name, path in root.items() if path.is_file()}


def _build_index(files: Mapping[str, Path]) -> HelpIndex:
    return build_help_index(
        passage
        for name, path in files.items()
        for passage in list_help_passages(name, path.read_text("utf-8"))
    )


def _docs() -> Path:
    docs: Path = settings.RESOURCE_DIR / "docs"
    return docs


def _load_once(kind: str, path: Path, parse: Callable[[str], Loaded]) -> Loaded:
    key = kind, path, path.stat().st_mtime_ns
    return _cache.get_or_compute(key, lambda: parse(path.read_text("utf-8")))  # type: ignore[return-value]
