"""What estimates from a sample are computed from: pool, grades, machines, runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.queries.tasks import list_scored_runs
from campaigns.services import matrices
from evaluation.queries.scoring_inputs import measures_to_score, scoring_options
from judging.models import AutomaticAssessor, Purpose
from judging.queries.judgments import LogReader, current_judgments, load_log_reader
from poolbench.estimation.design import count_complete
from poolbench.estimation.frame import PoolFrame, join_batches
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.measures import (
    FractionalMeasure,
    NoFractionError,
    find_fractional_measure,
)
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import Ints, JudgmentTable, Mask
from poolbench.evaluation.options import ScoringOptions
from poolbench.pooling.methods.influence import (
    InfluencePlan,
    list_measure_names,
    plan_sample,
)
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import QrelsTable
from pooling.models import Pool
from pooling.queries.frozen_pools import frozen_listing, frozen_spec, rebuild_sessions
from pooling.queries.pools import load_pool_table


@dataclass(frozen=True, eq=False)
class EstimateInputs:
    """``planned`` pairs are to be judged, of which ``sample.judged`` are counted: the longest part
    of the order of drawing that is complete. The sample was ``drawn_for`` these measures.
    """

    pool: Pool
    planned: int
    sample: JudgedSample
    machines: Sequence[MachineInput]
    measures: dict[str, FractionalMeasure]
    seed: int
    drawn_for: tuple[str, ...]

    @property
    def skipped(self) -> int:
        """How many pairs of the counted part have no grade."""
        return self.sample.skipped


def is_drawn_by_influence(pool: Pool) -> bool:
    """Whether scores can be estimated from judgments of ``pool``."""
    return any(step["method"] == "influence" for step in pool.spec.get("steps", []))


def find_sampled_pool(campaign: Campaign) -> Pool | None:
    """The newest pool of ``campaign`` from which scores can be estimated."""
    return next((pool for pool in campaign.pools.all() if is_drawn_by_influence(pool)), None)


def load_estimate_inputs(
    pool: Pool, policy: str, *, machines: Sequence[str] = (), last: int | None = None
) -> EstimateInputs:
    """The inputs by the judgments up to row ``last`` of the log, one grade a pair by ``policy``.

    ``machines``: the automatic assessors to use. Raises ``ActionRefused`` for a pool that was drawn
    otherwise, and for one that its spec and runs do not give again.
    """
    if not is_drawn_by_influence(pool):
        fix = "Freeze a pool with the step influence, and have it judged."
        raise ActionRefused("no-sample", f"Scores cannot be estimated from {pool}.", fix)
    rebuild_sessions(pool, load_pool_table(pool))
    campaign, options = pool.campaign, scoring_options(pool.campaign)
    (step,) = frozen_spec(pool).steps
    plan = plan_sample(frozen_listing(pool), step.values)
    planned = min(step.values["number"], len(plan.order))
    reader = load_log_reader(campaign)
    grades, done = decide_pairs_of_frame(plan, reader, policy, last)
    counted = plan.order[: count_complete(plan.order[:planned], done)]
    top = max(campaign.grades.values_list("value", flat=True), default=1)
    runs = list(list_scored_runs(campaign, pool.task))
    frame = match_runs(campaign, runs, plan.frame)
    pi = plan.compute_probabilities(len(counted))
    return EstimateInputs(
        pool=pool,
        planned=planned,
        sample=build_sample(frame, grades, counted, pi, top),
        machines=[load_machine(campaign, name, plan.frame) for name in machines],
        measures=choose_estimated(campaign, options, top),
        seed=pool.spec["seed"],
        drawn_for=list_measure_names(step.values),
    )


def decide_pairs_of_frame(
    plan: InfluencePlan, reader: LogReader, policy: str, last: int | None
) -> tuple[Ints, Mask]:
    """By pair of the frame: the grade by ``policy``, -1 without one, and whether nothing is left to
    do for it.
    """
    rows, _undecided = reader.decide_topics(policy, plan.frame.topics, last)
    grades = place_grades(plan.frame, rows)
    return grades, grades >= 0


def place_grades(frame: PoolFrame, rows: Sequence[tuple[str, str, int]]) -> Ints:
    """The grade of each pair of the frame in ``rows``; ``NONE`` without one."""
    table = qrels_from_rows(rows)
    at = PairIndex.from_table(table).find(frame)
    grades = np.full(len(at), NONE)
    known = at >= 0
    grades[known] = np.maximum(table.grades[at[known]], NONE)
    return grades


def load_machine(campaign: Campaign, name: str, frame: PoolFrame) -> MachineInput:
    """The current grades of an automatic assessor for the pairs of the frame."""
    automatic = AutomaticAssessor.objects.get(campaign=campaign, name=name)
    own = current_judgments(campaign, purpose=Purpose.AUTOMATIC).filter(assessor=automatic.user)
    found = own.order_by("topic__number", "docno").values_list("topic__number", "docno", "grade")
    rows = [(topic, docno, NONE if grade is None else grade) for topic, docno, grade in found]
    return MachineInput(name, place_grades(frame, rows))


def match_runs(campaign: Campaign, runs: Sequence[Run], frame: PoolFrame) -> PoolFrame:
    """The frame's pairs with the whole rankings of ``runs``, pooled or not."""
    unknown = np.full(len(frame.topic_index), -1, np.int32)
    judged = JudgmentTable.from_arrays(frame.topics, frame.starts, unknown)
    table = QrelsTable(frame.topics, frame.starts, frame.docnos, unknown)
    places, options = matrices.get_pair_dictionary(campaign).places(table), ScoringOptions()
    stored = zip(runs, matrices.StoredMatrices(runs), strict=True)
    batches = (
        (run.tag, build_run_batch(matrix, judged, places, options)) for run, matrix in stored
    )
    return join_batches(batches, judged, frame.docnos)


def choose_estimated(
    campaign: Campaign, options: ScoringOptions, top: int
) -> dict[str, FractionalMeasure]:
    """The measures of the campaign that have estimates, by name."""
    chosen = dict[str, FractionalMeasure]()
    for measure in measures_to_score(campaign, ()):
        try:
            chosen[measure.name] = find_fractional_measure(measure, options, top)
        except NoFractionError:
            continue
    return chosen
