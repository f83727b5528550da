"""A campaign small enough to score by hand.

Qrels (level 1): topic 1 has d1=2 d2=1 d3=0 d4=0, topic 2 d1=1 d5=0, topic 3 only d6=0.
Alpha's run ranks topic 1 N R . R and topic 2 R, and leaves topic 3 out.
"""

from __future__ import annotations

import pytest
from django.utils import timezone

from campaigns import store
from campaigns.models import Campaign, Run
from evaluation.services.scoring import score_campaign
from judging.models import Qrels
from tests.factories import accepted_run

QRELS = """1 0 d1 2
1 0 d2 1
1 0 d3 0
1 0 d4 0
2 0 d1 1
2 0 d5 0
3 0 d6 0
"""
ALPHA = """1 Q0 d3 1 4 alpha-one
1 Q0 d1 2 3 alpha-one
1 Q0 d9 3 2 alpha-one
1 Q0 d2 4 1 alpha-one
2 Q0 d1 1 1 alpha-one
"""
BETA = """1 Q0 d1 1 4 beta-secret
1 Q0 d2 2 3 beta-secret
2 Q0 d5 1 4 beta-secret
2 Q0 d1 2 3 beta-secret
3 Q0 d6 1 1 beta-secret
"""
BETA2 = "1 Q0 d4 1 1 beta-other\n"


def qrels_release(campaign: Campaign, text: str = QRELS, version: int = 1) -> Qrels:
    data = text.encode()
    return Qrels.objects.create(
        campaign=campaign,
        version=version,
        policy="latest",
        as_of=timezone.now(),
        path=store.put_blob(data),
        sha256=store.sha256(data),
        pairs=text.count("\n"),
        manifest={},
        frozen_by=campaign.created_by,
    )


@pytest.fixture
def alpha(team) -> Run:
    return accepted_run(team, "alpha-one", ALPHA)


@pytest.fixture
def beta(other_team) -> Run:
    return accepted_run(other_team, "beta-secret", BETA)


@pytest.fixture
def beta2(other_team) -> Run:
    return accepted_run(other_team, "beta-other", BETA2)


@pytest.fixture
def qrels(campaign) -> Qrels:
    return qrels_release(campaign)


@pytest.fixture
def score_set(organizer, campaign, alpha, beta, beta2, qrels):
    return score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
