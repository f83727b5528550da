"""The examples of the lectures that are formulas in words: checked on many rankings."""

from collections.abc import Callable
from math import log2, log10

import pytest

from poolbench.evaluation.charts.topics import precision_histogram
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.users.measures import score_for_user
from poolbench.preferences.click_log import preferences_from_clicks, share_of_preferences_met
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from tests.poolbench.evaluation.lectures import Check, listed, value
from tests.poolbench.evaluation.made import Topic, made, random_topics

FORMULAS: dict[str, Check] = {}
TOPICS = random_topics(50, seed=11)
RUN, QRELS = made(TOPICS)
SCORES = evaluate(
    RUN,
    QRELS,
    ["bpref(form=textbook)", "bpref-10(form=textbook)", "set_P", "set_recall", "set_F",
     "set_E", "set_E(b=2)", "set_E(b=0.5)", "dcg(dcg=exponential)", "recip_rank",
     "search_length"],
)  # fmt: skip


def found(measure: str, topic: str) -> float:
    number = SCORES.by_topic(measure)[topic]
    assert number is not None
    return number


@listed(FORMULAS, "mir-bpref")
def _() -> None:
    for name, (ranked, judged) in TOPICS.items():
        relevant = sum(grade >= 1 for grade in judged)
        for measure, first in (("bpref", relevant), ("bpref-10", relevant + 10)):
            total, seen = 0.0, 0
            for grade in ranked:
                seen += grade == 0 and seen < first
                total += 1 - seen / first if grade is not None and grade >= 1 else 0
            wanted = total / relevant if relevant else 0.0
            assert found(f"{measure}(form=textbook)", name) == pytest.approx(wanted, abs=1e-12)


@listed(FORMULAS, "mir-harmonic-mean")
def _() -> None:
    told = 0
    for name in TOPICS:
        p, r = found("set_P", name), found("set_recall", name)
        if not p:
            assert (found("set_F", name), found("set_E", name)) == (0.0, 1.0)
            continue
        told += 1
        assert found("set_F", name) == pytest.approx(2 / (1 / r + 1 / p))
        assert found("set_E", name) == pytest.approx(1 - found("set_F", name))
        for b in (2, 0.5):
            wanted = 1 - (1 + b * b) / (b * b / r + 1 / p)
            assert found(f"set_E(b={b})", name) == pytest.approx(wanted)
    assert told > 30


@listed(FORMULAS, "mir-user-oriented")
def _() -> None:
    known = frozenset(
        (topic, docno)
        for place, topic in enumerate(QRELS.topics)
        for docno in list(QRELS.docnos[QRELS.rows(place)])[::2]
    )
    scores = score_for_user(RUN, QRELS, known, expected=3)
    answers = {topic: list(RUN.docnos[RUN.rows(at)]) for at, topic in enumerate(RUN.topics)}
    for place, topic in enumerate(QRELS.topics):
        rows = QRELS.rows(place)
        judged = zip(QRELS.docnos[rows], QRELS.grades[rows].tolist(), strict=True)
        r, a = {docno for docno, grade in judged if grade >= 1}, answers.get(topic, [])
        k = {docno for at, docno in known if at == topic}
        hits = [rank for rank, docno in enumerate(a, 1) if docno in r]
        wanted = {
            "coverage": len(k & r & set(a)) / len(k & r) if k & r else None,
            "novelty": len((r & set(a)) - k) / len(hits) if hits else None,
            "relative_recall": len(hits) / 3,
            "recall_effort": 3 / hits[2] if len(hits) >= 3 else None,
        }
        assert {name: scores.by_topic(name)[topic] for name in wanted} == wanted


@listed(FORMULAS, "mir-precision-histogram")
def _() -> None:
    other, _ = made({name: (ranked[::-1], judged) for name, (ranked, judged) in TOPICS.items()})
    a, b = (evaluate(run, QRELS, ["Rprec"]) for run in (RUN, other))
    bars = precision_histogram(a, b)
    assert list(bars) == list(TOPICS)
    for topic, bar in bars.items():
        rp_a, rp_b = a.by_topic("Rprec")[topic], b.by_topic("Rprec")[topic]
        assert bar == rp_a - rp_b  # type: ignore[operator]


@listed(FORMULAS, "mir-summary-table")
def _() -> None:
    counts = ["num_q", "num_ret", "num_rel_ret", "num_rel"]
    scores = evaluate(RUN, QRELS, counts)
    assert [scores.mean(name) for name in counts] == [
        len(TOPICS),
        sum(len(ranked) for ranked, _ in TOPICS.values()),
        sum((grade or 0) >= 1 for ranked, _ in TOPICS.values() for grade in ranked),
        sum(grade >= 1 for _, judged in TOPICS.values() for grade in judged),
    ]


SHORT: Topic = ([1, 1], [1, 1, 1, 1])
EMPTY: Topic = ([0, 0], [0, 0])


@listed(FORMULAS, "ferro-corner-cases")
def _() -> None:
    # A run shorter than the recall base is measured as if non-relevant documents followed.
    assert value("Rprec", SHORT) == 2 / 4
    assert value("map", SHORT) == 2 / 4
    assert value("P_5", SHORT) == 2 / 5
    assert value("recall_5", SHORT) == 2 / 4
    # A topic without relevant documents counts as 0 ...
    for name in ("Rprec", "map", "recall_5", "set_F", "ndcg", "iprec_at_recall_0.00"):
        assert value(name, EMPTY) == 0.0
        assert value(name, EMPTY, SHORT) == value(name, SHORT) / 2  # type: ignore[operator]
    # ... or is left out, when asked for.
    assert value("map", EMPTY, SHORT, options=ScoringOptions(leave_out_empty=True)) == 2 / 4
    # The patient user of base 10: ranks below 10 undiscounted, log10(rank) from there on.
    grades = [1] * 12
    wanted = 9 + 1 + 1 / log10(11) + 1 / log10(12)
    for k, gain in ((9, 9), (10, 10), (12, wanted)):
        name = f"dcg_{k}(dcg=jarvelin, b=10)"
        assert value(name, (grades, grades)) == pytest.approx(gain)


@listed(FORMULAS, "cs276-dcg-exponential")
def _() -> None:
    for name, (ranked, _) in TOPICS.items():
        gains = [(2 ** max(grade or 0, 0) - 1) / log2(1 + m) for m, grade in enumerate(ranked, 1)]
        assert found("dcg(dcg=exponential)", name) == pytest.approx(sum(gains), abs=1e-12)


@listed(FORMULAS, "cs276-pairwise")
def _() -> None:
    # The slide: clicks on results 1 and 3 say that 3 is better than 2, not that 1 is than 3.
    shown = [f"result{number}" for number in range(1, 8)]
    pairs = preferences_from_clicks(shown, ["result1", "result3"])
    assert pairs == [("result3", "result2")]
    assert share_of_preferences_met(shown, pairs) == 0.0
    assert share_of_preferences_met([shown[0], shown[2], shown[1], *shown[3:]], pairs) == 1.0
    pairs = preferences_from_clicks(shown, ["result1", "result3", "result5"])
    assert share_of_preferences_met([shown[0], shown[2], shown[1], *shown[3:]], pairs) == 1 / 3


@listed(FORMULAS, "ise540-mrr")
def _() -> None:
    for k in (1, 2, 7, 40):
        run = run_from_rows("r", (("1", f"d{rank}", float(-rank)) for rank in range(1, 50)))
        scores = evaluate(run, qrels_from_rows([("1", f"d{k}", 1)]), ["RR", "search_length"])
        assert scores.overall == (1 / k, k)
    for name, length in SCORES.by_topic("search_length").items():
        early = found("recip_rank", name)
        assert length == (pytest.approx(1 / early) if early else None)


@pytest.mark.parametrize("check", FORMULAS.values(), ids=FORMULAS)
def test_formulas_of_the_lectures_hold(check: Callable[[], None]) -> None:
    check()
