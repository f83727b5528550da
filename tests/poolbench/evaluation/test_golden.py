"""Every measure against the outputs of trec_eval 8.1, 9.0.8 and 10.0 on the golden cases."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.trec_eval_text import scores_to_trec_eval
from tests.examples import ALL, take
from tests.poolbench.evaluation.golden import OPTION_SETS, cases, lines_of, split

BPREF_BY_TREC_EVAL_8 = {
    "bpref": "bpref", "bpref-10": "bpref_top10pRnonrel", "bpref(form=2004)": "old_bpref",
    "bpref-10(form=2004)": "old_bpref_top10pRnonrel",
}  # fmt: skip
EXACT = {
    "map": "AP", "recip_rank": "RR", "bpref": "bpref_trec_eval", "bpref-10": "bpref10_trec_eval81",
    "bpref(form=textbook)": "bpref_textbook", "bpref-10(form=textbook)": "bpref10_textbook",
}  # fmt: skip


def is_ours(line: str, theirs: str, tag: str) -> bool:
    """Whether our own rules explain a line that is not that of trec_eval 10."""
    measure, topic, _ = line.split("\t")
    levels = measure.startswith(("iprec_at_recall", "11pt_avg"))
    # With -c and -l above 1 trec_eval sums num_rel over other grades.
    counted = measure.startswith("num_rel  ") and topic == "all" and "l2" in tag
    return theirs.startswith(f"{measure}\t{topic}\t") and (levels or counted)


@pytest.mark.parametrize("tag", OPTION_SETS)
def test_our_own_rules_are_those_of_trec_eval_10_but_for_recall_levels(data_dir, tag):
    compared, other = 0, 0
    for case in take(cases(data_dir), 4):
        if not case.output("te10.0", tag).exists() or case.stopped("te10.0", tag):
            continue
        scores = evaluate(case.run(), case.judged(), ["all_trec"], OPTION_SETS[tag])
        lines = split(scores_to_trec_eval([scores], by_topic=True).encode())
        for ours, theirs in zip(lines, case.lines("te10.0", tag), strict=True):
            assert ours == theirs or is_ours(ours, theirs, tag), case
            compared, other = compared + 1, other + (ours != theirs)
    assert compared > (20_000 if ALL else 4_000)
    assert 0 < other < compared / 20


def test_num_rel_is_that_of_trec_eval_per_topic_at_level_2(data_dir: Path) -> None:
    for case in cases(data_dir, "01*"):
        wanted = lines_of(case.output("te9.0.8", "qcl2"), {"num_rel"})[:-1]
        scores = evaluate(case.run(), case.judged(), ["num_rel"], ScoringOptions(level=2))
        assert scores_to_trec_eval([scores], by_topic=True).split("\n")[:-3] == wanted
        assert scores.mean("num_rel") == sum(int(line.split("\t")[2]) for line in wanted)


@pytest.mark.parametrize(("tag", "options"), [("qa", "q"), ("qac", "qc")])
def test_bpref_forms_are_those_of_trec_eval_8(data_dir: Path, tag: str, options: str) -> None:
    compared = 0
    for case in cases(data_dir):
        output = case.output("te8.1", tag)
        # It ranks by 32-bit scores.
        if not output.exists() or case.folder.name.startswith("09"):
            continue
        scores = evaluate(case.run(), case.judged(), BPREF_BY_TREC_EVAL_8, OPTION_SETS[options])
        for ours, theirs in BPREF_BY_TREC_EVAL_8.items():
            found = {**scores.by_topic(ours), "all": scores.mean(ours)}
            for line in lines_of(output, {theirs}):
                _, topic, value = line.split("\t")
                # Its last digit is rounded otherwise when the fifth is an exact 5.
                assert found[topic] == pytest.approx(float(value), abs=5.001e-5), (case, line)
                compared += 1
    assert compared > 1000


def test_values_are_the_exact_fractions(data_dir: Path) -> None:
    compared = 0
    for case in cases(data_dir):
        path = case.folder / f"{case.name}.exact.json"
        if not path.exists():
            continue
        scores = evaluate(case.run(), case.judged(), [*EXACT, "num_rel"])
        for topic, exact in json.loads(path.read_bytes()).items():
            assert scores.by_topic("num_rel")[topic] == exact["R"]
            for ours, theirs in EXACT.items():
                wanted = float(Fraction(exact[theirs] or 0))
                assert scores.by_topic(ours)[topic] == pytest.approx(wanted, abs=1e-12), case
                compared += 1
    assert compared > 2000
