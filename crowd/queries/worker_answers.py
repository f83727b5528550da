"""All answers of a study as the controls of quality read them: a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple, cast

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Length

from campaigns.models import Document
from crowd.models import CrowdWorker, Study
from judging.models import Judgment
from judging.queries.judgments import SHOWN
from poolbench.crowd.quality.answers import CrowdAnswer
from poolbench.crowd.units import list_working_seconds


def list_study_judgments(study: Study, worker: CrowdWorker | None = None) -> QuerySet[Judgment]:
    """The revisions given in units of ``study``, without trials and practice, in their order."""
    rows = Judgment.objects.filter(
        unit__plan=study.plan_id, unit__trial=False, purpose__in=SHOWN
    ).order_by("pk")
    return rows if worker is None else rows.filter(unit__worker=worker)


def load_study_answers(
    study: Study, worker: CrowdWorker | None = None
) -> list[tuple[int, CrowdAnswer]]:
    """Each answer with the key of its unit, in the order of the first revisions.

    Withdrawn answers are left out. The worker of an answer is the key of its row, as text.
    """
    revisions = gather_revisions(study, worker)
    seconds = measure_answers(revisions)
    lengths = load_document_lengths(study, worker)
    return [
        (
            rows[0].unit,
            CrowdAnswer(
                worker=str(key[0]),
                topic=key[1],
                docno=key[2],
                purpose=key[3],
                grade=rows[-1].grade,
                gold_grade=next((row.gold for row in reversed(rows) if row.gold is not None), None),
                seconds=seconds.get(key),
                characters=lengths.get(key[2], 0),
            ),
        )
        for key, rows in revisions.items()
        if rows[-1].kind != Judgment.Kind.WITHDRAWN
    ]


AnswerKey = tuple[int, str, str, str]
"""Worker, topic, docno and purpose."""


class Revision(NamedTuple):
    """What the log has of a document; ``started`` is when its unit was."""

    unit: int
    started: datetime | None
    shown_at: datetime | None
    judged_at: datetime
    kind: str
    grade: int | None
    gold: int | None


def gather_revisions(study: Study, worker: CrowdWorker | None) -> dict[AnswerKey, list[Revision]]:
    """What each worker answered to each document, from first to last."""
    rows = list_study_judgments(study, worker).values_list(
        "unit__worker", "topic__number", "docno", "purpose", "unit", "unit__started_at",
        "served_at", "judged_at", "kind", "grade", "slot__gold__grade",
    )  # fmt: skip
    revisions: dict[AnswerKey, list[Revision]] = defaultdict(list)
    for number, topic, docno, purpose, *values in rows.iterator():
        key: AnswerKey = (number or 0, topic, docno, purpose)
        revisions[key].append(Revision(*cast("list[Any]", values)))
    return revisions


def measure_answers(revisions: dict[AnswerKey, list[Revision]]) -> dict[AnswerKey, float]:
    """The server seconds of each first answer, within its unit."""
    units: dict[tuple[int, datetime], list[AnswerKey]] = defaultdict(list)
    for key, (first, *_) in revisions.items():
        if first.started is not None:
            units[first.unit, first.started].append(key)
    seconds: dict[AnswerKey, float] = {}
    for (_, started), keys in units.items():
        firsts = [revisions[key][0] for key in keys]
        times = [(first.shown_at, first.judged_at) for first in firsts]
        seconds.update(zip(keys, list_working_seconds(started, times), strict=True))
    return seconds


def load_document_lengths(study: Study, worker: CrowdWorker | None = None) -> dict[str, int]:
    """Characters of the documents that were answered; HTML with its markup."""
    judged = list_study_judgments(study, worker).filter(docno=OuterRef("docno")).order_by()
    documents = Document.objects.filter(Exists(judged), campaign=study.campaign_id, file="")
    return dict(documents.order_by().values_list("docno", Length("body")))
