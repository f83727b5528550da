"""Estimates from the file of a sample: ``pb.estimate``."""

from __future__ import annotations

import numpy as np
import pytest

import poolbench as pb
from poolbench.estimation.estimate import NoFrameError
from poolbench.estimation.measures import NoFractionError
from poolbench.pooling.formats import FRAME_FORMATS, build_frame, fill_frame_grades
from poolbench.pooling.spec import sessions_by_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.runs.inputs import read_qrels_table, read_runs
from poolbench.runs.sampled_qrels import read_prels

TOPICS = [str(number) for number in range(1, 11)]
GRADES = {
    topic: {f"d{n}": int((3 * n + int(topic)) % 5 < 2 and n < 25) for n in range(40)}
    for topic in TOPICS
}


def make_run(shift: int) -> dict[str, dict[str, float]]:
    order = {f"d{n}": float(40 - (n * (1 + shift) + shift) % 41) for n in range(40)}
    return dict.fromkeys(TOPICS, order)


RUNS = {f"r{shift}": make_run(shift) for shift in range(5)}


@pytest.fixture(scope="module")
def sample() -> bytes:
    spec = read_spec("steps: [{method: influence, number: 200}]\nseed: 3\n")
    frame = build_frame(sessions_by_spec(spec, read_runs(RUNS)))
    judged = fill_frame_grades(frame, read_qrels_table(GRADES))
    return FRAME_FORMATS["frame"](judged).encode()


def test_the_file_of_a_frame_has_all_pairs_with_their_probabilities(sample):
    read = read_prels(sample)
    assert len(read.qrels) == 400
    assert read.frame.sum() == pytest.approx(200)
    assert int((read.qrels.grades >= 0).sum()) == 200
    assert np.isnan(read.inclusion[read.qrels.grades < 0]).all()


def test_estimates_hold_what_full_judging_gives(sample):
    table = pb.estimate(RUNS, sample).to_frame()
    truth = pb.evaluate_runs(RUNS, GRADES, ["P_10", "map", "bpref", "ndcg_cut_10"]).to_frame()
    assert len(table) == 20
    held = [
        row.low <= truth.loc[row.run, row.measure] <= row.high
        for row in table.itertuples(index=False)
    ]
    assert sum(held) >= 18
    assert set(table.place) == {1, 2, 3, 4, 5}


def test_all_pairs_judged_are_plain_scores():
    lines = (f"{t} {d} {g} 1 1.0" for t, own in GRADES.items() for d, g in own.items())
    table = pb.estimate(RUNS, "\n".join(lines).encode() + b"\n", ["AP", "RBP"]).to_frame()
    truth = pb.evaluate_runs(RUNS, GRADES, ["AP", "RBP"]).to_frame()
    for row in table.itertuples(index=False):
        assert row.value == pytest.approx(truth.loc[row.run, row.measure], abs=1e-12)


def test_what_cannot_be_estimated_says_why(sample):
    with pytest.raises(NoFractionError, match="err has no estimate from a sample"):
        pb.estimate(RUNS, sample, "err")
    drawn = b"".join(line for line in sample.splitlines(keepends=True) if b" -1 " not in line)
    with pytest.raises(NoFrameError, match="use the file `frame` of the pool"):
        pb.estimate(RUNS, drawn)
    with pytest.raises(NoFrameError, match="runs without any pair of the sample: far"):
        pb.estimate({**RUNS, "far": {"99": {"d1": 1.0}}}, sample)
