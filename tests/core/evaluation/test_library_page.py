"""The library's page: its code runs, and says what it says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs" / "library.md"


def test_the_code_of_the_page_runs_and_gives_what_its_comments_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    checked = 0
    for block in blocks:
        exec(block, names)  # noqa: S102 - our own page
        for line in block.splitlines():
            code, _, told = line.partition("  # ")
            if not (told := told.strip()) or not re.match(r"[\d{]", told):
                continue
            assert eval(code.strip(), names) == ast.literal_eval(told), line  # noqa: S307
            checked += 1
    assert checked == 8


def test_former_names_still_work():
    from evaluation.core import Judged, JudgmentTable, Options, ScoringOptions

    assert (Judged, Options) == (JudgmentTable, ScoringOptions)
