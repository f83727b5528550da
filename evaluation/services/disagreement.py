"""What disagreement does to the ranking of a campaign's runs, and rounds in order of value.

Nothing is written but a round. What was computed stays in memory until a judgment, a run or
a setting changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.errors import Refused
from campaigns.models import Campaign, Run, User
from campaigns.rules import require
from campaigns.services import matrices
from evaluation.core.comparison.estimate import Sampling
from evaluation.core.disagreement.ballots import ballots_of
from evaluation.core.disagreement.panel import Panel, names_of, panel_of
from evaluation.core.disagreement.rank_swaps import pair_values
from evaluation.core.disagreement.rankings import Treat, rankings_of
from evaluation.core.disagreement.report import (
    DRAWS,
    SWAPS,
    Between,
    Report,
    facts_of,
    ranks_runs,
    work_of,
)
from evaluation.core.disagreement.resampling import bootstrap, random_swaps
from evaluation.core.disagreement.turning import turning
from evaluation.core.measures.family import Measure
from evaluation.queries.disagreement import USUAL_POLICY, mark_of, said_of
from evaluation.services.live import warm_runs
from evaluation.services.scoring import measures_for, options_of
from judging.models import Plan
from judging.queries.adjudication import slot_states
from judging.services.adjudication import open_round
from judging.services.qrels import usable

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
class Asked:
    """What to look at. ``measure``: the campaign's first if empty. ``between``: the numbers
    of two runs, if only their order matters.
    """

    policy: str = USUAL_POLICY
    measure: str = ""
    treat: Treat = "filled"
    between: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class Study:
    """The answer: ``runs`` in the order of the report's tags."""

    runs: Sequence[Run]
    measures: Sequence[Measure]
    report: Report


_kept: dict[tuple[object, ...], Any] = {}


def disagreement(
    *, actor: User, campaign: Campaign, asked: Asked, most_work: int = MOST_WORK
) -> Study:
    """Rankings by each assessor, under resampled assessors, and the pairs worth settling.

    Raises ``Refused`` for an unknown policy, measure or run, and for a campaign that takes
    more than ``most_work``.
    """
    require(actor, "campaigns.manage", campaign)
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    measures = measures_to_rank_by(campaign)
    measure = chosen_measure(measures, asked.measure)
    between = places_of_runs(runs, asked.between)
    matrix = tuple(run.matrix for run in runs)
    key = (mark_of(campaign), matrix, str(options_of(campaign)), asked.policy, measure)
    panel = remembered(key, lambda: panel_for(campaign, runs, asked.policy, measure))
    if work_of(panel) > most_work:
        raise Refused(
            "too-large",
            f"{panel.ballots.disputed.sum():,} disputed pairs and {len(runs)} runs take longer "
            "than a page may.",
            "`manage.py disagreement` gives the same without a limit.",
        )
    return Study(runs, measures, report_from(panel, key, asked.treat, between))


def open_by_value(
    *,
    actor: User,
    campaign: Campaign,
    asked: Asked,
    most: int,
    adjudicators: Sequence[User],
    blind: bool = True,
) -> Plan:
    """Open a round of adjudication with the ``most`` valuable pairs that no round has, the
    most valuable first. Pairs that cannot move anything are left out.
    """
    require(actor, "campaigns.manage", campaign)
    if most < 1:
        raise Refused("no-pairs", "A round takes one pair or more.")
    study = disagreement(actor=actor, campaign=campaign, asked=asked)
    number = dict(campaign.topics.values_list("number", "pk"))
    taken = {pair for pair, state in slot_states(campaign).items() if state == "round"}
    fresh = [
        (number[value.topic], value.docno, value.value)
        for value in study.report.values
        if (value.topic, value.docno) not in taken and value.value > 0
    ]
    if not fresh:
        told = "No pair in dispute that is in no round yet could move the ranking."
        raise Refused("nothing-to-settle", told)
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
    found = [measure for measure in measures_for(campaign, ()) if ranks_runs(measure)]
    first = [*campaign.measures, *USUAL]
    place = {name: at for at, name in reversed([*enumerate(first)])}
    return sorted(found, key=lambda measure: place.get(measure.name, len(first)))


def chosen_measure(measures: Sequence[Measure], name: str) -> Measure:
    known = {measure.name: measure for measure in measures}
    if name and name not in known:
        raise Refused("unknown-measure", f"Runs are not ranked by {name} here.")
    if not measures:
        cure = "Choose one in the settings."
        raise Refused("no-measure", "No measure of the campaign says which run is better.", cure)
    return known[name] if name else measures[0]


def places_of_runs(runs: Sequence[Run], between: tuple[int, int] | None) -> Between:
    if between is None:
        return None
    place = {run.pk: at for at, run in enumerate(runs)}
    first, second = between
    if first not in place or second not in place or first == second:
        raise Refused("no-runs", "Choose two different accepted runs.")
    return place[first], place[second]


def panel_of_campaign(campaign: Campaign, policy: str, measure: str = "") -> Panel:
    """For who sits at the machine itself: nothing is kept, and there is no limit."""
    runs = list(campaign.runs.accepted().order_by("pk"))
    return panel_for(campaign, runs, policy, chosen_measure(measures_to_rank_by(campaign), measure))


def panel_for(campaign: Campaign, runs: Sequence[Run], policy: str, measure: Measure) -> Panel:
    """The campaign's runs over all that was judged."""
    ballots = ballots_of(said_of(campaign), usable(campaign, policy))
    places = matrices.dictionary_of(campaign).places(ballots.pairs)
    tags = names_of([run.tag for run in runs])
    warm = warm_runs(campaign, runs)
    return panel_of(tags, warm, ballots, places, measure, options_of(campaign))


def report_from(panel: Panel, key: tuple[object, ...], treat: Treat, between: Between) -> Report:
    """As ``report.report_of``, with what has been computed before."""

    def part(make: Callable[[], Any], *of: object) -> Any:
        return remembered((*key, *of), make)

    draws, swaps = Sampling(SEED, DRAWS), Sampling(SEED, SWAPS)
    return Report(
        facts=facts_of(panel, treat),
        tags=panel.tags,
        rankings=part(lambda: tuple(rankings_of(panel, treat)), "rankings", treat),
        bootstrap=part(lambda: bootstrap(panel, draws), "bootstrap"),
        swaps=part(lambda: random_swaps(panel, treat, swaps), "swaps", treat),
        values=part(lambda: tuple(pair_values(panel, between)), "values", between),
        turning=part(lambda: turning(panel, between), "turning", between) if between else None,
    )


def remembered(key: tuple[object, ...], make: Callable[[], Any]) -> Any:
    """What ``make`` gave before for ``key``; the oldest answers are forgotten."""
    found = _kept.pop(key, None)
    if found is None:
        found = make()
    # A list, since other threads may change meanwhile what is kept.
    for oldest in list(_kept)[: 1 - KEPT]:
        _kept.pop(oldest, None)
    _kept[key] = found
    return found
