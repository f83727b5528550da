"""What the figures of the verdicts on agreement, stopping and reusability share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.services import matrices
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measure
from evaluation.core.measures.titles import format_measure_title
from evaluation.queries.interim_scores import get_warm_runs
from evaluation.queries.scoring_inputs import scoring_options
from judging.core.policies import DEFAULT_POLICY
from judging.models import Judgment, Purpose
from judging.queries.exclusions import log_state_key
from judging.services.qrels import resolve_policy
from reliability.core.disagreement.ballots import BallotTable, Grades, build_ballots
from reliability.core.disagreement.panel import DisagreementPanel, build_panel, disambiguate_tags
from reliability.core.verdicts.collection_figures import measure_cut
from reliability.queries.disagreement import load_visible_ballots
from reliability.queries.disagreement_studies import measures_to_rank_by

DRAWS, LEAST_DRAWS = 100, 40
MOST_ROWS = 150_000_000
"""Rows to score for the draws of one verdict, beyond which they are fewer: half a minute."""
PACE = 2_000
"""The latest judgments from which the pace is taken."""
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """The runs of a campaign over its judged pairs, and unjudged ones of its pool. ``grades`` by
    topic are those by the default policy, ``ABSENT`` where unjudged or undecided.
    """

    campaign: Campaign
    runs: Sequence[Run]
    measure: Measure
    cut: int
    panel: DisagreementPanel
    trust: DisagreementPanel

    @property
    def ballots(self) -> BallotTable:
        return self.panel.ballots

    @property
    def title(self) -> str:
        """The measure in the writing of the field."""
        return format_measure_title(self.measure.name, over_topics=True)

    def split(self, grades: Grades) -> list[Grades]:
        """``grades`` of all pairs by topic."""
        return [grades[self.ballots.rows(at)] for at in range(len(self.ballots.topics))]

    @property
    def grades(self) -> list[Grades]:
        return self.split(self.ballots.policy_grades)

    def judged(self) -> Floats:
        """Judged@``cut`` of each run, over its topics with judged pairs."""
        return self.trust.means(self.trust.by_topic(self.ballots.policy_grades))

    @property
    def draws(self) -> int:
        """How many draws, by the work of one."""
        rows = sum(self.panel.work(at) for at in range(len(self.ballots.topics)))
        return int(np.clip(MOST_ROWS // max(rows, 1), LEAST_DRAWS, DRAWS))


def load_judged_runs(campaign: Campaign, unjudged: Sequence[Pair] = ()) -> JudgedRuns:
    """Raises ``ActionRefused`` if no measure of the campaign ranks runs."""
    runs = list(campaign.runs.scored().select_related("team").order_by("pk"))
    measure = select_main_measure(campaign)
    cut = measure_cut(measure)
    policy = resolve_policy(campaign, DEFAULT_POLICY)
    listed = load_visible_ballots(campaign)
    # Pairs of a reference get rows as well; nothing here is compared with its grades.
    reference: Mapping[Pair, int] | None = dict.fromkeys(unjudged, -1) if unjudged else None
    ballots = replace(build_ballots(listed, policy, reference), reference=None)
    places = matrices.get_pair_dictionary(campaign).places(ballots.pairs)
    tags = disambiguate_tags([run.tag for run in runs])
    warm, options = get_warm_runs(campaign, runs), scoring_options(campaign)
    (trust,) = parse_measure(f"judged_{cut}")
    panel, shares = (
        build_panel(tags, warm, ballots, places, each, options) for each in (measure, trust)
    )
    return JudgedRuns(campaign, runs, measure, cut, panel, shares)


def select_main_measure(campaign: Campaign) -> Measure:
    measures = measures_to_rank_by(campaign)
    if not measures:
        fix = "Choose one in the settings."
        raise ActionRefused("no-measure", "The campaign has no measure that ranks runs.", fix)
    return measures[0]


def identify_judging(campaign: Campaign) -> str:
    """Changes with every judgment, exclusion, run, pool, plan and setting of scores."""
    matrix = list(campaign.runs.scored().order_by("pk").values_list("pk", "matrix"))
    scale = list(campaign.grades.order_by("value").values_list("value", "gain"))
    pool = campaign.pools.first()
    latest = campaign.qrels.order_by("-version").values_list("version", flat=True).first()
    orders = sorted(pool.plans.values_list("kind", "order")) if pool else []
    facts = (
        log_state_key(campaign), matrix, scale, campaign.measures, campaign.relevance_level,
        pool and pool.pk, orders, latest,
    )  # fmt: skip
    return sha256(repr(facts).encode()).hexdigest()


def compute_median_seconds(campaign: Campaign) -> float | None:
    """The median active seconds of the latest judgments by people; None where none is known."""
    log = Judgment.objects.filter(
        campaign=campaign, purpose=Purpose.JUDGE, active_seconds__gt=0
    ).order_by("-pk")
    seconds = list(log.values_list("active_seconds", flat=True)[:PACE])
    known = [each for each in seconds if each is not None]
    return float(np.median(known)) if known else None
