"""Adaptive methods choose what exact arithmetic chooses, and find as much as by other lots."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import pytest

from pooling.core.pool_builder import start_sessions
from pooling.core.session import PoolSession
from tests.core.pooling.exact_twins import EXACT, LOTS, Twin
from tests.core.pooling.generated import Campaign, generate
from tests.core.pooling.toy import step

STEPS = 500
SEEDS = range(30)
BUDGETS = (50, 100, 200)


def session_of(
    campaign: Campaign, seed: int, method: str, values: dict[str, Any], depth: int = 0
) -> PoolSession:
    steps = [step("depth", k=depth, order="random")] if depth else []
    (session,) = start_sessions(campaign.listing(seed), [*steps, step(method, **values)])
    return session


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(("method", "values", "twin", "own"), EXACT)
def test_500_documents_are_those_of_exact_arithmetic(
    method: str,
    values: dict[str, Any],
    twin: Callable[..., Twin],
    own: dict[str, Any],
    number: int,
) -> None:
    campaign = generate(number)
    session = session_of(campaign, number, method, values)
    slow = twin(campaign.lists, seed=number, **own)
    docnos, tags = session.candidates.docnos, session.candidates.runs
    for at in range(STEPS):
        choice, wanted = session.next(), slow.choose()
        assert choice is not None
        run = None if choice.run < 0 else tags[choice.run]
        assert (docnos[choice.doc], run) == wanted, at
        relevant = wanted[0] in campaign.relevant
        session.select(choice)
        session.judge(choice.doc, relevant)
        slow.observe(wanted, relevant)


def find_by_product(session: PoolSession, relevant: set[str]) -> list[int]:
    """Relevant documents among the first of each budget."""
    found = []
    for _ in range(BUDGETS[-1]):
        choice = session.next()
        assert choice is not None
        session.select(choice)
        found.append(session.candidates.docnos[choice.doc] in relevant)
        session.judge(choice.doc, found[-1])
    return [sum(found[:budget]) for budget in BUDGETS]


def find_by_twin(slow: Twin, relevant: set[str]) -> list[int]:
    found = []
    for _ in range(BUDGETS[-1]):
        chosen = slow.choose()
        found.append(chosen[0] in relevant)
        slow.observe(chosen, found[-1])
    return [sum(found[:budget]) for budget in BUDGETS]


@pytest.mark.parametrize(("method", "values", "twin", "own"), LOTS)
def test_by_other_lots_as_much_is_found(
    method: str, values: dict[str, Any], twin: Callable[..., Twin], own: dict[str, Any]
) -> None:
    campaign = generate(3, runs=12, depth=100, size=800)
    found = [
        find_by_product(session_of(campaign, seed, method, values), campaign.relevant)
        for seed in SEEDS
    ]
    wanted = [
        find_by_twin(twin(campaign.lists, seed=seed, **own), campaign.relevant) for seed in SEEDS
    ]
    for ours, theirs in zip(zip(*found, strict=True), zip(*wanted, strict=True), strict=True):
        error = ((statistics.variance(ours) + statistics.variance(theirs)) / len(SEEDS)) ** 0.5
        # 3.4 standard errors: one in 1,500 by chance; the seeds are fixed.
        assert statistics.mean(ours) == pytest.approx(
            statistics.mean(theirs), abs=3.4 * error + 0.1
        )
