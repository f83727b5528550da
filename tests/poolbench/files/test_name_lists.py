"""Lists of names split at blanks."""

import pytest

from poolbench.files.name_lists import split_names


@pytest.mark.parametrize(("text", "names"), [
    ("", []), (" map\n P_5\t ndcg ", ["map", "P_5", "ndcg"]),
    ("P_5(list=condensed, rel=2) map", ["P_5(list=condensed, rel=2)", "map"]),
    ("bpref-10( form = 2004 ) P(rel=2)@5 RR", ["bpref-10( form = 2004 )", "P(rel=2)@5", "RR"]),
    ("map P(rel=2 RR", ["map", "P(rel=2 RR"]), ("map) RR", ["map)", "RR"]),
])  # fmt: skip
def test_names_are_split_at_blanks_outside_brackets(text: str, names: list[str]) -> None:
    assert split_names(text) == names
