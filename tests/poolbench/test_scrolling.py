"""A page scrolls as a whole: only menus and the panes of the desks scroll by themselves."""

import re

from tests.house import REPOSITORY

DESKS = {"judge.css", "adjudication.css"}
MENUS = {".all-pages > dl", ".drop > :is(form, div)", ".cannot[open]"}
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
SCROLLS = re.compile(r"overflow(?:-y|-block)?:[^;]*\b(?:auto|scroll)\b")
CLASS = re.compile(r'class="[^"]*\bscroll')


def test_no_rule_makes_a_box_scroll_down() -> None:
    found = set()
    for path in (REPOSITORY / "static/css").glob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        if path.name not in DESKS:
            found |= {name.strip() for name, body in RULE.findall(text) if SCROLLS.search(body)}
    assert found == MENUS


def test_no_template_asks_for_a_box_that_scrolls() -> None:
    paths = (REPOSITORY / "templates").rglob("*.html")
    assert [path.name for path in paths if CLASS.search(path.read_text())] == []
