"""Specs replayed on the toy of docs/pooling.md: every number of the report by hand."""

import json
from dataclasses import replace
from functools import partial
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.comparison.rank_drop import RankDrop
from poolbench.evaluation.measures.names import parse_measures
from poolbench.pooling.pool_builder import PoolBudget, split_budget, start_sessions
from poolbench.pooling.registry import METHODS
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.spec import PoolSpec, RunChoice, depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.reliability.simulation.finished_campaign import ContributingRun, FinishedCampaign
from poolbench.reliability.simulation.formats import FORMATS
from poolbench.reliability.simulation.replay import Replay, order_replay, replay_spec
from poolbench.reliability.simulation.report import BudgetPoint, SeedRange, Simulation
from poolbench.reliability.simulation.simulator import NEVER_FOUND, simulate_specs
from poolbench.runs.hash_order import hash_order
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import RunTable
from tests.examples import examples
from tests.poolbench.pooling.toy import choose_next_in_any_topic, orders, run, step, toy_runs

# e of topic 1 and y of topic 2 are holes; nobody finds q.
GRADES = {"1": {"a": 2, "b": 0, "c": 0, "d": 1, "q": 1}, "2": {"x": 0, "y": -1, "z": 1}}
GRADES["3"] = {"k": 1, "l": 1, "m": 0}
QRELS = qrels_from_rows((t, d, grade) for t, of in GRADES.items() for d, grade in of.items())
SEEDS = 6


def finished(**changes: object) -> FinishedCampaign:
    return FinishedCampaign.from_tables(toy_runs(), QRELS, **changes)  # type: ignore[arg-type]


def found_by(*specs: PoolSpec, budgets: tuple[int, ...] = (), measures: str = "P_2") -> Simulation:
    named = {f"spec {at}": spec for at, spec in enumerate(specs)}
    measure = parse_measures([measures])
    return simulate_specs(finished(), named, measure, seeds=SEEDS, budgets=budgets)


def turn_of(seed: int, topic: str) -> int:
    """What topics of one round are sorted by."""
    return hash_order(seed, topic, "")


def always(value: float) -> SeedRange:
    return SeedRange(value, value, value, SEEDS)


@pytest.fixture(scope="module")
def depth_two() -> Simulation:
    return found_by(depth_spec(2), budgets=(3, 6, 8, 100))


def at(simulation: Simulation, budget: int) -> BudgetPoint:
    return next(p for p in simulation.specs[0].points if p.budget == budget)


def test_what_is_judged_and_found_when_the_spec_is_done(depth_two):
    (spec,) = depth_two.specs
    # a b c, x y z, k l; of the relevant a d q, z, k l all but d and q; y is a hole.
    assert (spec.judged, spec.relevant, spec.holes) == (always(8), always(4), always(1))
    assert (spec.runs, spec.steps) == (4, "depth 2")
    facts = depth_two.facts
    assert (facts.runs, facts.pooled, facts.topics, facts.answered) == (4, 4, 3, 3)
    assert (facts.judged, facts.relevant, facts.level, facts.seeds) == (10, 6, 1, SEEDS)


def test_what_is_spent_and_found_at_a_budget(depth_two):
    two_rounds = at(depth_two, 6)  # the first ranks: a b, x y, k l
    assert (two_rounds.spent, two_rounds.relevant) == (always(6), always(3))
    assert (two_rounds.share, two_rounds.holes) == (always(0.5), always(1))
    more_than_it_wants = at(depth_two, 100)
    assert (more_than_it_wants.spent, more_than_it_wants.relevant) == (always(8), always(4))


def test_what_hangs_on_chance_is_a_mean_and_its_ends(depth_two):
    # One document a topic: k or l, x or y, and a or b, whichever the hash of the seed puts first.
    first = [hash_order(seed, "1", "a") < hash_order(seed, "1", "b") for seed in range(SEEDS)]
    hole = [hash_order(seed, "2", "y") < hash_order(seed, "2", "x") for seed in range(SEEDS)]
    point = at(depth_two, 3)
    assert {True, False} == set(first) == set(hole)
    assert point.relevant == SeedRange(1 + sum(first) / SEEDS, 1, 2, SEEDS)
    assert point.holes == SeedRange(sum(hole) / SEEDS, 0, 1, SEEDS)


def test_the_ranking_of_all_runs_against_that_by_the_full_qrels(depth_two):
    # Sums of P_2 by the full qrels: gamma 1.5, the others 1. After six judgments z is not
    # judged and beta has 0.5.
    six = at(depth_two, 6).rankings["P_2"]
    assert six.tau_b.mean == pytest.approx(3 / sqrt(3 * 5))
    # beta's rank: of the three above it, gamma alone was above it before: (1 + 1 + 1/3) / 3.
    assert six.tau_ap.mean == pytest.approx((5 / 9 + 1) / 2)
    assert depth_two.facts.tau_ap == {"P_2": "tau-ap-b"}
    assert (six.drop, six.worst) == (always(2), RankDrop("beta", 2, 4))
    all_of_it = at(depth_two, 8).rankings["P_2"]
    assert (all_of_it.tau_b.mean, all_of_it.tau_ap.mean) == pytest.approx((1, 1))
    assert (all_of_it.drop, all_of_it.worst) == (always(0), None)


def test_the_effort_until_so_many_are_found(depth_two):
    half, most, nearly_all = depth_two.specs[0].efforts
    # 50 %: 2 of a d q never, z comes third, k or l first. 80 %: all of k and l.
    assert (half.by_topic, half.reached) == (always(2), always(2))
    assert (most.by_topic, most.reached) == (always(2.5), always(2))
    assert (nearly_all.by_topic, nearly_all.reached) == (always(2.5), always(2))
    # Half of all are a, k and l: found when both have come of topic 3, and a of topic 1.
    totals = []
    for seed in range(SEEDS):
        turns = sorted("123", key=partial(turn_of, seed))
        late = hash_order(seed, "1", "b") < hash_order(seed, "1", "a")
        totals.append(max(3 + turns.index("3"), 3 * late + turns.index("1")) + 1)
    assert half.total == SeedRange.from_values(totals)
    # 5 of 6 are never found.
    assert most.total == nearly_all.total == SeedRange(None, None, None, 0, NEVER_FOUND)


def test_the_effort_in_all_is_where_the_last_one_wanted_stands():
    known = Replay(np.zeros(4, np.int64), np.arange(4), np.array([True, False, False, True]))
    assert [known.judgments_needed(wanted) for wanted in (1, 2, 3)] == [1, 4, None]


def test_budgets_are_shares_of_the_deepest_spec():
    found = found_by(depth_spec(1), depth_spec(2))
    # 5, 10, 20, 30, 50, 75 and 100 % of 8, rounded up
    assert found.budgets == (1, 2, 3, 4, 6, 8)
    # a b, x y and k l
    assert [spec.judged.mean for spec in found.specs] == [6, 8]


def test_runs_feed_a_pool_as_its_spec_chooses_them():
    known = finished()
    tags = [*known.tags]
    told = [
        ContributingRun(tags[0], "A", 2),
        ContributingRun(tags[1], "A", 1, "manual"),
        ContributingRun(tags[2], "B", 3),
    ]
    known = replace(known, contributing_runs=tuple(told))

    def fed(**choice: object) -> set[str]:
        return set(known.select_runs(replace(depth_spec(1), runs=RunChoice(**choice))))  # type: ignore[arg-type]

    assert known.pooled == {*tags[:3]}
    assert fed() == {*tags[:3]}
    assert fed(per_team=1) == {tags[1], tags[2]}
    assert fed(priority=2) == fed(teams=("A",)) == {*tags[:2]}
    assert fed(kind="manual") == {tags[1]}
    assert fed(tags=(tags[2], tags[3])) == {tags[2]}


def test_qrels_without_a_line_rank_nothing():
    topic = min(GRADES, key=partial(turn_of, 0))
    only_a_hole = [run("one", {topic: "?a"}), run("two", {topic: "?"})]
    found = simulate_specs(
        FinishedCampaign.from_tables(only_a_hole, QRELS),
        {"take": PoolSpec((step("take"),))},
        parse_measures(["map"]),
        seeds=1,
        budgets=(1,),
    )
    point = found.specs[0].points[0]
    assert point.holes.mean == 1
    assert point.rankings["map"].tau_b == SeedRange(
        None, None, None, 0, "fewer than two runs have values for both"
    )


@pytest.mark.parametrize(
    "spec", [PoolSpec((step("maxmean"),)), PoolSpec((step("take"),), PoolBudget(total=7))]
)
def test_a_replay_is_the_session_of_each_topic_judged_by_the_qrels(spec):
    campaign = finished()
    listing = replace(campaign.listing(PoolSpec((step("take"),))), seed=3)
    found = replay_spec(spec, listing, campaign)
    wanted = orders(
        *spec.steps,
        listing=build_listing(toy_runs(), 100, 3),
        judge=lambda topic, docno: GRADES[topic].get(docno, 0) > 0,
        **{key: value for key, value in vars(spec.budget).items() if value},
    )
    for at, topic in enumerate(QRELS.topics):
        rows = found.for_topic(at).row.tolist()
        told = "".join(QRELS.docnos[row] if row >= 0 else "?" for row in rows)
        holes = {"1": "e", "2": "y", "3": ""}[topic]
        assert told == "".join("?" if docno in holes else docno for docno in wanted[topic])


@examples(100)
@given(st.lists(st.integers(0, 9), min_size=3, max_size=3), st.integers(0, 30), st.integers(0, 9))
def test_all_topics_advance_alike(sizes, budget, seed):
    campaign = finished()
    listing = replace(campaign.listing(PoolSpec((step("take"),))), seed=seed)
    found = order_replay(
        [np.full(size, -1) for size in sizes],
        [np.arange(size) for size in sizes],
        listing,
        campaign,
    )
    given_ = np.bincount(found.topic[:budget], minlength=3)
    assert given_.tolist() == split_budget(budget, sizes, listing.topics, seed).tolist()


def test_one_queue_over_topics_keeps_its_order_and_its_total():
    campaign = finished()
    spec = PoolSpec((step("take", documents=1), step("mtf", scope="global")), PoolBudget(total=8))
    listing = replace(campaign.listing(spec), seed=3)
    found = replay_spec(spec, listing, campaign)
    assert len(found) == 8
    # By next_of_all, document by document, after the first round.
    topics = start_sessions(listing, spec.steps, spec.budget)
    wanted: list[tuple[str, str]] = []
    for session in topics:
        for given_ in session.selected:
            docno = session.candidates.docnos[given_.doc]
            session.judge(given_.doc, GRADES[session.candidates.topic].get(docno, 0) > 0)
    while (chosen := choose_next_in_any_topic(topics, 8)) is not None:
        session, choice = chosen
        topic, docno = session.candidates.topic, session.candidates.docnos[choice.doc]
        session.select(choice)
        session.judge(choice.doc, GRADES[topic].get(docno, 0) > 0)
        wanted.append((topic, docno))
    told = [
        (QRELS.topics[topic], QRELS.docnos[row] if row >= 0 else None)
        for topic, row in zip(found.topic.tolist(), found.row.tolist(), strict=True)
    ]
    graded = [(t, d if GRADES[t].get(d, -1) >= 0 else None) for t, d in wanted]
    assert told[3:] == graded
    assert sorted(topic for topic, _ in told[:3]) == ["1", "2", "3"]
    assert [topic for topic, _ in told[:3]] == sorted("123", key=partial(turn_of, 3))


def test_runs_that_do_not_feed_the_pool_are_scored():
    some = finished(pooled=["alpha", "delta"])
    spec = {
        "depth 1": depth_spec(1),
        "alpha": replace(depth_spec(1), runs=RunChoice(tags=("alpha",))),
    }
    found = simulate_specs(some, spec, parse_measures(["P_1"]), seeds=1)
    assert (found.facts.runs, found.facts.pooled) == (4, 2)
    # a, x and k for both; gamma's first of topic 3, l, is not judged.
    assert [s.judged.mean for s in found.specs] == [3, 3]
    assert [s.runs for s in found.specs] == [2, 1]
    assert found.specs[0].points[-1].rankings["P_1"].worst == RankDrop("gamma", 1, 2)


def test_nothing_depends_on_the_order_of_runs():
    runs: list[RunTable] = toy_runs()
    measures = parse_measures(["map", "bpref"])
    specs = {"maxmean": PoolSpec((step("maxmean"),)), "depth": depth_spec(2)}
    one, two = (
        simulate_specs(FinishedCampaign.from_tables(listed, QRELS), specs, measures, seeds=2)
        for listed in (runs, runs[::-1])
    )
    assert one == two


def test_the_level_says_what_is_relevant():
    strict = simulate_specs(
        finished(level=2), {"d": depth_spec(2)}, parse_measures(["map"]), seeds=1
    )
    assert (strict.facts.relevant, strict.specs[0].relevant.mean) == (1, 1)


def test_progress_is_told_of_each_piece_of_work():
    told: list[tuple[str, int, int]] = []
    specs = {"one": depth_spec(1), "two": depth_spec(2)}
    measures = parse_measures(["map"])
    simulate_specs(finished(), specs, measures, seeds=2, progress=lambda *what: told.append(what))
    assert told[:4] == [
        ("replaying one", 1, 4), ("replaying one", 2, 4),
        ("replaying two", 3, 4), ("replaying two", 4, 4),
    ]  # fmt: skip
    assert told[4:] == [("scoring by map", at, 3) for at in (1, 2, 3)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"specs": {}}, "no spec"),
        ({"measures": ()}, "no measure"),
        ({"seeds": 0}, "at least 1"),
        ({"budgets": (5, 0)}, "at least 1"),
        ({"finished": FinishedCampaign.from_tables(toy_runs()[:1], QRELS)}, "at least two runs"),
        ({"finished": finished(level=3)}, "no relevant document"),
        (
            {
                "finished": FinishedCampaign.from_tables(
                    [run("a", {"9": "a"}), run("b", {"9": "b"})], QRELS
                )
            },
            "no contributing run of spec depth answers a topic",
        ),
        (
            {"specs": {"mine": replace(depth_spec(2), runs=RunChoice(tags=("omega",)))}},
            "matches spec mine: tag omega",
        ),
    ],
)
def test_what_cannot_be_simulated_is_refused(changes, told):
    given_: dict[str, object] = {
        "finished": finished(),
        "specs": {"depth": depth_spec(2)},
        "measures": parse_measures(["map"]),
    }
    with pytest.raises(ValueError, match=told):
        simulate_specs(**given_ | changes)  # type: ignore[arg-type]


def test_a_method_that_cannot_begin_says_so_before_anything_is_replayed():
    def refuses(*_: object) -> None:
        raise ValueError("it needs texts")

    cannot = replace(step("maxmean"), method=replace(METHODS["maxmean"], player=refuses))
    told: list[str] = []
    specs = {"depth": depth_spec(2), "cannot": PoolSpec((step("take", documents=1), cannot))}
    with pytest.raises(ValueError, match="it needs texts"):
        simulate_specs(
            finished(), specs, parse_measures(["map"]), progress=lambda what, *_: told.append(what)
        )
    assert told == []


def test_tags_are_told_apart():
    with pytest.raises(ValueError, match="same tag"):
        FinishedCampaign.from_tables([*toy_runs(), *toy_runs()[:1]], QRELS)
    with pytest.raises(ValueError, match="tag: omega"):
        finished(pooled=["omega", "alpha"])


def test_the_table_tells_means_and_ends(depth_two):
    text = FORMATS["table"](depth_two)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "4 runs, 4 contributing; 3 topics, 10 judged pairs, 6 rel" in text
    assert "spec 0 depth 2 4 8 4 1" in lines
    assert "6 spec 0 6 3 50.0 % 1" in lines
    assert "80 % spec 0 not reached 2.5 2" in lines
    assert "6 spec 0 0.7746 0.7778 2 beta 2 to 4" in lines


def test_csv_and_json_hold_all_figures(depth_two):
    rows = FORMATS["csv"](depth_two).splitlines()[2:]
    assert rows[0] == "spec,budget,measure,figure,mean,low,high,seeds,run"
    assert "spec 0,6,,relevant,3.0,3,3,6," in rows
    assert "spec 0,6,P_2,largest_drop,2.0,2,2,6,beta" in rows
    assert "spec 0,,,judgments_to_80,,,,0," in rows
    assert "spec 0,,,topics_that_reach_80,2.0,2,2,6," in rows
    told = json.loads(FORMATS["json"](depth_two))
    assert told == json.loads(json.dumps(depth_two.as_dict()))
    assert told["specs"][0]["efforts"][1]["total"]["reason"] == NEVER_FOUND
    assert told["specs"][0]["spec"]["steps"] == [{"method": "depth", "k": 2}]


def test_few_listings_stay_in_memory():
    campaign = finished()
    first = campaign.listing(depth_spec(1))
    assert campaign.listing(depth_spec(1)) is first
    for depth in (2, 3):
        campaign.listing(depth_spec(depth))
    assert len(campaign._listings) == 2
    assert campaign.listing(depth_spec(1)) is not first


def test_a_sample_by_influence_can_be_replayed() -> None:
    (found,) = found_by(read_spec("steps: [{method: influence, number: 5}]")).specs
    assert found.judged.mean == 5
