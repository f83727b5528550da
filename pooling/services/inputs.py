"""What a pool is built from: a spec, and the chosen runs, checked and named with their hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from campaigns import store
from campaigns.errors import Refused
from campaigns.models import Campaign, Run
from campaigns.services import matrices
from pooling.core.building import is_shared, sessions
from pooling.core.candidates import Listing
from pooling.core.gathering import listing_of_matrices
from pooling.core.session import Session
from pooling.core.spec import Spec
from pooling.queries.runs import poolable_runs, topics_to_pool
from pooling.services.texts import check_reader, with_texts

MAX_RUNS = 65_535  # contributors are packed as uint16


def checked_runs(campaign: Campaign, runs: Iterable[Run]) -> list[Run]:
    """``runs`` as they stand now, by tag; each must be an accepted run of ``campaign``."""
    asked = {run.pk: run for run in runs}
    if not asked:
        raise Refused("no-runs", "No run is chosen.", "Choose the runs to pool.")
    if len(asked) > MAX_RUNS:
        raise Refused("too-many-runs", f"A pool is built from at most {MAX_RUNS:,} runs.")
    found = {run.pk: run for run in poolable_runs(campaign) if run.pk in asked}
    lost = sorted(str(run) for pk, run in asked.items() if pk not in found)
    if lost:
        names = ", ".join(lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        raise Refused(
            "not-accepted",
            f"Only accepted runs of this campaign can be pooled, which is not so for: {names}.",
            "Choose again; a run may have been replaced or withdrawn meanwhile.",
        )
    return sorted(found.values(), key=lambda run: run.tag)


def check_spec(campaign: Campaign, spec: Spec) -> None:
    most = campaign.max_docs_per_topic
    if not 1 <= spec.cutoff <= most:
        limit = f"a whole number from 1 to {most:,}"
        raise Refused("bad-depth", f"The depth is {limit}.", "Runs hold no more documents a topic.")
    if is_shared(spec.steps, spec.budget):
        cure = "Take `scope: local`, or try it on a finished campaign by `manage.py simulate_pool`."
        raise Refused("one-queue", "Each topic of a pool grows within its own budget.", cure)
    check_reader(spec)


def inputs_of(campaign: Campaign, spec: Spec, runs: Sequence[Run]) -> dict[str, Any]:
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


def hash_of(inputs: dict[str, Any]) -> str:
    """sha256 of ``inputs`` as canonical JSON: keys sorted, no blanks, UTF-8."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return store.sha256(text.encode())


def listing_of(campaign: Campaign, runs: Iterable[Run], inputs: dict[str, Any]) -> Listing:
    """What ``runs`` retrieved for the topics of ``inputs``, down to their cut-off."""
    return listing_of_matrices(
        [(run.tag, matrices.matrix_of(run)) for run in runs],
        matrices.dictionary_of(campaign),
        inputs["cutoff"],
        inputs["seed"],
        frozenset(inputs["topics"]),
    )


def build(
    campaign: Campaign, runs: Sequence[Run], spec: Spec
) -> tuple[dict[str, Any], list[Session]]:
    """The pool that ``spec`` describes: all that decides what it holds and in which order it is
    judged, and its topics as far as they need no judgments.
    """
    inputs = inputs_of(campaign, spec, runs)
    listing = listing_of(campaign, runs, inputs)
    if not len(listing):
        cure = "Import the topics that the runs answer, or choose other runs."
        raise Refused("empty-pool", "These runs bring no document for any topic.", cure)
    if spec.reader:
        listing, inputs["texts"] = with_texts(campaign, listing, spec.reader)
    found = sessions(listing, spec.steps, spec.budget)
    if all(is_passed_over(session) for session in found):
        cure = "Look at depths, tags and windows: what they name is not in these runs."
        raise Refused("empty-pool", "This spec chooses no document of these runs.", cure)
    return inputs, found


def is_passed_over(session: Session) -> bool:
    """Whether the spec takes nothing of a topic, now or by judgments."""
    return not session.given and session.is_complete
