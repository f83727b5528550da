"""What disagreement does to the ranking of a campaign's runs, and rounds in order of value.

Nothing is written but a round. What was computed stays in memory until a judgment, a run or
a setting changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from campaigns.services import matrices
from evaluation.core.comparison.estimate import ResamplingOptions
from evaluation.core.disagreement.ballots import build_ballots
from evaluation.core.disagreement.panel import DisagreementPanel, build_panel, disambiguate_tags
from evaluation.core.disagreement.rank_swaps import rank_swap_values
from evaluation.core.disagreement.rankings import Treat, rankings_by_assessor
from evaluation.core.disagreement.report import (
    DRAWS,
    SWAPS,
    Between,
    DisagreementReport,
    can_rank_runs,
    collect_disagreement_facts,
    estimate_scoring_work,
)
from evaluation.core.disagreement.resampling import bootstrap_assessors, swap_assessors_at_random
from evaluation.core.disagreement.turning_point import find_turning_point
from evaluation.core.measures.family import Measure
from evaluation.queries.disagreement import USUAL_POLICY, list_ballots, log_state_key
from evaluation.services.interim_scores import warm_runs
from evaluation.services.scoring import measures_to_score, scoring_options
from judging.models import Plan
from judging.queries.adjudication import adjudication_states
from judging.services.adjudication import open_round
from judging.services.qrels import resolve_policy

KEPT = 24
"""Answers that stay in memory: a panel of 143 runs takes some 10 MB, the others little."""
MOST_WORK = 150_000_000
"""Rows to score that a page can wait for: some fifteen seconds, once."""
SEED = 0
USUAL = ("ndcg_cut_10", "map")
"""Looked at first where a campaign names no measure."""
ORDER = "value"
"""How pages and the log name what such a round is ordered by."""


@dataclass(frozen=True)
class DisagreementQuery:
    """What to look at. ``measure``: the campaign's first if empty. ``between``: the numbers
    of two runs, if only their order matters.
    """

    policy: str = USUAL_POLICY
    measure: str = ""
    treat: Treat = "filled"
    between: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class DisagreementStudy:
    """The answer: ``runs`` in the order of the report's tags."""

    runs: Sequence[Run]
    measures: Sequence[Measure]
    report: DisagreementReport


_kept: dict[tuple[object, ...], Any] = {}


def study_disagreement(
    *, actor: User, campaign: Campaign, asked: DisagreementQuery, most_work: int = MOST_WORK
) -> DisagreementStudy:
    """Rankings by each assessor, under resampled assessors, and the pairs worth settling.

    Raises ``Refused`` for an unknown policy, measure or run, and for a campaign that takes
    more than ``most_work``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    measures = measures_to_rank_by(campaign)
    measure = get_chosen_measure(measures, asked.measure)
    between = find_run_places(runs, asked.between)
    matrix = tuple(run.matrix for run in runs)
    key = (log_state_key(campaign), matrix, str(scoring_options(campaign)), asked.policy, measure)
    panel = cached_answer(key, lambda: load_panel(campaign, runs, asked.policy, measure))
    if estimate_scoring_work(panel) > most_work:
        raise ActionRefused(
            "too-large",
            f"{panel.ballots.disagreements.sum():,} disagreements and {len(runs)} runs take longer "
            "than a page may.",
            "`manage.py disagreement` gives the same without a limit.",
        )
    return DisagreementStudy(runs, measures, build_cached_report(panel, key, asked.treat, between))


def open_round_by_value(
    *,
    actor: User,
    campaign: Campaign,
    asked: DisagreementQuery,
    most: int,
    adjudicators: Sequence[User],
    blind: bool = True,
) -> Plan:
    """Open a round of adjudication with the ``most`` valuable pairs that no round has, the
    most valuable first. Pairs that cannot move anything are left out.
    """
    require_permission(actor, "campaigns.manage", campaign)
    if most < 1:
        raise ActionRefused("no-pairs", "A round takes one pair or more.")
    study = study_disagreement(actor=actor, campaign=campaign, asked=asked)
    number = dict(campaign.topics.values_list("number", "pk"))
    taken = {pair for pair, state in adjudication_states(campaign).items() if state == "round"}
    fresh = [
        (number[value.topic], value.docno, value.value)
        for value in study.report.values
        if (value.topic, value.docno) not in taken and value.value > 0
    ]
    if not fresh:
        told = "No pair in dispute that is in no round yet could move the ranking."
        raise ActionRefused("nothing-to-settle", told)
    pairs = fresh[:most]
    return open_round(
        actor=actor,
        campaign=campaign,
        pairs=pairs,
        adjudicators=adjudicators,
        blind=blind,
        order=ORDER,
    )


def measures_to_rank_by(campaign: Campaign) -> list[Measure]:
    """The campaign's measures that say which run is better, those that it names first."""
    found = [measure for measure in measures_to_score(campaign, ()) if can_rank_runs(measure)]
    first = [*campaign.measures, *USUAL]
    place = {name: at for at, name in reversed([*enumerate(first)])}
    return sorted(found, key=lambda measure: place.get(measure.name, len(first)))


def get_chosen_measure(measures: Sequence[Measure], name: str) -> Measure:
    known = {measure.name: measure for measure in measures}
    if name and name not in known:
        raise ActionRefused("unknown-measure", f"Runs are not ranked by {name} here.")
    if not measures:
        fix = "Choose one in the settings."
        raise ActionRefused(
            "no-measure", "No measure of the campaign says which run is better.", fix
        )
    return known[name] if name else measures[0]


def find_run_places(runs: Sequence[Run], between: tuple[int, int] | None) -> Between:
    if between is None:
        return None
    place = {run.pk: at for at, run in enumerate(runs)}
    first, second = between
    if first not in place or second not in place or first == second:
        raise ActionRefused("no-runs", "Choose two different accepted runs.")
    return place[first], place[second]


def load_panel_unchecked(campaign: Campaign, policy: str, measure: str = "") -> DisagreementPanel:
    """For who sits at the machine itself: nothing is kept, and there is no limit."""
    runs = list(campaign.runs.accepted().order_by("pk"))
    return load_panel(
        campaign, runs, policy, get_chosen_measure(measures_to_rank_by(campaign), measure)
    )


def load_panel(
    campaign: Campaign, runs: Sequence[Run], policy: str, measure: Measure
) -> DisagreementPanel:
    """The campaign's runs over all that was judged."""
    ballots = build_ballots(list_ballots(campaign), resolve_policy(campaign, policy))
    places = matrices.get_pair_dictionary(campaign).places(ballots.pairs)
    tags = disambiguate_tags([run.tag for run in runs])
    warm = warm_runs(campaign, runs)
    return build_panel(tags, warm, ballots, places, measure, scoring_options(campaign))


def build_cached_report(
    panel: DisagreementPanel, key: tuple[object, ...], treat: Treat, between: Between
) -> DisagreementReport:
    """As ``report.report_of``, with what has been computed before."""

    def part(make: Callable[[], Any], *of: object) -> Any:
        return cached_answer((*key, *of), make)

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


def cached_answer(key: tuple[object, ...], make: Callable[[], Any]) -> Any:
    """What ``make`` gave before for ``key``; the oldest answers are forgotten."""
    found = _kept.pop(key, None)
    if found is None:
        found = make()
    # A list, since other threads may change meanwhile what is kept.
    for oldest in list(_kept)[: 1 - KEPT]:
        _kept.pop(oldest, None)
    _kept[key] = found
    return found
