"""What estimates from a sample are computed from: pool, grades, machines, runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.queries.tasks import list_scored_runs
from campaigns.services import matrices
from evaluation.queries.scoring_inputs import measures_to_score, scoring_options
from judging.models import AutomaticAssessor, Purpose, Slot
from judging.queries.judgments import LogReader, current_judgments, load_log_reader
from poolbench.estimation.design import count_complete
from poolbench.estimation.frame import PoolFrame, join_batches
from poolbench.estimation.looks import count_look, find_look
from poolbench.estimation.machines import (
    NONE,
    MachineInput,
    match_chances,
    place_pair_grades,
)
from poolbench.estimation.measures import (
    FractionalMeasure,
    NoFractionError,
    find_fractional_measure,
)
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import Ints, JudgmentTable, Mask
from poolbench.evaluation.options import ScoringOptions
from poolbench.number_formats import format_percent
from poolbench.pooling.methods.influence import InfluencePlan, list_measure_names
from poolbench.runs.tables import QrelsTable
from pooling.models import Pool
from pooling.queries.frozen_pools import (
    frozen_spec,
    is_drawn_by_influence,
    load_sample_plan,
    rebuild_sessions,
)
from pooling.queries.pools import load_pool_table

LEAST_COVERED = 0.95
"""Of the pairs of the frame: a machine that has fewer is not used unless it is named."""


@dataclass(frozen=True, eq=False)
class EstimateInputs:
    """``planned`` pairs are to be judged, of which the first ``complete`` in the order of drawing
    have nothing left to do, and ``beyond`` after the first that has. ``used`` of the complete part
    count: all of it, or what was complete at the last ``look`` that is due. ``left_out``: machines
    that are not used, each with the reason. The sample was ``drawn_for`` these measures.
    """

    pool: Pool
    planned: int
    complete: int
    beyond: int
    used: int
    look: int
    sample: JudgedSample
    machines: Sequence[MachineInput]
    left_out: tuple[tuple[str, str], ...]
    measures: dict[str, FractionalMeasure]
    seed: int
    drawn_for: tuple[str, ...]

    @property
    def skipped(self) -> int:
        """How many pairs of the counted part have no grade."""
        return self.sample.skipped


def find_sampled_pool(campaign: Campaign) -> Pool | None:
    """The newest pool of ``campaign`` from which scores can be estimated."""
    return next((pool for pool in campaign.pools.all() if is_drawn_by_influence(pool)), None)


def load_estimate_inputs(
    pool: Pool,
    policy: str,
    *,
    machines: Sequence[str] | None = (),
    last: int | None = None,
    looks: int = 0,
) -> EstimateInputs:
    """The inputs by the judgments up to row ``last`` of the log, one grade a pair by ``policy``.

    ``machines``: the automatic assessors to use; None: those that cover the frame. ``looks``: how
    many are planned, evenly over the plan; 0: everything complete is used. Raises
    ``ActionRefused`` for a pool that was drawn otherwise, and for one that its spec and runs do
    not give again.
    """
    if not is_drawn_by_influence(pool):
        fix = "Freeze a pool with the step influence, and have it judged."
        raise ActionRefused("no-sample", f"Scores cannot be estimated from {pool}.", fix)
    rebuild_sessions(pool, load_pool_table(pool))
    campaign, options = pool.campaign, scoring_options(pool.campaign)
    plan, planned = load_sample_plan(pool)
    reader = load_log_reader(campaign)
    grades, done = decide_pairs_of_frame(pool, plan, reader, policy, last)
    complete = count_complete(plan.order[:planned], done)
    look = find_look(planned, looks, complete)
    used = min(complete, count_look(planned, looks, look)) if looks else complete
    counted = plan.order[:used]
    top = max(campaign.grades.values_list("value", flat=True), default=1)
    runs = list(list_scored_runs(campaign, pool.task))
    frame = match_runs(campaign, runs, plan.frame)
    chosen, left_out = choose_machines(campaign, machines, plan.frame)
    pi = plan.compute_probabilities(len(counted))
    return EstimateInputs(
        pool=pool,
        planned=planned,
        complete=complete,
        beyond=int(done[plan.order[complete:planned]].sum()),
        used=used,
        look=look,
        sample=build_sample(frame, grades, counted, pi, top),
        machines=chosen,
        left_out=left_out,
        measures=choose_estimated(campaign, options, top),
        seed=pool.spec["seed"],
        drawn_for=list_measure_names(frozen_spec(pool).steps[0].values),
    )


def decide_pairs_of_frame(
    pool: Pool, plan: InfluencePlan, reader: LogReader, policy: str, last: int | None
) -> tuple[Ints, Mask]:
    """By pair of the frame: the grade by ``policy``, -1 without one, and whether nothing is left to
    do for it: it has a grade, or all its assessors have skipped it.
    """
    rows, _undecided = reader.decide_topics(policy, plan.frame.topics, last)
    grades = place_pair_grades(plan.frame, rows)
    skipped = place_pair_grades(plan.frame, [(*pair, 0) for pair in list_skipped_pairs(pool)])
    return grades, (grades >= 0) | (skipped >= 0)


def list_skipped_pairs(pool: Pool) -> list[tuple[str, str]]:
    """The pairs of ``pool`` that all its assessors have skipped, as of now."""
    slots = Slot.objects.filter(plan__pool=pool, purpose=Purpose.JUDGE)
    skipped = slots.filter(state=Slot.State.SKIPPED)
    others = slots.exclude(state=Slot.State.SKIPPED).filter(item=OuterRef("item"))
    pairs = skipped.filter(~Exists(others)).order_by("topic__number", "item__docno")
    return list(pairs.values_list("topic__number", "item__docno").distinct())


def choose_machines(
    campaign: Campaign, names: Sequence[str] | None, frame: PoolFrame
) -> tuple[list[MachineInput], tuple[tuple[str, str], ...]]:
    """The machines ``names``, or all that have enough of the frame; and those left out, with the
    reason.
    """
    if names is not None:
        return [load_machine(campaign, name, frame) for name in names], ()
    chosen, left_out = list[MachineInput](), list[tuple[str, str]]()
    for name in campaign.automatic_assessors.values_list("name", flat=True):
        machine = load_machine(campaign, name, frame)
        if machine.coverage >= LEAST_COVERED:
            chosen.append(machine)
        else:
            share = format_percent(machine.coverage, limit=LEAST_COVERED)
            left_out.append((name, f"it has {share} of the pairs"))
    return chosen, tuple(left_out)


def load_machine(campaign: Campaign, name: str, frame: PoolFrame) -> MachineInput:
    """The current grades of an automatic assessor for the pairs of the frame, or its chances if it
    gave any.
    """
    automatic = AutomaticAssessor.objects.get(campaign=campaign, name=name)
    own = current_judgments(campaign, purpose=Purpose.AUTOMATIC).filter(assessor=automatic.user)
    fields = ("topic__number", "docno", "grade", "chances")
    judgments = list(own.order_by("topic__number", "docno").values_list(*fields))
    rows = [
        (topic, docno, NONE if grade is None else grade) for topic, docno, grade, _ in judgments
    ]
    return MachineInput(name, place_pair_grades(frame, rows), match_chances(frame, judgments))


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
