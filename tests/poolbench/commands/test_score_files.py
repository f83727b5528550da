"""Scores and messages do not depend on how a file is read: whole, in pieces, by processes."""

import numpy as np
import pytest

from poolbench.commands.score_files import RunScorer
from poolbench.evaluation.inputs import read_qrels
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import PROFILES
from poolbench.runs import run_pieces

TOPICS = [f"{number:02d}" for number in range(30)]
QRELS = "".join(
    f"{topic} 0 d{docno} {(docno + at) % 4 - 1}\n"
    for at, topic in enumerate(TOPICS[:25])
    for docno in range(0, 40, 3)
)


def lines(topic, tag="mine", score="{:.2f}"):
    scores = np.random.default_rng(int(topic)).integers(0, 9, 40) + 16_777_216
    return [
        f"{topic} Q0 d{docno} 1 {score.format(value)} {tag}\n"
        for docno, value in enumerate(scores.tolist())
    ]


REGULAR = [line for topic in TOPICS for line in lines(topic)]
RUNS = {
    "regular": REGULAR,
    "backwards": [line for topic in TOPICS[::-1] for line in lines(topic)],
    "by rank": [line for step in range(40) for line in REGULAR[step::40]],
    "a topic again": [*REGULAR, REGULAR[0].replace("d0", "x")],
    "another tag": [line for topic in TOPICS for line in lines(topic, "ab"[topic > "20"])],
    "duplicate": [*REGULAR, REGULAR[-1]],
    "no score": [*REGULAR, "29 Q0 y 1 none mine\n"],
    "other topics": lines("97"),
    "leading zeros": lines("7"),
    "unjudged topics": [line for topic in TOPICS[22:] for line in lines(topic)],
    "exponents": [line for topic in TOPICS for line in lines(topic, score="{:.3e}")],
    "empty": [],
}


@pytest.fixture(params=["poolbench-1", "trec_eval-9"])
def scorer(request):
    options = ScoringOptions(profile=PROFILES[request.param])
    measures = parse_measures(["map", "bpref", "ndcg", "num_ret"])
    return RunScorer(read_qrels(QRELS.encode()), None, measures, options)


def plain(outcome):
    scored = outcome.table
    told = (outcome.messages, outcome.rejected)
    if scored is None:
        return told
    values = scored.values.tobytes(), scored.topics, scored.overall, scored.tag
    return *told, *values, scored.reasons, scored.conditions, scored.answered.tolist()


@pytest.mark.parametrize("name", RUNS)
def test_a_run_in_pieces_is_scored_as_a_whole_one(tmp_path, monkeypatch, scorer, name):
    path = tmp_path / "run.txt"
    path.write_text("".join(RUNS[name]))
    monkeypatch.setattr(run_pieces, "PIECE", 3000)
    monkeypatch.setattr(run_pieces, "MIN_PART", 5000)
    whole = plain(scorer._score_whole(str(path)))
    assert [plain(each) for each in scorer.score_files([str(path)], 1)] == [whole]
    own = scorer._list_shares(str(path), 3)
    assert plain(scorer._join(str(path), [scorer._do_share(share) for share in own])) == whole


def test_two_processes_score_as_one(tmp_path, monkeypatch, scorer):
    monkeypatch.setattr(run_pieces, "MIN_PART", 5000)
    monkeypatch.setattr(run_pieces, "PIECE", 3000)
    paths = []
    for name in ("regular", "backwards", "duplicate"):
        paths.append(str(tmp_path / name))
        (tmp_path / name).write_text("".join(RUNS[name]))
    assert len(scorer._list_shares(paths[0], 2)) == 2
    one, two = ([plain(each) for each in scorer.score_files(paths, jobs)] for jobs in (1, 2))
    assert one == two
