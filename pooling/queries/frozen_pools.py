"""Frozen pools built again from what they are frozen with: spec and runs, which never change."""

import numpy as np
from django.db.models import Q

from campaigns.errors import ActionRefused
from campaigns.models import Run
from poolbench.cache import Cache
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.methods.influence import InfluencePlan, plan_sample
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.session import PoolSession
from poolbench.pooling.spec import PoolSpec
from poolbench.pooling.spec_file import build_frozen_spec
from poolbench.pooling.tables import PoolTable
from pooling.models import Pool
from pooling.queries.inputs import load_listing
from pooling.queries.machine_grades import attach_frozen_grades

_listings: Cache[str, RunListing] = Cache(2)
_plans: Cache[str, InfluencePlan] = Cache(2)
NOT_REBUILT = "cannot be rebuilt from its spec and runs."


def frozen_spec(pool: Pool) -> PoolSpec:
    """The spec of ``pool`` without its run choice."""
    return build_frozen_spec(pool.spec)


def frozen_listing(pool: Pool) -> RunListing:
    """The listing of the contributing runs, including runs withdrawn since."""

    def load() -> RunListing:
        runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
        runs = runs.select_related("task__campaign")
        listing = load_listing(pool.campaign, runs, pool.spec)
        return attach_frozen_grades(pool.campaign, listing, pool.spec)

    return _listings.get_or_compute(pool.inputs_hash, load)


def is_drawn_by_influence(pool: Pool) -> bool:
    """Whether scores can be estimated from judgments of ``pool``."""
    return any(step["method"] == "influence" for step in pool.spec.get("steps", []))


def is_drawn_at_random(pool: Pool) -> bool:
    """Whether ``pool`` is a sample: each judgment stands for others, which are not made."""
    drawn = Q(stratum__gt=0) | Q(probability__lt=1)
    return is_drawn_by_influence(pool) or pool.items.filter(drawn).exists()


def load_sample_plan(pool: Pool) -> tuple[InfluencePlan, int]:
    """What ``pool`` was drawn by, by influence, and how many pairs of its order it has."""
    (step,) = frozen_spec(pool).steps
    plan = _plans.get_or_compute(
        pool.inputs_hash, lambda: plan_sample(frozen_listing(pool), step.values)
    )
    return plan, min(step.values["number"], len(plan.order))


def rebuild_sessions(pool: Pool, table: PoolTable) -> list[PoolSession]:
    """The sessions of a ``pool`` that needs no judgments, whose documents are ``table``.

    Raises ``ActionRefused`` if they give other documents or probabilities.
    """
    spec = frozen_spec(pool)
    sessions = start_sessions(frozen_listing(pool), spec.steps, spec.budget)
    check_rebuilt(pool, sessions, table)
    return sessions


def check_rebuilt(pool: Pool, sessions: list[PoolSession], table: PoolTable) -> None:
    if not have_same_sample(build_pool_table(sessions), table):
        message = f"{str(pool).capitalize()} {NOT_REBUILT}"
        raise ActionRefused("pool-not-rebuilt", message, "The documents to judge are unaffected.")


def have_same_sample(first: PoolTable, second: PoolTable) -> bool:
    """Whether two pools have the same documents, strata and probabilities."""
    return (
        (first.topics, first.docnos) == (second.topics, second.docnos)
        and np.array_equal(first.stratum, second.stratum)
        and np.allclose(first.probability, second.probability)
    )
