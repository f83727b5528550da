"""Collections by their files: every format and packing, against a dict and the usual reader."""

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from poolbench.collection import packing, records, scan
from poolbench.collection.index import CollectionIndex, DocumentPlace
from poolbench.collection.scan import scan_collection
from poolbench.collection.texts import read_collection_texts
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.reading.reader import DocnoArray
from poolbench.texts.documents import DocumentText, read_documents
from tests.examples import examples

TREC = b"<DOC>\n<DOCNO> T-1 </DOCNO>\n<TEXT>one</TEXT>\n</DOC>\n<doc><docno>T-2</docno>two</doc>\n"
JSONL = b'{"_id": "J1", "text": "one"}\n\n{"id": "J2", "html": "<p>two</p>"}'
TSV = "\N{BOM}V1\tüne\nV2\ttitle\ttwo\r\n".encode()
SMART = b".I S1\n.T\none\n.I S2\n.W\ntwo\n"
TEXTS = {"trec": TREC, "jsonl": JSONL, "tsv": TSV, "smart": SMART}


def pack_zstandard(data: bytes) -> bytes:
    return pyarrow.compress(data, "zstd", asbytes=True)


PACKERS = {"": bytes, "gzip": gzip.compress, "zstandard": pack_zstandard}


def write_rows(path: Path, rows: list[dict[str, object]], group: int = 2) -> Path:
    parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=group)
    return path


def scan_files(folder: Path, *paths: Path) -> tuple[CollectionIndex, FaultReport]:
    report = FaultReport()
    scan_collection(paths, folder / "index", report=report)
    return CollectionIndex.open(folder / "index"), report


def list_faults(folder: Path, *paths: Path) -> list[tuple[str, str, int | None]]:
    with pytest.raises(InvalidFile) as refused:
        scan_files(folder, *paths)
    assert not (folder / "index").exists()
    return [(fault.code, fault.file, fault.line) for fault in refused.value.report.faults]


def cut_blocks(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for module in (records, scan):
        monkeypatch.setattr(module, "BLOCK", size)


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("block", [packing.BLOCK, 16])
def test_documents_are_those_of_the_reader_of_whole_files(
    tmp_path, monkeypatch, form, packed, block
):
    """Blocks of 16 bytes cut tags, lines and characters."""
    cut_blocks(monkeypatch, block)
    path = tmp_path / "file"
    path.write_bytes(PACKERS[packed](TEXTS[form]))
    index, report = scan_files(tmp_path, path)
    expected = list(read_documents(TEXTS[form]))
    assert list(index) == [document.docno for document in expected]
    assert list(read_collection_texts(index, [path], list(index))) == expected
    (file,) = index.files
    assert (file.form, file.packing, file.documents) == (form, packed, 2)
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not report.counts


def test_parquet_files_are_read_by_row(tmp_path):
    rows = [{"ID": n, "Title": f"t{n}", "text": None if n == 3 else "x"} for n in range(1, 6)]
    first = write_rows(tmp_path / "a.parquet", rows)
    second = write_rows(tmp_path / "b.parquet", [{"docno": "z", "text": "y", "n": 1}])
    index, _ = scan_files(tmp_path, first, second)
    assert list(index) == ["1", "2", "3", "4", "5", "z"]
    assert list(read_collection_texts(index, [first, second], ["z", "5", "none", "2", "3"])) == [
        DocumentText("2", "t2", "x"),
        DocumentText("3", "t3"),
        DocumentText("5", "t5", "x"),
        DocumentText("z", "", "y", extra={"n": "1"}),
    ]


def test_places_are_bytes_of_the_unpacked_files(tmp_path):
    first, second = tmp_path / "a.tsv.gz", tmp_path / "b.tsv"
    first.write_bytes(gzip.compress(b"A1\tone\nA2\ttwo\n"))
    second.write_bytes(b"\xef\xbb\xbfB1\tthree\n")
    index, _ = scan_files(tmp_path, first, second)
    assert index.locate(["B1", "A2", "C"]) == [
        DocumentPlace("A2", 0, 7, 7),
        DocumentPlace("B1", 1, 3, 9),
    ]
    assert [(file.start, file.extent) for file in index.files] == [(0, 14), (14, 12)]


def test_faults_of_all_files_are_reported_at_once(tmp_path):
    contents = {
        "a.jsonl": b'{"id": "1"}\n{"id": "a b"}\n{not json}\n[1]\n{"text": "x"}\n{"id": "2"}\n',
        "b.trec": b"<DOC><DOCNO>3</DOCNO></DOC>\n</DOC>\n<DOC><DOCNO>4</DOCNO>\n<DOC><DOCNO>2"
        b"</DOCNO></DOC><DOC><DOCNO>3</DOCNO></DOC>",
        "c.pdf": b"%PDF-1.4",
        "d.gz": gzip.compress(b"5\tx\n" * 100)[:-9],
        "e.txt": b"no columns",
        "f.tsv": b"\n\n",
    }
    paths = [tmp_path / name for name in contents]
    for path in paths:
        path.write_bytes(contents[path.name])
    paths.append(write_rows(tmp_path / "g.parquet", [{"text": "x"}]))
    assert list_faults(tmp_path, *paths) == [
        ("ED05", "a.jsonl", 2),
        ("ED02", "a.jsonl", 3),
        ("ED02", "a.jsonl", 4),
        ("ED04", "a.jsonl", 5),
        ("ED02", "b.trec", 2),
        ("ED02", "b.trec", 3),
        ("ED01", "c.pdf", None),
        ("ED22", "d.gz", None),
        ("ED01", "e.txt", None),
        ("ED03", "f.tsv", None),
        ("ED04", "g.parquet", None),
        ("ED06", "b.trec", 4),
        ("ED06", "b.trec", 4),
    ]


def test_a_document_that_is_not_utf8_is_read_as_latin_1_alone(tmp_path):
    path = tmp_path / "mixed.tsv"
    path.write_bytes("1\tü\n".encode() + "2\tü\n".encode("latin-1"))
    index, report = scan_files(tmp_path, path)
    assert [(fault.code, fault.line) for fault in report.faults] == [("WD01", 2)]
    texts = read_collection_texts(index, [path], ["1", "2"])
    assert [document.body for document in texts] == ["ü", "ü"]


def test_a_document_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_RECORD", 100)
    cut_blocks(monkeypatch, 64)
    path = tmp_path / "long.tsv"
    path.write_bytes(b"1\tshort\n2\t" + b"x" * 1_000)
    assert list_faults(tmp_path, path) == [("ED14", "long.tsv", 2)]


@pytest.mark.parametrize("changed", [b"A1\tone\nA3\ttwo\n", b"A1\tone\n"], ids=["other", "cut"])
def test_a_changed_file_is_noticed_where_it_is_read(tmp_path, changed):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"A1\tone\nA2\ttwo\n")
    index, _ = scan_files(tmp_path, path)
    path.write_bytes(changed)
    with pytest.raises(InvalidFile) as refused:
        list(read_collection_texts(index, [path], ["A1", "A2"]))
    assert [fault.code for fault in refused.value.report.faults] == ["ED23"]
    path.unlink()
    with pytest.raises(InvalidFile) as refused:
        list(read_collection_texts(index, [path], ["A1", "A2"]))
    assert [fault.code for fault in refused.value.report.faults] == ["ED24"]


docnos = st.text(st.characters(codec="utf-8", exclude_characters="\0<>&", exclude_categories=[
    "Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=40)  # fmt: skip


@pytest.mark.parametrize("collide", [False, True])
@examples(50)
@given(known=st.lists(docnos, min_size=1, unique=True), others=st.lists(docnos))
def test_the_index_is_a_dict(tmp_path_factory, collide, known, others):
    """Also where all hashes are the same."""
    folder = tmp_path_factory.mktemp("twin")
    lines = [json.dumps({"id": docno, "text": docno}) + "\n" for docno in known]
    (folder / "a.jsonl").write_text("".join(lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(DocnoArray, "hashes", lambda ids: np.full(len(ids), 7, np.uint64))
        index, _ = scan_files(folder, folder / "a.jsonl")
        starts = np.cumsum([0, *(len(line.encode()) for line in lines)]).tolist()
        twin = dict(zip(known, starts, strict=False))
        asked = [*known, *others]
        is_in = index.contains(DocnoArray.from_ids(asked)).tolist()
        assert is_in == [docno in twin for docno in asked]
        assert {p.docno: p.offset for p in index.locate(asked)} == twin
    assert (list(index), len(index)) == (known, len(known))


def test_similar_docnos_differ_in_case_zeros_and_order(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"{docno}\tx\n" for docno in ("FT-012", "ft12-", "FT-13", "a", "ä")))
    index, _ = scan_files(tmp_path, path)
    assert set(index.iter_similar(["ft-12", "B"])) == {"FT-012", "ft12-"}
    assert set(index.iter_similar(["A"])) == {"a"}
    assert list(index.iter_similar([])) == []


pieces = st.sampled_from([
    "<DOCNO>a</DOCNO>", "<docno> b </docno>", "<DOCNO>c &amp; d</DOCNO>", "<TEXT>", "</TEXT>",
    "<DOCID>1</DOCID>", "words", "\n", "</DOC>", "é", "<DOCNO>", "</docno>",
])  # fmt: skip


@examples(200)
@given(st.lists(pieces))
def test_the_short_way_to_a_docno_finds_that_of_the_parser(parts):
    data = f"<DOC>{''.join(parts)}</DOC>".encode()
    short = scan._find_plain_docno(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_find_plain_docno", lambda _: None)
        record, report = records.RawRecord(0, 1, data), FaultReport()
        full = scan.find_record_docno(record, "trec", report)
    if short:
        assert (short, report.counts) == (full, {})
