"""Malformed and odd runs with their answers: what the site says, and ``check-run`` at home.

They are meant for the campaign of ``tests.world.people``: topics 1 to 3, documents d1 to d9.
"""

import gzip
import io
import zipfile
from typing import NamedTuple

TOPICS, DOCNOS = ("1", "2", "3"), tuple(f"d{number}" for number in range(1, 10))


class OddRun(NamedTuple):
    """``answer``: the line of the first fault by code, None for the whole file. ``fix``: a part of
    the fix of the first code. The rest is what the campaign asks, and runs of the team so far.
    """

    data: bytes
    answer: dict[str, int | None]
    fix: str
    tag: str = ""
    max_docs: int = 1000
    all_topics: bool = False
    cut_off: int | None = None
    earlier: bytes = b""


def lines(*rows: str, tag: str = "tag") -> bytes:
    """``1 d1 9``: topic, docno and score each, ranked in the order of the rows; a rank may stand
    before the score.
    """
    listed, ranks = [], dict.fromkeys(TOPICS, 0)
    for row in rows:
        topic, docno, *given = row.split()
        ranks[topic] = ranks.get(topic, 0) + 1
        rank = given[0] if len(given) == 2 else ranks[topic]
        listed.append(f"{topic} Q0 {docno} {rank} {given[-1]} {tag}\n")
    return "".join(listed).encode()


def zipped(data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("run.txt", data)
    return target.getvalue()


GOOD = lines("1 d1 9", "1 d2 8", "2 d1 7", "2 d3 6", "3 d4 5", "3 d5 4")
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01" + bytes(range(256)) * 4
TEXT, COLUMNS, FORM = "UTF-8", "lines of the form", "Use a format such as"
NEAR = lines(*(f"{t} d{n} {20 - n}" for t in TOPICS for n in range(1, 10)), tag="first")

ODD_RUNS = {
    # No text.
    "a picture": OddRun(PNG, {"E01": None}, TEXT),
    "a PDF": OddRun(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n", {"E01": None}, TEXT),
    "a zip": OddRun(zipped(GOOD), {"E01": None}, TEXT),
    "a web page": OddRun(b"<!doctype html><h1>404</h1>\n", {"E01": None}, TEXT),
    "XML": OddRun(b"<?xml version='1.0'?><run/>\n", {"E01": None}, TEXT),
    "JSON lines": OddRun(b'{"qid": "1", "docno": "d1"}\n', {"E01": None}, TEXT),
    "UTF-16 with a mark": OddRun(GOOD.decode().encode("utf-16"), {"E01": None}, TEXT),
    "UTF-16 without a mark": OddRun(GOOD.decode().encode("utf-16-le"), {"E01": None}, TEXT),
    "gzip in gzip": OddRun(gzip.compress(gzip.compress(GOOD)), {"E01": None}, TEXT),
    "NUL in a line": OddRun(GOOD.replace(b"d3", b"d\0"), {"E01": 4}, TEXT),
    "Latin-1": OddRun(GOOD.replace(b"d3", b"d\xe9"), {"E01": 4}, TEXT),
    "gzip cut off": OddRun(gzip.compress(GOOD)[:-6], {"E02": None}, "Compress the file again"),
    "gzip damaged": OddRun(
        b"\x1f\x8b\x08" + b"\0" * 7 + b"\xff" * 40, {"E02": None}, "Compress the file again"
    ),
    # No lines of six columns.
    "no score": OddRun(GOOD + b"3 Q0 d6 3 tag\n", {"E03": 7}, COLUMNS),
    "a blank in the tag": OddRun(GOOD.replace(b"tag", b"my tag"), {"E03": 1}, "cannot contain"),
    "a blank in a docno": OddRun(GOOD.replace(b"d3", b"d 3"), {"E03": 4}, "cannot contain"),
    "commas": OddRun(GOOD.replace(b" ", b","), {"E03": 1}, COLUMNS),
    "qrels": OddRun(b"1 0 d1 1\n1 0 d2 0\n", {"E03": 1}, COLUMNS),
    "a line of a megabyte": OddRun(b"x" * 1_000_000 + b"\n", {"E03": 1}, COLUMNS),
    "ends of lines of old Macs": OddRun(GOOD.replace(b"\n", b"\r"), {"E03": 1}, COLUMNS),
    "nothing": OddRun(b"", {"E04": None}, COLUMNS),
    "empty lines": OddRun(b"\n \n\t\r\n", {"E04": None}, COLUMNS),
    "comments only": OddRun(b"# a run\n# without lines\n", {"E04": None}, COLUMNS),
    # The tag.
    "a long tag": OddRun(GOOD.replace(b"tag", b"t" * 21), {"E05": 1}, "up to 20"),
    "a tag with an umlaut": OddRun(GOOD.replace(b"tag", "t\u00e4g".encode()), {"E05": 1}, "A to Z"),
    "a tag that is a path": OddRun(GOOD.replace(b"tag", b"../tag"), {"E05": 1}, "starting with"),
    "two tags": OddRun(GOOD + b"3 Q0 d6 3 1 tog\n", {"E06": 7}, "same tag on every line"),
    "a head": OddRun(
        b"topic Q0 docno rank score tag\n" + GOOD.replace(b"tag", b"mine"),
        {"E06": 2, "E09": 1, "E10": 1, "E13": 1, "E14": 1},
        "looks like a header",
    ),
    "another tag than declared": OddRun(GOOD, {"E07": 1}, "change the file", tag="other"),
    "a tag that is used": OddRun(
        GOOD.replace(b" 9 ", b" 10 ").replace(b"1 Q0 d2", b"1 Q0 d9"), {"E08": 1}, "different tag",
        earlier=GOOD,
    ),
    # Topics and documents.
    "an unknown topic": OddRun(GOOD + lines("99 d1 1"), {"E09": 7}, "campaign's topic IDs"),
    "a topic with zeros": OddRun(GOOD + lines("003 d1 1"), {"E09": 7, "W11": 7}, "mean 3?"),
    "a topic with its name": OddRun(GOOD + lines("topic3 d1 1"), {"E09": 7}, "topic IDs"),
    "an unknown docno": OddRun(GOOD + lines("3 d77 3 1"), {"E10": 7}, "docnos of the collection"),
    "a docno in capitals": OddRun(GOOD + lines("3 D7 3 1"), {"E10": 7, "W11": 7}, "mean d7?"),
    "a docno with zeros": OddRun(GOOD + lines("3 d07 3 1"), {"E10": 7, "W11": 7}, "mean d7?"),
    "a docno that is a file": OddRun(GOOD + lines("3 d7.txt 3 1"), {"E10": 7}, "collection"),
    "a docno of 1,000 characters": OddRun(GOOD + lines(f"3 {'d' * 1000} 3 1"), {"E10": 7}, "docno"),
    "a document twice": OddRun(GOOD + lines("3 d4 3 1"), {"E11": 7}, "one line per topic"),
    "a file twice over": OddRun(GOOD + GOOD, {"E11": 7, "W07": 7, "W08": 7}, "one line per topic"),
    "too many documents": OddRun(GOOD, {"E12": 2}, "at most 1", max_docs=1),
    "a topic left out, all required": OddRun(
        lines("1 d1 9", "2 d1 9"), {"E17": None}, "every topic is required", all_topics=True
    ),
    # Numbers.
    "a rank with a point": OddRun(lines("1 d1 1.0 9", "2 d1 9", "3 d1 9"), {"E13": 1}, "1, 2, 3"),
    "no rank": OddRun(GOOD + lines("3 d6 - 1"), {"E13": 7}, "1, 2, 3"),
    "nan": OddRun(GOOD + lines("3 d6 3 nan"), {"E14": 7}, FORM),
    "infinity": OddRun(GOOD + lines("3 d6 3 -inf"), {"E14": 7}, FORM),
    "a decimal comma": OddRun(GOOD + lines("3 d6 3 0,5"), {"E14": 7}, FORM),
    "hexadecimal": OddRun(GOOD + lines("3 d6 3 0x1p3"), {"E14": 7}, FORM),
    "beyond 64 bits": OddRun(GOOD + lines("3 d6 3 1e400"), {"E14": 7}, FORM),
    "columns exchanged": OddRun(
        b"1 Q0 d1 9.5 1 tag\n2 Q0 d1 8.5 1 tag\n3 Q0 d1 7.5 1 tag\n", {"E13": 1}, "1, 2, 3"
    ),
    # Accepted, with a remark.
    "column 2 is 0": OddRun(GOOD.replace(b"Q0", b"0"), {"W01": 1}, "use Q0"),
    "a topic left out": OddRun(lines("1 d1 9", "2 d1 9"), {"W02": None}, "score 0"),
    "ties in the order of docnos": OddRun(
        lines("1 d2 5", "1 d1 5", "2 d1 1", "3 d1 1"), {"W04": None}, "distinct scores"
    ),
    "ranks against scores": OddRun(
        lines("1 d1 1", "1 d2 2", "2 d1 1", "3 d1 1"), {"W05": 2}, "ranked by score"
    ),
    "scores that differ by little": OddRun(
        lines("1 d1 16777217", "1 d2 16777216", "2 d1 1", "3 d1 1"), {"W06": None}, "differ by more"
    ),
    "ranks from 5": OddRun(
        lines("1 d1 5 9", "1 d2 6 8", "2 d1 1", "3 d1 1"), {"W07": 1}, "no lines are missing"
    ),
    "topics by turns": OddRun(
        lines("1 d1 9", "2 d1 9", "3 d1 9", "1 d2 8"), {"W08": 4}, "contiguous"
    ),
    "the same as another run": OddRun(
        GOOD, {"W09": None}, "withdraw one", earlier=GOOD.replace(b"tag", b"first")
    ),
    "a byte order mark": OddRun(b"\xef\xbb\xbf" + GOOD, {"W12": 1}, "without BOM"),
    "nearly another run": OddRun(
        NEAR.replace(b"first", b"tag").replace(b" 19 ", b" 19.5 "), {"W14": None}, "more to the",
        earlier=NEAR,
    ),
    "ties in another order": OddRun(
        lines("1 d1 5", "1 d2 5", "2 d1 1", "3 d1 1"), {"W04": None, "W15": 1}, "distinct"
    ),
    "ties across a cut-off": OddRun(
        lines("1 d2 5", "1 d1 5", "2 d1 1", "3 d1 1"), {"W04": None, "W16": None}, "distinct",
        cut_off=1,
    ),
    # Accepted without a word.
    "tabs, CRLF and no last line end": OddRun(
        GOOD.replace(b" ", b"\t").replace(b"\n", b"\r\n")[:-2], {}, ""
    ),
    "gzip with a comment": OddRun(gzip.compress(b"# BM25\n" + GOOD), {}, ""),
}  # fmt: skip
"""By what is odd about them."""
