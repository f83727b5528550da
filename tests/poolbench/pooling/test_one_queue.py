"""One queue over all topics: a total budget goes where most is found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from poolbench.pooling.pool_builder import PoolBudget, simulate_sessions, start_sessions
from poolbench.pooling.run_listing import build_listing
from tests.examples import examples
from tests.poolbench.pooling.one_queue import choose_next_in_any_topic
from tests.poolbench.pooling.test_adaptive_methods import LISTS, RELEVANT
from tests.poolbench.pooling.toy import order_of, orders, run, step


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
@given(lists=st.lists(LISTS, min_size=1, max_size=4), relevant=RELEVANT, total=st.integers(0, 30))
def test_a_campaign_played_by_hand_goes_as_the_simulated_one(
    lists: list[dict[str, str]], relevant: set[str], total: int
) -> None:
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
