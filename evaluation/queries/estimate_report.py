"""Estimates from a sample while people judge it, as a subject of reports."""

from dataclasses import replace
from hashlib import sha256

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.tasks import list_scored_runs
from campaigns.services.snapshots import Subject
from evaluation.queries.estimate_inputs import (
    AsOf,
    EstimateInputs,
    find_sampled_pool,
    load_estimate_inputs,
)
from evaluation.queries.scoring_inputs import scoring_options
from judging.models import Purpose, Slot
from judging.queries.exclusions import log_state_key
from judging.queries.judgments import load_log_reader
from judging.queries.slots import stopped_topics
from poolbench.estimation.looks import MeasureLook, SampleLook, build_measure_look
from poolbench.estimation.report import MeasureReport, ScoreEstimates
from poolbench.judging.policies import DEFAULT_POLICY

ESTIMATES = "estimates"
NO_SAMPLE = "no pool is a sample by influence"
NO_RUNS = "there are no runs"
NO_MEASURE = "no measure of the campaign has an estimate"
FIRST_ROUND = "the first round is not judged completely"
NO_GRADES = "no pair of the complete part has a grade"


def identify_estimates(campaign: Campaign) -> str:
    """Changes with every judgment, exclusion, run, sample and setting."""
    pool = find_sampled_pool(campaign)
    if pool is None:
        return ""
    # A slot that is opened again leaves no row in the log.
    slots = Slot.objects.filter(plan__pool=pool, purpose=Purpose.JUDGE, state=Slot.State.SKIPPED)
    facts = (
        pool.pk, log_state_key(campaign), slots.count(), campaign.documents.count(),
        list(list_scored_runs(campaign, pool.task).values_list("pk", "matrix", "team")),
        list(stopped_topics(campaign).order_by("pk").values_list("pk", flat=True)),
        scoring_options(campaign).as_dict(), campaign.measures, campaign.estimate_looks,
        campaign.estimate_machines,
    )  # fmt: skip
    return sha256(repr(facts).encode()).hexdigest()


def load_sample_look(campaign: Campaign) -> SampleLook:
    """The newest sample after the last planned look that is due.

    Judgments after it count from the next look on: with more looks than planned, or at moments
    that one chooses, settled would mean less than it says.
    """
    pool, looks = find_sampled_pool(campaign), campaign.estimate_looks
    if pool is None:
        return SampleLook(looks=looks, reason=NO_SAMPLE)
    last = load_log_reader(campaign).log.last
    try:
        inputs = load_estimate_inputs(
            pool, DEFAULT_POLICY, machines=campaign.estimate_machines, as_of=AsOf(last), looks=looks
        )
    except ActionRefused as refused:
        return SampleLook(pool.version, DEFAULT_POLICY, last, looks=looks, reason=refused.message)
    begun = SampleLook(
        pool=pool.version,
        policy=DEFAULT_POLICY,
        last=last,
        planned=inputs.planned,
        complete=inputs.complete,
        beyond=inputs.beyond,
        used=inputs.used,
        skipped=inputs.skipped,
        look=inputs.look,
        looks=looks,
        left_out=inputs.choice.left_out,
        ended=tuple(inputs.ended),
        reason=explain_nothing(inputs),
    )
    return begun if begun.reason else add_estimates(begun, inputs)


def explain_nothing(inputs: EstimateInputs) -> str:
    """Why nothing can be estimated, if so."""
    if not inputs.used:
        return FIRST_ROUND
    if not len(inputs.sample.judged):
        return NO_GRADES
    if not inputs.sample.frame.runs:
        return NO_RUNS
    return "" if inputs.measures else NO_MEASURE


def add_estimates(begun: SampleLook, inputs: EstimateInputs) -> SampleLook:
    estimates = inputs.compute()
    looks = tuple(
        build_report_look(each, estimates, inputs, begun.looks)
        for each in estimates.report.measures
    )
    return replace(begun, report=estimates.report, measures=looks)


def build_report_look(
    report: MeasureReport, estimates: ScoreEstimates, inputs: EstimateInputs, looks: int
) -> MeasureLook:
    """Where intervals are refused, nothing is settled either."""
    if report.why is not None:
        return MeasureLook(report.measure, why=report.why)
    frame = inputs.sample.frame
    return build_measure_look(
        report,
        estimates.measures[report.measure],
        frame.runs,
        len(inputs.sample.judged) + inputs.skipped,
        len(frame.topic_index),
        looks,
    )


ESTIMATES_SUBJECT = Subject(ESTIMATES, identify_estimates, load_sample_look, SampleLook)
