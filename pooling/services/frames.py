"""What a frozen pool was drawn from, found again: the pool keeps only what is to be judged."""

from __future__ import annotations

import numpy as np

from campaigns import store
from campaigns.core.qrels import read_qrels
from campaigns.errors import Refused
from campaigns.models import Run
from pooling.core.building import pool_of, sessions
from pooling.core.formats import FRAME_FORMATS
from pooling.core.frame import Frame, frame_of, frame_of_pool, graded
from pooling.core.session import Session
from pooling.core.tables import PoolTable
from pooling.models import Pool
from pooling.queries import pool_table
from pooling.services.growing import session_at, spec_of
from pooling.services.inputs import listing_of


def frame_text(pool: Pool, fmt: str, qrels: int | None = None) -> str:
    """The frame of ``pool`` in one of ``FRAME_FORMATS``, with the grades of a qrels version.

    Raises ``Refused`` for a version that the campaign has not released, for a form that cannot
    hold the sample, while the pool grows, and where the frame is not found again.
    """
    table = pool_table(pool)
    frame = rebuilt(pool, table) if pool.grows or table.is_sampled else frame_of_pool(table)
    if fmt == "strata" and not frame.has_strata:
        cure = "Take the form for statAP."
        raise Refused("no-strata", "This sample has no strata but probabilities.", cure)
    if qrels is not None:
        release = pool.campaign.qrels.filter(version=qrels).first()
        if release is None:
            raise Refused("no-qrels", f"There are no qrels {qrels} of {pool.campaign.slug}.")
        frame = graded(frame, read_qrels(store.get(release.path)))
    return FRAME_FORMATS[fmt](frame)


def rebuilt(pool: Pool, table: PoolTable) -> Frame:
    """The frame out of the pool's own spec, runs and log, which never change."""
    found = grown(pool) if pool.grows else frozen(pool)
    if not is_same(pool_of(found), table):
        told = f"{pool} cannot be made again from its spec and runs."
        raise Refused("pool-not-rebuilt", told, "What is to be judged stands as it was frozen.")
    return frame_of(found)


def frozen(pool: Pool) -> list[Session]:
    runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
    spec = spec_of(pool)
    return sessions(listing_of(pool.campaign, runs, pool.spec), spec.steps, spec.budget)


def grown(pool: Pool) -> list[Session]:
    """The topics of a pool to which judgments add nothing any more."""
    if pool.growing.filter(ended=False).exists():
        cure = "Ask again when it is complete: half a sample is none."
        raise Refused("still-growing", f"{pool} still grows by judgments.", cure)
    topics = [row.topic for row in pool.growing.select_related("topic")]
    return [session_at(pool, topic).session for topic in sorted(topics, key=lambda t: t.number)]


def is_same(one: PoolTable, other: PoolTable) -> bool:
    """Whether two pools have the same documents, drawn from the same strata."""
    return (
        (one.topics, one.docnos) == (other.topics, other.docnos)
        and np.array_equal(one.stratum, other.stratum)
        and np.allclose(one.probability, other.probability)
    )
