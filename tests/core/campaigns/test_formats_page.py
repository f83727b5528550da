from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def test_formats_page_lists_every_code_of_the_source():
    folders = (REPOSITORY / "campaigns" / name for name in ("core", "services"))
    source = "".join(f.read_text() for folder in folders for f in folder.glob("*.py"))
    raised = set(re.findall(r'"([EW][TDQ]?\d\d)"', source))
    page = (REPOSITORY / "docs" / "formats.md").read_text()
    listed = re.findall(r"^\| ([EW][TDQ]?\d\d) \|", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == raised


def test_formats_page_states_the_limits_of_the_source():
    from campaigns.core.documents import CODES as DOCUMENT_CODES
    from campaigns.core.qrels import MAX_GRADE
    from campaigns.core.topics import CODES as TOPIC_CODES

    page = (REPOSITORY / "docs" / "formats.md").read_text()
    assert f"from -{MAX_GRADE} to {MAX_GRADE}" in page
    assert f"longer than {TOPIC_CODES.max_id} characters" in page
    assert f"longer than {DOCUMENT_CODES.max_id} characters" in page
