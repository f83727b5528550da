"""A small sampled pool, the order in which its pairs are drawn, and judgments of it."""

import numpy as np
import pytest

from campaigns.models import Document
from campaigns.services.campaigns import update_campaign
from judging.services.imports import import_judgments
from poolbench.pooling.spec_file import read_spec
from pooling.queries.frozen_pools import load_sample_plan
from pooling.services.freeze import freeze_pool
from tests.world.files import ranked_run

SPEC = "{seed: 1, steps: [{method: influence, number: 32, measures: [map, P_5], level: 1, top: 3}]}"
DOCNOS = [f"d{n}" for n in range(1, 21)]


@pytest.fixture
def sampled(organizer, campaign, team):
    """A pool of 32 pairs from the 60 of 5 runs and 3 topics; better runs retrieve lower numbers."""
    update_campaign(actor=organizer, campaign=campaign, measures=["map", "P_5"])
    rows = [Document(campaign=campaign, docno=docno, body="A text.") for docno in DOCNOS]
    Document.objects.bulk_create(rows, ignore_conflicts=True)
    random = np.random.default_rng(0)
    runs = []
    for at in range(5):
        noise = {t: sorted(DOCNOS, key=lambda d: int(d[1:]) + random.normal(0, 1 + 5 * at))
                 for t in "123"}  # fmt: skip
        runs.append(ranked_run(team, f"r{at}", {t: " ".join(noise[t]) for t in noise}))
    return freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(SPEC), runs=runs)


def list_order(pool) -> list[tuple[str, str]]:
    """The pairs of the pool in the order of drawing."""
    plan, number = load_sample_plan(pool)
    frame = plan.frame
    return [(frame.topics[frame.topic_index[at]], str(frame.docnos[int(at)]))
            for at in plan.order[:number]]  # fmt: skip


def judge(pool, assessor, pairs) -> None:
    """Judge ``pairs``: documents up to d7 are relevant."""
    rows = [(topic, docno, int(int(docno[1:]) <= 7)) for topic, docno in pairs]
    import_judgments(actor=pool.frozen_by, campaign=pool.campaign, assessor=assessor, rows=rows)
