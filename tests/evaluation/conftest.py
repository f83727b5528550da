"""The small campaign with three runs, qrels and scores, all worked by hand (``world.files``)."""

from __future__ import annotations

import pytest

from campaigns.models import Run
from judging.models import Qrels


@pytest.fixture
def alpha(restore, team) -> Run:
    return restore("alpha")


@pytest.fixture
def beta(restore, other_team) -> Run:
    return restore("beta")


@pytest.fixture
def beta2(restore, other_team) -> Run:
    return restore("beta2")


@pytest.fixture
def qrels(restore, campaign) -> Qrels:
    return restore("qrels")


@pytest.fixture
def score_set(restore, alpha, beta, beta2, qrels):
    return restore("score_set")
