"""Files of judgments as other programs write them, and their defects."""

import json

import pytest

from poolbench.files.faults import FaultReport
from poolbench.judging.exchange.grades import propose_grades
from poolbench.judging.exchange.import_resolution import (
    CampaignLookup,
    ImportChoices,
    ResolvedImport,
    resolve_import,
)
from poolbench.judging.exchange.reader import (
    FORMATS,
    JudgmentFile,
    detect_judgment_format,
    read_judgments,
)

SCALE = ((0, "Not Relevant"), (1, "Related"), (2, "Highly Relevant"), (3, "Perfect"))
PEOPLE = {"ann": "ann", "bob": "bob", "bob@example.org": "bob", "7": "ann"}
KNOWN = CampaignLookup(
    SCALE, {"1", "2"}, PEOPLE, missing={"gone"}, reasons=("broken", "other"), flags=("duplicate",)
)


def read(text: str, **more: str) -> tuple[JudgmentFile, FaultReport]:
    report = FaultReport("judgments")
    return read_judgments(text.encode(), report=report, **more), report


def settled(text: str, **choices: object) -> tuple[ResolvedImport, FaultReport]:
    reading, report = read(text)
    return resolve_import(reading.entries, KNOWN, ImportChoices(**choices), report), report


def said(found: ResolvedImport) -> list[tuple[object, ...]]:
    rows = [(b.assessor, b.entry.topic, b.entry.docno, b.grade) for b in found.ballots]
    return sorted(rows, key=str)


def codes(report: FaultReport) -> dict[str, int]:
    return dict(report.counts)


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def doccano(query: str, doc: str, *labels: object, **more: object) -> dict[str, object]:
    """A record as a doccano export of IR researchers looks, with the text first."""
    head = {"id": 69781, "text": f'He said "doc_id": of {doc}', "query": "a query"}
    return {**head, "doc_id": doc, "query_id": query, "label": list(labels), "Comments": [], **more}


def studio(query: str, doc: str, *annotations: object, **more: object) -> dict[str, object]:
    data = {"text": "A text.", "query_id": query, "doc_id": doc}
    return {"id": 1, "data": data, "annotations": list(annotations), **more}


def annotation(*choices: str, by: object = 7, **more: object) -> dict[str, object]:
    value = {"choices": list(choices)}
    result = [{"type": "choices", "from_name": "rel", "to_name": "text", "value": value}]
    return {"completed_by": by, "result": result, "was_cancelled": False, **more}


FILES: dict[str, str] = {
    "qrels": "# by hand\n1 0 d1 2\n\n2\tQ0\td2\t0\n",
    "csv": "query_id,doc_id,relevance,Annotator\n1,d1,2,ann\n2,d2,0,ann\n",
    "tsv": "query-id\tcorpus-id\tscore\n1\td1\t2\n2\td2\t0\n",
    "jsonl": lines({"qid": 1, "docno": "d1", "rel": 2}, {"qid": 2, "docno": "d2", "rel": 0.0}),
    "json": json.dumps([{"qid": 1, "docno": "d1", "rel": 2}, {"qid": 2, "docno": "d2", "rel": 0}]),
    "doccano": lines(doccano("1", "d1", "2"), doccano("2", "d2", "0")),
    "label-studio": json.dumps(
        [studio("1", "d1", annotation("2")), studio("2", "d2", annotation("0"))], indent=1
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_recognised_and_says_the_same_also_from_windows(name):
    assert detect_judgment_format(FILES[name]) == name
    for text in (FILES[name], "\ufeff" + FILES[name].replace("\n", "\r\n")):
        found, report = settled(text, assessor="ann")
        assert said(found) == [("ann", "1", "d1", 2), ("ann", "2", "d2", 0)]
        assert not report.counts


def test_the_header_says_what_is_taken_and_what_is_left():
    text = "Topic,Doc ID,grade,assessor,note,judged_at,mood\n1,d1,2,bob,clear,2026-01-02,glad\n"
    reading, _ = read(text)
    assert reading.matched.list_matches() == [
        ("topic", "Topic"), ("docno", "Doc ID"), ("labels", "grade"), ("assessor", "assessor"),
        ("comment", "note"), ("judged_at", "judged_at"),
    ]  # fmt: skip
    assert dict(reading.matched.unmatched) == {"mood": 1}
    entry = reading.entries[0]
    assert (entry.assessor, entry.comment, entry.judged_at) == ("bob", "clear", "2026-01-02")


def test_a_quoted_cell_may_hold_separators_and_line_breaks_and_lines_are_still_right():
    text = 'docno,topic,comment,grade\nd1,1,"a, ""b""\nand more",2\nd2,1,plain,9\n'
    reading, _ = read(text)
    assert [(e.line, e.comment) for e in reading.entries] == [(2, 'a, "b"\nand more'), (4, "plain")]
    _, report = settled(text, assessor="ann")
    fault = report.faults[0]
    assert (fault.code, fault.line, fault.column) == ("EJ02", 4, 12)


@pytest.mark.parametrize(
    ("record", "ids"),
    [
        ({"text": "x", "meta": {"query_id": "1", "doc_id": "d1"}, "label": []}, ("1", "d1")),
        ({"text": "x", "meta": '{"topic": 1, "docno": "d1"}', "label": []}, ("1", "d1")),
        ({"text": "query_id: 1\ndoc_id: d1\n\nBody", "label": []}, ("1", "d1")),
        ({"text": "x", "meta": {"topic": "7"}, "topic": "1", "docno": "d1"}, ("1", "d1")),
    ],
)
def test_ids_are_found_in_meta_and_in_the_text(record, ids):
    reading, report = read(lines(record))
    assert (reading.entries[0].topic, reading.entries[0].docno) == ids
    assert ("WJ10" in report.counts) == ("meta" not in record)


def test_older_doccano_exports_have_annotations_of_numbered_users():
    record = {"id": 1, "data": {"query_id": "1", "doc_id": "d1"}, "text": "x"}
    record["annotations"] = [{"label": 2, "user": 7}, {"label": "0", "user": 8}]
    reading, _ = read(lines(record))
    assert reading.format == "doccano"
    assert [(e.assessor, e.labels) for e in reading.entries] == [("7", ("2",)), ("8", ("0",))]


def test_label_studio_ratings_comments_and_people():
    by = {"id": 3, "email": "bob@example.org"}
    result = [
        {"type": "rating", "value": {"rating": 3}},
        {"type": "textarea", "value": {"text": ["one", "two"]}},
        {"type": "labels", "value": {"start": 1, "end": 4, "text": "word", "labels": ["Term"]}},
    ]
    told = {"completed_by": by, "result": result, "lead_time": 12.5, "created_at": "2026-01-01"}
    found, report = settled(json.dumps([studio("1", "d1", told)]))
    assert said(found) == [("bob", "1", "d1", 3)]
    entry = found.ballots[0].entry
    assert (entry.comment, entry.active_seconds, entry.judged_at) == (
        "one\ntwo", 12.5, "2026-01-01",
    )  # fmt: skip
    assert not report.counts


def test_label_studio_has_several_annotations_cancelled_ones_and_predictions():
    bob = {"email": "bob@example.org"}
    task = studio(
        "1", "d1", annotation("2"), annotation("1", by=bob),
        predictions=[{"model_version": "m", "result": annotation("3")["result"]}],
    )  # fmt: skip
    cancelled = annotation(by=bob, was_cancelled=True)
    text = json.dumps([task, studio("2", "d2", cancelled), studio("2", "d3")])
    found, report = settled(text)
    assert said(found) == [("ann", "1", "d1", 2), ("bob", "1", "d1", 1), ("bob", "2", "d2", None)]
    assert [b.entry.reason for b in found.ballots if b.kind == "skip"] == ["other"]
    assert codes(report) == {"WJ09": 1, "WJ06": 1, "WJ03": 1}
    found, report = settled(text, assessor="small.m", automatic=True)
    assert said(found) == [("small.m", "1", "d1", 3)]
    assert codes(report) == {"WJ09": 1}


@pytest.mark.parametrize(("label", "grade", "why"), [
    ("2", 2, "number"), ("2.0", 2, "number"), ("perfect", 3, "label"),
    ("0 not relevant", 0, "label"), ("Highly Relevant (2)", 2, "text"),
    ("3 - excellent", 3, "text"), ("[1]", 1, "text"), ("Grade: 0", 0, "text"),
    ("Cannot say", None, "nothing"), ("2 of 3", None, "nothing"), ("B2", None, "nothing"),
])  # fmt: skip
def test_what_is_proposed_for_a_label(label, grade, why):
    found = propose_grades([label], SCALE)[0]
    assert (found.grade, found.why) == (grade, why)


def test_a_number_against_the_words_is_doubted_and_a_choice_beats_all():
    found = propose_grades(["Perfect (2)", "Perfect (2)", "Odd"], SCALE, {"Odd": "-"})
    assert [(p.label, p.count, p.grade) for p in found] == [("Perfect (2)", 2, 2), ("Odd", 1, "-")]
    assert found[0].doubt == "“Perfect” is grade 3 of the scale"


def test_the_grade_within_a_label_is_told_with_its_place():
    text = lines(doccano("1", "d1", "Highly Relevant (2)"))
    found, report = settled(text, assessor="ann")
    assert said(found) == [("ann", "1", "d1", 2)]
    fault = report.faults[0]
    assert (fault.code, fault.line, fault.excerpt) == ("WJ04", 1, "1 d1 Highly Relevant (2)")
    assert text[fault.column - 1 :].startswith('"label"')


def test_everything_wrong_is_told_at_once():
    text = "topic,docno,grade,assessor\n9,d1,1,ann\n1,gone,1,ann\n1,d2,7,ann\n1,d3,1,eve\n1,d4,1,\n"
    found, report = settled(text)
    assert codes(report) == {"EJ01": 1, "EJ12": 1, "EJ02": 1, "EJ10": 1, "EJ11": 1}
    assert said(found) == []
    assert {f.code: (f.line, f.column) for f in report.faults} == {
        "EJ01": (2, 1), "EJ12": (3, 3), "EJ02": (4, 6), "EJ10": (5, None), "EJ11": (6, None),
    }  # fmt: skip
    assert all(f.fix and f.excerpt for f in report.faults)


def test_a_pair_twice_with_one_grade_is_a_warning_and_with_two_a_fault():
    text = lines(
        doccano("1", "d1", "2"), doccano("1", "d2", "1"), doccano("1", "d1", "2"),
        doccano("1", "d2", "3"),
    )  # fmt: skip
    found, report = settled(text, assessor="ann")
    assert codes(report) == {"WJ02": 1, "EJ03": 1}
    assert [(f.line, f.code) for f in report.faults] == [(3, "WJ02"), (4, "EJ03")]
    assert "grades 1, 3" in report.faults[1].message
    assert [(t.assessor, t.pairs, t.same, t.percent) for t in found.duplicates] == [
        ("ann", 2, 1, 50)
    ]


@pytest.mark.parametrize(("rule", "grade"), [("first", 1), ("last", 3)])
def test_an_explicit_rule_settles_pairs_duplicate_labels_and_is_told(rule, grade):
    text = lines(doccano("1", "d2", "1"), doccano("1", "d2", "3"))
    found, report = settled(text, assessor="ann", duplicates=rule)
    assert said(found) == [("ann", "1", "d2", grade)]
    assert codes(report) == {"WJ08": 1}
    assert found.duplicates[0].same == 0


def test_several_labels_on_a_record_and_none():
    text = lines(
        doccano("1", "d1", "2", "Highly Relevant"), doccano("1", "d2", "1", "3"),
        doccano("1", "d3"), doccano("1", "d4", ""),
    )  # fmt: skip
    found, report = settled(text, assessor="ann")
    assert said(found) == [("ann", "1", "d1", 2)]
    assert codes(report) == {"WJ05": 1, "EJ09": 1, "WJ03": 2}
    assert found.unlabeled == 2


UNSURE = lines(doccano("1", "d1", "Unsure"), doccano("1", "d2", "2"))
LOG = "topic,docno,assessor,kind,grade,reason,revision,purpose,flags\n"


@pytest.mark.parametrize(("text", "choices", "ballots", "told"), [
    (UNSURE, {"assessor": "ann"}, [("ann", "1", "d2", 2)], {"EJ08": 1}),
    (UNSURE, {"assessor": "ann", "labels": {"Unsure": "1"}},
     [("ann", "1", "d1", 1), ("ann", "1", "d2", 2)], {}),
    (UNSURE, {"assessor": "ann", "labels": {"Unsure": "-"}},
     [("ann", "1", "d2", 2)], {"WJ03": 1}),
    (lines(doccano("1", "d2", "1", judged_at="2026-02-01"),
           doccano("1", "d2", "3", judged_at="2026-01-01")),
     {"assessor": "ann", "duplicates": "last"}, [("ann", "1", "d2", 1)], {"WJ08": 1}),
    ("topic,docno,grade,assessor\n1,d1,1,ann\n1,d1,3,bob\n", {},
     [("ann", "1", "d1", 1), ("bob", "1", "d1", 3)], {}),
    (LOG + "1,d1,ann,grade,1,,1,judge,\n1,d1,ann,grade,2,,2,judge,\n1,d2,ann,grade,1,,1,judge,\n"
     "1,d2,ann,withdrawn,,,2,judge,\n1,d3,ann,skip,,broken,1,judge,\n"
     "1,d1,ann,grade,0,,1,repeat,\n", {},
     [("ann", "1", "d1", 2), ("ann", "1", "d3", None)], {"WJ11": 2, "WJ12": 1}),
    (LOG + "1,d1,ann,skip,,bored,,,\n1,d2,ann,grade,1,,,,duplicate|odd\n1,d3,ann,guess,1,,,,\n",
     {}, [], {"EJ14": 3}),
], ids=[
    "unmapped-label", "mapped-label", "label-left-out", "last-by-time", "two-assessors",
    "last-revision-and-withdrawn", "no-kind-flag-or-reason",
])  # fmt: skip
def test_what_a_file_comes_to(text, choices, ballots, told):
    found, report = settled(text, **choices)
    assert (said(found), codes(report)) == (ballots, told)


@pytest.mark.parametrize(("text", "code", "line", "column"), [
    ("1 0 d1\n1 0 d1 2 x\n1 0 d2 1\n", "EJ05", 1, None),
    ('{"topic": 1, "docno": "d1", "grade": 2}\n{"topic": 1,, }\n', "EJ05", 2, 13),
    ('[{"topic": 1, "docno": "d1", "grade": 2},\n {"topic": 1 "docno"}]', "EJ05", 2, 14),
    ('[{"topic": 1, "docno": "d1", "grade": 2}\n {"topic": 1}]', "EJ05", 2, None),
    ("doc,grade\nd1,1\n", "EJ05", 1, None), ("topic,docno,grade\n1,d1\n", "EJ05", 2, None),
    ("topic,docno,grade\n1,,1\n", "EJ07", 2, 3), ("topic,docno,grade\n1,d 1,1\n", "EJ13", 2, 3),
    ("", "EJ06", None, None), ("topic,docno,grade\n", "EJ06", None, None),
    ("[]", "EJ06", None, None), ("just some words here and more\n", "EJ04", None, None),
    ("PK\x03\x04zip", "EJ04", None, None), ("[1]", "EJ05", 1, None),
])  # fmt: skip
def test_malformed_files_are_told_by_place(text, code, line, column):
    _, report = read(text, **({"file_format": "qrels"} if text.startswith("1 0") else {}))
    fault = report.faults[0]
    assert (fault.code, fault.line, fault.column) == (code, line, column)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" + '{"a":' * 100_000])
def test_deep_nesting_is_a_fault_and_no_crash(text):
    _, report = read(text)
    assert report.has_errors


def test_latin_1_is_read_with_a_warning():
    report = FaultReport()
    data = "topic,docno,grade,comment\n1,d1,2,Caf\xe9\n".encode("latin-1")
    reading = read_judgments(data, report=report)
    assert (reading.entries[0].comment, codes(report)) == ("Caf\xe9", {"WJ01": 1})


def test_defects_of_the_sigir_25_shape_are_counted_one_by_one():
    """The shape of the SIGIR'25 agreement round: 188 pairs labelled twice, and rows without."""
    rows = []
    for n in range(188):
        first, second = f"Related ({n % 4})", f"Related ({n % 4 if n < 155 else (n + 1) % 4})"
        rows += [doccano("1", f"d{n}", first), doccano("1", f"d{n}", second)]
    rows += [doccano("2", f"d{n}") for n in range(94)]
    text = lines(*rows, doccano("2", "d500", "Related (1)", "Related (2)"))
    found, report = settled(text, assessor="ann")
    assert codes(report) == {
        "WJ02": 155, "EJ03": 33, "WJ03": 94, "EJ09": 1, "WJ04": 376 + 2,
    }  # fmt: skip
    assert (found.duplicates[0].pairs, found.duplicates[0].same) == (189, 155)
    assert len(found.ballots) == 155
    found, report = settled(text, assessor="ann", duplicates="first")
    assert not report.has_errors
    assert len(found.ballots) == 189
