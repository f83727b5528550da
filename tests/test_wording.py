"""The field's words in texts: what pages, messages, comments and docs do not say any more."""

import io
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.house import APPS

TEXTS = {
    "pages": [("templates", "*.html"), ("templates", "*.txt"), ("static", "*.js")],
    "code": [(app, "*.py") for app in (*APPS, "benchmarks")],
    "docs": [("docs", "*.md"), (".", "README.md"), (".", "CONTRIBUTING.md"), (".", "CHANGELOG.md")],
}
TOKENS = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
HISTORY = re.compile(r"migrations|docs/decisions/0")
"""What was decided or migrated is told in the words of its time."""


@lru_cache(maxsize=1)
def phrases() -> re.Pattern[str]:
    lines = (REPOSITORY / "tests/wording.txt").read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    return re.compile("|".join(f"(?:{line})" for line in wanted), re.IGNORECASE)


def paths(kind: str) -> Iterator[Path]:
    for folder, name in TEXTS[kind]:
        top = REPOSITORY / folder
        yield from sorted(top.glob(name) if folder == "." else top.rglob(name))


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Every line of a text; of Python those of strings and comments, of Markdown without code."""
    text = path.read_text()
    if path.suffix == ".md":
        text = re.sub(r"`[^`\n]*`", "``", text)
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in TOKENS:
            yield from enumerate(token.string.splitlines(), token.start[0])


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_use_the_words_of_the_glossary(kind):
    hits = [
        f"{path.relative_to(REPOSITORY)}:{number} {match[0]!r} in {line.strip()[:100]}"
        for path in paths(kind)
        if not HISTORY.search(path.as_posix())
        for number, line in lines(path)
        for match in phrases().finditer(line)
    ]
    assert hits == []


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("Hand in a run", True), ("runs were handed in", True), ("by hand in the docs", False),
        ("not told apart", True), ("Nobody judges", True), ("a whole number", True),
        ("Submit run", False), ("chat rooms", True), ("classroom", False),
    ],
)  # fmt: skip
def test_the_phrases_hit_what_they_mean(text, hit):
    assert bool(phrases().search(text)) is hit
