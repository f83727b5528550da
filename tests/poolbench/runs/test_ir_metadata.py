"""The block at the head of a run, and the form that a campaign asks."""

import gzip

import pytest

from poolbench.files.faults import FaultReport
from poolbench.runs.ir_metadata import MAX_HEAD, read_ir_metadata, read_run_head, write_ir_metadata
from poolbench.runs.run_checks import RunRules, check_run_file
from poolbench.runs.run_form import (
    RunField,
    check_answers,
    format_answer,
    put_value,
    read_run_fields,
)

LINE = b"1 Q0 d1 1 9 mine\n"
BLOCK = b"""# made by hand
# ir_metadata.start
# schema-version: 0.1
# tag: mine
# platform:
#   software: {lucene: 9.1}
#   started: 2026-01-02
# method:
#   automatic: true
#   indexing: [porter, "stop words"]
# ir_metadata.end
"""


def faults(data):
    report = FaultReport("run")
    assert read_ir_metadata(data, report) == {}
    return [(fault.code, fault.line, fault.column, fault.message) for fault in report.faults]


def test_a_block_is_read_as_plain_values():
    wanted = {
        "schema-version": 0.1,
        "tag": "mine",
        "platform": {"software": {"lucene": 9.1}, "started": "2026-01-02"},
        "method": {"automatic": True, "indexing": ["porter", "stop words"]},
    }
    for data in (BLOCK + LINE, (BLOCK + LINE).replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + BLOCK):
        report = FaultReport()
        assert read_ir_metadata(data, report) == wanted
        assert not report.counts
    checked = check_run_file(gzip.compress(BLOCK + LINE), RunRules())
    assert (checked.metadata, checked.accepted) == (wanted, True)
    assert read_ir_metadata(b"# a run\n" + LINE + BLOCK, FaultReport()) == {}  # not at its head


@pytest.mark.parametrize(
    ("block", "line", "column", "told"),
    [
        (b"# tag: mine\n# tag: [\n", 3, 9, "Invalid YAML"),
        (b"# a: &x 1\n# b: *x\n", 3, 6, "aliases are not supported"),
        (b"# tag: !!python/object/apply:os.system [ls]\n", 2, 8, "could not determine"),
        (b"# just words\n", 1, None, "must be a mapping"),
        (b"# tag: \xff\n", None, None, "not UTF-8"),
        (b'# tag: "\\0"\n', None, None, "cannot be stored"),
        (b"# a: " + b"[" * 60 + b"\n", 2, None, "nested too deeply"),
    ],
)
def test_a_faulty_block_is_an_error_with_its_place(block, line, column, told):
    data = b"# ir_metadata.start\n" + block + b"# ir_metadata.end\n" + LINE
    (found,) = faults(data)
    assert (found[0], told in found[3]) == ("E20", True), found
    if line is not None and column is not None:
        assert found[1:3] == (line, column)
    assert set(check_run_file(data, RunRules()).report.counts) == {"E20"}


def test_a_block_must_end_soon():
    assert faults(b"#\n# ir_metadata.start\n# a: 1\n" + LINE)[0][:2] == ("E20", 2)
    long = b"# ir_metadata.start\n" + b"# x\n" * MAX_HEAD + b"# ir_metadata.end\n"
    assert "no end" in faults(long + LINE)[0][3]


def test_the_block_of_another_run_is_remarked_on():
    data = BLOCK.replace(b"tag: mine", b"tag: other") + LINE
    assert dict(check_run_file(data, RunRules()).report.counts) == {"W17": 1}


def test_a_written_block_is_read_again_and_takes_the_place_of_the_old_one():
    metadata = {"tag": "mine", "method": {"automatic": False}, "note": "é: # x\ny"}
    for data in (LINE, BLOCK + LINE, b"\xef\xbb\xbf" + BLOCK + LINE):
        written = write_ir_metadata(data, metadata)
        assert read_ir_metadata(written, FaultReport()) == metadata
        assert written.count(b"ir_metadata.start") == 1
        assert written.endswith(b"\n" + LINE)
    assert b"# made by hand\n" in write_ir_metadata(BLOCK + LINE, metadata)


def test_the_head_of_a_damaged_file_is_empty():
    packed = gzip.compress(BLOCK + LINE)
    assert read_run_head(packed) == BLOCK + LINE
    assert read_run_head(packed[:-9]).startswith(BLOCK)
    assert read_run_head(packed[:10] + b"\xff" * 20) == b""
    assert len(read_run_head(b"#" * 100_000)) == MAX_HEAD


FIELDS = (
    RunField("method.automatic", "Automatic", "yes_no", required=True),
    RunField("prior", "Prior judgments", "choice", ("none", "earlier rounds"), required=True),
    RunField("note", "Note"),
)


def test_answers_are_taken_from_the_form_then_from_the_block():
    block = {"method": {"automatic": True}, "note": {"no": "text"}}
    checked = check_answers(FIELDS, {"prior": " none ", "note": ""}, block)
    assert checked.answers == {"method.automatic": True, "prior": "none"}
    assert not checked.faults
    assert check_answers(FIELDS, {"method.automatic": "no"}, block).answers == {
        "method.automatic": False
    }


def test_all_faults_of_answers_are_told_at_once():
    given = {"method.automatic": "maybe", "note": "x" * 3000, "else": 1}
    assert check_answers(FIELDS, given, {}).faults == {
        "else": "The campaign does not ask this.",
        "method.automatic": "Answer yes or no.",
        "prior": "An answer is required.",
        "note": "Use at most 2,000 characters.",
    }
    unknown = check_answers(FIELDS, {"prior": "some"}, {}).faults["prior"]
    assert unknown == "Unknown choice: some. Use one of: none, earlier rounds."


def test_fields_are_read_from_plain_data_and_back():
    assert read_run_fields([field.as_dict() for field in FIELDS]) == FIELDS
    for entries, told in (
        ({}, "must be a list"),
        (["x", {"name": 1, "color": "red"}], "Field 1 must be a mapping. Field 2: unknown key"),
        ([{"name": "A b", "label": ""}], "A b: the name must have lower-case"),
        ([{"name": "a", "label": "A", "kind": "choice"}], "needs 2 to 30"),
        ([{"name": "a", "label": "A", "kind": "date"}], "unknown kind date"),
        ([{"name": "a", "label": "A"}] * 2, "a: the name is used 2 times."),
        ([{"name": "a", "label": "A", "choices": ["x", "y"]}], "text has no choices"),
    ):
        with pytest.raises(ValueError, match=told):
            read_run_fields(entries)


def test_values_are_put_at_their_places():
    metadata = {"method": "BM25", "tag": "mine"}
    put_value(metadata, "method.automatic", value=True)
    assert metadata == {"method": {"automatic": True}, "tag": "mine"}
    assert [format_answer(value) for value in (True, False, None, "x")] == ["yes", "no", "", "x"]
