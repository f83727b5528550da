"""The effect of disagreement on the ranking of runs.

Results stay in memory until a judgment, a run or a setting changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.queries.tasks import get_current_task, list_current_runs, list_judged_before
from campaigns.rules import require_access
from campaigns.services import matrices
from evaluation.queries.interim_scores import get_warm_runs
from evaluation.queries.scoring_inputs import (
    measures_to_score,
    scoring_options,
    withheld_topic_numbers,
)
from judging.queries.exclusions import log_state_key
from judging.queries.judgments import load_pair_ballots
from judging.services.qrels import resolve_policy
from poolbench.cache import Cache
from poolbench.evaluation.measures.family import Measure
from poolbench.judging.policies import DEFAULT_POLICY
from poolbench.reliability.disagreement.ballots import add_unjudged_pairs, build_ballots
from poolbench.reliability.disagreement.panel import (
    DisagreementPanel,
    build_panel,
    disambiguate_tags,
)
from poolbench.reliability.disagreement.rankings import Treat
from poolbench.reliability.disagreement.report import (
    Between,
    DisagreementReport,
    build_disagreement_report,
    can_rank_runs,
    estimate_scoring_work,
)
from poolbench.runs.tables import PairTable

EFFECT = "disagreement-effect"
"""The name of the stored report."""
_results: Cache[tuple[object, ...], Any] = Cache(24)
"""A panel of 143 runs takes some 10 MB, the other results little."""
MOST_WORK = 150_000_000
"""Most rows to score, as ``estimate_scoring_work`` counts them, in a request: up to a second."""
MOST_WORK_OF_JOB = 25 * MOST_WORK
"""The same in a job: some fifteen seconds."""
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
    require_access(actor, "campaigns.manage", campaign)
    return _study_disagreement(campaign, query, most_work)


def load_effect_report(campaign: Campaign) -> DisagreementReport:
    """That of the page as it opens, with the pairs of any rank-swap value; for a job."""
    return _study_disagreement(campaign, DisagreementQuery(), MOST_WORK_OF_JOB).report


def is_first_query(query: DisagreementQuery, measures: Sequence[Measure]) -> bool:
    """Whether ``query`` asks for what the page shows as it opens; ``measures`` may be chosen."""
    usual = measures[0].name if measures else ""
    return replace(query, measure=query.measure or usual) == DisagreementQuery(measure=usual)


def _study_disagreement(
    campaign: Campaign, query: DisagreementQuery, most_work: int
) -> DisagreementStudy:
    runs = list(list_current_runs(campaign))
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
    report = build_disagreement_report(
        panel,
        treat=query.treat,
        seed=SEED,
        between=between,
        keep=lambda part, compute: _results.get_or_compute((*key, *part), compute),
    )
    return DisagreementStudy(runs, measures, report)


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
    runs = list(list_current_runs(campaign))
    return load_panel(
        campaign, runs, policy, select_ranking_measure(measures_to_rank_by(campaign), measure)
    )


def load_panel(
    campaign: Campaign,
    runs: Sequence[Run],
    policy: str,
    measure: Measure,
    unjudged: PairTable | None = None,
) -> DisagreementPanel:
    """The campaign's runs and its ballots, without topics that have no scores and without pairs
    that earlier rounds have judged; ``unjudged`` pairs have rows as well.
    """
    task = get_current_task(campaign)
    visible = (
        load_pair_ballots(campaign)
        .omit_propagated()
        .omit_topics(withheld_topic_numbers(campaign, task))
    )
    visible = visible.omit_pairs(list_judged_before(task))
    ballots = build_ballots(visible, resolve_policy(campaign, policy))
    if unjudged is not None:
        ballots = add_unjudged_pairs(ballots, unjudged)
    places = matrices.get_pair_dictionary(campaign).places(ballots.pairs)
    tags = disambiguate_tags([run.tag for run in runs])
    warm = get_warm_runs(campaign, runs)
    return build_panel(tags, warm, ballots, places, measure, scoring_options(campaign))
