"""Methods that learn: the toy by hand, slow twins, what counts and what does not."""

import builtins
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from poolbench.pooling.candidates import TopicCandidates
from poolbench.pooling.method import EARLIER, NextDocument
from poolbench.pooling.methods.bandits import excess_means
from poolbench.pooling.methods.cal import ContinuousActiveLearning
from poolbench.pooling.methods.hedge import Hedge
from poolbench.pooling.methods.mtc import MinimalTestCollection
from poolbench.pooling.players import RunCounts
from poolbench.pooling.pool_builder import start_sessions
from poolbench.pooling.registry import LISTED, METHODS
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.session import PoolSession, StepLimit
from poolbench.pooling.spec_file import default_parameters
from tests.examples import ALL, examples
from tests.poolbench.pooling.toy import orders, read, run, step, toy_listing
from tests.poolbench.pooling.twins import CASES, TWINS, Past, Turn, shared

ADAPTIVE = sorted(m.name for m in LISTED if m.kind == "adaptive")
ALPHA, BETA, DELTA, GAMMA = range(4)
SEEDS = 300 if ALL else 60
A, B, C, D, E = range(5)


def topic_1() -> TopicCandidates:
    """alpha a b c, beta b a d, gamma a c e; a and d are relevant. By hash: documents b d c e a;
    runs alpha beta gamma at steps 1 and 5, beta gamma alpha at 2 and 4, beta alpha gamma at 3; for
    move-to-front gamma, beta, delta, alpha.
    """
    return toy_listing().topic(0)


def order(method: str, **values: Any) -> str:
    return orders(step(method, **values))["1"]


def test_at_rate_1_mmns_is_maxmean() -> None:
    assert order("mmns", update="own", rate=1.0) == order("maxmean", update="own")


@pytest.mark.parametrize("rate", [0.0, 0.25, 0.5])
def test_old_judgments_still_order_runs_by_non_stationary_means(rate: float) -> None:
    counts = RunCounts(topic_1(), "own", rate)
    for run_, outcomes in ((ALPHA, [True]), (BETA, [True, False]), (GAMMA, [False, True])):
        for relevant in outcomes:
            counts.add(NextDocument(A, run_), relevant)
    # (1 + relevant) / (2 + judged) is so much more than its limit.
    limit = (1 - rate) / (3 - 2 * rate)
    assert (1 + excess_means(counts)) * limit == pytest.approx(counts.means())
    for _ in range(60):
        for run_ in (ALPHA, BETA, GAMMA):
            counts.add(NextDocument(A, run_), False)
    late = excess_means(counts)
    if rate:
        # Relevant 60, 61 and 60 judgments ago; gamma has one more judgment than alpha.
        assert late[ALPHA] > late[GAMMA] > late[BETA] > 0
        assert late[BETA] / late[ALPHA] == pytest.approx(
            (rate + rate**2 / (3 - 2 * rate)) / (1 + rate / (3 - 2 * rate))
        )


def test_hedge_holds_after_thousands_of_judgments() -> None:
    player = Hedge(topic_1(), {"beta": 0.0})
    for _ in range(5000):
        player.observe(NextDocument(B), False)
    # gamma put b last, delta nowhere: gamma has all the weight.
    assert player.weights() == pytest.approx([0, 0, 0, 1])
    assert player.choose(np.ones(5, bool), 0).doc == A


def test_runs_of_next_to_no_weight_order_what_heavier_runs_do_not_list() -> None:
    # loud lists a to e only and is right every time; quiet lists f before g, last the other way.
    lists = {"loud": "abcde", "quiet": "pqrstfg", "last": "tsrqpgf"}
    listing = build_listing([run(tag, {"1": docs}) for tag, docs in lists.items()], 10, 0)
    candidates = listing.topic(0)
    at = {docno: place for place, docno in enumerate(candidates.docnos)}
    available = np.array([docno in "fg" for docno in candidates.docnos])
    for better, wanted in (("p", "f"), ("t", "g")):
        player = Hedge(candidates, {"beta": 0.1})
        for docno in "abcde" * 40:
            player.observe(NextDocument(at[docno]), True)
        player.observe(NextDocument(at[better]), True)
        assert sorted(player.weights())[1] < 1e-100
        assert player.choose(available, 0).doc == at[wanted]


LISTS = st.dictionaries(
    st.sampled_from(["p", "q", "r", "s"]),
    st.permutations("abcdefg").flatmap(
        lambda docs: st.integers(0, 7).map(lambda n: "".join(docs[:n]))
    ),
    min_size=1,
).filter(lambda lists: any(lists.values()))
RELEVANT = st.sets(st.sampled_from("abcdefg"))


@pytest.mark.parametrize(("method", "values"), CASES)
@examples(60)
@given(lists=LISTS, relevant=RELEVANT, burn_in=st.booleans())
@example(lists={"p": "cdaf", "q": "gbafec"}, relevant=set(), burn_in=True)  # a and f tie at 0
def test_each_document_is_that_of_the_slow_twin(method, values, lists, relevant, burn_in):
    tables = [run(tag, {"1": docs}) for tag, docs in lists.items()]
    steps = [step("depth", k=1, order="random")] if burn_in else []
    (session,) = start_sessions(build_listing(tables, 10, 0), [*steps, step(method, **values)])
    docnos = session.candidates.docnos
    past = Past(lists, [], set(docnos))
    for given_ in session.selected:
        doc = docnos[given_.doc]
        session.judge(given_.doc, doc in relevant)
        past = past.then(Turn(doc, None, {}), doc in relevant)
    while (choice := session.next()) is not None:
        turn = TWINS[method](past, **values)
        by = None if choice.run == EARLIER else session.candidates.runs[choice.run]
        assert (docnos[choice.doc], by) == (turn.doc, turn.run)
        session.select(choice)
        session.judge(choice.doc, turn.doc in relevant)
        past = past.then(turn, turn.doc in relevant)
    assert not past.open


@examples(100)
@given(lists=LISTS, relevant=RELEVANT, judged=st.sets(st.sampled_from("abcdefg")))
def test_mtc_is_settled_where_all_possible_judgments_say_so(lists, relevant, judged):
    tables = [run(tag, {"1": docs}) for tag, docs in lists.items()]
    candidates = build_listing(tables, 10, 0).topic(0)
    docs = list(candidates.docnos)
    past = Past(lists, [], set())
    unknown = [doc for doc in docs if doc not in judged]
    worlds = []
    for said in itertools.product([False, True], repeat=len(unknown)):
        true = {doc for doc, rel in zip(unknown, said, strict=True) if rel}
        true |= judged & relevant & set(docs)
        pairs = list(itertools.combinations_with_replacement(sorted(true), 2))
        worlds.append([float(sum(shared(past, tag, i, j) for i, j in pairs)) for tag in lists])
    found = np.array(worlds)
    doubts = [0.0]
    for r, s in itertools.combinations(range(len(lists)), 2):
        apart = found[:, r] - found[:, s]
        if apart.std() > 1e-9:
            doubts.append(NormalDist().cdf(-abs(apart.mean()) / apart.std()))
    for alpha in (0.05, 0.2, 0.4):
        player = MinimalTestCollection(candidates, {"alpha": alpha})
        for doc in judged & set(docs):
            player.observe(NextDocument(docs.index(doc)), doc in relevant)
        if not math.isclose(max(doubts), alpha, rel_tol=1e-6):
            assert player.is_finished() == (max(doubts) < alpha)
    assert not MinimalTestCollection(candidates, {"alpha": 0.0}).is_finished()


def test_a_step_of_mtc_ends_when_it_is_settled() -> None:
    # ΔAP of a b and b a is (x_a − x_b)/2. After b, relevant: −1/4 on average, give or take 1/4, so
    # that P(ΔAP > 0) is Φ(−1) = 0.159.
    listing = build_listing([run("r", {"1": "ab"}), run("s", {"1": "ba"})], 10, 0)
    found = [
        orders(step("mtc", alpha=alpha), listing=listing, judge=lambda *_: True)["1"]
        for alpha in (0.16, 0.15, 0.0)
    ]
    assert found == ["b", "ba", "ba"]


@pytest.mark.parametrize(("c2", "lots"), [(1e-200, True), (1e200, False)])
def test_numbers_that_have_no_square_explore_always_or_never(c2: float, lots: bool) -> None:
    assert (order("egreedy", c2=c2) == order("egreedy", c1=1.0)) is lots


def first_runs(method: str, **values: Any) -> list[int]:
    """The run played second, after gamma's a was not relevant, by many seeds."""
    found = []
    for seed in range(SEEDS):
        candidates = replace(topic_1(), seed=seed)
        player = METHODS[method].player
        assert player is not None
        playing = player(candidates, default_parameters(METHODS[method]) | values)
        playing.observe(NextDocument(A, GAMMA), False)
        open_ = np.array([False, True, True, True, True])
        found.append(playing.choose(open_, 1).run)
    return found


def share_of_seeds(share: float) -> Any:
    """So many of ``SEEDS``, give or take four deviations."""
    return pytest.approx(share * SEEDS, abs=4 * math.sqrt(share * (1 - share) * SEEDS))


def test_chance_gives_every_run_its_part() -> None:
    for found in (first_runs("random"), first_runs("egreedy", c1=1.0)):
        # Three runs have a document: a third of the seeds each.
        assert np.bincount(found, minlength=4)[[ALPHA, BETA, GAMMA]] == share_of_seeds(1 / 3)
    # Beta(1, 2) beats two of Beta(1, 1) with probability ∫ 2(1 − x) x² dx = 1/6.
    own = np.bincount(first_runs("thompson", update="own"), minlength=4)
    assert own[GAMMA] == share_of_seeds(1 / 6)
    assert own[DELTA] == 0


def test_without_exploring_the_greedy_run_is_played() -> None:
    # Nothing of alpha and beta is judged: they come first, each as often as the hash says.
    assert set(first_runs("egreedy", c1=1e-9, update="own")) == {ALPHA, BETA}
    # all: alpha a: 1 each; beta b: gamma 1, alpha and beta 1/2; gamma c: beta and gamma 1/2; d.
    assert order("egreedy", c1=1e-9) == "abcde"
    # ε₂ = min(1, 0.05 · 3 / (0.5² · 2)) = 0.3: the rest is beta's or alpha's.
    explored = first_runs("egreedy", c1=0.05, c2=0.5, update="own").count(GAMMA)
    assert explored == share_of_seeds(0.3 / 3)


def test_a_late_judgment_of_an_earlier_step_counts_when_it_comes() -> None:
    for method, moved in (("maxmean", True), ("hedge", True), ("mtf", False)):
        steps = [step("depth", k=1, order="random"), step(method)]
        session = start_sessions(toy_listing(), steps)[0]
        before = session.next()
        assert before is not None  # b and a are in hand, and nobody has said anything
        assert not session.available[[A, B]].any()
        for doc in (A, B):
            session.judge(doc, False)
        fresh = start_sessions(toy_listing(), steps)[0]
        assert (vars_of(session) == vars_of(fresh)) is not moved


def vars_of(session: PoolSession) -> list[Any]:
    """What a player has counted."""
    player = session._player
    seen = vars(getattr(player, "counts", player))
    names = ("judged", "loss", "priority")
    return [seen[name].tolist() for name in names if isinstance(seen.get(name), np.ndarray)]


def test_documents_in_hand_are_skipped_and_move_nothing() -> None:
    session = start_sessions(toy_listing(), [step("mtf")])[0]
    given_ = []
    for _ in range(3):
        choice = session.next()
        assert choice is not None
        session.select(choice)
        given_.append(choice)
    # Three assessors get the first three documents of gamma.
    assert [(c.run, c.doc) for c in given_] == [(GAMMA, A), (GAMMA, C), (GAMMA, E)]
    session.judge(E, False)
    assert session.next() == NextDocument(B, BETA)


def test_a_stop_counts_the_judgments_of_its_own_step() -> None:
    steps = [step("depth", k=1), step("maxmean", stop=StepLimit(no_relevant_in=2))]
    # The burn-in gives b and a, which are not counted; c and d are not relevant either.
    assert orders(*steps, judge=lambda *_: False)["1"] == "bacd"


def test_cal_learns_anew_after_each_batch_and_keeps_still_between() -> None:
    player = ContinuousActiveLearning(topic_1(), {})
    learned = []
    for doc in range(4):
        player.observe(NextDocument(doc), doc == A)
        learned.append(len(player.learned))
    # B is 1, then 2, then 3: learned after 1 and 3 judgments, next after 6.
    assert learned == [1, 1, 3, 3]
    assert (player.batch, player.due) == (3, 6)


def test_cal_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = topic_1()
    for lacking in (replace(candidates, read=None), replace(candidates, query="")):
        with pytest.raises(ValueError, match="a title for topic 1"):
            ContinuousActiveLearning(lacking, {})
    known = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return known(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValueError, match=r"pip install poolbench\[cal\]"):
        ContinuousActiveLearning(candidates, {}).choose(np.ones(5, bool), 0)


def test_cal_reads_when_it_first_chooses_and_only_once() -> None:
    candidates, asked = topic_1(), []

    def reading(docnos: Sequence[str]) -> list[str]:
        asked.append(docnos)
        return read(docnos)

    player = ContinuousActiveLearning(replace(candidates, read=reading), {})
    assert (asked, player.cells) == ([], 0)
    player.choose(np.ones(5, bool), 0)
    player.observe(NextDocument(0), True)
    player.choose(np.ones(5, bool), 1)
    assert asked == [["a", "b", "c", "d", "e"]]
    assert player.cells == player.features.nnz > 5


def test_cal_goes_by_the_hash_where_no_text_has_a_word() -> None:
    candidates = replace(topic_1(), read=lambda docnos: ["" for _ in docnos], query="?")
    chosen = ContinuousActiveLearning(candidates, {}).choose(np.ones(5, bool), 0)
    assert chosen.doc == candidates.tie.argmin()
