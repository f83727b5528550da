"""Runs are cut off and laid out topic by topic."""

from __future__ import annotations

import pickle

from poolbench.pooling.run_listing import build_listing, truncate_run
from poolbench.runs.runs import read_run

RUN = b"""2 Q0 e 1 1 r
1 Q0 a 1 3 r
1 Q0 c 2 2 r
1 Q0 b 3 2 r
1 Q0 d 4 1 r
"""


def test_a_shortened_run_keeps_the_first_of_each_topic_and_no_file() -> None:
    short = truncate_run(read_run(RUN), 2)
    assert (short.tag, short.topics, short.starts.tolist()) == ("r", ("1", "2"), [0, 2, 3])
    assert (list(short.docnos), short.scores.tolist()) == (["a", "c", "e"], [3, 2, 1])
    assert short.docnos.data == b"ace"
    assert list(pickle.loads(pickle.dumps(short)).docnos) == ["a", "c", "e"]  # noqa: S301


def test_a_shortened_run_is_listed_as_the_whole_one() -> None:
    whole = read_run(RUN)
    for cutoff in (1, 2, 9):
        listed = build_listing([whole], cutoff, 0)
        again = build_listing([truncate_run(whole, cutoff)], cutoff, 0)
        assert list(again.docnos) == list(listed.docnos)
        for column in ("starts", "entries", "run", "doc", "rank", "score"):
            assert getattr(again, column).tolist() == getattr(listed, column).tolist()
