"""What grades that were propagated to documents with the same text do to the ranking of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.models import Campaign, User
from evaluation.queries.interim_scores import InterimScores, compute_interim_scores
from evaluation.queries.score_moves import Means, compare_means
from judging.queries.judgments import has_propagated_grades
from poolbench.evaluation.comparison.moves import RankingMoves
from poolbench.judging.policies import CROWD_POLICIES, NOT_PROPAGATED, POLICIES


@dataclass(frozen=True)
class PropagationEffect:
    """``grades``: how many of the interim grades are propagated; by measure how the ranking moves
    from that without them to that with them. ``policy`` is the one without.
    """

    grades: int
    policy: str
    moves: Mapping[str, RankingMoves]


def compare_without_propagated(
    actor: User,
    campaign: Campaign,
    policy: str,
    scores: InterimScores,
    names: Sequence[str],
    last: int | None = None,
) -> PropagationEffect | None:
    """By the measures ``names``, beside ``scores`` by ``policy``, by judgments up to row ``last``;
    None where nothing is propagated or the policy leaves it out.
    """
    if policy not in POLICIES | CROWD_POLICIES or not has_propagated_grades(campaign):
        return None
    without = policy + NOT_PROPAGATED
    other = compute_interim_scores(actor=actor, campaign=campaign, policy=without, last=last)
    if other.judged == scores.judged:
        return None
    before, after = map(list_means, (other, scores))
    moves = {name: compare_means(before, after, name) for name in names}
    return PropagationEffect(scores.judged - other.judged, without, moves)


def list_means(scores: InterimScores) -> Means:
    names = [measure.name for measure in scores.measures]
    return {
        run.pk: dict(zip(names, means, strict=True))
        for run, means in zip(scores.runs, scores.means, strict=True)
    }
