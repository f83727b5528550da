"""When a topic ends, by hand."""

from __future__ import annotations

import pytest

from judging.core.stopping import Rule


def outcomes(marks: str) -> list[bool]:
    """``+`` for a relevant document, ``-`` for one that is not."""
    return [mark == "+" for mark in marks]


@pytest.mark.parametrize(
    ("rule", "goes_on", "ends"),
    [
        (Rule(documents=3), "+-", "+-+"),
        (Rule(relevant=2), "+--", "+--+"),
        (Rule(no_relevant_in=3), "--+--", "--+---"),
        # A relevant document that comes late: the topic goes on after all.
        (Rule(no_relevant_in=3), "---+", "---"),
        (Rule(documents=9, relevant=1), "-----", "+"),
        (Rule(documents=4, no_relevant_in=2), "-+-", "-+-+"),
    ],
)
def test_a_topic_ends_by_whatever_holds_first(rule, goes_on, ends):
    assert not rule.ends(outcomes(goes_on))
    assert rule.ends(outcomes(ends))


def test_no_rule_never_ends_a_topic():
    assert not Rule()
    assert not Rule().ends(outcomes("-" * 1000))
    assert Rule().in_words() == "never"


def test_a_rule_in_words():
    assert Rule(1200, None, 30).in_words() == (
        "after 1,200 judged documents, or after 30 documents one after another without a "
        "relevant one"
    )
