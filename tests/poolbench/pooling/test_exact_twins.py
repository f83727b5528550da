"""Adaptive methods choose what exact arithmetic chooses, and find as much as by other lots."""

from typing import Any

import pytest

from poolbench.pooling.pool_builder import start_sessions
from poolbench.pooling.session import PoolSession
from tests.examples import ALL
from tests.poolbench.pooling.exact_twins import EXACT
from tests.poolbench.pooling.generated import Campaign, generate
from tests.poolbench.pooling.toy import step

STEPS = 500 if ALL else 60


def session_of(
    campaign: Campaign, seed: int, method: str, values: dict[str, Any], depth: int = 0
) -> PoolSession:
    steps = [step("depth", k=depth, order="random")] if depth else []
    (session,) = start_sessions(campaign.listing(seed), [*steps, step(method, **values)])
    return session


@pytest.mark.parametrize("number", [1, 2] if ALL else [1])
@pytest.mark.parametrize(("method", "values", "twin", "own"), EXACT)
def test_documents_are_those_of_exact_arithmetic(method, values, twin, own, number):
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
