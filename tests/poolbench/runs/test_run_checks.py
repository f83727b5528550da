import gzip
import re

import numpy as np
import pytest

from poolbench.files.faults import SHOWN_PER_CODE
from poolbench.runs.run_checks import RunRules, check_run_file, ranking_hash
from poolbench.runs.runs import read_run, run_from_rows
from tests.odd_runs import zipped

RULES = RunRules(
    topics=frozenset({"1", "2", "003"}),
    withheld_topics=frozenset({"77"}),
    docnos=frozenset({"d1", "d2", "d3", "D04"}),
    declared_tag="tag",
)
GOOD = b"1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n2 Q0 d1 1 1 tag\n003 Q0 d3 1 1 tag\n"


def told(data, rules=RULES):
    """``{code: [(line, column), ...]}`` of the faults shown."""
    places: dict = {}
    for fault in check_run_file(data, rules).report.faults:
        places.setdefault(fault.code, []).append((fault.line, fault.column))
    return places


def counts(data, rules=RULES):
    return dict(check_run_file(data, rules).report.counts)


def fault(data, code, rules=RULES):
    return next(f for f in check_run_file(data, rules).report.faults if f.code == code)


@pytest.mark.parametrize("data", [
    GOOD, gzip.compress(GOOD, mtime=0), GOOD.replace(b"\n", b"\r\n"), GOOD.replace(b" ", b"\t"),
    b"# x\n" + GOOD,
])  # fmt: skip
def test_check_run_of_a_good_run(data):
    checked = check_run_file(data, RULES, file="run.txt")
    assert checked.accepted
    assert checked.report.counts.total() == 0
    assert checked.topics == ("003", "1", "2")
    assert checked.documents == 4
    assert checked.tag == "tag"
    assert checked.tied == 0
    assert checked.digest == ranking_hash(read_run(GOOD))
    assert checked.report.file == "run.txt"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", {"E04": 1}),
        (b"\n \n\t\n\r\n", {"E04": 1}),
        (b"# a\n# b", {"E04": 1}),
        (b"\0", {"E01": 1}),
        (b"%PDF-1.7\n1 0 obj\n", {"E01": 1}),
        (zipped(GOOD), {"E01": 1}),
        (GOOD.decode().encode("utf-16"), {"E01": 1}),
        (GOOD.decode().encode("utf-16-le"), {"E01": 1}),
        (np.random.default_rng(7).bytes(50_000), {"E01": 1}),
        (b"\n<!DOCTYPE html>\n<html>\n<body>404\n", {"E01": 1}),
        (b'{"id": 1}\n{"id": 2}\n', {"E01": 1}),
        (gzip.compress(gzip.compress(GOOD, mtime=0), mtime=0), {"E01": 1}),
        (gzip.compress(GOOD, mtime=0)[:-5], {"E02": 1}),
        (gzip.compress(b"\0" * (1 << 21), mtime=0), {"E02": 1}),
        (b"a" * 1_000_000, {"E03": 1}),
        (GOOD.replace(b"\n", b"\r"), {"E03": 1}),
    ],
    ids=[
        *("empty", "blank", "comments", "nul", "pdf", "zip", "utf16", "utf16-no-bom", "random"),
        *("html", "json", "gzip-twice", "gzip-cut", "gzip-bomb", "long-line", "old-mac"),
    ],
)
def test_check_run_of_what_is_no_run(data, expected):
    rules = RunRules(max_bytes=1 << 20)
    checked = check_run_file(data, rules)
    assert dict(checked.report.counts) == expected
    assert not checked.accepted
    assert len(str(checked.report.faults[0])) < 400


def test_check_run_never_raises_on_damaged_runs():
    source = np.random.default_rng(3)
    for _ in range(300):
        data = bytearray(GOOD)
        for _ in range(source.integers(1, 12)):
            data[source.integers(len(data))] = source.integers(256)
        checked = check_run_file(bytes(data), RULES)
        assert checked.accepted or checked.report.has_errors


def test_check_run_with_a_nul_byte_and_latin1_in_text():
    data = GOOD * 50
    data = data.replace(b"d2", b"d\0", 1).replace(b"2 Q0 d1", b"2 Q0 d\xe9", 1)
    assert told(data)["E01"] == [(1 + 1, 7), (3, 7)]


PLAIN = RunRules()


@pytest.mark.parametrize(("data", "rules", "places"), [
    ("1 q é x nan täg\n".encode(), RULES, {
        "E05": [(1, 13)], "E07": [(1, 13)], "E10": [(1, 5)], "E13": [(1, 7)], "E14": [(1, 9)],
        "W01": [(1, 3)],
    }),
    (GOOD.replace(b"2.0 tag", b"2.0 tog"), RunRules(used_tags=frozenset({"tag"})),
     {"E06": [(2, 15)], "E08": [(1, 15)]}),
    (GOOD + b"77 Q0 d1 1 1 tag\n", RULES, {"E16": [(5, 1)]}),
    (b"1 Q0 " + b"d" * 501 + b" 1 1 tag\n", PLAIN, {"E10": [(1, 6)]}),
    (GOOD + b"003 Q0 d3 2 0 tag\n", RULES, {"E11": [(5, 8)]}),
    (GOOD, RunRules(max_per_topic=1), {"E12": [(2, 6)]}),
    (b"1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n", PLAIN, {"W07": [(1, 8)]}),
    (b"1 Q0 a 1 2 t\n1 Q0 b 3 1 t\n", PLAIN, {"W07": [(2, 8)]}),
    (b"1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n", PLAIN, {"W07": [(2, 8)]}),
    (b"1 Q0 a -1 2 t\n1 Q0 b 0 1 t\n", PLAIN, {"W07": [(1, 8)]}),
    (b"1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", PLAIN, {"W08": [(3, 1)]}),
], ids=[
    "every-fault-of-a-line", "tag-changes-and-is-taken", "withheld-topic", "long-docno",
    "duplicate", "depth", "ranks-from-2", "rank-missing", "rank-twice", "ranks-from-minus-1",
    "topics-apart",
])  # fmt: skip
def test_check_run_places_of_faults(data, rules, places):
    assert told(data, rules) == places


@pytest.mark.parametrize(("tag", "ok"), [
    ("A", True), ("a" * 20, True), ("a" * 21, False), (".a", False), ("a_b.c-1", True),
    ("a/b", False), ("é", False), ("١", False),
])  # fmt: skip
def test_check_run_tag_pattern(tag, ok):
    data = GOOD.replace(b"tag", tag.encode())
    assert counts(data, RunRules()) == ({} if ok else {"E05": 1})


def test_check_run_unknown_topics_are_told_once_each_with_near_misses():
    data = b"3 Q0 d1 1 2 tag\n3 Q0 d2 2 1 tag\nx Q0 d1 1 1 tag\n" + GOOD
    assert told(data) == {"E09": [(1, 1), (3, 1)], "W11": [(1, 1)]}
    assert fault(data, "E09").fix == "Did you mean 003?"
    assert "(2 lines)" in fault(data, "E09").message


def test_check_run_unknown_docnos_with_near_misses():
    data = GOOD + b"2 Q0 d4 2 .5 tag\n2 Q0 zz 3 .4 tag\n"
    assert told(data) == {"E10": [(5, 6), (6, 6)], "W08": [(5, 1)], "W11": [(5, 6)]}
    fixes = [f.fix for f in check_run_file(data, RULES).report.faults if f.code == "E10"]
    assert fixes == ["Did you mean D04?", "Use the docnos of the collection."]


def test_check_run_missing_topics():
    data = b"1 Q0 d1 1 3.0 tag\n"
    assert counts(data) == {"W02": 1}
    assert fault(data, "W02").message == "No documents for 2 of 3 topics: 003, 2."
    strict = RunRules(topics=RULES.topics, require_all_topics=True)
    assert counts(data, strict) == {"E17": 1}


def test_check_run_ties():
    data = b"1 Q0 a 1 2 t\n1 Q0 b 2 2.0 t\n1 Q0 c 3 1 t\n2 Q0 a 1 1 t\n"
    checked = check_run_file(data, RunRules())
    assert (checked.tied, checked.documents) == (2, 4)
    assert fault(data, "W04", RunRules()).message.startswith(
        "2 of 4 documents (50.0%) have the same score"
    )


def test_check_run_float32_collapse():
    data = b"1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n1 Q0 c 3 5 t\n"
    assert fault(data, "W06", RunRules()).message.startswith("2 documents")
    assert counts(b"1 Q0 a 1 1e300 t\n1 Q0 b 2 1e299 t\n", RunRules()) == {"W06": 1}


def test_check_run_ranks_against_scores():
    data = b"1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n2 Q0 a 0 2 t\n2 Q0 b 1 1 t\n"
    assert told(data, RunRules()) == {"W05": [(2, 10)]}
    assert "rank 2 has score 2, above 1 at rank 1" in fault(data, "W05", RunRules()).message


def test_check_run_twin_of_an_earlier_run():
    other = b"# same ranking\n" + GOOD.replace(b"3.0", b"30e-1").replace(b"tag", b"first")
    earlier = {check_run_file(other, RunRules()).digest: "first"}
    checked = check_run_file(GOOD, RunRules(earlier_hashes=earlier))
    assert checked.accepted
    assert "your run first" in fault(GOOD, "W09", RunRules(earlier_hashes=earlier)).message


def test_normalised_hash_looks_at_topics_order_and_scores():
    base = [("1", "a", 2.0), ("1", "b", 0.0)]
    digest = ranking_hash(run_from_rows("x", base))
    assert digest == ranking_hash(run_from_rows("y", [("1", "b", -0.0), ("1", "a", 2.0)]))
    for other in (
        [("1", "a", 2.0), ("1", "b", 1.0)],
        [("2", "a", 2.0), ("2", "b", 0.0)],
        [("1", "b", 2.0), ("1", "a", 0.0)],
    ):
        assert digest != ranking_hash(run_from_rows("x", other))


def test_check_run_counts_all_and_shows_some():
    data = b"".join(b"1 Q0 z%d %d %d tag\n" % (n, n, 200 - n) for n in range(100))
    report = check_run_file(data, RULES).report
    assert report.counts["E10"] == 100
    assert sum(f.code == "E10" for f in report.faults) == SHOWN_PER_CODE


@pytest.mark.full
def test_check_run_of_a_real_campaign(data_dir, monkeypatch):
    monkeypatch.setattr("poolbench.runs.run_fields._TAG", re.compile(".*"))
    topics = frozenset(str(number) for number in range(1, 31))
    rules = RunRules(topics=topics, require_all_topics=False)
    files = sorted((data_dir / "trec-covid-r1" / "runs-top50").iterdir())
    checked = [check_run_file(file.read_bytes(), rules, file=file.name) for file in files]
    assert all(run.accepted for run in checked)
    warned = [code for run in checked for code in run.report.counts]
    assert {code: warned.count(code) for code in sorted(set(warned))} == {
        "W04": 75, "W05": 12, "W06": 2, "W07": 32,
    }  # fmt: skip


def test_a_heading_is_recognised_and_its_cure_told():
    data = b"topic Q0 docno rank score tag\n1 Q0 d1 1 2.0 mine\n"
    assert fault(data, "E06").fix == "Remove the first line; it looks like a header."


def test_tied_documents_whose_order_in_the_file_is_not_that_of_the_ranking():
    """Ranked are c, b, a; the file has a before b. Ties in docno order are only counted."""
    data = b"1 Q0 c 1 2 t\n1 Q0 a 2 1 t\n1 Q0 b 3 1 t\n2 Q0 b 1 1 t\n2 Q0 a 2 1 t\n"
    assert told(data, PLAIN) == {"W04": [(None, None)], "W15": [(2, 10)]}
    remark = fault(data, "W15", PLAIN)
    assert remark.message == (
        "2 documents of 1 topic with tied scores have another order in the file than in the"
        " ranking: in topic 1, a has rank 2, but b has the same score and is ranked there."
    )
    assert "descending" in remark.fix
    by_docno = b"1 Q0 b 1 1 t\n1 Q0 a 2 1 t\n"
    assert counts(by_docno, PLAIN) == {"W04": 1}
    assert "W15" not in counts(b"1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n1 Q0 c 3 5 t\n", PLAIN)  # W05


def test_ties_across_a_cut_off():
    """Ranks 10 to 12 tie in topic 1; in topic 2 ranks 11 and 12, which a cut at 10 leaves alone."""
    scores = {"1": [*range(30, 21, -1), 5, 5, 5], "2": [*range(30, 20, -1), 5, 5]}
    data = "".join(
        f"{topic} Q0 d{99 - at} {at + 1} {score} t\n"
        for topic, row in scores.items()
        for at, score in enumerate(row)
    ).encode()
    assert counts(data, PLAIN) == {"W04": 1, "W16": 1}
    assert fault(data, "W16", PLAIN).message == (
        "Tied scores lie across a cut-off: rank 10 in 1 topic. In topic 1, ranks 10 to 12 have the"
        " score 5."
    )
    at_11 = RunRules(cut_offs=(10, 11))
    assert "rank 11 in 2 topics" in fault(data, "W16", at_11).message


def ranked(tag, topics, docnos):
    rows = [(t, d, -rank) for t in topics for rank, d in enumerate(docnos)]
    return run_from_rows(tag, rows)


def test_a_run_that_is_nearly_another_of_the_team():
    """The same first 10 in 9 of 10 topics; behind them 90 of 100 in common."""
    topics = [str(number) for number in range(10, 20)]
    docnos = [f"d{number:03}" for number in range(100)]
    other = ranked("first", topics, docnos)
    changed = [*docnos[:90], *[f"x{number}" for number in range(10)]]
    lines = "".join(
        f"{topic} Q0 {docno} {rank} {200 - rank} mine\n"
        for topic in topics
        for rank, docno in enumerate(changed if topic != "19" else changed[::-1], 1)
    ).encode()
    rules = RunRules(earlier_runs=[other, ranked("far", topics, docnos[::-1])])
    assert counts(lines, rules) == {"W14": 1}
    assert fault(lines, "W14", rules).message == (
        "The run is nearly your run first: the same first 10 documents in the same order in 9 of"
        " 10 common topics; the first 100 overlap by 90.0%."
    )
    assert check_run_file(lines, rules).accepted
    never = (pytest.fail("read for a run with errors") for _ in range(1))
    assert set(counts(lines, RunRules(earlier_runs=never, max_per_topic=1))) == {"E12"}


@pytest.mark.parametrize("odd", ["", "1 Q0 d2 7 inf tag\n", "2 Q0 d1 1 9 other\n", "9 Q0 x 1 1\n"])
def test_a_mapped_run_is_checked_the_same_way(tmp_path, monkeypatch, odd):
    """Some topics at a time, with docnos of all lengths, in any order of topics."""
    listed = [
        f"{topic} Q0 {'d' * (place % 70)}{place} {place} {(60 - place) // 2} tag\n"
        for topic in (10, 9, 2, 1)
        for place in range(1, 60)
    ]
    data = "".join([*listed[60:], odd, *listed[:60]]).encode()
    rules = RunRules(topics=frozenset({"1", "2", "9"}))
    whole = check_run_file(data, rules, file="run")
    (tmp_path / "run").write_bytes(data)
    monkeypatch.setattr("poolbench.files.streams._MAPPED", 100)
    monkeypatch.setattr("poolbench.files.streams._FORGOTTEN", 1)
    monkeypatch.setattr("poolbench.reading.blocks._BLOCK", 500)
    for module in ("rank_order", "run_ranking", "run_checks", "runs"):
        monkeypatch.setattr(f"poolbench.runs.{module}.BLOCK", 1)
    parts = check_run_file(tmp_path / "run", rules, file="run")
    assert parts.as_report() == whole.as_report()
    assert (parts.digest, parts.lines) == (whole.digest, whole.lines)
    wanted = ranking_hash(read_run(data)) if not odd else whole.digest
    assert parts.digest == wanted
