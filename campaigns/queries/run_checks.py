"""What the check of a run reads from the campaign, and where runs are that wait for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.conf import settings

from campaigns.models import Campaign, Job, Run
from campaigns.models.runs import CheckPlace
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


CHECK = "campaigns.check_run"


def find_check_places(runs: Iterable[int]) -> dict[int, CheckPlace]:
    """By run: the place of its check among all jobs that wait in its queue, in their order. Two
    queries at most; a number says nothing of whose jobs are before.
    """
    wanted = set(runs)
    if not wanted:
        return {}
    routes = settings.CELERY_TASK_ROUTES
    kinds = [kind for kind, route in routes.items() if route == routes[CHECK]]
    queue = Job.objects.filter(state=Job.State.QUEUED, kind__in=kinds).order_by("created_at", "pk")
    waiting = list(queue.values_list("kind", "args"))
    places = {
        args["run"]: CheckPlace(Job.State.QUEUED, place, len(waiting))
        for place, (kind, args) in enumerate(waiting, 1)
        if kind == CHECK and args.get("run") in wanted
    }
    rest = sorted(wanted - places.keys())
    others = Job.objects.filter(kind=CHECK, args__run__in=rest).order_by("created_at", "pk")
    started = {job.args["run"]: CheckPlace(str(job.state)) for job in others}
    return started | places


def mark_check_places(runs: Iterable[Run]) -> None:
    """Set ``check_place`` on those of ``runs`` that are not checked yet."""
    unchecked = {run.pk: run for run in runs if run.state == Run.State.RECEIVED}
    for pk, place in find_check_places(unchecked).items():
        unchecked[pk].check_place = place
