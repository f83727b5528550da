"""The fixed English texts of workers' pages are for readers of twelve (Flesch–Kincaid ≤ 7)."""

import re
from pathlib import Path

import pytest

from crowd.services import units
from crowd.views import unit, unit_frame
from tests.conftest import REPOSITORY

TEMPLATES = sorted((REPOSITORY / "templates/crowd/worker").glob("*.html"))
BLOCK = re.compile(
    r"{% blocktranslate[^%]*%}(?P<block>.*?){% endblocktranslate %}"
    r"|{% translate (?P<quote>[\"'])(?P<line>.*?)(?P=quote)",
    re.DOTALL,
)
PYTHON = re.compile(r"(?:\b_|gettext_lazy)\(\s*\"([^\"]+)\"")
VOWELS = re.compile(r"[aeiouy]+")


def count_syllables(word: str) -> int:
    """Groups of vowels; a silent e at the end, and -ed, are none; the e of a last -ple is one."""
    word = re.sub(r"[^a-z]", "", word.lower())
    stem = re.sub(r"(?<=[^aeiouyl])es?$|(?<=[aeiouy]l)es?$|(?<=[^aeiouytd])ed$", "", word)
    return max(1, len(VOWELS.findall(stem or word)))


def school_grade(sentences: list[str]) -> float:
    """Flesch–Kincaid: 0.39 words/sentences + 11.8 syllables/words - 15.59 (Kincaid 1975)."""
    words = [word for sentence in sentences for word in sentence.split()]
    syllables = sum(map(count_syllables, words))
    return 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59


def texts_of(path: Path) -> list[str]:
    """The translatable texts of a file, values as a short word, plurals as texts of their own."""
    source = path.read_text()
    if path.suffix == ".py":
        found = PYTHON.findall(source)
    else:
        found = [
            part
            for match in BLOCK.finditer(source)
            for part in (match["block"] or match["line"]).split("{% plural %}")
        ]
    return [" ".join(re.sub(r"{{.*?}}", "two", text).split()) for text in found]


def sentences_of(paths: list[Path]) -> list[str]:
    """Every sentence once; titles, buttons and labels are no sentences."""
    texts = {text for path in paths for text in texts_of(path)}
    parts = {part.strip() for text in texts for part in re.split(r"(?<=[.?!])\s+", text)}
    return sorted(part for part in parts if part.endswith((".", "?", "!")) and " " in part)


@pytest.mark.parametrize(
    ("word", "count"),
    [("a", 1), ("question", 2), ("answer", 2), ("platform", 2), ("saved", 1), ("minutes", 2),
     ("practice", 2), ("time", 1), ("started", 2), ("people", 2)],
)  # fmt: skip
def test_syllables_are_counted_as_they_are_spoken(word, count):
    assert count_syllables(word) == count


def test_the_measure_gives_the_known_grade_of_a_known_sentence():
    # 9 words, 11 syllables: 0.39 · 9 + 11.8 · 11/9 - 15.59.
    fox = "The quick brown fox jumps over the lazy dog."
    assert school_grade([fox]) == pytest.approx(2.342, abs=0.001)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_each_page_is_plain(path):
    sentences = sentences_of([path])
    if sentences:
        assert school_grade(sentences) <= 7, sentences


def test_all_texts_together_are_plain():
    paths = [*TEMPLATES, *(Path(module.__file__) for module in (unit, unit_frame, units))]
    sentences = sentences_of(paths)
    assert len(sentences) > 60
    assert school_grade(sentences) <= 4
    assert [text for text in sentences if len(text.split()) > 22] == []
