"""What estimates from a sample are computed from: pool, grades, machines, runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.queries.tasks import list_scored_runs
from campaigns.services import matrices
from evaluation.queries.estimate_texts import load_text_input
from evaluation.queries.scoring_inputs import measures_to_score, scoring_options
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import LogReader, load_log_reader
from judging.queries.slots import get_stopping_rule, stopped_topics
from poolbench.estimation.design import count_complete, count_ended
from poolbench.estimation.frame import PoolFrame, join_batches
from poolbench.estimation.looks import count_look, find_look
from poolbench.estimation.machines import MachineInput, match_chances, place_pair_grades
from poolbench.estimation.measures import (
    FractionalMeasure,
    NoFractionError,
    find_fractional_measure,
)
from poolbench.estimation.report import TEXT, ScoreEstimates, compute_estimates
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.estimation.text_scores import TextInput
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
from pooling.queries.machine_grades import list_log
from pooling.queries.pools import load_pool_table

LEAST_COVERED = 0.95
"""Of the pairs of the frame: a machine that has fewer is not used unless it is named."""


class MachineChoice(NamedTuple):
    """``machines`` that are used, and how many ``rows`` of its log were read of each; ``left_out``,
    each with the reason.
    """

    machines: Sequence[MachineInput] = ()
    rows: Mapping[str, int] = {}
    left_out: tuple[tuple[str, str], ...] = ()


class AsOf(NamedTuple):
    """What estimates are computed by: judgments up to row ``last``; of a machine in ``rows`` the
    first so many of its log, whenever they came; of ``ended`` topics so many pairs, ``by_grades``
    or not. None: of now.
    """

    last: int | None = None
    rows: Mapping[str, int] | None = None
    ended: Mapping[str, int] | None = None
    by_grades: bool = False


NOW = AsOf()


@dataclass(frozen=True, eq=False)
class EstimateInputs:
    """``planned`` pairs are to be judged, of which the first ``complete`` in the order of drawing
    have nothing left to do, and ``beyond`` after the first that has. ``used`` of the complete part
    count: all of it, or what was complete at the last ``look`` that is due; of topics that
    ``ended`` before, so many pairs. The sample was ``drawn_for`` these measures. ``teams`` by run.
    """

    pool: Pool
    planned: int
    complete: int
    beyond: int
    used: int
    look: int
    ended: Mapping[str, int]
    sample: JudgedSample
    choice: MachineChoice
    texts: TextInput | None
    measures: dict[str, FractionalMeasure]
    seed: int
    drawn_for: tuple[str, ...]
    teams: Mapping[str, str]

    @property
    def machines(self) -> Sequence[MachineInput]:
        return self.choice.machines

    @property
    def skipped(self) -> int:
        """How many pairs of the counted part have no grade."""
        return self.sample.skipped

    def compute(self) -> ScoreEstimates:
        """Estimates from these inputs, the same wherever they are shown."""
        return compute_estimates(
            self.sample,
            self.machines,
            self.measures,
            self.seed,
            self.drawn_for,
            teams=self.teams,
            texts=None if self.texts is None else self.texts.scores,
        )


def find_sampled_pool(campaign: Campaign) -> Pool | None:
    """The newest pool of ``campaign`` from which scores can be estimated."""
    return next((pool for pool in campaign.pools.all() if is_drawn_by_influence(pool)), None)


def load_estimate_inputs(
    pool: Pool,
    policy: str,
    *,
    machines: Sequence[str] | None = (),
    as_of: AsOf = NOW,
    looks: int = 0,
) -> EstimateInputs:
    """The inputs by the judgments ``as_of``, one grade a pair by ``policy``.

    ``machines``: the automatic assessors to use, ``TEXT`` for the text classifier; None: the
    assessors that cover the frame. ``looks``: how many are planned, evenly over the plan; 0:
    everything complete is used. Raises ``ActionRefused`` for a pool that was drawn otherwise, and
    for one that its spec and runs do not give again.
    """
    if not is_drawn_by_influence(pool):
        fix = "Freeze a pool with the step influence, and have it judged."
        raise ActionRefused("no-sample", f"Scores cannot be estimated from {pool}.", fix)
    rebuild_sessions(pool, load_pool_table(pool))
    campaign, options = pool.campaign, scoring_options(pool.campaign)
    plan, planned = load_sample_plan(pool)
    reader = load_log_reader(campaign)
    grades, done = decide_pairs_of_frame(pool, plan, reader, policy, as_of.last)
    order = plan.order[:planned]
    ended, by_grades = as_of.ended, as_of.by_grades
    if ended is None:
        ended = find_ended(campaign, plan, order, done)
        by_grades = get_stopping_rule(campaign).reads_grades
    over = np.isin(plan.frame.topic_index, [plan.frame.topics.index(name) for name in ended])
    complete = count_complete(order, done | over)
    look = find_look(planned, looks, complete)
    used = min(complete, count_look(planned, looks, look)) if looks else complete
    part = plan.count_part(used, ended)
    top = max(campaign.grades.values_list("value", flat=True), default=1)
    runs = list(list_scored_runs(campaign, pool.task).select_related("team"))
    frame = match_runs(campaign, runs, plan.frame)
    sample = build_sample(frame, grades, part.pairs, part.pi, top, part.strata)
    return EstimateInputs(
        pool=pool,
        planned=planned,
        complete=complete,
        beyond=int(done[order[complete:]].sum()),
        used=used,
        look=look,
        ended=ended,
        sample=replace(sample, ended_by_grades=len(part.ended) if by_grades else 0),
        choice=choose_machines(campaign, machines, plan.frame, as_of),
        texts=load_text_input(campaign, frame) if machines and TEXT in machines else None,
        measures=choose_estimated(campaign, options, top),
        seed=pool.spec["seed"],
        drawn_for=list_measure_names(frozen_spec(pool).steps[0].values),
        teams={run.tag: run.team.name for run in runs},
    )


def find_ended(campaign: Campaign, plan: InfluencePlan, order: Ints, done: Mask) -> dict[str, int]:
    """Topics that the stopping rule has ended before all their pairs of ``order`` were judged, and
    how many were judged without a gap.
    """
    numbers = stopped_topics(campaign).values_list("topic__number", flat=True)
    return count_ended(plan.frame, order, done, sorted(numbers))


def decide_pairs_of_frame(
    pool: Pool, plan: InfluencePlan, reader: LogReader, policy: str, last: int | None
) -> tuple[Ints, Mask]:
    """By pair of the frame: the grade by ``policy``, -1 without one, and whether nothing is left to
    do for it: it has a grade, or all its assessors have skipped it.

    The grade of another document with the same text is none: with two of them drawn, one error of
    the assessor would be counted as two measurements that agree.
    """
    topics = plan.frame.topics
    rows, _undecided = reader.decide_topics(policy, topics, last, propagated=False)
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
    campaign: Campaign, names: Sequence[str] | None, frame: PoolFrame, as_of: AsOf = NOW
) -> MachineChoice:
    """The machines ``names``, or all that have enough of the frame."""
    known = campaign.automatic_assessors.values_list("name", flat=True)
    chosen, left_out = list[MachineInput](), list[tuple[str, str]]()
    for name in known if names is None else names:
        if name == TEXT:
            continue
        machine = load_machine(campaign, name, frame, as_of)
        if names is not None or machine.coverage >= LEAST_COVERED:
            chosen.append(machine)
        else:
            share = format_percent(machine.coverage, limit=LEAST_COVERED)
            left_out.append((name, f"it has {share} of the pairs"))
    rows = {each.name: count_rows(campaign, each.name, as_of) for each in chosen}
    return MachineChoice(chosen, rows, tuple(left_out))


def count_rows(campaign: Campaign, name: str, as_of: AsOf) -> int:
    """How many rows of an automatic assessor's log count."""
    if as_of.rows is not None and name in as_of.rows:
        return as_of.rows[name]
    log = list_log(campaign, name)
    return (log if as_of.last is None else log.filter(pk__lte=as_of.last)).count()


def load_machine(
    campaign: Campaign, name: str, frame: PoolFrame, as_of: AsOf = NOW
) -> MachineInput:
    """The grades of an automatic assessor for the pairs of the frame, or its chances if it gave
    any, after so many rows of its log.
    """
    log = list_log(campaign, name)[: count_rows(campaign, name, as_of)]
    fields = ("topic__number", "docno", "kind", "grade", "chances")
    latest = {row[:2]: row[2:] for row in log.values_list(*fields)}
    judgments = [
        (*pair, grade, chances)
        for pair, (kind, grade, chances) in sorted(latest.items())
        if kind == Judgment.Kind.GRADE and grade is not None
    ]
    rows = [judgment[:3] for judgment in judgments]
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
