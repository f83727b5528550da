"""The log in memory: the same read at once and row by row."""

from uuid import uuid4

import numpy as np

from judging.models import Judgment, Purpose
from judging.queries.judgments import load_log_reader
from poolbench.cache import clear_caches
from pooling.queries.judgment_log import NUMBERS, WORDS, read_judgment_log


def list_rows(log):
    """Each row with its words, pair and rare facts, whatever their numbers are."""
    words = [[log.names[at] for at in log.numbers[word].tolist()] for word in WORDS]
    pairs = [(int(log.pair_topics[at]), log.pair_docnos[at]) for at in log.pair.tolist()]
    numbers = [log.numbers[name].tolist() for name in NUMBERS]
    return list(zip(*numbers, *words, pairs, strict=True)), log.third, log.flagged, log.units


def test_rows_that_come_later_are_those_that_are_read_at_once(campaign, assessor, assessor2):
    topics = list(campaign.topics.order_by("pk"))
    rows = [
        (topics[0], "d2", assessor, Purpose.JUDGE, 1),
        (topics[1], "d2", assessor, Purpose.JUDGE, 0),
        (topics[0], "d1", assessor2, Purpose.REPEAT, 2),
        (topics[0], "d2", assessor2, Purpose.JUDGE, None),
        (topics[1], "d10", assessor2, Purpose.AUTOMATIC, 0),
    ]
    for topic, docno, person, purpose, grade in rows:
        Judgment.objects.create(
            campaign=campaign,
            topic=topic,
            docno=docno,
            assessor=person,
            purpose=purpose,
            kind="skip" if grade is None else "grade",
            grade=grade,
            revision=1,
            client_uuid=uuid4(),
            third=purpose == Purpose.REPEAT,
        )
        grown = read_judgment_log(campaign)
    clear_caches()
    assert list_rows(grown) == list_rows(read_judgment_log(campaign))
    assert len(grown) == len(rows)
    numbers = load_log_reader(campaign).numbers
    every = np.arange(len(grown))
    assert grown.list_pairs(every).tolist() == np.unique(grown.pair).tolist() == [0, 1, 2, 3]
    assert grown.list_pairs(every[3:]).tolist() == grown.list_pairs(every >= 3).tolist() == [0, 3]
    pairs, place = grown.sort_pairs(grown.list_pairs(every), numbers)
    assert pairs == sorted(pairs) == sorted({(t.number, docno) for t, docno, *_ in rows})
    assert [pairs[at] for at in place[grown.pair]] == [(t.number, d) for t, d, *_ in rows]
