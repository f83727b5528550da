"""What moved between two score sets of a campaign, or since one until now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from campaigns.models import Campaign
from campaigns.queries.tasks import get_current_task
from evaluation.models import ScoreSet
from evaluation.queries.scoring_inputs import SHOWN_MEASURES
from poolbench.evaluation.comparison.moves import RankingMoves, compare_rankings
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.titles import format_full_title

Means = Mapping[int, Mapping[str, float | None]]
"""By the ID of a run and the name of a measure."""


@dataclass(frozen=True, eq=False)
class SetsCompared:
    """With the set ``before``, one of the ``earlier`` sets that have the measure ``name``; both
    have the measures ``names``, by which runs are compared.
    """

    before: ScoreSet
    earlier: Sequence[ScoreSet]
    name: str
    names: Sequence[str]
    means: tuple[Means, Means]

    @cached_property
    def selection(self) -> RankingMoves:
        return compare_means(*self.means, self.name)

    def by_measure(self) -> dict[str, RankingMoves]:
        return {name: compare_means(*self.means, name) for name in self.names}

    @property
    def sentence(self) -> str:
        return self.selection.describe(format_full_title(self.name, over_topics=True))


def compare_with_earlier(after: ScoreSet, since: str = "", name: str = "") -> SetsCompared | None:
    """With the set of ID ``since``, by default the latest before, by the measure ``name``, by
    default the first that tables show; None if there is no such set or measure.
    """
    known = dict.fromkeys([*after.campaign.measures, *SHOWN_MEASURES, *after.measures])
    names = [n for n in known if n in after.measures and parse_measure(n)[0].compares]
    name = name or next(iter(names), "")
    earlier = list_sets_to_compare(after.campaign, name, after) if name in names else []
    before = next((each for each in earlier if since in ("", str(each.pk))), None)
    if before is None:
        return None
    names = [n for n in names if n in before.measures]
    return SetsCompared(before, earlier, name, names, (load_means(before), load_means(after)))


def list_sets_to_compare(
    campaign: Campaign, name: str, after: ScoreSet | None = None
) -> list[ScoreSet]:
    """The sets of its kind with the measure ``name`` before ``after``, latest first; those with its
    label come first. Without it, for interim scores, those by people's grades alone.
    """
    sets = [each for each in campaign.score_sets.select_related("qrels") if name in each.measures]
    if after is None:
        task = get_current_task(campaign)
        kinds = ScoreSet.Kind.PEOPLE, ScoreSet.Kind.SAMPLE
        own = [each for each in sets if each.task_id == (task and task.pk)]
        return [each for each in own if each.kind in kinds]
    sets = [
        each
        for each in sets
        if (each.task_id, each.kind) == (after.task_id, after.kind)
        and (each.created_at, each.pk) < (after.created_at, after.pk)
    ]
    return sorted(sets, key=lambda each: each.label != after.label)


def load_means(score_set: ScoreSet) -> Means:
    return dict(score_set.runs.values_list("run", "means"))


def compare_means(before: Means, after: Means, name: str) -> RankingMoves:
    (measure,) = parse_measure(name)
    old, new = ({run: means.get(name) for run, means in each.items()} for each in (before, after))
    return compare_rankings(old, new, lower=measure.family.better == "lower")
