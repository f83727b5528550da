"""A topic on its way through the steps of a spec: orders, budgets, stops, replay; one queue."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.pooling.method import NextDocument
from poolbench.pooling.pool_builder import (
    PoolBudget,
    build_pool_table,
    simulate_session,
    simulate_sessions,
    split_budget,
    start_sessions,
)
from poolbench.pooling.registry import LISTED
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.session import (
    LogMismatch,
    PoolSession,
    SessionEvent,
    StepLimit,
    replay_events,
)
from tests.examples import examples
from tests.poolbench.pooling.test_adaptive_methods import LISTS
from tests.poolbench.pooling.test_adaptive_methods import RELEVANT as SETS
from tests.poolbench.pooling.toy import (
    RELEVANT,
    choose_next_in_any_topic,
    is_relevant,
    order_of,
    orders,
    run,
    step,
    toy_listing,
    toy_runs,
)

ADAPTIVE = sorted(m.name for m in LISTED if m.kind == "adaptive")
# What a method needs that has no default.
NEEDED: dict[str, dict[str, Any]] = {
    "depth": {"k": 2}, "ntcir": {"k": 2}, "strata": {"windows": [[1, 1], [2, 3]], "documents": 3},
    "statap": {"documents": 2}, "influence": {"number": 4},
}  # fmt: skip


def test_a_later_step_adds_what_is_not_in_the_pool_yet() -> None:
    found = orders(step("depth", k=1), step("take", documents=1))
    assert {topic: sorted(order[:2]) for topic, order in found.items()} == {
        "1": ["a", "b"], "2": ["x", "y"], "3": ["k", "l"],
    }  # fmt: skip
    assert [order[2:] for order in found.values()][1:] == ["z", "m"]
    assert found["1"][2] in "ca"  # the second ranks of topic 1 that are left: c


def test_random_order_is_that_of_the_hash_whatever_the_method() -> None:
    listing = toy_listing()
    wanted = {c.topic: "".join(c.docnos[d] for d in c.by_hash(np.arange(len(c)))) for c in listing}
    assert orders(step("take", order="random")) == wanted
    assert orders(step("depth", k=100, order="random")) == wanted


def test_a_budget_for_each_topic_ends_all_steps() -> None:
    found = orders(step("depth", k=1), step("take"), per_topic=3)
    assert [len(order) for order in found.values()] == [3, 3, 3]


def test_a_total_budget_is_met_exactly_and_decides_by_hash_where_it_cannot_be_even() -> None:
    sizes = [sum(map(len, orders(step("take"), total=n).values())) for n in range(1, 13)]
    assert sizes == [*range(1, 12), 11]


@examples(200)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(0, 300), st.integers(0, 9))
def test_a_split_adds_up_and_is_as_even_as_it_can_be(available, total, seed):
    given_ = split_budget(total, available, [str(at) for at in range(len(available))], seed)
    assert given_.sum() == min(total, sum(available))
    assert (given_ <= available).all()
    unfilled = given_[given_ < available]
    # Nobody who has more to give stands more than one behind anybody.
    assert not len(unfilled) or given_.max() - unfilled.min() <= 1


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        split_budget(-1, [1], ["1"], 0)


def test_a_step_stops_after_so_many_without_a_relevant_document() -> None:
    steps = (step("take", stop=StepLimit(no_relevant_in=2)),)
    found = orders(*steps, judge=lambda _topic, _docno: False)
    assert [len(order) for order in found.values()] == [2, 2, 2]
    assert orders(*steps, judge=lambda _topic, _docno: True) == orders(step("take"))


def test_a_step_stops_after_so_many_relevant_ones_and_the_next_goes_on() -> None:
    only = orders(step("take", stop=StepLimit(relevant=1)))
    for topic, order in only.items():
        assert [docno in RELEVANT[topic] for docno in order] == [False] * (len(order) - 1) + [True]
    more = orders(step("take", stop=StepLimit(relevant=1)), step("depth", k=100))
    assert [len(order) for order in more.values()] == [5, 3, 3]


@pytest.mark.parametrize("method", ADAPTIVE)
def test_asking_changes_nothing(method: str) -> None:
    (session, *_) = start_sessions(toy_listing(), [step(method)])
    assert session.next() == session.next()
    (other, *_) = start_sessions(toy_listing(), [step(method)])
    for _ in range(3):
        session.next()
    assert order_of(simulate_session(session, is_relevant)) == order_of(
        simulate_session(other, is_relevant)
    )


def live(session: PoolSession, chance: np.random.Generator, hands: int) -> list[SessionEvent]:
    """``hands`` assessors at once, who finish in any order; the log of what happened."""
    log: list[SessionEvent] = []
    held: list[NextDocument] = []
    while True:
        choice = session.next() if len(held) < hands else None
        if choice is not None and (not held or chance.random() < 0.6):
            session.select(choice)
            held.append(choice)
            log.append(SessionEvent(choice.doc))
        elif held:
            done = held.pop(int(chance.integers(len(held))))
            docno = session.candidates.docnos[done.doc]
            relevant = is_relevant(session.candidates.topic, docno)
            session.judge(done.doc, relevant)
            log.append(SessionEvent(done.doc, relevant))
        elif choice is None:
            return log


@pytest.mark.parametrize("method", ADAPTIVE)
@pytest.mark.parametrize("hands", [1, 4])
def test_a_log_played_again_gives_the_same_documents(method: str, hands: int) -> None:
    steps = (step("depth", k=1, order="random"), step(method))
    for at, candidates in enumerate(toy_listing()):
        session = PoolSession(candidates, steps)
        log = live(session, np.random.default_rng(at), hands)
        again = replay_events(PoolSession(candidates, steps), log)
        assert again.selected == session.selected
        assert sorted(order_of(session)) == sorted(candidates.docnos)


def begun() -> tuple[PoolSession, NextDocument]:
    (session, *_) = start_sessions(toy_listing(), [step("maxmean")])
    first = session.next()
    assert first is not None
    return session, first


def test_a_log_of_another_order_is_refused() -> None:
    session, first = begun()
    with pytest.raises(LogMismatch, match="event 1"):
        replay_events(session, [SessionEvent((first.doc + 1) % len(session.candidates))])


def test_a_second_judgment_rewrites_nothing() -> None:
    session, first = begun()
    session.select(first)
    session.judge(first.doc, False)
    expected = session.next()
    session.judge(first.doc, True)
    assert session.next() == expected


def test_only_what_was_given_is_judged_and_nothing_is_given_twice() -> None:
    session, first = begun()
    with pytest.raises(ValueError, match="not selected"):
        session.judge(0, True)
    session.select(first)
    with pytest.raises(ValueError, match="already selected"):
        session.select(first)


@pytest.mark.parametrize("method", [method.name for method in LISTED])
def test_the_order_of_runs_and_lines_changes_no_method(method: str) -> None:
    steps = [step(method, **NEEDED.get(method, {}))]
    forward = orders(*steps)
    chance = np.random.default_rng(7)
    for _ in range(5):
        runs = [toy_runs()[at] for at in chance.permutation(4)]
        assert orders(*steps, listing=toy_listing(runs=runs)) == forward


@pytest.mark.parametrize("method", [m.name for m in LISTED if m.kind != "sampled"])
def test_every_method_gives_each_document_once(method: str) -> None:
    deepest = {"k": 100} if method in NEEDED else {}
    found = orders(step(method, **deepest))
    assert {topic: "".join(sorted(order)) for topic, order in found.items()} == {
        "1": "abcde", "2": "xyz", "3": "klm",
    }  # fmt: skip


def test_what_a_pool_keeps_of_each_document() -> None:
    found = start_sessions(toy_listing(), [step("take")], PoolBudget(per_topic=2))
    pool = build_pool_table(found)
    assert len(pool) == 6
    for at, topic in enumerate(pool.topics):
        docnos = pool.docnos[pool.rows(at)]
        places = pool.priority[pool.rows(at)]
        order = "".join(docno for _, docno in sorted(zip(places.tolist(), docnos, strict=True)))
        assert order == order_of(found[at])
        assert topic == found[at].candidates.topic
    # Every run that lists it is a contributor, although Take looked at the best rank.
    assert pool.contributor_tags(0) == ("alpha", "beta", "gamma")
    assert pool.stratum.tolist() == [0] * 6
    assert pool.probability.tolist() == [1.0] * 6


def test_runs_without_documents_and_topics_without_runs_do_no_harm() -> None:
    runs = [run("empty", {}), run("one", {"7": "a"})]
    found = start_sessions(build_listing(runs, 10, 0), [step("maxmean")])
    assert [order_of(simulate_session(session, lambda *_: True)) for session in found] == ["a"]
    assert start_sessions(build_listing([], 10, 0), [step("maxmean")]) == []


def test_one_queue_spends_the_budget_where_it_finds_most() -> None:
    found = orders(step("mtf", scope="global"), total=6)
    assert sum(map(len, found.values())) == 6
    assert orders(step("mtf", scope="global"), total=100) == orders(step("mtf"))
    assert orders(step("mtf", scope="global")) == orders(step("mtf"))
    # All of topic 3 is relevant and nothing else: once it is begun, it is judged to its end.
    kites = orders(step("mtf", scope="global"), total=8, judge=lambda topic, _: topic == "3")
    assert len(kites["3"]) == 3
    assert sum(map(len, kites.values())) == 8
    assert [len(v) for v in orders(step("mtf"), total=6).values()] == [2, 2, 2]


def test_before_one_queue_each_topic_has_its_share() -> None:
    steps = [step("depth", k=1, order="random"), step("mtf", scope="global")]
    found = orders(*steps, total=8)
    # Two documents each of the burn-in, k and l, x and y, a and b; two more by the queue.
    assert {topic: sorted(order_[:2]) for topic, order_ in found.items()} == {
        "1": ["a", "b"], "2": ["x", "y"], "3": ["k", "l"],
    }  # fmt: skip
    assert sum(map(len, found.values())) == 8
    # A step that does not compare topics comes first, evenly.
    mixed = orders(step("maxmean", documents=1), step("mtf", scope="global"), total=4)
    assert sorted(map(len, mixed.values())) == [1, 1, 2]


@examples(40)
@given(lists=st.lists(LISTS, min_size=1, max_size=4), relevant=SETS, total=st.integers(0, 30))
def test_a_campaign_played_by_hand_goes_as_the_simulated_one(lists, relevant, total):
    tables = [
        run(tag, {str(at): topic[tag] for at, topic in enumerate(lists) if tag in topic})
        for tag in "pqrs"
    ]
    listing = build_listing(tables, 10, 0)
    steps, budget = [step("maxmean", documents=1), step("mtf", scope="global")], PoolBudget(total)

    def judge(topic: str, docno: str) -> bool:
        return docno in relevant

    simulated = simulate_sessions(start_sessions(listing, steps, budget), judge, budget)
    live = start_sessions(listing, steps, budget)
    while (wanted := choose_next_in_any_topic(live, total)) is not None:
        session, choice = wanted
        session.select(choice)
        session.judge(choice.doc, judge("", session.candidates.docnos[choice.doc]))
    assert [order_of(s) for s in live] == [order_of(s) for s in simulated]
    assert sum(len(s.selected) for s in live) == min(total, len(listing.docnos))
