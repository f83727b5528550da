"""What a frozen pool was drawn from, found again: the pool keeps only what is to be judged."""

from __future__ import annotations

import numpy as np

from campaigns import store
from campaigns.core.qrels import read_qrels
from campaigns.errors import ActionRefused
from campaigns.models import Run
from pooling.core.formats import FRAME_FORMATS
from pooling.core.frame import SamplingFrame, build_frame, fill_frame_grades, restrict_frame_to_pool
from pooling.core.pool_builder import build_pool_table, start_sessions
from pooling.core.session import PoolSession
from pooling.core.tables import PoolTable
from pooling.models import Pool
from pooling.queries import load_pool_table
from pooling.services.adaptive_pools import frozen_spec, get_session
from pooling.services.inputs import load_listing


def frame_text(pool: Pool, fmt: str, qrels: int | None = None) -> str:
    """The frame of ``pool`` in one of ``FRAME_FORMATS``, with the grades of a qrels version.

    Raises ``Refused`` for a version that the campaign has not released, for a form that cannot
    hold the sample, while the pool grows, and where the frame is not found again.
    """
    table = load_pool_table(pool)
    frame = (
        rebuild_frame(pool, table)
        if pool.grows or table.is_sampled
        else restrict_frame_to_pool(table)
    )
    if fmt == "strata" and not frame.has_strata:
        fix = "Take the form for statAP."
        raise ActionRefused("no-strata", "This sample has no strata but probabilities.", fix)
    if qrels is not None:
        release = pool.campaign.qrels.filter(version=qrels).first()
        if release is None:
            raise ActionRefused("no-qrels", f"There are no qrels {qrels} of {pool.campaign.slug}.")
        frame = fill_frame_grades(frame, read_qrels(store.get_blob(release.path)))
    return FRAME_FORMATS[fmt](frame)


def rebuild_frame(pool: Pool, table: PoolTable) -> SamplingFrame:
    """The frame out of the pool's own spec, runs and log, which never change."""
    found = finished_sessions(pool) if pool.grows else frozen_sessions(pool)
    if not have_same_sample(build_pool_table(found), table):
        told = f"{pool} cannot be made again from its spec and runs."
        raise ActionRefused(
            "pool-not-rebuilt", told, "What is to be judged stands as it was frozen."
        )
    return build_frame(found)


def frozen_sessions(pool: Pool) -> list[PoolSession]:
    runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
    spec = frozen_spec(pool)
    return start_sessions(load_listing(pool.campaign, runs, pool.spec), spec.steps, spec.budget)


def finished_sessions(pool: Pool) -> list[PoolSession]:
    """The topics of a pool to which judgments add nothing any more."""
    if pool.growing.filter(ended=False).exists():
        fix = "Ask again when it is complete: half a sample is none."
        raise ActionRefused("still-growing", f"{pool} still grows by judgments.", fix)
    topics = [row.topic for row in pool.growing.select_related("topic")]
    return [get_session(pool, topic).session for topic in sorted(topics, key=lambda t: t.number)]


def have_same_sample(one: PoolTable, other: PoolTable) -> bool:
    """Whether two pools have the same documents, drawn from the same strata."""
    return (
        (one.topics, one.docnos) == (other.topics, other.docnos)
        and np.array_equal(one.stratum, other.stratum)
        and np.allclose(one.probability, other.probability)
    )
