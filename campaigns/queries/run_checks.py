"""What the check of a run reads from the campaign, and where runs are that wait for it."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from django.conf import settings

from campaigns.models import Campaign, Job, Run
from campaigns.models.runs import CheckPlace
from campaigns.queries.collection_files import iter_docnos, list_docnos_without_row
from poolbench.evaluation.measures.names import parse_measures
from poolbench.reading.machine_words import Mask
from poolbench.reading.reader import DocnoArray
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.run_matrix import PairArray
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


READ_AT_ONCE = 20_000
DEARER = 3
"""Asking for a docno costs as much as reading so many of all."""


def load_imported_docnos(campaign: Campaign) -> "ImportedDocnos | None":
    """The docnos of imported documents; None if the campaign has no documents."""
    documents = campaign.documents.count()
    return ImportedDocnos(campaign, documents) if documents else None


@dataclass(frozen=True)
class ImportedDocnos:
    """The docnos of the ``documents`` of a campaign."""

    campaign: Campaign
    documents: int

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and bool(self.contains(DocnoArray.from_ids([docno]))[0])

    def contains(self, docnos: DocnoArray) -> Mask:
        """Which of ``docnos`` are imported."""
        _, first, of_row = np.unique(docnos.hashes(), return_index=True, return_inverse=True)
        known = self._check(docnos.take(first))[of_row]
        # Another docno with the same hash has an answer of its own.
        others = np.flatnonzero(~docnos.equals(docnos.take(first[of_row])))
        if len(others):
            known[others] = self._check(docnos.take(others))
        return known

    def iter_similar(self, _names: Collection[str]) -> Iterator[str]:
        """All docnos: nothing is known of them that would leave any out."""
        return iter_docnos(self.campaign)

    def _check(self, docnos: DocnoArray) -> Mask:
        if len(docnos) * DEARER < self.documents:
            names = docnos[:]
            # No document has a NUL in its docno, which PostgreSQL does not let through.
            allowed = [name for name in names if "\0" not in name]
            imported = set(allowed).difference(list_docnos_without_row(self.campaign, allowed))
            return np.array([name in imported for name in names], bool)
        known = np.zeros(len(docnos), bool)
        index = PairIndex.from_table(make_one_topic(docnos))
        for part in self._iter_parts():
            rows = index.find(make_one_topic(DocnoArray.from_ids(part)))
            known[rows[rows >= 0]] = True
        return known

    def _iter_parts(self) -> Iterator[list[str]]:
        docnos, part = iter_docnos(self.campaign), list[str]()
        for docno in docnos:
            part.append(docno)
            if len(part) == READ_AT_ONCE:
                yield part
                part = []
        if part:
            yield part


def make_one_topic(docnos: DocnoArray) -> PairArray:
    return PairArray(("",), np.array([0, len(docnos)]), docnos)
