"""What a pool is built from: a spec, and the chosen runs, checked and named with their hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.services import matrices
from pooling.core.candidates import RunListing
from pooling.core.pool_builder import is_shared, start_sessions
from pooling.core.run_listing import build_listing_from_matrices
from pooling.core.session import PoolSession
from pooling.core.spec import PoolSpec
from pooling.queries.runs import list_poolable_runs, topics_to_pool
from pooling.services.texts import attach_listing_texts, check_reader

MAX_RUNS = 65_535  # contributors are packed as uint16


def get_poolable_runs(campaign: Campaign, runs: Iterable[Run]) -> list[Run]:
    """``runs`` as they stand now, by tag; each must be an accepted run of ``campaign``."""
    asked = {run.pk: run for run in runs}
    if not asked:
        raise ActionRefused("no-runs", "No run is chosen.", "Choose the runs to pool.")
    if len(asked) > MAX_RUNS:
        raise ActionRefused("too-many-runs", f"A pool is built from at most {MAX_RUNS:,} runs.")
    found = {run.pk: run for run in list_poolable_runs(campaign) if run.pk in asked}
    lost = sorted(str(run) for pk, run in asked.items() if pk not in found)
    if lost:
        names = ", ".join(lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        raise ActionRefused(
            "not-accepted",
            f"Only accepted runs of this campaign can be pooled, which is not so for: {names}.",
            "Choose again; a run may have been replaced or withdrawn meanwhile.",
        )
    return sorted(found.values(), key=lambda run: run.tag)


def check_spec(campaign: Campaign, spec: PoolSpec) -> None:
    most = campaign.max_docs_per_topic
    if not 1 <= spec.cutoff <= most:
        limit = f"a whole number from 1 to {most:,}"
        raise ActionRefused(
            "bad-depth", f"The depth is {limit}.", "Runs hold no more documents a topic."
        )
    if is_shared(spec.steps, spec.budget):
        fix = "Take `scope: local`, or try it on a finished campaign by `manage.py simulate_pool`."
        raise ActionRefused("one-queue", "Each topic of a pool grows within its own budget.", fix)
    check_reader(spec)


def describe_inputs(campaign: Campaign, spec: PoolSpec, runs: Sequence[Run]) -> dict[str, Any]:
    """The spec, and the runs and topics by name and hash."""
    grows = {"adaptive": True} if spec.is_adaptive else {}
    return (
        spec.as_dict()
        | grows
        | {
            "version": 2,
            "seed": campaign.seed if spec.seed is None else spec.seed,
            "topics": topics_to_pool(campaign),
            "runs": [
                {
                    "id": run.pk,
                    "tag": run.tag,
                    "team": run.team.name,
                    "sha256": run.sha256,
                    "normalised_hash": run.normalised_hash,
                }
                for run in runs
            ],
        }
    )


def hash_inputs(inputs: dict[str, Any]) -> str:
    """sha256 of ``inputs`` as canonical JSON: keys sorted, no blanks, UTF-8."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return store.sha256(text.encode())


def load_listing(campaign: Campaign, runs: Iterable[Run], inputs: dict[str, Any]) -> RunListing:
    """What ``runs`` retrieved for the topics of ``inputs``, down to their cut-off."""
    return build_listing_from_matrices(
        [(run.tag, matrices.load_run_matrix(run)) for run in runs],
        matrices.get_pair_dictionary(campaign),
        inputs["cutoff"],
        inputs["seed"],
        frozenset(inputs["topics"]),
    )


def build_sessions(
    campaign: Campaign, runs: Sequence[Run], spec: PoolSpec
) -> tuple[dict[str, Any], list[PoolSession]]:
    """The pool that ``spec`` describes: all that decides what it holds and in which order it is
    judged, and its topics as far as they need no judgments.
    """
    inputs = describe_inputs(campaign, spec, runs)
    listing = load_listing(campaign, runs, inputs)
    if not len(listing):
        fix = "Import the topics that the runs answer, or choose other runs."
        raise ActionRefused("empty-pool", "These runs bring no document for any topic.", fix)
    if spec.reader:
        listing, inputs["texts"] = attach_listing_texts(campaign, listing, spec.reader)
    found = start_sessions(listing, spec.steps, spec.budget)
    if all(is_skipped_topic(session) for session in found):
        fix = "Look at depths, tags and windows: what they name is not in these runs."
        raise ActionRefused("empty-pool", "This spec chooses no document of these runs.", fix)
    return inputs, found


def is_skipped_topic(session: PoolSession) -> bool:
    """Whether the spec takes nothing of a topic, now or by judgments."""
    return not session.given and session.is_complete
