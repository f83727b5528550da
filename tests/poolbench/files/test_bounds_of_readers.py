"""Files that would take all memory or minutes: every reader has its bound and says where."""

import gzip
import io
import time
import tracemalloc
from functools import cache

import pytest

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.yaml_files import MAX_DEPTH, YamlFile
from poolbench.judging.exchange.reader import read_judgments
from poolbench.texts.documents import read_documents
from poolbench.texts.html_sanitizer import MAX_ATTRIBUTES, UnreadablePage, sanitize
from poolbench.texts.topics import MAX_TEXT, MAX_TITLE, read_topics
from tests.refusals import list_faults

LONG = "9" * 5000


@cache
def double_bomb(megabytes: int) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as stream:
        for _ in range(megabytes):
            stream.write(bytes(1 << 20))
    return gzip.compress(packed.getvalue(), 9)


@pytest.mark.parametrize("read", [read_topics, lambda *a, **k: list(read_documents(*a, **k))])
def test_gzip_in_gzip_is_unpacked_once(read):
    bomb = double_bomb(100)
    assert len(bomb) < 2_000
    tracemalloc.start()
    with pytest.raises(InvalidFile) as refused:
        read(bomb, file="t.gz", max_bytes=200_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "gzip inside gzip" in refused.value.report.faults[0].message
    assert peak < 5_000_000


@pytest.mark.parametrize("read", [read_topics, lambda *a, **k: list(read_documents(*a, **k))])
def test_one_bound_holds_for_what_is_unpacked(read):
    data = gzip.compress(b"1\t" + b"a" * 3_000_000)
    assert list_faults(read, data, file="t.gz", max_bytes=1_000_000)[0].code == "E02"


@pytest.mark.parametrize(("field", "line"), [
    ("title", f"1\t{'a' * (MAX_TITLE + 1)}"), ("description", f"1\tt\t{'a' * (MAX_TEXT + 1)}"),
    ("narrative", f"1\tt\td\t{'a' * (MAX_TEXT + 1)}"),
])  # fmt: skip
def test_a_topic_too_long_to_be_read_is_a_fault_with_its_line(field, line):
    (fault,) = list_faults(read_topics, f"2\tfine\tx\ty\n{line}\n".encode(), file="t.tsv")
    assert (fault.code, fault.line) == ("ET09", 2)
    assert fault.message.startswith(f"The {field} of topic 1 has ")


def test_topics_of_the_greatest_length_are_read():
    line = f"1\t{'a' * MAX_TITLE}\t{'b' * MAX_TEXT}\t{'c' * MAX_TEXT}\n"
    (topic,) = read_topics(line.encode())
    assert (len(topic.title), len(topic.narrative)) == (MAX_TITLE, MAX_TEXT)


@pytest.mark.parametrize("attribute", [
    " a{}", " a{}=1", ' a{}="x > y"', " a{}='<b>'", "/a{}", " a{} = x", " <b{}", '\na{}=""',
    " =a{}",
])  # fmt: skip
def test_a_tag_of_very_many_attributes_is_refused_in_no_time(attribute):
    html = "<p" + "".join(attribute.format(n) for n in range(300_000)) + ">text"
    started = time.perf_counter()
    with pytest.raises(UnreadablePage, match="1,000 attributes"):
        sanitize(html)
    assert time.perf_counter() - started < 10


def test_many_tags_of_few_attributes_are_fine():
    html = "<p" + "".join(f" a{n}=1" for n in range(MAX_ATTRIBUTES - 1)) + ">text</p>"
    assert sanitize(html * 3).html == "<p>text</p>" * 3


def test_words_of_a_script_are_not_attributes():
    script = "<script>if (a<b && " + "word " * 5_000 + ")</script>"
    assert sanitize(f"<p>text</p>{script}").html == "<p>text</p>"
    with pytest.raises(UnreadablePage, match="attributes"):
        sanitize(f"<svg><style><a {' '.join(f'a{n}' for n in range(5_000))}>")


def test_a_document_with_such_a_tag_is_a_fault_with_its_line():
    html = "<p " + " ".join(f"a{n}" for n in range(2_000)) + ">"
    report = FaultReport("d.jsonl")
    data = '{"docno": "d1", "text": "x"}\n{"docno": "d2", "html": "' + html + '"}\n'
    assert [document.docno for document in read_documents(data.encode(), report=report)] == ["d1"]
    (fault,) = report.faults
    assert (fault.code, fault.line) == ("ED07", 2)


def read_yaml(text: str) -> YamlFile:
    source = YamlFile(FaultReport("spec.yaml"), ("EP01", "EP02", "EP03"), "See the docs.")
    source.parse(text)
    return source


@pytest.mark.parametrize(("value", "column"), [
    ("!!timestamp x", 7), ("!!int", 7), ("!!int x", 7), ("!!float x", 7), ("!!bool x", 7),
    ("!!binary é", 7), ("!!omap x", 7), ("!!set 1", 7), ("!!python/object:os.system x", 7),
    ("2001-99-99", 7), ("0x_", 7), (LONG, 7), (f"!!int {LONG}", 7), ("*x", 7), ("a\x07b", 8),
    ("[" * 100, 7 + MAX_DEPTH), ("[" * 100_000, 7 + MAX_DEPTH),
])  # fmt: skip
def test_every_failure_of_yaml_is_a_fault_with_its_place(value, column):
    (fault,) = list_faults(read_yaml, f"first: 1\nseed: {value}")
    assert (fault.code, fault.line, fault.column) == ("EP02", 2, column)
    assert fault.message.startswith("Invalid YAML: ")


def test_a_repeated_key_is_a_fault():
    (fault,) = list_faults(read_yaml, "steps: [1]\nsteps: [1, 2, 3]\n")
    assert (fault.line, fault.column, fault.message) == (
        2, 1, "Invalid YAML: the key steps is repeated.",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"topic": "1", "docno": "d1", "grade": 1}\n{"topic": "1", "docno": "d2", "grade": %s}',
        '{"topic": "1", "docno": "d1", "grade": 1}\n{"topic": %s, "docno": "d2"}',
        '[{"topic": "1", "docno": "d1", "grade": 1},\n{"topic": "1", "docno": "d2", "grade": %s}]',
        '[{"id": 1, "data": {"topic": "1", "docno": "d"}, "annotations": [{"result": []}]},\n%s]',
    ],
)
@pytest.mark.parametrize("value", [LONG, "[" * 500 + "]" * 500])
def test_judgments_with_integers_or_nesting_without_end_are_faults_with_their_line(text, value):
    report = FaultReport("j.json")
    read_judgments((text % value).encode(), report=report)
    assert {(fault.code, fault.line) for fault in report.faults} == {("EJ05", 2)}


@pytest.mark.parametrize("value", [LONG, "[" * 500 + "]" * 500])
def test_topics_and_documents_likewise(value):
    lines = f'{{"id": "1", "title": "t"}}\n{{"id": "2", "title": "t", "more": {value}}}'.encode()
    assert [(f.code, f.line) for f in list_faults(read_topics, lines)] == [("ET02", 2)]
    report = FaultReport("d")
    list(read_documents(lines, report=report))
    assert [(f.code, f.line) for f in report.faults if f.code[0] == "E"] == [("ED02", 2)]


@pytest.mark.parametrize("text", ['a: "\\U00110000"', f"%YAML 1.{LONG}\n---\na: 1", "a: \x07"])
def test_what_the_scanner_runs_into_has_its_place_too(text):
    (fault,) = list_faults(read_yaml, text)
    assert (fault.code, fault.line) == ("EP02", 1)
    assert fault.column >= 1
