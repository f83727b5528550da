"""The inputs of a pool: spec and selected runs, checked, with their hashes."""

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
from pooling.queries.document_texts import attach_listing_texts, check_reader
from pooling.queries.runs import list_poolable_runs, topics_to_pool

MAX_RUNS = 65_535  # contributors are packed as uint16


def get_poolable_runs(campaign: Campaign, runs: Iterable[Run]) -> list[Run]:
    """``runs`` as currently stored, by tag; each must be an accepted run of ``campaign``."""
    requested = {run.pk: run for run in runs}
    if not requested:
        raise ActionRefused("no-runs", "No runs selected.", "Select the runs to pool.")
    if len(requested) > MAX_RUNS:
        message = f"{len(requested):,} runs selected; the limit is {MAX_RUNS:,}."
        raise ActionRefused("too-many-runs", message)
    accepted = {run.pk: run for run in list_poolable_runs(campaign) if run.pk in requested}
    missing = sorted(str(run) for pk, run in requested.items() if pk not in accepted)
    if missing:
        more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
        names = ", ".join(missing[:5]) + more
        raise ActionRefused(
            "not-accepted",
            f"Not among the accepted runs: {names}.",
            "Select accepted runs; a run may have been replaced or withdrawn in the meantime.",
        )
    return sorted(accepted.values(), key=lambda run: run.tag)


def check_spec(campaign: Campaign, spec: PoolSpec) -> None:
    most = campaign.max_docs_per_topic
    if not 1 <= spec.cutoff <= most:
        raise ActionRefused(
            "bad-depth",
            f"The depth or cut-off must be an integer between 1 and {most:,}, not {spec.cutoff:,}.",
            f"Runs of this campaign have at most {most:,} documents per topic.",
        )
    if is_shared(spec.steps, spec.budget):
        message = "A spec with a global queue and a total budget can only be simulated."
        fix = "Set `scope: local`, or run `manage.py simulate_pool` on a finished campaign."
        raise ActionRefused("one-queue", message, fix)
    check_reader(spec)


def describe_inputs(campaign: Campaign, spec: PoolSpec, runs: Sequence[Run]) -> dict[str, Any]:
    """The spec, the topics, and the runs with their hashes."""
    adaptive = {"adaptive": True} if spec.is_adaptive else {}
    return (
        spec.as_dict()
        | adaptive
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
    """sha256 of ``inputs`` as canonical JSON: sorted keys, no white space, UTF-8."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return store.sha256(text.encode())


def load_listing(campaign: Campaign, runs: Iterable[Run], inputs: dict[str, Any]) -> RunListing:
    """The listing of ``runs`` for the topics of ``inputs``, down to the cut-off."""
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
    """The pool's inputs, which determine its documents and their order, and a session per topic
    with everything selected that needs no judgments.
    """
    inputs = describe_inputs(campaign, spec, runs)
    listing = load_listing(campaign, runs, inputs)
    if not len(listing):
        fix = "Import the topics that the runs answer, or select other runs."
        message = "The selected runs retrieve no documents for the campaign's topics."
        raise ActionRefused("empty-pool", message, fix)
    if spec.reader:
        listing, inputs["texts"] = attach_listing_texts(campaign, listing, spec.reader)
    sessions = start_sessions(listing, spec.steps, spec.budget)
    if all(is_skipped_topic(session) for session in sessions):
        fix = "Check the depths, tags and windows of the spec against these runs."
        message = "This spec selects no documents from these runs."
        raise ActionRefused("empty-pool", message, fix)
    return inputs, sessions


def is_skipped_topic(session: PoolSession) -> bool:
    """Whether the spec selects no documents of a topic, now or after judgments."""
    return not session.selected and session.is_complete
