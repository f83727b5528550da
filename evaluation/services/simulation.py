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
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, Run, User
from campaigns.rules import require_permission
from campaigns.services import jobs, matrices
from evaluation.core.simulation.finished_campaign import ContributingRun, FinishedCampaign
from evaluation.core.simulation.formats import simulation_to_csv, simulation_to_json
from evaluation.core.simulation.report import MEASURES, SEEDS, SHARES, Progress, Simulation
from evaluation.core.simulation.simulator import (
    check_simulation,
    parse_ranking_measures,
    simulate_specs,
)
from evaluation.services.interim_scores import warm_runs
from evaluation.services.reusability import interim_qrels
from evaluation.services.scoring import drop_topics, scoring_options, withheld_topic_numbers
from evaluation.simulation_html import simulation_to_html
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from pooling.core.spec import PoolSpec
from pooling.core.spec_file import build_spec
from pooling.services.texts import attach_listing_texts

SIMULATION = "evaluation.simulation"
MOST_NUMBERS = 50_000_000
"""Numbers of 8 bytes that one simulation may hold at once."""


@dataclass(frozen=True)
class SimulationRequest:
    """What to simulate: ``specs`` by name, by a release (None: by the judgments so far).

    The runs of the newest pool feed the pools, or with ``all_runs`` all accepted ones.
    """

    specs: Mapping[str, PoolSpec]
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
    def of_job(cls, job: Job) -> SimulationRequest:
        kept, number = job.args, job.args["qrels"]
        return cls(
            specs={name: build_spec(spec) for name, spec in kept["specs"]},
            qrels=None if number is None else job.campaign.qrels.get(pk=number),
            measures=kept["measures"],
            seeds=kept["seeds"],
            budgets=kept["budgets"],
            all_runs=kept["all_runs"],
        )


def request_simulation(*, actor: User, campaign: Campaign, wanted: SimulationRequest) -> Job:
    """Queue the simulation, unless the same is under way; what cannot be simulated is refused,
    everything at once, a line each.
    """
    require_permission(actor, "campaigns.manage", campaign)
    found = load_finished_campaign(campaign, wanted)
    if told := list(dict.fromkeys(list_simulation_faults(found, wanted))):
        raise ActionRefused("not-simulated", "\n".join(told))
    args = wanted.as_args()
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=SIMULATION, actor=actor, **args)


def list_simulation_faults(found: FinishedCampaign, wanted: SimulationRequest) -> Iterator[str]:
    """What cannot be simulated, each as a sentence."""
    try:
        measures = parse_ranking_measures(wanted.measures)
    except ValueError as wrong:
        yield from str(wrong).splitlines()
        return
    for specs in [{name: spec} for name, spec in wanted.specs.items()] or [{}]:
        try:
            check_simulation(found, specs, measures, wanted.seeds, wanted.budgets)
        except ActionRefused as no:
            yield f"{', '.join(specs)}: {no}"
        except ValueError as wrong:
            text = str(wrong)
            yield f"{text[:1].upper()}{text[1:]}."
    if (numbers := estimate_simulation_size(found, wanted)) > MOST_NUMBERS:
        yield (
            f"This would hold {numbers:,} numbers at once, of at most {MOST_NUMBERS:,}: take "
            "fewer specs, seeds or budgets."
        )


def estimate_simulation_size(found: FinishedCampaign, wanted: SimulationRequest) -> int:
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
        raise ActionRefused("no-actor", "Nobody is known to have asked for this simulation.")
    campaign = job.campaign
    require_permission(job.created_by, "campaigns.manage", campaign)
    wanted = SimulationRequest.of_job(job)
    try:
        found = run_simulation(campaign, wanted, job)
    except ValueError as wrong:
        fix = "Look at the runs of the campaign, and ask again."
        raise ActionRefused("not-simulated", f"Nothing was simulated: {wrong}.", fix) from wrong
    jobs.finish_job_once(
        job,
        version=wanted.qrels.version if wanted.qrels else None,
        specs=list(wanted.specs),
        seeds=wanted.seeds,
        judged=found.facts.judged,
        runs=found.facts.runs,
        pooled=found.facts.pooled,
        url=reverse("simulation", args=[campaign.slug]),
        **stored_report_names(found, f"{campaign.title}, by {describe_judgments(wanted.qrels)}."),
    )


def run_simulation(campaign: Campaign, wanted: SimulationRequest, job: Job) -> Simulation:
    finished = load_finished_campaign(campaign, wanted)
    of = len(wanted.specs) * wanted.seeds + len(wanted.measures) * len(finished.qrels.topics)
    jobs.report_progress(job, 0, of)
    return simulate_specs(
        finished,
        with_default_seeds(campaign, wanted.specs),
        parse_ranking_measures(wanted.measures),
        seeds=wanted.seeds,
        budgets=wanted.budgets,
        progress=report_simulation_progress(job, of),
    )


def report_simulation_progress(job: Job, of: int) -> Progress:
    """Each replay, and each topic scored by a measure, is a piece of the work."""
    pieces = count(1)
    return lambda *_: jobs.report_progress(job, next(pieces), of)


def with_default_seeds(campaign: Campaign, specs: Mapping[str, PoolSpec]) -> dict[str, PoolSpec]:
    """Specs that name no seed have the campaign's, as their pools would."""
    return {
        name: spec if spec.seed is not None else replace(spec, seed=campaign.seed)
        for name, spec in specs.items()
    }


def stored_report_names(found: Simulation, on: str) -> dict[str, str]:
    """By ending, where the simulation is in the store."""
    texts = {
        "html": simulation_to_html(found, on),
        "json": simulation_to_json(found),
        "csv": simulation_to_csv(found),
    }
    return {ending: store.put_blob(text.encode(), f".{ending}") for ending, text in texts.items()}


def describe_judgments(qrels: Qrels | None) -> str:
    return "the judgments so far" if qrels is None else f"qrels {qrels.version}"


def load_finished_campaign(campaign: Campaign, wanted: SimulationRequest) -> FinishedCampaign:
    """The campaign's accepted runs and its judgments; withheld topics are left out."""
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    options = scoring_options(campaign)
    return FinishedCampaign(
        tags=tuple(run.tag for run in runs),
        runs=warm_runs(campaign, runs),
        pairs=matrices.get_pair_dictionary(campaign),
        qrels=load_qrels_or_interim(campaign, wanted.qrels),
        contributing_runs=contributing_runs(campaign, runs, all_runs=wanted.all_runs),
        level=options.level,
        gains=options.gains,
        texts=lambda listing, reader: attach_listing_texts(campaign, listing, reader)[0],
    )


def load_qrels_or_interim(campaign: Campaign, qrels: Qrels | None) -> QrelsTable:
    if qrels is None:
        return interim_qrels(campaign)
    return drop_topics(qrels_table(qrels), withheld_topic_numbers(campaign))


def contributing_runs(
    campaign: Campaign, runs: Sequence[Run], *, all_runs: bool = False
) -> tuple[ContributingRun, ...]:
    """Those of ``runs`` that are in the newest pool; all of them where there is no pool."""
    pool = None if all_runs else campaign.pools.first()
    pooled = None if pool is None else {run["tag"] for run in pool.spec["runs"]}
    return tuple(
        ContributingRun(run.tag, run.team.name, run.priority, run.kind)
        for run in runs
        if pooled is None or run.tag in pooled
    )
