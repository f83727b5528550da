"""The judgments of a campaign as labels for the models of aggregation, and the answers to gold."""

from datetime import datetime

from campaigns.models import Campaign
from campaigns.queries.lists import list_judging_grades
from judging.models import Purpose
from judging.queries.judgments import current_judgments, load_pair_ballots
from poolbench.judging.aggregation.base import GoldCounts, LabelMatrix, build_label_matrix


def load_label_matrix(campaign: Campaign) -> LabelMatrix:
    """The current human judgments that count for a policy."""
    labels = (
        (ballot.pair, name, grade)
        for ballot in load_pair_ballots(campaign).omit_propagated().list_ballots()
        for name, grade in ballot.people.items()
        if grade >= 0
    )
    return build_label_matrix(labels, list_judging_grades(campaign))


def count_gold_answers(
    campaign: Campaign, as_of: datetime | None = None, last: int | None = None
) -> GoldCounts:
    """By worker, the numbers of gold pairs answered with the correct grade and answered at all,
    from the log up to the time ``as_of`` and row ``last``; retired gold counts too.
    """
    gold = {
        (topic, docno): grade
        for topic, docno, grade in campaign.gold_pairs.order_by().values_list(
            "topic", "docno", "grade"
        )
    }
    counts: dict[str, tuple[int, int]] = {}
    answers = current_judgments(campaign, as_of, last, Purpose.GOLD).order_by("pk")
    rows = answers.values_list("topic", "docno", "assessor__username", "grade")
    for topic, docno, worker, grade in rows.iterator():
        if (topic, docno) in gold:
            right, answered = counts.get(worker, (0, 0))
            counts[worker] = right + (grade == gold[topic, docno]), answered + 1
    return dict(sorted(counts.items()))
