import gzip

import pytest

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.texts.documents import DocumentText, read_documents


def told(data, **options):
    report = FaultReport()
    try:
        list(read_documents(data, report=report, **options))
    except InvalidFile as refused:
        report = refused.report
    return [(f.code, f.line) for f in report.faults]


SGML = """<DOC>
<DOCNO> FT911-3 </DOCNO>
<HL><P>A &blank;title</P></HL>
<TEXT>AT&T said a < b. &amp; self&hyph;made <F P=1>x</F>
second</TEXT>
<DATE>1994</DATE><BYLINE>me</BYLINE><P>unclosed
<TEXT>third</TEXT>
</DOC>
<doc><docno>NA</docno><title>t</title>loose <b>bold</b> text</doc>
"""


def test_read_documents_in_sgml():
    assert list(read_documents(SGML.encode())) == [
        DocumentText(
            docno="FT911-3",
            title="A title",
            body="AT&T said a < b. & self-made x\nsecond\nthird",
            date="1994",
            extra={"byline": "me"},
        ),
        DocumentText("NA", "t", "loose\nbold\ntext"),
    ]


def test_read_documents_in_damaged_sgml():
    data = b"<DOC>\n<DOCNO>a b</DOCNO>x</DOC>\n</DOC>\n<DOC><TEXT>x</TEXT>\n<DOC>y</DOC>\n<DOC>"
    assert told(data) == [("ED05", 1), ("ED02", 3), ("ED02", 4), ("ED04", 5), ("ED02", 6)]


@pytest.mark.parametrize(("data", "documents"), [
    ((b'{"_id": "1", "title": "t", "text": "b", "metadata": {"url": "u", "k": 1}}\n'
     b'{"id": "01", "contents": "c"}\n'),
     [DocumentText("1", "t", "b", "u", extra={"k": "1"}), DocumentText("01", "", "c")]),
    (b".I 1\n.T \nthe\n title\n.A\nsomeone\n.B\nj. 1958\n.W\nfirst\n\n  second\n.X\n1\t5\t1\n",
     [DocumentText("1", "the title", "first\n\nsecond",
                   extra={"author": "someone", "source": "j. 1958"})]),
    (b"1\tbody\n2\ttitle\tbody\r\nD3\thttp://x\ttitle\tbody\n",
     [DocumentText("1", "", "body"), DocumentText("2", "title", "body"),
      DocumentText("D3", "title", "body", "http://x")]),
], ids=["jsonl", "smart", "tsv"])  # fmt: skip
def test_read_documents_in_each_format(data, documents):
    assert list(read_documents(data)) == documents


@pytest.mark.parametrize(("text", "faults"), [
    ("1\tbody\n1\tb\tc\td\te\nx\n", [("ED02", 2), ("ED02", 3)]),
    # Unicode spaces are part of a docno.
    ('{"id": "a\u00a0b", "text": "x"}\n{"id": "a\\tb", "text": "x"}\n', [("ED05", 2)]),
])  # fmt: skip
def test_read_documents_with_faults(text, faults):
    assert told(text.encode()) == faults


def test_read_documents_in_latin1_and_empty():
    data = b".I 1\n.T\ncaf\xe9\n.W\n\n.I 2\n.W\n"
    assert told(data) == [("WD01", 3), ("WD02", 6)]
    assert [d.title for d in read_documents(data)] == ["café", ""]


def test_read_documents_drops_nul_characters():
    assert next(read_documents(b'{"id": "1", "text": "a\\u0000b\\ud800"}')).body == "a b?"


def test_read_documents_packed():
    assert [d.docno for d in read_documents(gzip.compress(b"1\tx\n"))] == ["1"]


def test_read_documents_raises_after_the_last_without_a_report():
    documents = read_documents(b"1\tx\n1\ty\n2\tz\n")
    assert [next(documents).docno, next(documents).docno] == ["1", "2"]
    with pytest.raises(InvalidFile, match="ED06 Duplicate ID 1: already used on line 1"):
        next(documents)


def test_read_documents_with_a_report_does_not_raise():
    report = FaultReport()
    assert [d.docno for d in read_documents(b"1\tx\n1\ty\n", report=report)] == ["1"]
    assert dict(report.counts) == {"ED06": 1}


@pytest.mark.parametrize(("data", "code"), [
    (b"", "ED03"), (b"plain", "ED01"), (b"<html>", "ED01"), (b"PK\x03\x04", "ED01"),
    (b"\x1f\x8bxx", "E02"), (b"{]\n", "ED02"),
])  # fmt: skip
def test_read_documents_of_bad_files(data, code):
    assert [found for found, _ in told(data)] == [code]


def test_read_documents_with_many_unclosed_tags_takes_linear_time():
    data = b"<DOC><DOCNO>1</DOCNO>" + b"<a>" * 100_000 + b"<b" * 100_000 + b"</DOC>"
    assert told(data) == []


@pytest.mark.parametrize(("file", "count", "empty"), [
    ("cranfield/cran.all.1400.gz", 1400, 2), ("cisi/CISI.ALL.gz", 1460, 0),
    ("dl19-eight-assessors/passages.jsonl.gz", 4581, 0),
])  # fmt: skip
def test_read_documents_of_real_collections(file, count, empty, data_dir):
    report = FaultReport()
    documents = list(read_documents((data_dir / file).read_bytes(), report=report))
    assert len(documents) == count
    assert sum(not document.body for document in documents) == empty
    assert dict(report.counts) == ({"WD02": empty} if empty else {})
