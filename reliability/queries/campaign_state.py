"""Campaigns as of a row of their judgment log, for the reports on them; that on agreement."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.tasks import get_current_task, list_scored_runs
from evaluation.queries.interim_scores import InterimScorer, load_interim_scorer
from judging.models import Judgment, Purpose
from judging.queries.agreement import MOST_ASSESSORS, find_default_people, load_labels
from judging.queries.exclusions import log_state_key
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.report import AgreementReport, RankingEffect
from poolbench.judging.policies import DEFAULT_POLICY
from poolbench.reliability.campaign_state import CampaignRun, CampaignState, RankingHistory
from poolbench.reliability.verdicts.agreement import measure_effect
from poolbench.reliability.verdicts.reusability import measure_cut
from poolbench.runs.tables import PairTable
from pooling.queries.judgment_log import Ints, read_judgment_log
from reliability.queries.disagreement_studies import (
    load_panel,
    measures_to_rank_by,
    select_ranking_measure,
)

PACE = 2_000
"""The latest judgments from which the pace is taken."""


def identify_judging(campaign: Campaign) -> str:
    """Changes with every judgment, exclusion, run, pool, plan and setting of scores."""
    task = get_current_task(campaign)
    matrix = list(list_scored_runs(campaign, task).values_list("pk", "matrix"))
    round_of = (task.judged_before,) if task is not None else ()
    scale = list(campaign.grades.order_by("value").values_list("value", "gain"))
    pool = campaign.pools.first()
    latest = campaign.qrels.order_by("-version").values_list("version", flat=True).first()
    orders = sorted(pool.plans.values_list("kind", "order")) if pool else []
    facts = (
        log_state_key(campaign), matrix, scale, campaign.measures, campaign.relevance_level,
        pool and pool.pk, orders, latest, campaign.estimate_looks, campaign.estimate_machines,
        *round_of,
    )  # fmt: skip
    return sha256(repr(facts).encode()).hexdigest()


def load_campaign_state(
    campaign: Campaign, *, back: Sequence[int] = (), unjudged: PairTable | None = None
) -> CampaignState:
    """As of now; its history looks ``back`` by so many judgments where there are more, and
    ``unjudged`` pairs have rows too. Raises ``ActionRefused`` if no measure ranks runs.
    """
    measure = select_ranking_measure(measures_to_rank_by(campaign), "")
    cut = measure_cut(measure)
    scorer = load_interim_scorer(campaign, DEFAULT_POLICY, (measure.name, f"judged_{cut}"))
    rows = list_graded_rows(scorer)
    judgments = len(rows)
    moments = [judgments, *(judgments - each for each in back if judgments > each)]
    return CampaignState(
        last=scorer.reader.log.last,
        seed=campaign.seed,
        judgments=judgments,
        cut=cut,
        panel=load_panel(campaign, scorer.runs, DEFAULT_POLICY, measure, unjudged),
        history=build_history(campaign, scorer, rows, moments, (f"judged_{cut}",)),
        seconds_each=compute_median_seconds(campaign),
    )


def load_agreement_report(campaign: Campaign) -> AgreementReport:
    """Third judgments are left out: they exist where two assessors disagreed; so are crowd workers
    where staff has judged too.
    """
    last = read_judgment_log(campaign).last
    who, labels = find_default_people(campaign, last), load_labels(campaign, last=last)
    try:
        effect = measure_effect(load_campaign_state(campaign), labels)
        if who:
            taus = {n: tau for n, tau in effect.by_assessor.items() if n in labels.assessors}
            effect = replace(effect, by_assessor=taus)
    except ActionRefused as refused:
        effect = RankingEffect(reason=refused.message)
    report = agreement_report(labels, campaign.relevance_level, most_assessors=MOST_ASSESSORS)
    seconds = compute_median_seconds(campaign)
    return replace(report, last=last, effect=effect, seconds_each=seconds, who=who)


def list_graded_rows(scorer: InterimScorer, last: int | None = None) -> Ints:
    """The IDs of the grades that count, up to row ``last`` of the log."""
    reader = scorer.reader
    graded = reader.mark_rows(last) & reader.log.select_rows(Purpose.JUDGE, Judgment.Kind.GRADE)
    rows: Ints = reader.log.numbers["pk"][graded]
    return rows


def build_history(
    campaign: Campaign,
    scorer: InterimScorer,
    rows: Ints,
    moments: Iterable[int],
    trust: Sequence[str],
    last: int | None = None,
) -> RankingHistory:
    """By the first measure of ``scorer`` and the measures ``trust``, after so many of the grades
    ``rows``; all of them: as of row ``last`` of the log.
    """
    pool = campaign.pools.first()
    pooled = {run.get("id") for run in pool.spec["runs"]} if pool else set()
    runs = [CampaignRun(run.pk, run.tag, run.team.name, run.pk in pooled) for run in scorer.runs]
    names = [measure.name for measure in scorer.measures]
    columns = [0, *(names.index(name) for name in trust)]
    means = {}
    for moment in moments:
        # A judgment that was undone after the last of them counts too.
        until = last if moment == len(rows) else int(rows[moment - 1])
        means[moment] = [[row[at] for at in columns] for row in scorer.score(until).means]
    return RankingHistory(scorer.policy, scorer.measures[0], runs, means)


def compute_median_seconds(campaign: Campaign) -> float | None:
    """The median active seconds of the latest judgments by people; None where none is known."""
    log = Judgment.objects.filter(
        campaign=campaign, purpose=Purpose.JUDGE, active_seconds__gt=0
    ).order_by("-pk")
    seconds = list(log.values_list("active_seconds", flat=True)[:PACE])
    known = [each for each in seconds if each is not None]
    return float(np.median(known)) if known else None
