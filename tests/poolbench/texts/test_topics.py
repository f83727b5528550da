import gzip

import pytest

from poolbench.files.faults import FaultReport
from poolbench.texts.topics import TopicText, read_topics
from tests.refusals import list_faults


def refused(data, **options):
    return [(f.code, f.line) for f in list_faults(read_topics, data, **options)]


SGML = """
<top>
<num> Number: 401
<title> foreign minorities, Germany

<desc> Description:
What language &amp; cultural
differences impede integration?

<narr> Narrative:
Relevant: the topic: causes < effects.
<con> Concepts
</top>
<top><num>001</num>
<title>Topic: A &lt; B</title></top>
<top>
<num> Number: NA
<title> last one
"""


def test_read_topics_in_sgml_with_unclosed_tags():
    first, second, third = read_topics(SGML.encode())
    assert first == TopicText(
        number="401",
        title="foreign minorities, Germany",
        description="What language & cultural\ndifferences impede integration?",
        narrative="Relevant: the topic: causes < effects.",
        extra={"con": "Concepts"},
    )
    assert second == TopicText("001", "A < B")
    assert third == TopicText("NA", "last one")


XML = """<?xml version="1.0" encoding="UTF-8"?>
<topics task="x" batch="1">
  <topic number="1">
    <query>coronavirus origin</query>
    <question>what is the <em>origin</em>?</question>
    <narrative>seeking &amp; finding caf&#233;</narrative>
  </topic>
  <topic id="02" type="odd"><title>two</title><desc>d</desc><narr>n</narr></topic>
  <topic number="3">only text</topic>
</topics>
"""


JSONL = """{"_id": "q1", "text": "one\u2028more", "metadata": {"source": "x"}}

{"id": 2, "title": "two", "description": "d", "narrative": "n"}
"""


@pytest.mark.parametrize(("text", "topics"), [
    (XML, [
        TopicText("1", "coronavirus origin", "what is the origin?", "seeking & finding café"),
        TopicText("02", "two", "d", "n", {"type": "odd"}), TopicText("3", "only text"),
    ]),
    ("id\ttitle\n1\tone\n01\ttwo\twhat\r\nq-2\tthree\twhat\twhy\n", [
        TopicText("1", "one"), TopicText("01", "two", "what"),
        TopicText("q-2", "three", "what", "why"),
    ]),
    (JSONL, [
        TopicText("q1", "one more", extra={"source": "x"}), TopicText("2", "two", "d", "n"),
    ]),
    (".I 001\n.W\nwhat laws\nhold .\n.I 2\n.T \ntitle\n.W\nbody\n", [
        TopicText("001", "what laws hold ."), TopicText("2", "title", "body"),
    ]),
], ids=["xml", "tsv", "jsonl", "smart"])  # fmt: skip
def test_read_topics_in_each_format(text, topics):
    assert read_topics(text.encode()) == topics


BOMB = b'<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topics/>'
OUTSIDE = b'<topics><!DOCTYPE x SYSTEM "file:///etc/passwd"><topic id="1">x</topic></topics>'


@pytest.mark.parametrize(("data", "fault"), [
    (BOMB, ("ET08", None)), (OUTSIDE, ("ET08", None)),
    (b"\n<topics>\n<topic id='1'><title>x</title>\n</topics>", ("ET02", 4)),
    (b"<topics><topic id='1'><title>&a;</title></topic></topics>", ("ET02", 1)),
])  # fmt: skip
def test_read_topics_refuses_declarations_and_broken_xml(data, fault):
    assert refused(data)[0] == fault


def test_read_topics_by_explicit_format():
    assert read_topics(b"{1}\tone\n", file_format="tsv") == [TopicText("{1}", "one")]
    assert refused(b"1\tone\n", file_format="docx") == [("ET01", None)]


def test_read_topics_packed_with_a_byte_order_mark():
    assert read_topics(gzip.compress(b"\xef\xbb\xbf1\tone\n")) == [TopicText("1", "one")]


def test_read_topics_in_latin1():
    report = FaultReport()
    assert read_topics(b"1\ta\n2\tcaf\xe9\n", report=report)[1].title == "café"
    assert [(f.code, f.line) for f in report.faults] == [("WT01", 2)]


def test_read_topics_lists_all_faults_at_once():
    data = b'{"id":1,"text":"a"}\n{"id":"1","text":"b"}\n{bad\n[1]\n{"id":"","text":"x"}\n'
    data += b'{"id":"q 1","text":"z"}\n{"id":"z"}\n{"id":"' + b"x" * 101 + b'","text":"y"}\n'
    assert refused(data) == [
        ("ET06", 2), ("ET02", 3), ("ET02", 4), ("ET04", 5), ("ET05", 6), ("ET07", 7), ("ET05", 8),
    ]  # fmt: skip


@pytest.mark.parametrize(("data", "code"), [
    (b"", "ET03"), (b" \n", "ET03"), (b"<top></top>", "ET02"), (b"hello", "ET01"),
    (b"<html>x", "ET01"), (b"%PDF-1.4", "ET01"), (b"\x1f\x8bxx", "E02"), (b".I 1\n.W\n", "ET07"),
    (b"1\tone\n2\n", "ET02"), (b"<topics></topics>", "ET03"),
])  # fmt: skip
def test_read_topics_of_bad_files(data, code):
    assert [found for found, _ in refused(data)] == [code]


@pytest.mark.parametrize(("file", "count", "first"), [
    ("trec-covid-r1/topics-covid-round1.xml", 30, "1"), ("cranfield/cran.qry", 225, "001"),
    ("cisi/CISI.QRY", 112, "1"), ("trec-dl19-passage/topics.tsv", 43, "156493"),
])  # fmt: skip
def test_read_topics_of_real_collections(file, count, first, data_dir):
    topics = read_topics((data_dir / file).read_bytes())
    assert (len(topics), topics[0].number) == (count, first)
