"""What the check of a run reads from the campaign."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.models import Campaign, Run
from poolbench.evaluation.measures.names import parse_measures
from poolbench.runs.run_remarks import CUT_OFFS

MOST_COMPARED = 50
"""Runs of the team, the latest ones, that a new one is compared with."""


def list_cut_offs(campaign: Campaign) -> tuple[int, ...]:
    """Common ranks at which rankings are cut, and those of the campaign's measures."""
    measures = parse_measures(campaign.measures)
    cuts = [dict(measure.params).get(measure.family.suffix) for measure in measures]
    return (*CUT_OFFS, *(cut for cut in cuts if isinstance(cut, int)))


def iter_latest_runs(run: Run) -> Iterator[Run]:
    """The latest accepted runs of the team, without the one that ``run`` replaces."""
    earlier = run.team.runs.accepted().exclude(pk=run.replaces_id or 0).exclude(pk=run.pk)
    yield from earlier.select_related("campaign").order_by("-pk")[:MOST_COMPARED]
