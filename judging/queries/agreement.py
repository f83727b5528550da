"""The grades of all assessors as a table, for the agreement coefficients."""

from __future__ import annotations

from campaigns.models import Campaign, User
from judging.core.agreement.labels import LabelTable, build_labels
from judging.models import Purpose
from judging.queries.judgments import log_until


def agreement_scale(campaign: Campaign) -> tuple[int, ...]:
    """The grades of the campaign from 0; those below are not judgments, as in qrels files."""
    values = campaign.grades.order_by("value").values_list("value", flat=True)
    return tuple(value for value in values if value >= 0)


def load_labels(
    campaign: Campaign, purpose: str = Purpose.JUDGE, *, third: bool = False
) -> LabelTable:
    """Current judgments of all assessors, including extra ones. With another ``purpose``, those
    of automatic assessors, the repeats, etc.

    Third judgments only if ``third``: they exist where two assessors disagreed, so any figure of
    agreement over them is selected by its outcome.
    """
    log = log_until(campaign, purpose=purpose).order_by("pk")
    # The last revision counts: in log order it overwrites the earlier ones.
    current = {
        (assessor, topic, docno): (grade, is_third)
        for assessor, topic, docno, grade, is_third in log.values_list(
            "assessor_id", "topic_id", "docno", "grade", "third"
        ).iterator()
    }
    names, numbers = usernames_by_id({a for a, _, _ in current}), topic_numbers_by_id(campaign)
    cast = {
        (names[a], (numbers[t], d)): (grade, is_third)
        for (a, t, d), (grade, is_third) in current.items()
        if grade is not None and grade >= 0
    }
    labels = build_labels(
        {key: grade for key, (grade, _) in cast.items()},
        agreement_scale(campaign),
        {key for key, (_, is_third) in cast.items() if is_third},
    )
    return labels if third else labels.without_third()


def usernames_by_id(users: set[int]) -> dict[int, str]:
    """Usernames by primary key."""
    return dict(User.objects.filter(pk__in=users).values_list("pk", "username"))


def topic_numbers_by_id(campaign: Campaign) -> dict[int, str]:
    """Topic numbers by primary key."""
    return dict(campaign.topics.values_list("pk", "number"))
