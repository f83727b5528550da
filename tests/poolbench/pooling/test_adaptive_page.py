"""The methods that docs/pooling.md follows step by step do what it says: its tables are worked anew
from the formulas (``twins.py``, ``twins.py``), and the methods go by the same numbers.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from poolbench.pooling.pool_builder import PoolBudget, start_sessions
from poolbench.pooling.registry import LISTED
from poolbench.pooling.session import PoolSession
from poolbench.pooling.spec_file import default_parameters
from poolbench.runs.hash_order import hash_order
from tests.poolbench.pooling import twins
from tests.poolbench.pooling.toy import (
    FLAT,
    QUERIES,
    RELEVANT,
    TEXTS,
    TOY,
    choose_next_in_any_topic,
    is_relevant,
    orders,
    rows_after,
    step,
    toy_listing,
)
from tests.poolbench.pooling.twins import Past, Turn

RUNS = ["alpha", "beta", "gamma"]
Cells = list[str]
Shown = Callable[[Past, Turn], Cells]
TWINS = twins.TWINS | {"cal": twins.cal}
ADAPTIVE = {method.name: method for method in LISTED if method.kind == "adaptive"}


def past_of(topic: str, burn_in: str = "") -> Past:
    """The toy before the first document; of a ``burn_in`` all is judged."""
    lists = {tag: topics.get(topic, "") for tag, topics in TOY.items()}
    said = [(doc, None, is_relevant(topic, doc)) for doc in burn_in]
    return Past(lists, [*said], set("".join(lists.values())) - set(burn_in), topic)


def turns(method: str, past: Past, **values: Any) -> Iterator[tuple[Past, Turn]]:
    """All that the twin of ``method`` does, with what it knew before."""
    while past.open:
        turn = TWINS[method](past, **values)
        yield past, turn
        past = past.then(turn, is_relevant(past.topic, turn.doc))


def told(relevant: bool) -> str:
    return "yes" if relevant else "no"


def number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "−").replace("inf", "∞")


def of_runs(show: Callable[[float], str] = number) -> Shown:
    return lambda _, turn: [show(turn.values[run]) for run in RUNS]


def of_documents(show: Callable[[float], str] = number) -> Shown:
    return lambda _, turn: [show(turn.values[d]) if d in turn.values else "" for d in "abcde"]


def fractions(before: int, behind: int, update: str, rate: float = 1) -> Shown:
    """(``before`` + relevant) / (``behind`` + judged) of each run, not reduced."""

    def cells(past: Past, _: Turn) -> Cells:
        counts = past.counts(update, rate)
        return [f"{before + counts[r][0]:.0f}/{behind + counts[r][1]:.0f}" for r in RUNS]

    return cells


def posteriors(past: Past, turn: Turn) -> Cells:
    counts = past.counts("all")
    pairs = [(1 + counts[run][0], 1 + counts[run][1] - counts[run][0]) for run in RUNS]
    draws = [number(turn.values[run]) for run in RUNS]
    return [f"{x:.0f}, {y:.0f}: {draw}" for (x, y), draw in zip(pairs, draws, strict=True)]


def exploring(past: Past, turn: Turn) -> Cells:
    chance, lot = twins.explores(past, 0.1, 0.5), past.chance().random()
    shares = fractions(0, 0, "all")(past, turn)
    return [f"{chance:.3g}", number(lot), *(of_runs()(past, turn) if lot < chance else shares)]


def trusts(past: Past, turn: Turn) -> Cells:
    weight = twins.trust(past, 0.1)
    return [*(number(weight[run]) for run in RUNS), *of_documents()(past, turn)]


def promises(past: Past, turn: Turn) -> Cells:
    factor = twins.promise(past, 0.8)
    votes = of_documents(lambda value: number(value, 4))(past, turn)
    return [*(number(factor[run], 4) for run in RUNS), *votes]


def squares(past: Past, _: Turn) -> Cells:
    return [str(twins.squares(past, d)) if d in past.open else "" for d in "abcde"]


class Table(NamedTuple):
    """A table of the page: what stands before it, the method, and what it shows of topic 1."""

    title: str
    method: str
    shown: Shown
    values: dict[str, Any] = {}
    burn_in: str = ""


EXPLORING = {"c1": 0.1, "c2": 0.5}
HALF = {"rate": 0.5}
OWN = {"update": "own"}
WHOLE = of_runs(lambda value: number(value, 0))
TABLES = [
    Table("**MaxMean, update all**", "maxmean", fractions(1, 2, "all")),
    Table("**MaxMean, update own**", "maxmean", fractions(1, 2, "own"), OWN),
    Table("**MM-NS, update all**", "mmns", fractions(1, 2, "all", 0)),
    Table("**MM-NS, update own**", "mmns", fractions(1, 2, "own", 0), OWN),
    Table("**MM-NS, rate 0.5**", "mmns", of_runs(), HALF),
    Table("**UCB1-tuned, update all**", "ucb", of_runs()),
    Table("**UCB1-tuned, update own**", "ucb", of_runs(), OWN),
    Table("**Move-to-front** takes", "mtf", WHOLE), Table("**Random run**", "random", of_runs()),
    Table("**Thompson sampling, update all**", "thompson", posteriors),
    Table("**εₙ-greedy**", "egreedy", exploring, EXPLORING),
    Table("**Hedge** lets", "hedge", trusts), Table("**RBP-C** with", "rbp_c", promises),
    Table("**MTC** asks", "mtc", squares), Table("**CAL** takes", "cal", of_documents()),
    Table("**MaxMean after depth 1**", "maxmean", fractions(1, 2, "all"), {}, "ba"),
    Table("**Move-to-front after depth 1**", "mtf", WHOLE, {}, "ba"),
]  # fmt: skip


def rows_of(table: Table) -> list[Cells]:
    found = []
    values = values_of(table.method, **table.values)
    for past, turn in turns(table.method, past_of("1", table.burn_in), **values):
        by = [turn.run] if turn.run else []
        said = told(is_relevant("1", turn.doc))
        place = str(len(past.said) + 1)
        found.append([place, *table.shown(past, turn), *by, turn.doc, said])
    return found


def values_of(method: str, **values: Any) -> dict[str, Any]:
    return default_parameters(ADAPTIVE[method]) | values


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_each_step_is_as_the_page_tells(table: Table) -> None:
    assert rows_after(table.title) == rows_of(table)


GOES_BY: dict[str, Callable[[Any, int], Any]] = {
    "mtf": lambda player, _: player.priority,
    # It goes by the share by which this exceeds a limit: test_adaptive_methods.py.
    "mmns": lambda player, _: player.counts.means(),
    "hedge": lambda player, _: player.weights() @ player.gains,
    "rbp_c": lambda player, _: player.values(),
    "mtc": lambda player, _: player.weights(),
    "cal": lambda player, _: player.scores,
}
"""Of each document, or run, what a player goes by at a step; of others, the bandits, below."""


def of_bandit(player: Any, at: int) -> Any:
    return player.value(player.counts, at)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
@pytest.mark.parametrize("topic", TOY["alpha"])
def test_the_method_goes_by_the_same_numbers(table: Table, topic: str) -> None:
    (session,) = (
        found
        for found in start_sessions(toy_listing(), [*burn_in_of(table), step_by_doc(table)])
        if found.candidates.topic == topic
    )
    docnos, names = session.candidates.docnos, session.candidates.runs
    burn_in = "".join(docnos[choice.doc] for choice in session.selected)
    for given in session.selected:
        session.judge(given.doc, is_relevant(topic, docnos[given.doc]))
    values = values_of(table.method, **table.values)
    for past, turn in turns(table.method, past_of(topic, burn_in), **values):
        choice = session.next()
        assert choice is not None
        found = GOES_BY.get(table.method, of_bandit)(session._player, len(past.said))
        named = dict(zip(names if turn.run else docnos, found.tolist(), strict=True))
        assert {name: named[name] for name in turn.values} == pytest.approx(turn.values)
        assert docnos[choice.doc] == turn.doc
        assert choice.run < 0 or names[choice.run] == turn.run
        session.select(choice)
        session.judge(choice.doc, is_relevant(topic, turn.doc))
    assert session.next() is None


def step_by_doc(table: Table) -> Any:
    return step(table.method, **table.values)


def burn_in_of(table: Table) -> list[Any]:
    return [step("depth", k=1, order="random")] if table.burn_in else []


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "`mtf`": ("mtf", {}), "`maxmean`": ("maxmean", {}), "`maxmean`, update own": ("maxmean", OWN),
    "`mmns`": ("mmns", {}), "`mmns`, update own": ("mmns", OWN), "`mmns`, rate 0.5": ("mmns", HALF),
    "`thompson`": ("thompson", {}), "`thompson`, update own": ("thompson", OWN),
    "`ucb`": ("ucb", {}), "`ucb`, update own": ("ucb", OWN),
    "`egreedy`, c1 = 0.1, c2 = 0.5": ("egreedy", EXPLORING), "`random`": ("random", {}),
    "`hedge`": ("hedge", {}), "`rbp_c`": ("rbp_c", {}), "`mtc`": ("mtc", {}), "`cal`": ("cal", {}),
}  # fmt: skip


def worked(method: str, topic: str, values: dict[str, Any]) -> str:
    found = turns(method, past_of(topic), **values_of(method, **values))
    return "".join(turn.doc for _, turn in found)


def test_the_orders_of_all_topics_are_those_of_the_page() -> None:
    assert {method for method, _ in VARIANTS.values()} == {*ADAPTIVE}
    assert {table.method for table in TABLES} == {*ADAPTIVE}
    by_hand = {
        name: [worked(method, topic, values) for topic in "123"]
        for name, (method, values) in VARIANTS.items()
    }
    by_method = {
        name: [*orders(step(method, **values)).values()]
        for name, (method, values) in VARIANTS.items()
    }
    assert {name: row for name, *row in rows_after("### All three topics")} == by_hand
    assert by_method == by_hand


def urgency(past: Past, turn: Turn) -> tuple[float, int]:
    """The place in the one queue; the smallest plays."""
    assert turn.run is not None
    return -turn.values[turn.run], hash_order(0, past.topic, f" {turn.run}")


def queue_by_hand(total: int) -> list[Cells]:
    pasts, found = {topic: past_of(topic) for topic in "123"}, []
    for at in range(1, total + 1):
        fronts = {topic: twins.mtf(past) for topic, past in pasts.items() if past.open}
        topic = min(fronts, key=lambda topic: urgency(pasts[topic], fronts[topic]))
        cells = [
            f"{fronts[t].run} {number(fronts[t].values[fronts[t].run or ''], 0)}"
            if t in fronts
            else ""
            for t in "123"
        ]
        turn = fronts[topic]
        relevant = is_relevant(topic, turn.doc)
        found.append([str(at), *cells, topic, turn.doc, told(relevant)])
        pasts[topic] = pasts[topic].then(turn, relevant)
    return found


def queue_by_method(found: list[PoolSession], total: int) -> Iterator[Cells]:
    while (wanted := choose_next_in_any_topic(found, total)) is not None:
        session, choice = wanted
        topic, docno = session.candidates.topic, session.candidates.docnos[choice.doc]
        session.select(choice)
        session.judge(choice.doc, is_relevant(topic, docno))
        yield [topic, docno, told(is_relevant(topic, docno))]


def test_one_queue_goes_as_the_page_tells() -> None:
    by_hand = queue_by_hand(8)
    assert rows_after("**One queue by hand**") == by_hand
    found = start_sessions(toy_listing(), [step("mtf", scope="global")], PoolBudget(total=8))
    assert [*queue_by_method(found, 8)] == [row[-3:] for row in by_hand]
    ordered = sorted(
        (hash_order(0, t, f" {tag}"), f"{t} {tag}")
        for tag, topics in TOY.items()
        for t, listed in topics.items()
        if listed
    )
    assert ", ".join(name for _, name in ordered) in FLAT


def test_what_the_page_says_of_texts_and_grades_is_the_toy() -> None:
    for docno, text in TEXTS.items():
        assert re.search(rf"\b{docno} (be the text |has the text )?\*{text}\*", FLAT), docno
    assert f"topic 1 *{QUERIES['1']}*" in FLAT
    assert f"the topics are *{QUERIES['2']}* and *{QUERIES['3']}*" in FLAT
    assert RELEVANT == {"1": "ad", "2": "z", "3": "kl"}
    assert "a and d are relevant" in FLAT
    assert "Of topic 2, z is relevant, of topic 3 k and l." in FLAT


def test_what_the_page_works_out_in_words() -> None:
    first = past_of("1")
    brought = [Fraction(4, 3), Fraction(11, 6), 0, 0]
    pairs = [(x - y) ** 2 for at, x in enumerate(brought) for y in brought[at + 1 :]]
    assert sum(pairs) == twins.squares(first, "b") == Fraction(379, 36)
    assert f"= {sum(pairs)}, more than" in FLAT
    weights = twins.tf_idf({d: TEXTS[d] for d in "abcde"} | {"topic": QUERIES["1"]})
    in_words = [f"{weights['d'][word]:.3f} *{word}*" for word in ("apples", "daisies")]
    assert f"d is {' and '.join(in_words)}" in FLAT
    apples, joined, daisies = (
        f"{weights['topic'][word]:.3f} *{word}*" for word in ("apples", "and", "daisies")
    )
    assert f"the topic {apples}, {joined} and {daisies}." in FLAT
