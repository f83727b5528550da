"""The report on a campaign's leaderboard, its latest score set, as a subject of reports."""

from hashlib import sha256

import numpy as np

from campaigns.models import Campaign, Run
from campaigns.services.matrices import StoredMatrices
from campaigns.services.snapshots import Subject
from evaluation.models import ScoreSet
from evaluation.queries.comparison import compare_all_runs, get_fixed_test
from evaluation.queries.leaderboard import Leaderboard, get_leaderboard
from evaluation.queries.score_sets import participant_reader
from evaluation.queries.scoring_inputs import get_placed_qrels, options_from_provenance
from poolbench.evaluation.comparison.registry import get_test_card
from poolbench.evaluation.lead_bounds import LeadBounds, compute_lead_bounds
from poolbench.evaluation.leader_verdict import (
    LEADERBOARD,
    QUESTION,
    LeaderboardReport,
    judge_leaderboard,
)
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.titles import format_measure_title

DEFAULT_MEASURES = ("ndcg_cut_10", "map")
"""Preferred if a campaign has no measures of its own."""
TRUST_CUT = 10
NO_SCORES = "the runs are not evaluated"
ESTIMATES = "the latest scores are estimates, each with its interval"
NO_MEASURE = "no measure of the scores can be compared between runs"


def identify_leaderboard(campaign: Campaign) -> str:
    latest = campaign.score_sets.order_by("-created_at", "-pk").first()
    fixed = (campaign.test, campaign.correction)
    made = latest and (latest.pk, latest.created_at)
    facts = made, campaign.measures, fixed, campaign.alpha
    return sha256(repr(facts).encode()).hexdigest()


def load_leaderboard_report(campaign: Campaign) -> LeaderboardReport:
    latest = campaign.score_sets.order_by("-created_at", "-pk").first()
    if latest is None or latest.is_estimate:
        reason = NO_SCORES if latest is None else ESTIMATES
        return LeaderboardReport("–", TRUST_CUT, 0, (), (), (), reason=reason)
    # Without a team: the figures hold no more than the scores of all runs.
    leaderboard = get_leaderboard(latest, participant_reader(campaign, None))
    measures = {m.name: m for m in leaderboard.measures if m.compares and m.family.group != "trust"}
    preferred = [name for name in (*campaign.measures, *DEFAULT_MEASURES) if name in measures]
    measure = next((measures[name] for name in [*preferred, *measures]), None)
    if measure is None:
        return LeaderboardReport("–", TRUST_CUT, 0, (), (), (), reason=NO_MEASURE)
    return build_leader_report(campaign, latest, leaderboard, measure)


def build_leader_report(
    campaign: Campaign, score_set: ScoreSet, leaderboard: Leaderboard, measure: Measure
) -> LeaderboardReport:
    sign = -1.0 if leaderboard.lower_is_better(measure.name) else 1.0
    cut = choose_trust_cut(leaderboard, measure)
    means = [row[measure.name] for row in leaderboard.means]
    ranked = sorted(
        range(len(means)),
        key=lambda run: (means[run] is None, -sign * (means[run] or 0.0), leaderboard.runs[run]),
    )
    tags = {row.run_id: row.run.tag for row in score_set.runs.select_related("run")}
    judged = [row.get(f"judged_{cut}") for row in leaderboard.means]
    fixed = get_fixed_test(score_set)
    p_value, reason = compare_first_two(leaderboard, measure, ranked)
    depth = choose_depth(measure)
    bounds = compute_first_place_bounds(leaderboard, measure, ranked, depth)
    return LeaderboardReport(
        measure=format_measure_title(measure.name, over_topics=True),
        cut=cut,
        topics=int(np.count_nonzero(~np.isnan(leaderboard.tables).all(axis=(0, 2)))),
        tags=[tags[leaderboard.runs[run]] for run in ranked],
        scores=[means[run] for run in ranked],
        judged=[judged[run] for run in ranked],
        test=get_test_card(fixed.test).title,
        p_value=p_value,
        reason=reason,
        score_set=score_set.pk,
        level=campaign.alpha,
        depth=depth,
        unjudged=bounds.unjudged,
        low=bounds.low,
        high=bounds.high,
    )


def choose_depth(measure: Measure) -> int:
    """The cut-off of the measure; without one that of judged@k: whole rankings are never judged."""
    cut = dict(measure.params).get("k")
    return cut if isinstance(cut, int) else TRUST_CUT


def compute_first_place_bounds(
    leaderboard: Leaderboard, measure: Measure, ranked: list[int], depth: int
) -> LeadBounds:
    """What the first of the ``ranked`` runs has at least, and each of them at most."""
    score_set, runs = leaderboard.score_set, Run.objects.in_bulk(leaderboard.runs)
    return compute_lead_bounds(
        StoredMatrices([runs[leaderboard.runs[run]] for run in ranked]),
        *get_placed_qrels(score_set.qrels, score_set.task, topics=score_set.topics),
        options_from_provenance(score_set),
        measure,
        depth,
    )


def choose_trust_cut(leaderboard: Leaderboard, measure: Measure) -> int:
    """The cut-off of the measure if there is judged@k for it, else that of all score sets."""
    cut = dict(measure.params).get("k")
    names = set(leaderboard.score_set.measures)
    return cut if isinstance(cut, int) and f"judged_{cut}" in names else TRUST_CUT


def compare_first_two(
    leaderboard: Leaderboard, measure: Measure, ranked: list[int]
) -> tuple[float | None, str]:
    """The adjusted p of the first two runs, or why there is none."""
    if len(ranked) < 2:
        return None, "there is one run"
    compared = compare_all_runs(leaderboard, measure.name, get_fixed_test(leaderboard.score_set))
    pair = {str(leaderboard.runs[run]) for run in ranked[:2]}
    row = next((row for row in compared.rows if {row.first, row.second} == pair), None)
    if row is None or row.adjusted is None:
        return None, (row and row.reason) or "the two cannot be compared"
    return row.adjusted, ""


LEADERBOARD_SUBJECT = Subject(
    LEADERBOARD,
    identify_leaderboard,
    load_leaderboard_report,
    LeaderboardReport,
    judge_leaderboard,
    QUESTION,
    page="scores",
    is_of_now=True,
)
