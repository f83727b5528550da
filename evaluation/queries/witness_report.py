"""Machines as second witnesses, as a subject of reports."""

from collections.abc import Mapping
from hashlib import sha256

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.tasks import list_scored_runs
from campaigns.services.snapshots import Subject
from evaluation.queries.estimate_inputs import (
    choose_estimated,
    find_sampled_pool,
    load_estimate_inputs,
    load_machine,
    match_runs,
)
from evaluation.queries.scoring_inputs import scoring_options
from judging.models import Judgment
from judging.queries.exclusions import log_state_key
from judging.queries.judgments import current_judgments, load_log_reader
from poolbench.estimation.diagnostics.probes import measure_texts
from poolbench.estimation.diagnostics.witness import WitnessInputs, WitnessReport, report_witnesses
from poolbench.estimation.frame import PoolFrame, join_batches
from poolbench.estimation.measures import FractionalMeasure
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.evaluation.judgments import Floats, JudgmentTable
from poolbench.judging.policies import DEFAULT_POLICY
from poolbench.runs.qrels import qrels_from_rows
from pooling.models import Pool

WITNESS = "witness"
SEED = 0
NO_POOL = "there is no pool"
NO_MACHINES = "there is no automatic assessor"
NO_GRADES = "people have judged no pair of the pool"
NO_RUNS = "there are no runs"
MOST_DOCUMENTS = 500
"""Texts in memory at a time."""


def find_witnessed_pool(campaign: Campaign) -> Pool | None:
    """The newest sample by influence, or else the newest pool."""
    return find_sampled_pool(campaign) or campaign.pools.first()


def identify_witnesses(campaign: Campaign) -> str:
    """Changes with every judgment, automatic or not, with runs and settings, and with texts."""
    pool = find_witnessed_pool(campaign)
    if pool is None:
        return ""
    runs = list_scored_runs(campaign, pool.task)
    facts = (
        pool.pk, log_state_key(campaign), list(runs.values_list("pk", "matrix", "team")),
        scoring_options(campaign).as_dict(), campaign.measures, campaign.documents.count(),
        list(campaign.automatic_assessors.order_by("pk").values_list("pk", "name")),
    )  # fmt: skip
    return sha256(repr(facts).encode()).hexdigest()


def load_witness_report(campaign: Campaign) -> WitnessReport:
    """All automatic assessors against people's grades by the default policy."""
    pool = find_witnessed_pool(campaign)
    if pool is None:
        return WitnessReport(why=NO_POOL)
    names = list(campaign.automatic_assessors.order_by("name").values_list("name", flat=True))
    if not names:
        return WitnessReport(why=NO_MACHINES)
    try:
        sample, measures = load_judged_sample(pool)
    except ActionRefused as refused:
        return WitnessReport(why=refused.message)
    if not len(sample.judged):
        return WitnessReport(why=NO_GRADES)
    if not sample.frame.runs:
        return WitnessReport(why=NO_RUNS)
    machines = [load_machine(campaign, name, sample.frame) for name in names]
    inputs = load_witness_inputs(pool, sample)
    return report_witnesses(sample, machines, measures, SEED, inputs)


def load_judged_sample(pool: Pool) -> tuple[JudgedSample, Mapping[str, FractionalMeasure]]:
    """Of a sample by influence what is complete; of any other pool all that is judged, each with
    probability 1: nothing is said of its other pairs.
    """
    campaign = pool.campaign
    if pool == find_sampled_pool(campaign):
        inputs = load_estimate_inputs(pool, DEFAULT_POLICY, machines=())
        return inputs.sample, inputs.measures
    numbers = pool.items.order_by().values_list("topic__number", flat=True).distinct()
    # A machine is not measured twice by one judgment.
    decided, _undecided = load_log_reader(campaign).decide_topics(
        DEFAULT_POLICY, tuple(numbers), propagated=False
    )
    table = qrels_from_rows(row for row in decided if row[2] >= 0)
    pairs = join_batches([], JudgmentTable.from_table(table), table.docnos)
    frame = match_runs(campaign, list(list_scored_runs(campaign, pool.task)), pairs)
    top = max(campaign.grades.values_list("value", flat=True), default=1)
    every = np.arange(len(table.grades))
    sample = build_sample(frame, table.grades.astype(np.int64), every, np.ones(len(every)), top)
    return sample, choose_estimated(campaign, scoring_options(campaign), top)


def load_witness_inputs(pool: Pool, sample: JudgedSample) -> WitnessInputs:
    campaign = pool.campaign
    runs = list_scored_runs(campaign, pool.task)
    pairs = list_judged_pairs(sample)
    order, assessors = load_judging_order(campaign, pairs)
    return WitnessInputs(
        teams={run.tag: run.team.name for run in runs},
        texts=load_measured_texts(campaign, sample, pairs),
        order=order,
        assessors=assessors,
    )


def list_judged_pairs(sample: JudgedSample) -> list[tuple[str, str]]:
    frame: PoolFrame = sample.frame
    topics = frame.topic_index[sample.judged].tolist()
    judged = sample.judged.tolist()
    return [
        (frame.topics[topic], str(frame.docnos[pair]))
        for topic, pair in zip(topics, judged, strict=True)
    ]


def load_judging_order(
    campaign: Campaign, pairs: list[tuple[str, str]]
) -> tuple[np.ndarray, list[str]]:
    """By pair: the last row of the log, and who judged it; "" where several did, and of imports:
    the order of a file is not one of judging.
    """
    rows = current_judgments(campaign).order_by("pk")
    judged_by = dict[tuple[str, str], tuple[int, str]]()
    for number, docno, key, name, source in rows.values_list(
        "topic__number", "docno", "pk", "assessor__username", "source"
    ):
        is_known = (number, docno) not in judged_by and source != Judgment.Source.IMPORT
        judged_by[number, docno] = key, name if is_known else ""
    known = [judged_by.get(pair, (0, "")) for pair in pairs]
    return np.array([key for key, _ in known], np.int64), [name for _, name in known]


def load_measured_texts(
    campaign: Campaign, sample: JudgedSample, pairs: list[tuple[str, str]]
) -> Floats:
    """``measure_texts`` of the judged pairs; NaN of others, and without a text."""
    queries = dict(campaign.topics.values_list("number", "title"))
    places = dict[str, list[int]]()
    for at, (_, docno) in enumerate(pairs):
        places.setdefault(docno, []).append(at)
    measured = np.full((len(sample.pi), 2), np.nan)
    docnos = sorted(places)
    for start in range(0, len(docnos), MOST_DOCUMENTS):
        piece = docnos[start : start + MOST_DOCUMENTS]
        texts = campaign.documents.filter(docno__in=piece).exclude(body="")
        for docno, body in texts.order_by().values_list("docno", "body"):
            own = places[docno]
            values = measure_texts((queries.get(pairs[at][0], ""), body) for at in own)
            measured[sample.judged[own]] = values
    return measured


WITNESS_SUBJECT = Subject(WITNESS, identify_witnesses, load_witness_report, WitnessReport)
