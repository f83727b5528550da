"""The scores of some runs of a campaign: a share of an evaluation, which any worker may compute."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Job, Run
from campaigns.services import matrices
from campaigns.services.job_parts import Report, Share, register_work
from evaluation.queries.scoring_inputs import (
    get_placed_qrels,
    measures_to_score,
    scoring_options,
    withheld_topic_numbers,
)
from judging.models import Qrels
from poolbench.evaluation.bpref_advice import list_bpref_warnings
from poolbench.evaluation.evaluate import ScoredRun, score_batch
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.stated_scale import list_scale_remarks
from poolbench.runs.columnar import Columns

KIND = "evaluation.evaluate"
RUNS_A_SHARE = 10
LINES_IN_ONE = 5_000_000
"""Lines of all runs that are not shared: they are scored in a quarter of a second."""


@dataclass(frozen=True)
class ScoringInputs:
    """What the scores depend on besides the runs: ``dropped`` topics have no scores."""

    campaign: Campaign
    qrels: Qrels
    task: CampaignTask | None
    measures: tuple[Measure, ...]
    options: ScoringOptions
    dropped: frozenset[str]

    @property
    def digest(self) -> str:
        """Differs as soon as the campaign was changed so that scores might."""
        state = {
            "qrels": self.qrels.sha256,
            "before": self.task.judged_before if self.task else None,
            "measures": [measure.name for measure in self.measures],
            "options": self.options.as_dict(),
            "dropped": sorted(self.dropped),
        }
        return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def load_scoring_inputs(
    campaign: Campaign, qrels: Qrels, names: Sequence[str], task: CampaignTask | None
) -> ScoringInputs:
    return ScoringInputs(
        campaign,
        qrels,
        task,
        measures_to_score(campaign, names),
        scoring_options(campaign),
        withheld_topic_numbers(campaign, task),
    )


def split_runs(runs: Sequence[Run], digest: str) -> list[Share]:
    """Shares of at most ten runs, in order; of few lines, one of all runs."""
    size = RUNS_A_SHARE
    if sum(run.lines for run in runs) <= LINES_IN_ONE:
        size = len(runs)
    groups = [runs[start : start + size] for start in range(0, len(runs), size)]
    return [
        Share({"runs": [run.pk for run in group], "inputs": digest}, len(group)) for group in groups
    ]


def score_share(
    job: Job, args: Mapping[str, Any], report: Report
) -> tuple[Mapping[str, Any], Columns]:
    """The scores of the runs of a share, by the inputs with which the job was divided."""
    campaign = job.campaign
    qrels = campaign.qrels.get(pk=job.args["qrels"])
    task = campaign.tasks.filter(pk=job.args.get("task")).first()
    inputs = load_scoring_inputs(campaign, qrels, job.args["measures"], task)
    if inputs.digest != args["inputs"]:
        raise ActionRefused(
            "campaign-changed",
            "The scale, the topics or the qrels to score by were changed during the evaluation.",
            "Evaluate again.",
        )
    runs = campaign.runs.select_related("team", "task__campaign").in_bulk(args["runs"])
    return compute_run_scores(inputs, [runs[pk] for pk in args["runs"]], report)


register_work(KIND, score_share)


def compute_run_scores(
    inputs: ScoringInputs, runs: Sequence[Run], report: Callable[[int], None]
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """``(head, columns)``: the ``values`` of each run, topics × measures, one run after the other;
    its means; the conditions of the last run; how many documents were ``ranked``; the tags of runs
    ``without`` any of the judged topics.
    """
    judged, places = get_placed_qrels(inputs.qrels, inputs.task, dropped=inputs.dropped)
    if not judged.topics:
        raise ActionRefused(
            "no-topics",
            "The qrels contain no judged topics.",
            "Judge a topic that is not withheld.",
        )
    scored, without, ranked = list[ScoredRun](), list[str](), 0
    for done, run in enumerate(runs):
        report(done)
        matrix = matrices.load_run_matrix(run)
        ranked += len(matrix.pairs)
        if set(matrix.topics).isdisjoint(judged.topics):
            without.append(run.tag)
        batch = build_run_batch(matrix, judged, places, inputs.options)
        scored.append(score_batch(batch, inputs.measures, run.tag))
    head = {
        "topics": judged.topics,
        "means": [run.overall for run in scored],
        "conditions": scored[-1].conditions,
        "ranked": ranked,
        "without": without,
        "remarks": [
            *list_bpref_warnings(inputs.measures, judged, inputs.options.level),
            *list_scale_remarks(inputs.measures, inputs.options, judged.grades),
        ],
    }
    values = [np.asarray(run.values, "<f8").ravel() for run in scored]
    return head, {"values": np.concatenate(values)}
