"""What a crowd worker sees of a unit: which step comes next, the text at hand, what is paid."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from campaigns.models import Campaign, Document, Grade, Topic
from campaigns.queries.pdf_pages import slice_pdf_pages
from crowd.models import CrowdWorker, Study, WorkUnit
from crowd.queries.keys import find_key_date, get_link_path, unseal_external
from crowd.queries.study_terms import get_consent_text, load_study_seconds
from crowd.queries.unit_work import find_last_unit_answer, list_unit_slots
from judging.models import Audience, Judgment, Purpose, Slot
from judging.queries.training import list_training, unanswered_pairs
from poolbench.crowd.inline_documents import make_inline_html
from poolbench.crowd.providers.base import ReturnForm
from poolbench.crowd.providers.fake import RETURN_PATH
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.crowd.quality.gold import is_stop_reason
from poolbench.crowd.units import AnswerTime, estimate_minutes_left
from poolbench.texts.pdf_pages import MOST_PAGES
from poolbench.texts.text_pages import slice_text_page

NO_DOCUMENTS = "no documents left"
"""Why a unit was refused that found nothing to judge."""
PREVIEWED = 10_000
"""Characters of the sample that a preview shows."""


@dataclass(frozen=True)
class PracticeCount:
    """Practice texts of a worker: ``total``, ``answered``, ``right``; ``needed`` to pass."""

    total: int
    answered: int
    right: int
    needed: int

    @property
    def is_over(self) -> bool:
        return self.answered >= self.total

    @property
    def is_failed(self) -> bool:
        return self.is_over and self.right < self.needed


def get_study(unit: WorkUnit) -> Study:
    study: Study = unit.plan.study
    return study


def get_consent_version(study: Study) -> int:
    """The latest version of the consent text; 0 before there is one."""
    text = get_consent_text(study)
    return text.version if text else 0


def load_practice_answers(unit: WorkUnit) -> dict[tuple[int, str], Judgment]:
    """The worker's first answers to practice texts, by topic and docno."""
    rows = Judgment.objects.filter(
        campaign=unit.plan.campaign_id, assessor=unit.worker.user_id, purpose=Purpose.TRAINING
    )
    return {(row.topic_id, row.docno): row for row in rows.order_by("-pk")}


def count_practice(unit: WorkUnit) -> PracticeCount:
    """How far the worker of ``unit`` is with practice, which is done once for a campaign."""
    pairs = list(list_training(unit.plan.campaign, Audience.CROWD))
    answers = load_practice_answers(unit)
    graded = [(pair, answers.get((pair.topic_id, pair.docno))) for pair in pairs]
    right = sum(answer is not None and answer.grade == pair.grade for pair, answer in graded)
    answered = sum(answer is not None for _, answer in graded)
    return PracticeCount(
        len(pairs), answered, right, min(get_study(unit).practice_pass, len(pairs))
    )


def find_step(unit: WorkUnit) -> str:
    """Where the worker is: consent, practice, begin, judge, finish, or end."""
    if unit.is_over:
        return "end"
    if unit.state == WorkUnit.State.STARTED:
        return "judge" if list_open_slots(unit) else "finish"
    if unit.consented_at is None:
        return "consent"
    if (
        not has_worked(unit.worker)
        and unanswered_pairs(unit.worker.user, unit.plan.campaign, Audience.CROWD).exists()
    ):
        return "practice"
    return "begin"


def has_worked(worker: CrowdWorker) -> bool:
    """Whether the worker has started a unit: practice lies behind them, also if it grows."""
    return worker.units.filter(started_at__isnull=False).exists()


def is_set_aside(unit: WorkUnit) -> bool:
    """Whether ``unit`` ended because its worker was set aside, other than by its own answers."""
    if unit.state == WorkUnit.State.REFUSED:
        return unit.reason != NO_DOCUMENTS
    is_screened = unit.state == WorkUnit.State.SCREENED_OUT and unit.started_at is not None
    return is_screened and not is_stop_reason(unit.reason)


def list_open_slots(unit: WorkUnit) -> list[Slot]:
    """The unit's documents that have no answer yet, in its order."""
    waiting = list_unit_slots(unit).filter(state=Slot.State.LEASED)
    return list(waiting.only("token", "unit_position", "topic", "item__docno", "gold__docno"))


def list_answer_times(unit: WorkUnit, *, practice: bool = False) -> list[AnswerTime]:
    """When each answer's document was shown and when it was answered, in order of time; or each
    practice text of ``unit``.
    """
    training = Q(purpose=Purpose.TRAINING)
    rows = Judgment.objects.filter(training if practice else ~training, unit=unit)
    return list(rows.order_by("pk").values_list("served_at", "judged_at"))


def find_item(unit: WorkUnit, *, back: bool = False) -> dict[str, Any] | None:
    """The first document without an answer, or with ``back`` the last one that was answered: number
    ``position`` of ``total``, its ``token``, the answer so far.

    None without one. Which kind of document it is changes no query.
    """
    slots, last = list_open_slots(unit), find_last_unit_answer(unit)
    at = slots[0].unit_position or 0 if slots else unit.size + 1
    chosen: Slot | Judgment | None = last if back else slots[0] if slots else None
    if chosen is None:
        return None
    started = unit.started_at or unit.offered_at
    answer = chosen if isinstance(chosen, Judgment) else None
    return {
        "position": at - 1 if back else at,
        "total": unit.size,
        "token": str(chosen.lease if isinstance(chosen, Judgment) else chosen.token),
        "question": describe_question(chosen.topic),
        "text": load_text(unit.plan.campaign_id, chosen.docno, has_file=True),
        "grade": answer.grade if answer else None,
        "reason": answer.reason if answer else "",
        "is_new_question": bool(answer or last is None or last.topic_id != chosen.topic_id),
        "minutes_left": estimate_minutes_left(started, list_answer_times(unit), len(slots)),
    }


def find_shown_document(unit: WorkUnit, position: int) -> Document | None:
    """The document at ``position``: the one at hand, or the one before it."""
    slots, last = list_open_slots(unit), find_last_unit_answer(unit)
    at = slots[0].unit_position if slots else unit.size + 1
    if slots and position == at:
        docno = slots[0].docno
    elif last and position == (at or 0) - 1:
        docno = last.docno
    else:
        return None
    return Document.objects.filter(campaign=unit.plan.campaign_id, docno=docno).first()


def describe_question(topic: Topic) -> dict[str, Any]:
    """A topic as workers see it: never with its number."""
    details = (text for text in (topic.description, topic.narrative) if text.strip())
    return {"title": topic.title, "details": tuple(text for text in details if text != topic.title)}


def load_text(
    campaign: int, docno: str, most: int | None = None, *, has_file: bool = False
) -> dict[str, Any]:
    """A document as workers see it, whole or its first ``most`` characters: never with its docno.

    One of ``chunks`` (text), ``html``, ``part`` (a PDF that was read) and ``file_kind`` (pdf or
    image) is set; all are empty if there is no text. A PDF is its text where its page does not have
    the file (``has_file``).
    """
    text: dict[str, Any] = {"title": "", "chunks": [], "html": "", "part": None, "file_kind": ""}
    documents = Document.objects.filter(campaign=campaign, docno=docno).select_related("layout")
    document = documents.first()
    if document is None:
        return text
    body = document.body[:most]
    text |= {"title": document.title, "goes_on": len(body) < len(document.body)}
    if document.format == Document.Format.HTML:
        text["html"] = make_inline_html(body)
    elif has_file and (part := slice_pdf_pages(document, most=MOST_PAGES)):
        text["part"] = part
    elif document.file and (has_file or not body.strip()):
        text["file_kind"] = document.format
    else:
        text["chunks"] = slice_text_page(body, size=max(len(body), 1)).chunks
    return text


def list_grades(campaign: Campaign) -> list[Grade]:
    return list(campaign.grades.order_by("value"))


def describe_study(study: Study) -> dict[str, Any]:
    """What a worker reads before anything else. ``minutes`` of a unit are the median; the key to
    the provider's IDs is destroyed after ``key_date``.
    """
    practice = list_training(study.campaign, Audience.CROWD).count()
    return {
        "study": study,
        "texts": study.options.documents,
        "minutes": max(1, round(load_study_seconds(study).median / 60)),
        "practice": practice,
        "practice_needed": min(study.practice_pass, practice),
        "pay": study.pay_per_unit,
        "key_date": find_key_date(study),
    }


def find_sample(study: Study) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """A question and the beginning of a text to show before the work: of practice, else of the
    pool. Links to it need no signature at some providers, so anybody gets it.
    """
    item = list_training(study.campaign, Audience.CROWD).first() or (
        study.plan.pool.items.select_related("topic").order_by("pk").first()
    )
    if item is None:
        return None
    return describe_question(item.topic), load_text(study.campaign_id, item.docno, PREVIEWED)


def choose_outcome(unit: WorkUnit) -> str:
    """How the unit ended, in the provider's terms."""
    if unit.state == WorkUnit.State.COMPLETE:
        return "completed"
    return "screened" if unit.state == WorkUnit.State.SCREENED_OUT else "failed"


def find_unit_code(study: Study, unit: WorkUnit) -> str:
    """The provider's code with which the worker of a unit returns; empty if there is none."""
    provider = PROVIDERS[find_unit_provider(study, unit)]
    return provider.find_code(study.provider_settings, choose_outcome(unit))


def find_unit_provider(study: Study, unit: WorkUnit) -> str:
    """The name of the provider: the fake one for a trial."""
    return "fake" if unit.trial else study.provider


def make_unit_return(unit: WorkUnit) -> ReturnForm | None:
    """Where the worker of a unit that is over returns to; None if nowhere, or the key is gone.

    The address comes from the study's settings alone, never from a request.
    """
    study: Study = unit.plan.study
    external_id = unseal_external(study.campaign, unit.external_id)
    if not unit.is_over or not external_id:
        return None
    name = find_unit_provider(study, unit)
    settings = study.provider_settings
    if name == "fake":
        settings = {"platform_url": get_link_path(study) + RETURN_PATH}
    fields = {"unit": external_id, "receipt": unit.receipt}
    return PROVIDERS[name].make_return(settings, choose_outcome(unit), fields)
