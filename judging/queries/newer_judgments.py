"""Judgments that a qrels version does not have because they are newer."""

from typing import Any

from django.db.models import Exists, QuerySet

from judging.models import Judgment, Purpose, Qrels
from judging.queries.exclusions import counting_judgments
from judging.queries.judgments import later_revisions

INTO_QRELS = (Purpose.JUDGE, Purpose.ADJUDICATE)


def list_newer_judgments(campaign: Any, as_of: Any) -> QuerySet[Judgment]:
    """The current grades given after ``as_of``, which a version frozen now would have; both
    arguments may be columns of a query.

    A grade that was changed after ``as_of`` is newer, one that was changed twice counts once.
    """
    newer = Judgment.objects.filter(
        counting_judgments(), campaign=campaign, judged_at__gt=as_of, purpose__in=INTO_QRELS,
        topic__withheld=False,
    )  # fmt: skip
    return newer.filter(~Exists(later_revisions()), kind=Judgment.Kind.GRADE).order_by()


def count_newer_judgments(qrels: Qrels) -> int:
    return list_newer_judgments(qrels.campaign_id, qrels.as_of).count()
