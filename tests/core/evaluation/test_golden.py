"""Every measure against the outputs of trec_eval 8.1, 9.0.8 and 10.0 on the golden cases."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from evaluation.core.evaluate import evaluate
from evaluation.core.formats import trec_eval_text
from evaluation.core.options import Options
from tests.core.evaluation.golden import COUNTS, OPTION_SETS, TREC_EVAL, Case, cases, lines_of

BPREF_BY_TREC_EVAL_8 = {
    "bpref": "bpref",
    "bpref-10": "bpref_top10pRnonrel",
    "bpref(form=2004)": "old_bpref",
    "bpref-10(form=2004)": "old_bpref_top10pRnonrel",
}
EXACT = {
    "map": "AP",
    "recip_rank": "RR",
    "bpref": "bpref_trec_eval",
    "bpref-10": "bpref10_trec_eval81",
    "bpref(form=textbook)": "bpref_textbook",
    "bpref-10(form=textbook)": "bpref10_textbook",
}


def written(case: Case, tag: str) -> list[str]:
    scores = evaluate(case.run(), case.judged(), TREC_EVAL, OPTION_SETS[tag])
    lines = trec_eval_text([scores], by_topic="q" in tag).split("\n")[:-1]
    # trec_eval 9 averages over topics that the run does not answer, and does not print them.
    answered = {*case.run().topics, "all"}
    return [line for line in lines if line.split("\t")[1] in answered]


def alike(lines: list[str], tag: str) -> list[str]:
    """The lines to compare: with -c and -l above 1 trec_eval sums num_rel over other grades."""
    drop = "l2" in tag
    return [line for line in lines if not (drop and line.startswith("num_rel  "))]


@pytest.mark.parametrize("tag", OPTION_SETS)
def test_every_line_is_that_of_trec_eval_9(data_dir: Path, tag: str) -> None:
    compared = 0
    for case in cases(data_dir):
        output = case.output("te9.0.8", tag)
        if not output.exists() or case.folder.name == "09_float_precision":
            continue
        wanted = lines_of(output, {*TREC_EVAL, "runid"})
        assert alike(written(case, tag), tag) == alike(wanted, tag), case
        compared += len(wanted)
    assert compared > 3000


@pytest.mark.parametrize("tag", OPTION_SETS)
def test_close_scores_are_told_apart_as_by_trec_eval_10(data_dir: Path, tag: str) -> None:
    compared = 0
    for case in cases(data_dir, "09*"):
        wanted = lines_of(case.output("te10.0", tag), {*TREC_EVAL, "runid"})
        assert alike(written(case, tag), tag) == alike(wanted, tag)
        compared += len(wanted)
    assert compared


def test_num_rel_is_that_of_trec_eval_per_topic_at_level_2(data_dir: Path) -> None:
    for case in cases(data_dir, "01*"):
        wanted = lines_of(case.output("te9.0.8", "qcl2"), {"num_rel"})[:-1]
        scores = evaluate(case.run(), case.judged(), ["num_rel"], Options(level=2))
        assert trec_eval_text([scores], by_topic=True).split("\n")[:-3] == wanted
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
        scores = evaluate(case.run(), case.judged(), [*EXACT, *COUNTS])
        for topic, exact in json.loads(path.read_bytes()).items():
            assert scores.by_topic("num_rel")[topic] == exact["R"]
            for ours, theirs in EXACT.items():
                wanted = float(Fraction(exact[theirs] or 0))
                assert scores.by_topic(ours)[topic] == pytest.approx(wanted, abs=1e-12), case
                compared += 1
    assert compared > 2000
