"""What "ask one more" would ask for, and what that costs."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, F, Max, Q

from campaigns.models import Event
from campaigns.queries.lists import list_judging_grades
from crowd.models import Study
from judging.models import Judgment, Purpose, Slot
from judging.queries.exclusions import counting_judgments
from judging.queries.judgments import latest_judgments
from poolbench.crowd.pay import round_to_cent
from poolbench.crowd.quality.unsure import UnsurePair, choose_unsure_pairs
from poolbench.judging.aggregation.base import (
    AggregationOptions,
    GoldCounts,
    LabelMatrix,
    aggregate_labels,
    build_label_matrix,
)
from poolbench.judging.aggregation.registry import MODELS

Pair = tuple[str, str]


@dataclass(frozen=True)
class UnsurePreview:
    """``pairs`` would be requested, ``items`` are their pool items; ``cost`` is their share of the
    pay for a unit. ``requested`` of ``budget`` judgments were requested before.
    """

    pairs: tuple[UnsurePair, ...]
    items: tuple[int, ...]
    budget: int
    requested: int
    cost: Decimal
    currency: str
    model: str
    reason: str = ""

    @property
    def left(self) -> int:
        return max(self.budget - self.requested, 0)


def count_requested_labels(study: Study) -> int:
    """Judgments that were ever requested from the extra budget, as the campaign's events say.

    A higher redundancy later covers their slots, but gives nothing of the budget back.
    """
    events = Event.objects.filter(campaign=study.campaign_id, code="study.labels_requested")
    own = events.filter(data__plan=study.plan_id).values_list("data", flat=True)
    return sum(data["judgments"] for data in own)


def preview_unsure_pairs(study: Study) -> UnsurePreview:
    """The pairs for which one more judgment would be requested now."""
    requested = count_requested_labels(study)
    left = max(study.extra_budget - requested, 0)
    reason, pairs, room = "", [], find_room(study)
    if not study.extra_budget:
        reason = "the study has no extra budget"
    elif not left:
        reason = "the extra budget is spent"
    elif not room:
        reason = "no document has all its judgments and may have one more"
    else:
        matrix = load_study_labels(study)
        options = AggregationOptions(gold=count_gold_by_worker(study))
        model = MODELS[study.aggregation]
        if model.needs_gold and not any(n for _, n in options.gold.values()):
            reason = f"{study.aggregation} needs answers on gold, and there are none"
        else:
            pairs = choose_unsure_pairs(aggregate_labels(model, matrix, options), room, left)
            reason = "" if pairs else "the model is sure of every grade"
    share = study.pay_per_unit / max(study.options.documents, 1)
    return UnsurePreview(
        pairs=tuple(pairs),
        items=tuple(room[pair.topic, pair.docno] for pair in pairs),
        budget=study.extra_budget,
        requested=requested,
        cost=round_to_cent(share * len(pairs)),
        currency=study.currency,
        model=study.aggregation,
        reason=reason,
    )


def find_room(study: Study) -> dict[Pair, int]:
    """The pool items with all their judgments that may have one more, by pair."""
    limit = study.plan.max_overlap or study.plan.overlap
    judged = Q(state=Slot.State.JUDGED)
    rows = (
        study.plan.slots.filter(purpose=Purpose.JUDGE)
        .order_by()
        .values("item", "topic__number", "item__docno")
        .annotate(judged=Count("pk", filter=judged), slots=Count("pk"), last=Max("k"))
        .filter(judged=F("slots"), last__lt=limit - 1)
    )
    return {(row["topic__number"], row["item__docno"]): row["item"] for row in rows}


def load_study_labels(study: Study) -> LabelMatrix:
    """The current grades of the study that count."""
    log = Judgment.objects.filter(
        counting_judgments(), unit__plan=study.plan_id, purpose=Purpose.JUDGE
    )
    rows = latest_judgments(log).filter(kind=Judgment.Kind.GRADE, grade__gte=0).order_by()
    labels = rows.values_list("topic__number", "docno", "assessor__username", "grade")
    return build_label_matrix(
        (((topic, docno), worker, grade or 0) for topic, docno, worker, grade in labels),
        list_judging_grades(study.campaign),
    )


def count_gold_by_worker(study: Study) -> GoldCounts:
    """Right and answered gold documents by worker."""
    log = Judgment.objects.filter(
        counting_judgments(), unit__plan=study.plan_id, purpose=Purpose.GOLD
    )
    rows = latest_judgments(log).filter(kind=Judgment.Kind.GRADE, slot__gold__isnull=False)
    right = Count("pk", filter=Q(grade=F("slot__gold__grade")))
    counts = rows.order_by().values("assessor__username").annotate(right=right, n=Count("pk"))
    return {row["assessor__username"]: (row["right"], row["n"]) for row in counts}
