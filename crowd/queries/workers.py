"""The workers of a study, and one of them: work, controls of its quality, alarms, and what was set
aside.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.functions import Length
from django.http import Http404

from campaigns.models import Campaign, Document, User
from campaigns.queries.lists import get_campaign_for
from crowd.models import CrowdWorker, Payment, Study, WorkUnit
from crowd.queries.keys import find_crowd_key, hash_under
from judging.models import Exclusion, Judgment
from judging.queries.exclusions import list_active_exclusions
from judging.queries.judgments import SHOWN
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.crowd.quality.answers import CrowdAnswer
from poolbench.crowd.quality.careless import TimeFloor
from poolbench.crowd.quality.formats import WorkerLine
from poolbench.crowd.quality.gold import StopRule
from poolbench.crowd.quality.workers import QualitySettings, WorkerQuality, measure_workers
from poolbench.crowd.units import list_working_seconds

STATES = {
    "active": "active", "aside": "set aside", "screened": "screened out",
    "withdrawn": "consent withdrawn",
}  # fmt: skip
"""States by which the table can be filtered."""


@dataclass(frozen=True)
class WorkerSummary:
    """A worker of the study. ``units`` counts by state; ``quality`` is None without answers.

    ``exclusion`` is in force for all the work, ``units_aside`` are single units set aside.
    """

    pk: int
    pseudonym: str
    screened: bool
    withdrawn: bool = False
    units: Mapping[str, int] = field(default_factory=dict)
    quality: WorkerQuality | None = None
    exclusion: Exclusion | None = None
    units_aside: int = 0

    @property
    def judged(self) -> int:
        return self.quality.judged if self.quality else 0

    @property
    def unit_total(self) -> int:
        return sum(self.units.values())

    @property
    def complete(self) -> int:
        return self.units.get(WorkUnit.State.COMPLETE, 0)

    @property
    def state(self) -> str:
        if self.withdrawn:
            return "withdrawn"
        if self.exclusion is not None:
            return "aside"
        return "screened" if self.screened else "active"

    @property
    def state_label(self) -> str:
        return STATES[self.state]

    @property
    def alarm_codes(self) -> tuple[str, ...]:
        return tuple(alarm.name for alarm in self.quality.alarms) if self.quality else ()

    @property
    def units_in_words(self) -> str:
        """The units by state, such as ``2 complete, 1 started``."""
        return ", ".join(
            f"{self.units[state]} {state.label}"
            for state in WorkUnit.State
            if self.units.get(state)
        )


def get_study_for(user: User, slug: str, pk: int) -> tuple[Campaign, Study]:
    """The study of a campaign that ``user`` manages; else 403 or 404."""
    campaign = get_campaign_for(user, slug, "campaigns.manage")
    study = Study.objects.filter(campaign=campaign, pk=pk).select_related("plan__pool").first()
    if study is None:
        raise Http404(f"no study {pk} in {slug}")
    study.campaign = campaign
    return campaign, study


def get_crowd_worker(study: Study, pk: int) -> CrowdWorker:
    """A worker with a unit in ``study``, trials aside."""
    # By its own key, which an address may make too large for the database.
    row = study_workers(study).filter(pk=pk).first()
    if row is None:
        raise Http404(f"no worker {pk} in study {study.pk}")
    return row


def find_worker_by_external_id(study: Study, external_id: str) -> CrowdWorker | None:
    """The worker of the study with this ID of a provider; None also if the key is destroyed."""
    key = find_crowd_key(study.campaign)
    if key is None:
        return None
    hashes = hash_under(key, [f"worker {name} {external_id}" for name in PROVIDERS])
    return study_workers(study).filter(external_hash__in=hashes).first()


def load_quality_settings(study: Study) -> QualitySettings:
    scale = study.campaign.grades.order_by("value").values_list("value", flat=True)
    return QualitySettings(
        scale=tuple(scale),
        rule=StopRule(study.stop_after, study.stop_below),
        floor=TimeFloor(study.floor_seconds, study.floor_per_1000),
    )


def list_crowd_workers(study: Study) -> list[WorkerSummary]:
    """All workers with a unit, in the order of their arrival; eight queries for any number."""
    units = count_units_by_worker(study)
    whole, single = find_exclusions(study)
    quality = load_worker_quality(study, {*whole}, {*single})
    asides = Counter(exclusion.worker_id for exclusion in single.values())
    return [
        WorkerSummary(
            pk=worker.pk,
            pseudonym=worker.pseudonym,
            screened=worker.state == CrowdWorker.State.SCREENED_OUT,
            withdrawn=worker.state == CrowdWorker.State.WITHDRAWN,
            units=units[worker.pk],
            quality=quality.get(str(worker.pk)),
            exclusion=whole.get(worker.pk),
            units_aside=asides[worker.pk],
        )
        for worker in study_workers(study)
    ]


def list_worker_lines(study: Study) -> list[WorkerLine]:
    """The workers as rows of a report."""
    return [
        WorkerLine(row.pseudonym, row.state_label, row.units, row.quality)
        for row in list_crowd_workers(study)
    ]


def study_workers(study: Study) -> QuerySet[CrowdWorker]:
    """Workers with a unit that is no trial."""
    units = WorkUnit.objects.filter(plan=study.plan_id, trial=False)
    return CrowdWorker.objects.filter(pk__in=units.values("worker")).select_related("user")


def count_units_by_worker(study: Study) -> Mapping[int, dict[str, int]]:
    """Units by worker and state."""
    rows = WorkUnit.objects.filter(plan=study.plan_id, trial=False).order_by()
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for worker, state, count in rows.values_list("worker", "state").annotate(n=Count("pk")):
        counts[worker][state] = count
    return counts


def find_exclusions(study: Study) -> tuple[dict[int, Exclusion], dict[int, Exclusion]]:
    """Exclusions in force: of whole workers by worker, of single units of the study by unit."""
    rows = list_active_exclusions().filter(campaign=study.campaign_id).select_related("actor")
    whole, single = {}, {}
    for exclusion in rows.select_related("unit").order_by("pk"):
        if exclusion.unit is None:
            whole[exclusion.worker_id] = exclusion
        elif exclusion.unit.plan_id == study.plan_id:
            single[exclusion.unit.pk] = exclusion
    return whole, single


def load_worker_quality(
    study: Study, workers_aside: set[int], units_aside: set[int]
) -> dict[str, WorkerQuality]:
    """The controls of every worker by the key of its row, as text."""
    rows = load_study_answers(study)
    aside = {str(worker) for worker in workers_aside}
    answers = [answer for _, answer in rows]
    counting = [
        answer for unit, answer in rows if unit not in units_aside and answer.worker not in aside
    ]
    return measure_workers(answers, load_quality_settings(study), counting)


SORT_KEYS: dict[str, Callable[[WorkerSummary], Any]] = {
    "alarms": lambda row: len(row.alarm_codes),
    "worker": lambda row: row.pseudonym,
    "state": lambda row: row.state,
    "units": lambda row: row.unit_total,
    "judged": lambda row: row.judged,
    "gold": lambda row: row.quality and row.quality.gold.value,
    "pace": lambda row: row.quality and row.quality.pace.median,
    "others": lambda row: row.quality and row.quality.others.share.value,
    "repeats": lambda row: row.quality and row.quality.repeats.value,
}
"""Columns by which the table can be sorted, by their name in the address."""


def sort_workers(
    rows: list[WorkerSummary], column: str, *, descending: bool
) -> list[WorkerSummary]:
    """By a name of ``SORT_KEYS``; rows without a value stay last."""
    key = SORT_KEYS[column]
    defined = [row for row in rows if key(row) is not None]
    undefined = [row for row in rows if key(row) is None]
    return sorted(defined, key=key, reverse=descending) + undefined


def filter_workers(rows: list[WorkerSummary], *, state: str, alarm: str) -> list[WorkerSummary]:
    """Those in ``state`` (empty: all) with the alarm ``alarm`` (``any``: at least one)."""
    return [
        row
        for row in rows
        if (not state or row.state == state)
        and (not alarm or alarm in row.alarm_codes or (alarm == "any" and row.alarm_codes))
    ]


MOST_ANSWERS = 500


def load_worker_detail(study: Study, worker: CrowdWorker) -> dict[str, Any]:
    """Everything that organizers see of one worker: ``answers`` are the first ``MOST_ANSWERS`` in
    the order of time, their units counted from 1, ``more`` the rest; ``gold`` are all on gold.
    """
    summary = next(row for row in list_crowd_workers(study) if row.pk == worker.pk)
    units = list(
        WorkUnit.objects.filter(plan=study.plan_id, worker=worker, trial=False).order_by("pk")
    )
    places = {unit.pk: number for number, unit in enumerate(units, 1)}
    answers = load_study_answers(study, worker)
    floor = TimeFloor(study.floor_seconds, study.floor_per_1000)
    lines: list[dict[str, Any]] = [
        {
            "number": number,
            "unit": places[unit],
            "answer": answer,
            "is_right": answer.gold_grade == answer.grade,
            "is_hasty": answer.seconds is not None
            and floor.is_hasty(answer.seconds, answer.characters),
        }
        for number, (unit, answer) in enumerate(answers, 1)
    ]
    exclusions = Exclusion.objects.filter(campaign=study.campaign_id, worker=worker)
    comments = list_study_judgments(study, worker).exclude(comment="").select_related("topic")
    return {
        "summary": summary,
        "units": list_unit_lines(study, units, answers),
        "answers": lines[:MOST_ANSWERS],
        "gold": [line for line in lines if line["answer"].gold_grade is not None],
        "history": list(exclusions.select_related("actor", "unit", "undoes").order_by("-pk")),
        "more": max(len(lines) - MOST_ANSWERS, 0),
        "comments": list(comments[:MOST_ANSWERS]),
    }


def list_unit_lines(
    study: Study, units: list[WorkUnit], answers: list[tuple[int, CrowdAnswer]]
) -> list[dict[str, Any]]:
    """The units with their answers, pay and exclusion in force; ``paid`` is None while a unit runs
    or where nothing is owed.
    """
    _, single = find_exclusions(study)
    rows = Payment.objects.filter(unit__in=units).values_list("unit", "amount")
    paid = dict(rows)
    return [
        {
            "unit": unit,
            "judged": sum(1 for number, _ in answers if number == unit.pk),
            "paid": paid.get(unit.pk),
            "exclusion": single.get(unit.pk),
        }
        for unit in units
    ]


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
