"""Simulate before you spend: pool specs replayed on a campaign's own runs and judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from django.db import transaction
from django.urls import reverse

from campaigns import store
from campaigns.core.tables import QrelsTable
from campaigns.errors import Refused
from campaigns.models import Campaign, Job, Run, User
from campaigns.rules import require
from campaigns.services import jobs, matrices
from evaluation.core.simulation.finished import Feeder, Finished
from evaluation.core.simulation.formats import csv_text, json_text
from evaluation.core.simulation.report import MEASURES, SEEDS, SHARES, Progress, Simulation
from evaluation.core.simulation.simulating import measures_of, refuse, simulate
from evaluation.services.collection import judgments_so_far
from evaluation.services.live import warm_runs
from evaluation.services.scoring import options_of, withheld_topics, without
from evaluation.simulation_page import html_text
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from pooling.core.spec import Spec
from pooling.core.spec_file import build
from pooling.services.texts import with_texts

SIMULATION = "evaluation.simulation"
MOST_NUMBERS = 50_000_000
"""Numbers of 8 bytes that one simulation may hold at once."""


@dataclass(frozen=True)
class Wanted:
    """What to simulate: ``specs`` by name, by a release (None: by the judgments so far).

    The runs of the newest pool feed the pools, or with ``all_runs`` all accepted ones.
    """

    specs: Mapping[str, Spec]
    qrels: Qrels | None = None
    measures: Sequence[str] = MEASURES
    seeds: int = SEEDS
    budgets: Sequence[int] = ()
    all_runs: bool = False

    def as_args(self) -> dict[str, Any]:
        """As a job keeps it. Specs are a list, since columns of JSON keep no order of keys."""
        return {
            "specs": [[name, spec.as_dict()] for name, spec in self.specs.items()],
            "qrels": None if self.qrels is None else self.qrels.pk,
            "measures": list(self.measures),
            "seeds": self.seeds,
            "budgets": list(self.budgets),
            "all_runs": self.all_runs,
        }

    @classmethod
    def of_job(cls, job: Job) -> Wanted:
        kept, number = job.args, job.args["qrels"]
        return cls(
            specs={name: build(spec) for name, spec in kept["specs"]},
            qrels=None if number is None else job.campaign.qrels.get(pk=number),
            measures=kept["measures"],
            seeds=kept["seeds"],
            budgets=kept["budgets"],
            all_runs=kept["all_runs"],
        )


def request_simulation(*, actor: User, campaign: Campaign, wanted: Wanted) -> Job:
    """Queue the simulation, unless the same is under way; what cannot be simulated is refused,
    everything at once, a line each.
    """
    require(actor, "campaigns.manage", campaign)
    found = finished_of(campaign, wanted)
    if told := list(dict.fromkeys(faults_of(found, wanted))):
        raise Refused("not-simulated", "\n".join(told))
    args = wanted.as_args()
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=SIMULATION, actor=actor, **args)


def faults_of(found: Finished, wanted: Wanted) -> Iterator[str]:
    """What cannot be simulated, each as a sentence."""
    try:
        measures = measures_of(wanted.measures)
    except ValueError as wrong:
        yield from str(wrong).splitlines()
        return
    for specs in [{name: spec} for name, spec in wanted.specs.items()] or [{}]:
        try:
            refuse(found, specs, measures, wanted.seeds, wanted.budgets)
        except Refused as no:
            yield f"{', '.join(specs)}: {no}"
        except ValueError as wrong:
            text = str(wrong)
            yield f"{text[:1].upper()}{text[1:]}."
    if (numbers := size_of(found, wanted)) > MOST_NUMBERS:
        yield (
            f"This would hold {numbers:,} numbers at once, of at most {MOST_NUMBERS:,}: take "
            "fewer specs, seeds or budgets."
        )


def size_of(found: Finished, wanted: Wanted) -> int:
    """How many numbers a simulation holds: the scores of one measure, the pairs of one topic at
    every budget, and when each pair is judged.
    """
    qrels, budgets = found.qrels, len(wanted.budgets) or len(SHARES)
    largest = int(np.diff(qrels.starts).max(initial=0))
    scores = len(qrels.topics) * len(found.tags)
    return len(wanted.specs) * wanted.seeds * (budgets * (scores + largest) + len(qrels))


def simulate_campaign(job: Job) -> None:
    """The handler of ``evaluation.simulation``: keeps it as one HTML file, as JSON and as CSV."""
    if job.created_by is None:
        raise Refused("no-actor", "Nobody is known to have asked for this simulation.")
    campaign = job.campaign
    require(job.created_by, "campaigns.manage", campaign)
    wanted = Wanted.of_job(job)
    try:
        found = simulated(campaign, wanted, job)
    except ValueError as wrong:
        cure = "Look at the runs of the campaign, and ask again."
        raise Refused("not-simulated", f"Nothing was simulated: {wrong}.", cure) from wrong
    jobs.finish_once(
        job,
        version=wanted.qrels.version if wanted.qrels else None,
        specs=list(wanted.specs),
        seeds=wanted.seeds,
        judged=found.facts.judged,
        runs=found.facts.runs,
        pooled=found.facts.pooled,
        url=reverse("simulation", args=[campaign.slug]),
        **kept(found, f"{campaign.title}, by {judgments_named(wanted.qrels)}."),
    )


def simulated(campaign: Campaign, wanted: Wanted, job: Job) -> Simulation:
    finished = finished_of(campaign, wanted)
    of = len(wanted.specs) * wanted.seeds + len(wanted.measures) * len(finished.qrels.topics)
    jobs.progress(job, 0, of)
    return simulate(
        finished,
        seeded(campaign, wanted.specs),
        measures_of(wanted.measures),
        seeds=wanted.seeds,
        budgets=wanted.budgets,
        progress=told(job, of),
    )


def told(job: Job, of: int) -> Progress:
    """Each replay, and each topic scored by a measure, is a piece of the work."""
    pieces = count(1)
    return lambda *_: jobs.progress(job, next(pieces), of)


def seeded(campaign: Campaign, specs: Mapping[str, Spec]) -> dict[str, Spec]:
    """Specs that name no seed have the campaign's, as their pools would."""
    return {
        name: spec if spec.seed is not None else replace(spec, seed=campaign.seed)
        for name, spec in specs.items()
    }


def kept(found: Simulation, on: str) -> dict[str, str]:
    """By ending, where the simulation is in the store."""
    texts = {"html": html_text(found, on), "json": json_text(found), "csv": csv_text(found)}
    return {ending: store.put(text.encode(), f".{ending}") for ending, text in texts.items()}


def judgments_named(qrels: Qrels | None) -> str:
    return "the judgments so far" if qrels is None else f"qrels {qrels.version}"


def finished_of(campaign: Campaign, wanted: Wanted) -> Finished:
    """The campaign's accepted runs and its judgments; withheld topics are left out."""
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    options = options_of(campaign)
    return Finished(
        tags=tuple(run.tag for run in runs),
        runs=warm_runs(campaign, runs),
        known=matrices.dictionary_of(campaign),
        qrels=judgments_of(campaign, wanted.qrels),
        feeders=feeders_of(campaign, runs, all_runs=wanted.all_runs),
        level=options.level,
        gains=options.gains,
        texts=lambda listing, reader: with_texts(campaign, listing, reader)[0],
    )


def judgments_of(campaign: Campaign, qrels: Qrels | None) -> QrelsTable:
    if qrels is None:
        return judgments_so_far(campaign)
    return without(qrels_table(qrels), withheld_topics(campaign))


def feeders_of(
    campaign: Campaign, runs: Sequence[Run], *, all_runs: bool = False
) -> tuple[Feeder, ...]:
    """Those of ``runs`` that are in the newest pool; all of them where there is no pool."""
    pool = None if all_runs else campaign.pools.first()
    pooled = None if pool is None else {run["tag"] for run in pool.spec["runs"]}
    return tuple(
        Feeder(run.tag, run.team.name, run.priority, run.kind)
        for run in runs
        if pooled is None or run.tag in pooled
    )
