"""All answers of a study as the controls of quality read them: a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Length

from campaigns.models import Document
from crowd.models import CrowdWorker, Study
from judging.models import Judgment
from judging.queries.judgments import SHOWN
from poolbench.crowd.quality.answers import CrowdAnswer
from poolbench.crowd.units import list_working_seconds


@dataclass
class AnswerDraft:
    """The revisions of a document by one worker, gathered into one answer."""

    unit: int
    started: datetime | None
    shown_at: datetime | None
    first: datetime
    kind: str
    grade: int | None
    gold_grade: int | None

    def add_revision(self, later: AnswerDraft) -> None:
        self.kind, self.grade = later.kind, later.grade
        if later.gold_grade is not None:
            self.gold_grade = later.gold_grade


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
    drafts = gather_revisions(study, worker)
    seconds = measure_answers(drafts)
    lengths = load_document_lengths(study, worker)
    return [
        (
            draft.unit,
            CrowdAnswer(
                worker=str(key[0]),
                topic=key[1],
                docno=key[2],
                purpose=key[3],
                grade=draft.grade,
                gold_grade=draft.gold_grade,
                seconds=seconds.get(key),
                characters=lengths.get(key[2], 0),
            ),
        )
        for key, draft in drafts.items()
        if draft.kind != Judgment.Kind.WITHDRAWN
    ]


AnswerKey = tuple[int, str, str, str]
"""Worker, topic, docno and purpose."""


def gather_revisions(study: Study, worker: CrowdWorker | None) -> dict[AnswerKey, AnswerDraft]:
    """What each worker answered to each document, at first and at last."""
    rows = list_study_judgments(study, worker).values_list(
        "unit__worker", "topic__number", "docno", "purpose", "unit", "unit__started_at",
        "served_at", "judged_at", "kind", "grade", "slot__gold__grade",
    )  # fmt: skip
    drafts: dict[AnswerKey, AnswerDraft] = {}
    for number, topic, docno, purpose, *values in rows.iterator():
        key: AnswerKey = (number or 0, topic, docno, purpose)
        revision = AnswerDraft(*cast("list[Any]", values))
        if key in drafts:
            drafts[key].add_revision(revision)
        else:
            drafts[key] = revision
    return drafts


def measure_answers(drafts: dict[AnswerKey, AnswerDraft]) -> dict[AnswerKey, float]:
    """The server seconds of each first answer, within its unit."""
    units: dict[int, list[tuple[AnswerKey, AnswerDraft]]] = defaultdict(list)
    for key, draft in drafts.items():
        if draft.started is not None:
            units[draft.unit].append((key, draft))
    return {key: seconds for unit in units.values() for key, seconds in _measure_unit(unit)}


def _measure_unit(unit: list[tuple[AnswerKey, AnswerDraft]]) -> Iterator[tuple[AnswerKey, float]]:
    started = unit[0][1].started
    if started is not None:
        seconds = list_working_seconds(
            started, [(draft.shown_at, draft.first) for _, draft in unit]
        )
        yield from zip([key for key, _ in unit], seconds, strict=True)


def load_document_lengths(study: Study, worker: CrowdWorker | None = None) -> dict[str, int]:
    """Characters of the documents that were answered; HTML with its markup."""
    judged = list_study_judgments(study, worker).filter(docno=OuterRef("docno")).order_by()
    documents = Document.objects.filter(Exists(judged), campaign=study.campaign_id, file="")
    return dict(documents.order_by().values_list("docno", Length("body")))
