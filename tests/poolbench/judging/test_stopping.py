"""When a topic ends, by hand."""

import pytest

from poolbench.judging.stopping import StoppingCriteria


@pytest.mark.parametrize(
    ("rule", "goes_on", "ends"),
    [
        (StoppingCriteria(documents=3), "+-", "+-+"),
        (StoppingCriteria(relevant=2), "+--", "+--+"),
        (StoppingCriteria(no_relevant_in=3), "--+--", "--+---"),
        # A relevant document that comes late: the topic goes on after all.
        (StoppingCriteria(no_relevant_in=3), "---+", "---"),
        (StoppingCriteria(documents=9, relevant=1), "-----", "+"),
        (StoppingCriteria(documents=4, no_relevant_in=2), "-+-", "-+-+"),
    ],
)
def test_a_topic_ends_by_whatever_holds_first(rule, goes_on, ends):
    """``+`` is a relevant document, ``-`` one that is not."""
    assert not rule.ends([mark == "+" for mark in goes_on])
    assert rule.ends([mark == "+" for mark in ends])


def test_no_rule_never_ends_a_topic_and_a_rule_has_words():
    assert not StoppingCriteria()
    assert not StoppingCriteria().ends([False] * 1000)
    assert StoppingCriteria().in_words() == "never"
    assert StoppingCriteria(1200, None, 30).in_words() == (
        "after 1,200 judged documents, or after 30 consecutive documents without a relevant one"
    )
