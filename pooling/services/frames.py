"""The sampling frame of a frozen pool, rebuilt: the pool stores only the documents to judge."""

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
from pooling.queries.inputs import load_listing
from pooling.services.adaptive_pools import frozen_spec, get_session


def frame_text(pool: Pool, fmt: str, qrels: int | None = None) -> str:
    """The sampling frame of ``pool`` in one of ``FRAME_FORMATS``, with grades of a qrels version.

    Raises ``ActionRefused`` for an unknown version, for a format that cannot represent the
    sample, for an adaptive pool that is not complete, and if the frame cannot be rebuilt.
    """
    table = load_pool_table(pool)
    frame = (
        rebuild_frame(pool, table)
        if pool.is_adaptive or table.is_sampled
        else restrict_frame_to_pool(table)
    )
    if fmt == "strata" and not frame.has_strata:
        fix = "Download the sample with inclusion probabilities (prels) instead."
        raise ActionRefused("no-strata", "This sample has probabilities but no strata.", fix)
    if qrels is not None:
        version = pool.campaign.qrels.filter(version=qrels).first()
        if version is None:
            message = f"Unknown qrels version of {pool.campaign.slug}: {qrels}."
            raise ActionRefused("no-qrels", message)
        frame = fill_frame_grades(frame, read_qrels(store.get_blob(version.path)))
    return FRAME_FORMATS[fmt](frame)


def rebuild_frame(pool: Pool, table: PoolTable) -> SamplingFrame:
    """The frame from the pool's spec, runs and log, which never change."""
    sessions = finished_sessions(pool) if pool.is_adaptive else frozen_sessions(pool)
    if not have_same_sample(build_pool_table(sessions), table):
        message = f"{str(pool).capitalize()} cannot be rebuilt from its spec and runs."
        raise ActionRefused("pool-not-rebuilt", message, "The documents to judge are unaffected.")
    return build_frame(sessions)


def frozen_sessions(pool: Pool) -> list[PoolSession]:
    runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
    spec = frozen_spec(pool)
    return start_sessions(load_listing(pool.campaign, runs, pool.spec), spec.steps, spec.budget)


def finished_sessions(pool: Pool) -> list[PoolSession]:
    """The sessions of an adaptive pool that is complete."""
    if pool.growing.filter(ended=False).exists():
        fix = "Wait until the pool is complete; a partial sample cannot be used."
        message = f"{str(pool).capitalize()} is adaptive and not complete."
        raise ActionRefused("still-growing", message, fix)
    topics = [row.topic for row in pool.growing.select_related("topic")]
    return [get_session(pool, topic).session for topic in sorted(topics, key=lambda t: t.number)]


def have_same_sample(first: PoolTable, second: PoolTable) -> bool:
    """Whether two pools have the same documents, strata and probabilities."""
    return (
        (first.topics, first.docnos) == (second.topics, second.docnos)
        and np.array_equal(first.stratum, second.stratum)
        and np.allclose(first.probability, second.probability)
    )
