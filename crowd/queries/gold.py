"""The gold of a campaign: how much there is, by grade, and how much its studies need."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from campaigns.models import Campaign, Grade, Topic
from crowd.models import GoldPair, Study
from judging.models import Judgment, Purpose
from judging.queries.judgments import current_judgments
from judging.queries.training import AgreedPair
from poolbench.crowd.forecast import GoldNeed, compute_gold_needs, find_dominant_grade


@dataclass(frozen=True)
class GoldBalance:
    """The gold in use against the needs of ``study``: by grade, and the grade that dominates.

    ``dominant`` is a grade and its share that a worker could always give without being stopped.
    ``bare_topics`` are those without gold of a study whose units have one topic: gold of another
    topic would give itself away, so their units have none.
    """

    study: Study
    needs: list[GoldNeed]
    dominant: tuple[int, float] | None
    bare_topics: list[str]

    @property
    def available(self) -> int:
        return sum(need.available for need in self.needs)

    @property
    def needed(self) -> int:
        """What one worker who does all units can meet."""
        return self.study.gold_per_unit * self.study.units_per_worker

    @property
    def is_enough(self) -> bool:
        return self.available >= self.needed

    @property
    def dominant_grade(self) -> int | None:
        return self.dominant[0] if self.dominant else None

    @property
    def dominant_percent(self) -> float:
        return 100 * self.dominant[1] if self.dominant else 0.0


def count_gold(campaign: Campaign) -> dict[int, int]:
    """Gold pairs in use, by grade."""
    rows = GoldPair.objects.filter(campaign=campaign, retired=False).order_by()
    counts = rows.values_list("grade").annotate(n=Count("pk"))
    return dict(counts)


def build_gold_balance(
    study: Study, available: Mapping[int, int], scale: list[Grade]
) -> GoldBalance:
    needs = compute_gold_needs(
        available,
        [grade.value for grade in scale],
        gold_per_unit=study.gold_per_unit,
        units_per_worker=study.units_per_worker,
    )
    dominant = find_dominant_grade(available, study.stop_below) if study.gold_per_unit else None
    return GoldBalance(study, needs, dominant, list_bare_topics(study))


def load_gold_balance(study: Study) -> GoldBalance:
    scale = list(study.campaign.grades.all())
    return build_gold_balance(study, count_gold(study.campaign), scale)


def list_bare_topics(study: Study) -> list[str]:
    """Numbers of the topics without gold in the plan of a study with units of one topic."""
    if not (study.one_topic and study.gold_per_unit):
        return []
    gold = GoldPair.objects.filter(campaign=study.campaign_id, retired=False).order_by()
    planned = study.plan.slots.filter(purpose=Purpose.JUDGE).order_by().values("topic")
    bare = Topic.objects.filter(pk__in=planned).exclude(pk__in=gold.values("topic"))
    return list(bare.values_list("number", flat=True))


def list_gold_pairs(campaign: Campaign) -> list[dict[str, object]]:
    """Every gold pair, those in use first, with the answers of workers that count."""
    rows = current_judgments(campaign, purpose=Purpose.GOLD).order_by()
    answers: dict[tuple[int, str], list[int]] = {}
    for topic, docno, grade in rows.values_list("topic", "docno", "grade"):
        answers.setdefault((topic, docno), []).append(grade or 0)
    pairs = GoldPair.objects.filter(campaign=campaign).select_related("topic")
    results: list[dict[str, object]] = []
    for pair in pairs.order_by("retired", "topic__position", "topic__number", "docno"):
        own = answers.get((pair.topic_id, pair.docno), [])
        total, right = len(own), own.count(pair.grade)
        words = f"{right} of {total} ({100 * right / total:.0f} %)" if total else ""
        results.append({"pair": pair, "total": total, "in_words": words})
    return results


def list_adjudicated_pairs(campaign: Campaign, limit: int = 200) -> list[AgreedPair]:
    """Candidates for gold: pairs with a decision of an adjudicator that are no gold yet.

    ``count`` is the number of adjudicators; pairs on which they differ are left out.
    """
    rows = current_judgments(campaign, purpose=Purpose.ADJUDICATE).order_by()
    pairs = rows.values_list("topic", "topic__number", "topic__position", "docno", "grade")
    taken = set(GoldPair.objects.filter(campaign=campaign).values_list("topic", "docno"))
    return select_unanimous(pairs, taken)[:limit]


def select_unanimous(
    rows: QuerySet[Judgment, tuple[int, str, int, str, int | None]], existing: set[tuple[int, str]]
) -> list[AgreedPair]:
    """By topic: the pairs of ``rows`` with one grade that are not ``existing``."""
    grades: dict[tuple[int, int, str, str], list[int]] = {}
    for topic, number, position, docno, grade in rows:
        if (topic, docno) not in existing:
            grades.setdefault((position, topic, number, docno), []).append(grade or 0)
    return [
        AgreedPair(topic, number, docno, own[0], len(own))
        for (_, topic, number, docno), own in sorted(grades.items())
        if len(set(own)) == 1
    ]
