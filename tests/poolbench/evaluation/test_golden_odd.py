"""The odd golden folders (20_* and 15_comments): what we do, one by one.

trec_eval's outputs there are a record and no target: it stops, crashes, does not end, or takes
a text for the number 0.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import pytrec_eval

from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.matching import NoCommonTopicError
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import TREC_EVAL_10
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from tests.poolbench.evaluation.golden import PROGRAMS, Case, split

REFUSED = {
    "dup_qrels_conflict": "EQ06", "dup_qrels_same": "EQ05", "empty_qrels": "EQ03",
    "five_columns_qrels": "EQ02", "three_columns_qrels": "EQ02", "huge_rel": "EQ04",
    "rel_decimal": "EQ04", "rel_text": "EQ04", "dup_run": "E11", "dup_run_other_score": "E11",
    "empty_run": "E04", "five_columns_run": "E03", "nul_byte_run": "E01", "latin1_docno": "E01",
    "score_comma": "E14", "score_hex": "E14", "score_nan": "E14", "score_text": "E14",
}  # fmt: skip
"""Folders with a file that is refused with the line, the fault and its fix: the code of each fault
of the file, which is the qrels for EQ and the run for E."""

CLEANED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "blank_line_in_qrels": ("qrels", lambda data: data.replace(b"\n\n", b"\n")),
    "trailing_blank_line_in_qrels": ("qrels", lambda data: data.rstrip(b"\n") + b"\n"),
    "bom_qrels": ("qrels", lambda data: data.removeprefix(b"\xef\xbb\xbf")),
    "bom_run": ("ra.run", lambda data: data.removeprefix(b"\xef\xbb\xbf")),
}
"""Files that are taken, with the values of the file without what is odd."""

SCORED = {"all_minus1_topic", "all_minus2_topic", "no_common_topic"}


def odd(data: Path, name: str) -> Path:
    return data / "trec_eval-golden" / f"20_odd_{name}"


def scored(run: bytes, qrels: bytes, options: ScoringOptions | None = None) -> ScoredRun:
    return evaluate(read_run(run, lenient=True), read_qrels(qrels), ["all_trec"], options)


def test_every_odd_folder_is_told(data_dir: Path) -> None:
    folders = {path.name for path in (data_dir / "trec_eval-golden").glob("20_*")}
    assert folders == {f"20_odd_{name}" for name in (*REFUSED, *CLEANED, *SCORED)}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_files_are_refused_with_every_fault(data_dir: Path, name: str) -> None:
    is_qrels = REFUSED[name].startswith("EQ")
    file, read = ("qrels", read_qrels) if is_qrels else ("ra.run", read_run)
    report = FaultReport(file)
    with pytest.raises(InvalidFile):
        read(read_bytes(odd(data_dir, name) / file), file=file, report=report)
    assert {code for code, _, _ in report.grouped()} == {REFUSED[name]}


@pytest.mark.parametrize("name", CLEANED)
def test_harmless_oddities_change_nothing(data_dir: Path, name: str) -> None:
    file, clean = CLEANED[name]
    given = {path: read_bytes(odd(data_dir, name) / path) for path in ("ra.run", "qrels")}
    cleaned = given | {file: clean(given[file])}
    assert cleaned != given
    found, wanted = (scored(files["ra.run"], files["qrels"]) for files in (given, cleaned))
    assert found.overall == wanted.overall
    assert found.topics == ("351", "352")


@pytest.mark.parametrize("name", ["all_minus1_topic", "all_minus2_topic"])
@pytest.mark.parametrize("profile", PROGRAMS.values())
def test_a_topic_without_judgments_silences_no_other(data_dir, name, profile):
    case = Case(odd(data_dir, name), "ra")
    scores = evaluate(case.run(), case.judged(), ["all_trec"], ScoringOptions(profile=profile))
    assert scores.topics == ("351", "352")
    assert scores.by_topic("map")["351"] == scores.by_topic("ndcg")["351"] == 0.0
    assert scores.by_topic("num_rel")["351"] == scores.by_topic("num_nonrel_judged_ret")["351"] == 0
    qrels: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, split((case.folder / "qrels").read_bytes())):
        qrels.setdefault(topic, {})[docno] = int(grade)
    with (case.folder / "ra.run").open() as stream:
        ranked = pytrec_eval.parse_run(stream)["352"]
    # It may take what it has of the last topic for the next one of the same name.
    oracle = pytrec_eval.RelevanceEvaluator({name: qrels["352"]}, {"map", "bpref", "ndcg"})
    wanted = oracle.evaluate({name: ranked})[name]
    ours = {measure: scores.by_topic(measure)["352"] for measure in wanted}
    assert ours == pytest.approx(wanted, abs=1e-12)


def test_no_common_topic_is_refused(data_dir: Path) -> None:
    case = Case(odd(data_dir, "no_common_topic"), "ra")
    with pytest.raises(NoCommonTopicError, match="run ra: no topic in common"):
        evaluate(case.run(), case.judged(), ["map"], ScoringOptions(topics="common"))
    # trec_eval 9 prints nothing even with -c; 10 prints zeros then, which look like scores.
    assert case.lines("te9.0.8", "qc") == []
    zeros = [line.split()[-1] for line in case.lines("te10.0", "qc") if line.startswith("map ")]
    assert set(zeros) == {"0.0000"}
    with pytest.raises(NoCommonTopicError):
        case.printed("te10.0", "qc")
    assert case.judged().topics == ("351", "352")


def test_comment_lines_are_no_data(data_dir: Path) -> None:
    folder = data_dir / "trec_eval-golden" / "15_comments"
    run, qrels = read_bytes(folder / "ra.run"), read_bytes(folder / "qrels")
    bare = [b"\n".join(x for x in data.split(b"\n") if x[:1] != b"#") for data in (run, qrels)]
    options = ScoringOptions(profile=TREC_EVAL_10)
    assert [b"#" in data for data in (run, qrels, *bare)] == [True, True, False, False]
    assert scored(run, qrels, options).overall == scored(*bare, options).overall
