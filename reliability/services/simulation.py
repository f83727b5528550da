"""Pool simulation: specs replayed on a campaign's own runs and judgments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from django.db import transaction
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, Run, User
from campaigns.rules import require_permission
from campaigns.services import jobs, matrices
from campaigns.services.job_parts import Report, Share, ShareResult, register_work, share_work
from evaluation.queries.interim_scores import get_warm_runs
from evaluation.queries.scoring_inputs import scoring_options
from judging.models import Qrels
from poolbench.pooling.spec import PoolSpec
from poolbench.pooling.spec_file import build_spec
from poolbench.reliability.disagreement.report import parse_ranking_measures
from poolbench.reliability.simulation.finished_campaign import ContributingRun, FinishedCampaign
from poolbench.reliability.simulation.formats import build_simulation_report
from poolbench.reliability.simulation.replay import Replay
from poolbench.reliability.simulation.report import MEASURES, SEEDS, SHARES, Simulation
from poolbench.reliability.simulation.simulator import check_simulation, replay_seed, simulate_specs
from poolbench.reports.late_runs import mark_late_runs
from poolbench.runs.columnar import Columns
from pooling.queries.document_texts import attach_listing_texts
from reliability.services.shared_inputs import (
    SharedInputs,
    load_shared_inputs,
    name_inputs,
    refuse_value_errors,
)
from reliability.services.stored_reports import store_report

SIMULATION = "evaluation.simulation"
SEEDS_A_SHARE = 5
LINES_IN_ONE = 2_000_000
"""Lines of all runs times replays, up to which the replays take a second and are not shared."""
FAILED = "Simulation failed"
FIX = "Check the runs of the campaign, then request the simulation again."
MOST_NUMBERS = 50_000_000
"""The 8-byte numbers that a simulation may have in memory at once."""


@dataclass(frozen=True)
class SimulationRequest:
    """``specs`` by name, simulated on ``qrels`` (None: on the current judgments).

    The runs of the latest pool contribute, or with ``all_runs`` all accepted ones.
    """

    specs: Mapping[str, PoolSpec]
    qrels: Qrels | None = None
    measures: Sequence[str] = MEASURES
    seeds: int = SEEDS
    budgets: Sequence[int] = ()
    all_runs: bool = False

    def as_args(self) -> dict[str, Any]:
        """The arguments of the job. Specs are a list, since JSON columns do not keep key order."""
        return {
            "specs": [[name, spec.as_dict()] for name, spec in self.specs.items()],
            "qrels": None if self.qrels is None else self.qrels.pk,
            "measures": list(self.measures),
            "seeds": self.seeds,
            "budgets": list(self.budgets),
            "all_runs": self.all_runs,
        }

    @classmethod
    def from_job(cls, job: Job) -> "SimulationRequest":
        number = job.args["qrels"]
        specs = {name: build_spec(spec) for name, spec in job.args["specs"]}
        qrels = None if number is None else job.campaign.qrels.get(pk=number)
        return cls(**job.args | {"specs": specs, "qrels": qrels})


def request_simulation(*, actor: User, campaign: Campaign, request: SimulationRequest) -> Job:
    """Queue the simulation, unless the same one is in progress. All faults are reported at
    once, one per line.
    """
    require_permission(actor, "campaigns.manage", campaign)
    finished = load_finished_campaign(campaign, request)
    if faults := list(dict.fromkeys(list_simulation_faults(finished, request))):
        raise ActionRefused("not-simulated", "\n".join(faults))
    args = request.as_args()
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=SIMULATION, actor=actor, **args)


def list_simulation_faults(finished: FinishedCampaign, request: SimulationRequest) -> Iterator[str]:
    """Why the request cannot be simulated, one sentence per fault."""
    try:
        measures = parse_ranking_measures(request.measures)
    except ValueError as error:
        yield from str(error).splitlines()
        return
    for specs in [{name: spec} for name, spec in request.specs.items()] or [{}]:
        try:
            check_simulation(finished, specs, measures, request.seeds, request.budgets)
        except ActionRefused as refused:
            yield f"{', '.join(specs)}: {refused}"
        except ValueError as error:
            text = str(error)
            yield f"{text[:1].upper()}{text[1:]}."
    if (numbers := estimate_simulation_size(finished, request)) > MOST_NUMBERS:
        yield (
            f"The simulation needs {numbers:,} numbers in memory; the limit is {MOST_NUMBERS:,}. "
            "Use fewer specs, seeds or budgets."
        )


def estimate_simulation_size(finished: FinishedCampaign, request: SimulationRequest) -> int:
    """How many numbers a simulation has in memory: the scores by one measure, the pairs of one
    topic at every budget, and when each pair is judged.
    """
    qrels, budgets = finished.qrels, len(request.budgets) or len(SHARES)
    largest = int(np.diff(qrels.starts).max(initial=0))
    scores = len(qrels.topics) * len(finished.tags)
    return len(request.specs) * request.seeds * (budgets * (scores + largest) + len(qrels))


def simulate_campaign(job: Job) -> None:
    """The handler of ``evaluation.simulation``: stores the report as data."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    campaign = job.campaign
    require_permission(job.created_by, "campaigns.manage", campaign)
    request = SimulationRequest.from_job(job)
    simulation = run_simulation(campaign, request, job)
    if simulation is None:
        return
    label = request.qrels.label if request.qrels else ""
    subject = f"{campaign.title}, by {request.qrels or 'current judgments'}."
    simulation = replace(simulation, facts=replace(simulation.facts, label=label))
    jobs.finish_job_once(
        job,
        version=request.qrels.version if request.qrels else None,
        label=label,
        specs=list(request.specs),
        seeds=request.seeds,
        judged=simulation.facts.judged,
        runs=simulation.facts.runs,
        pooled=simulation.facts.pooled,
        url=reverse("simulation", args=[campaign.slug]),
        **store_report(
            mark_late_runs(build_simulation_report(simulation, subject), campaign.late_tags)
        ),
    )


def run_simulation(campaign: Campaign, request: SimulationRequest, job: Job) -> Simulation | None:
    """None while replays are in progress."""
    # The scores of each topic by a measure are a step of their own.
    further = len(request.measures) * campaign.topics.count()
    results = share_work(job, lambda: split_replays(campaign, request), further)
    if results is None:
        return None
    inputs = load_shared_inputs(campaign, request.qrels, results[0].args)
    inputs.check_same(results)
    replayed = len(request.specs) * request.seeds
    steps = count(replayed + 1)
    with refuse_value_errors(FAILED, FIX):
        return simulate_specs(
            load_finished_campaign(campaign, request, inputs),
            complete_specs(campaign, request),
            parse_ranking_measures(request.measures),
            seeds=request.seeds,
            budgets=request.budgets,
            progress=lambda *_: jobs.report_progress(job, next(steps), replayed + further),
            replays=collect_replays(results),
        )


def split_replays(campaign: Campaign, request: SimulationRequest) -> list[Share]:
    """Some seeds of one spec are a share; few lines are replayed in one."""
    named = name_inputs(campaign, request.qrels)
    ways = [(name, seed) for name in request.specs for seed in range(request.seeds)]
    lines = sum(campaign.runs.filter(pk__in=named["runs"]).values_list("lines", flat=True))
    if lines * len(ways) <= LINES_IN_ONE:
        return [Share(named | {"replays": ways}, len(ways))]
    return [
        Share(named | {"replays": [(name, seed) for seed in seeds]}, len(seeds))
        for name in request.specs
        for seeds in batched_range(request.seeds)
    ]


def batched_range(seeds: int) -> list[range]:
    starts = range(0, seeds, SEEDS_A_SHARE)
    return [range(start, min(start + SEEDS_A_SHARE, seeds)) for start in starts]


def replay_share(
    job: Job, args: Mapping[str, Any], report: Report
) -> tuple[Mapping[str, Any], Columns]:
    """The replays of a share, one after the other; ``lengths``: the judgments of each."""
    campaign, request = job.campaign, SimulationRequest.from_job(job)
    inputs = load_shared_inputs(campaign, request.qrels, args)
    specs, replays = complete_specs(campaign, request), []
    with refuse_value_errors(FAILED, FIX):
        finished = load_finished_campaign(campaign, request, inputs)
        for done, (name, seed) in enumerate(args["replays"]):
            report(done)
            replays.append(replay_seed(finished, specs[name], seed))
    return {"inputs": inputs.digest, "lengths": [len(each) for each in replays]}, {
        "topic": np.concatenate([each.topic for each in replays]).astype(np.int32),
        "row": np.concatenate([each.row for each in replays]).astype(np.int32),
        "relevant": np.concatenate([each.relevant for each in replays]).astype(np.uint8),
    }


register_work(SIMULATION, replay_share)


def collect_replays(results: Sequence[ShareResult]) -> dict[str, list[Replay]]:
    """By spec, in the order of the seeds."""
    replays: dict[str, list[Replay]] = {}
    for result in results:
        columns, start = result.columns, 0
        for (name, _), length in zip(result.args["replays"], result.head["lengths"], strict=True):
            rows = slice(start, start := start + length)
            replays.setdefault(name, []).append(
                Replay(
                    columns["topic"][rows].astype(np.int64),
                    columns["row"][rows].astype(np.int64),
                    columns["relevant"][rows].astype(np.bool_),
                )
            )
    return replays


def complete_specs(campaign: Campaign, request: SimulationRequest) -> dict[str, PoolSpec]:
    """Specs without a seed get the campaign's, as their pools would."""
    return {
        name: spec if spec.seed is not None else replace(spec, seed=campaign.seed)
        for name, spec in request.specs.items()
    }


def load_finished_campaign(
    campaign: Campaign, request: SimulationRequest, inputs: SharedInputs | None = None
) -> FinishedCampaign:
    """The campaign's accepted runs and judgments, those of ``inputs`` or of now, without withheld
    topics.
    """
    if inputs is None:
        named = name_inputs(campaign, request.qrels)
        inputs = load_shared_inputs(campaign, request.qrels, named)
    runs, options = inputs.runs, scoring_options(campaign)
    return FinishedCampaign(
        tags=tuple(run.tag for run in runs),
        runs=get_warm_runs(campaign, runs),
        pairs=matrices.get_pair_dictionary(campaign),
        qrels=inputs.table,
        contributing_runs=contributing_runs(campaign, runs, all_runs=request.all_runs),
        level=options.level,
        gains=options.gains,
        texts=lambda listing, reader: attach_listing_texts(campaign, listing, reader)[0],
    )


def contributing_runs(
    campaign: Campaign, runs: Sequence[Run], *, all_runs: bool = False
) -> tuple[ContributingRun, ...]:
    """Those of ``runs`` that contributed to the latest pool; all if there is no pool."""
    pool = None if all_runs else campaign.pools.first()
    pooled = None if pool is None else {run["tag"] for run in pool.spec["runs"]}
    return tuple(
        ContributingRun(run.tag, run.team.name, run.priority, run.kind)
        for run in runs
        if pooled is None or run.tag in pooled
    )
