"""The effect of disagreement on the ranking of runs.

Results stay in memory until a judgment, a run or a setting changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from campaigns.services import matrices
from common.cache import Cache
from common.statistics.draws import ResamplingOptions
from evaluation.core.measures.family import Measure
from evaluation.queries.interim_scores import get_warm_runs
from evaluation.queries.scoring_inputs import measures_to_score, scoring_options
from judging.core.policies import DEFAULT_POLICY
from judging.queries.exclusions import log_state_key
from judging.services.qrels import resolve_policy
from reliability.core.disagreement.ballots import build_ballots
from reliability.core.disagreement.panel import DisagreementPanel, build_panel, disambiguate_tags
from reliability.core.disagreement.rank_swaps import rank_swap_values
from reliability.core.disagreement.rankings import Treat, rankings_by_assessor
from reliability.core.disagreement.report import (
    DRAWS,
    SWAPS,
    Between,
    DisagreementReport,
    can_rank_runs,
    collect_disagreement_facts,
    estimate_scoring_work,
)
from reliability.core.disagreement.resampling import bootstrap_assessors, swap_assessors_at_random
from reliability.core.disagreement.turning_point import find_turning_point
from reliability.queries.disagreement import load_visible_ballots

_results: Cache[tuple[object, ...], Any] = Cache(24)
"""A panel of 143 runs takes some 10 MB, the other results little."""


MOST_WORK = 150_000_000
"""Most rows to score for a page: some fifteen seconds, once."""


SEED = 0


DEFAULT_MEASURES = ("ndcg_cut_10", "map")
"""Preferred if a campaign has no measures of its own."""


@dataclass(frozen=True)
class DisagreementQuery:
    """What to study. ``measure``: the campaign's first if empty. ``between``: the IDs of two
    runs, if only their order matters.
    """

    policy: str = DEFAULT_POLICY
    measure: str = ""
    treat: Treat = "filled"
    between: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class DisagreementStudy:
    """The result: ``runs`` in the order of the report's tags."""

    runs: Sequence[Run]
    measures: Sequence[Measure]
    report: DisagreementReport


def study_disagreement(
    *, actor: User, campaign: Campaign, query: DisagreementQuery, most_work: int = MOST_WORK
) -> DisagreementStudy:
    """Rankings by each assessor and under resampled assessors, and pairs by rank-swap value.

    Raises ``ActionRefused`` for an unknown policy, measure or run, and for a campaign that
    takes more than ``most_work``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    runs = list(campaign.runs.scored().select_related("team").order_by("pk"))
    measures = measures_to_rank_by(campaign)
    measure = select_ranking_measure(measures, query.measure)
    between = find_run_places(runs, query.between)
    matrix = tuple(run.matrix for run in runs)
    key = (log_state_key(campaign), matrix, str(scoring_options(campaign)), query.policy, measure)
    panel = _results.get_or_compute(key, lambda: load_panel(campaign, runs, query.policy, measure))
    if estimate_scoring_work(panel) > most_work:
        raise ActionRefused(
            "too-large",
            f"{panel.ballots.disagreements.sum():,} disagreements and {len(runs)} runs take too"
            " long for a page.",
            "Use `manage.py disagreement`, which has no limit.",
        )
    return DisagreementStudy(runs, measures, build_cached_report(panel, key, query.treat, between))


def measures_to_rank_by(campaign: Campaign) -> list[Measure]:
    """The campaign's measures that rank runs, those of its settings first."""
    measures = [measure for measure in measures_to_score(campaign, ()) if can_rank_runs(measure)]
    first = [*campaign.measures, *DEFAULT_MEASURES]
    place = {name: at for at, name in reversed([*enumerate(first)])}
    return sorted(measures, key=lambda measure: place.get(measure.name, len(first)))


def select_ranking_measure(measures: Sequence[Measure], name: str) -> Measure:
    by_name = {measure.name: measure for measure in measures}
    if name and name not in by_name:
        raise ActionRefused("unknown-measure", f"The campaign does not rank runs by {name}.")
    if not measures:
        fix = "Choose one in the settings."
        raise ActionRefused("no-measure", "The campaign has no measure that ranks runs.", fix)
    return by_name[name] if name else measures[0]


def find_run_places(runs: Sequence[Run], between: tuple[int, int] | None) -> Between:
    if between is None:
        return None
    place = {run.pk: at for at, run in enumerate(runs)}
    first, second = between
    if first not in place or second not in place or first == second:
        raise ActionRefused("no-runs", "Choose two different accepted runs.")
    return place[first], place[second]


def load_panel_unchecked(campaign: Campaign, policy: str, measure: str = "") -> DisagreementPanel:
    """For the command line: without permission check, cache or limit."""
    runs = list(campaign.runs.scored().order_by("pk"))
    return load_panel(
        campaign, runs, policy, select_ranking_measure(measures_to_rank_by(campaign), measure)
    )


def load_panel(
    campaign: Campaign, runs: Sequence[Run], policy: str, measure: Measure
) -> DisagreementPanel:
    """The campaign's runs and all its ballots."""
    ballots = build_ballots(load_visible_ballots(campaign), resolve_policy(campaign, policy))
    places = matrices.get_pair_dictionary(campaign).places(ballots.pairs)
    tags = disambiguate_tags([run.tag for run in runs])
    warm = get_warm_runs(campaign, runs)
    return build_panel(tags, warm, ballots, places, measure, scoring_options(campaign))


def build_cached_report(
    panel: DisagreementPanel, key: tuple[object, ...], treat: Treat, between: Between
) -> DisagreementReport:
    """The disagreement report, with cached parts."""

    def part(make: Callable[[], Any], *parts: object) -> Any:
        return _results.get_or_compute((*key, *parts), make)

    draws, swaps = ResamplingOptions(SEED, DRAWS), ResamplingOptions(SEED, SWAPS)
    return DisagreementReport(
        facts=collect_disagreement_facts(panel, treat),
        tags=panel.tags,
        rankings=part(lambda: tuple(rankings_by_assessor(panel, treat)), "rankings", treat),
        bootstrap=part(lambda: bootstrap_assessors(panel, draws), "bootstrap"),
        swaps=part(lambda: swap_assessors_at_random(panel, treat, swaps), "swaps", treat),
        values=part(lambda: tuple(rank_swap_values(panel, between)), "values", between),
        turning=part(lambda: find_turning_point(panel, between), "turning", between)
        if between
        else None,
    )
