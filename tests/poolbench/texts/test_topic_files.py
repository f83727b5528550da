"""Topics written as files, and the dates of a task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.texts.dates import read_dates
from poolbench.texts.topic_files import TOPIC_WRITERS
from poolbench.texts.topics import TopicText, read_topics

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp")))
WORDS = TEXTS.map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
def test_written_topics_are_read_again(texts):
    topics = [TopicText(f"T{at}", title, about) for at, (title, about) in enumerate(texts)]
    for ending in ("jsonl", "xml"):
        read = read_topics(TOPIC_WRITERS[ending](topics).encode(), file_format=ending)
        again = [(topic.number, topic.title, topic.description) for topic in read]
        assert again == [(topic.number, topic.title, topic.description) for topic in topics]


def test_characters_that_xml_does_not_have_become_spaces():
    text = TOPIC_WRITERS["xml"]([TopicText('"1"', "a\x0bb\x00c", narrative="]]> <x>")])
    (topic,) = read_topics(text.encode())
    assert (topic.number, topic.title, topic.narrative) == ('"1"', "a b c", "]]> <x>")


@pytest.mark.parametrize(
    ("line", "utc", "aoe"),
    [
        ("2027-01-20 Runs close", "2027-01-21T11:59", "2027-01-20T23:59"),
        ("2027-03-01 12:00 Scores", "2027-03-01T12:00", "2027-03-01T00:00"),
        ("2027-03-01T06:30 UTC: Scores", "2027-03-01T06:30", "2027-02-28T18:30"),
        ("2028-02-29 Leap", "2028-03-01T11:59", "2028-02-29T23:59"),
    ],
)
def test_a_date_is_a_moment_or_a_day_anywhere_on_earth(line, utc, aoe):
    (date,), faults = read_dates(line)
    assert faults == []
    assert date.at.isoformat()[:16] == utc
    assert date.aoe.isoformat()[:16] == aoe
    assert date.is_day == ("T23:59" in aoe)


def test_faults_name_their_lines_and_dates_are_in_order():
    text = "2027-05-01 Later\n\n2027-13-01 No month\n2027-04-01\n9999-12-31 End\n2027-04-02 First"
    dates, faults = read_dates(text)
    assert [date.label for date in dates] == ["First", "Later"]
    assert [fault[:6] for fault in faults] == ["Line 3", "Line 4", "Line 5"]
    assert read_dates("\n".join(f"2027-01-01 {n}" for n in range(41)))[1] != []
