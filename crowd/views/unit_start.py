"""Before the work: consent, practice, instructions, and the preview of a study."""

from uuid import uuid4

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.views.helpers import read_digits
from crowd.models import Study, WorkUnit
from crowd.queries.study_terms import get_consent_text
from crowd.queries.unit_pages import (
    count_practice,
    describe_question,
    describe_study,
    find_sample,
    find_step,
    get_consent_version,
    list_grades,
    load_practice_answers,
    load_text,
)
from crowd.services.units import answer_practice, consent_to_study
from crowd.views.unit import read_answer_grade, read_uuid
from crowd.views.unit_frame import (
    UnitFrame,
    add_worker_headers,
    redirect_worker,
    unit_view,
    worker_page,
)
from judging.models import Audience, Judgment, TrainingPair
from judging.queries.training import list_training


@unit_view("GET", "HEAD", "POST")
def crowd_consent_view(request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """The task, the pay and what is kept; the check box is the consent."""
    if unit.is_over or unit.consented_at is not None:
        return redirect_worker("crowd-unit", frame)
    refused = None
    if request.method == "POST":
        try:
            if "agree" not in request.POST:
                raise ActionRefused(
                    "not-agreed", _("Please tick the box first."), _("Or go back to the platform.")
                )
            version = read_form_number(request, "version")
            consent_to_study(unit=unit, version=-1 if version is None else version)
            return redirect_worker("crowd-unit", frame)
        except ActionRefused as error:
            refused = error
    study = frame.study
    page = {
        "facts": describe_study(study),
        "version": get_consent_version(study),
        "text": load_consent_text(study),
        "refused": refused,
    }
    return worker_page(request, "consent", frame, page, status=409 if refused else 200)


def load_consent_text(study: Study) -> str:
    """The latest consent text of ``study``, as it is kept; empty before there is one."""
    consent = get_consent_text(study)
    return consent.text if consent else ""


@unit_view("GET", "HEAD", "POST")
def crowd_practice_view(request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """The next practice text, or with ``answer`` the right answer to one that was judged."""
    pairs = list(list_training(unit.plan.campaign, Audience.CROWD))
    answers = load_practice_answers(unit)
    number = read_form_number(request, "answer")
    if request.method == "GET" and number is not None and 0 < number <= len(pairs):
        pair = pairs[number - 1]
        answer = answers.get((pair.topic_id, pair.docno))
        if answer is not None:
            return feedback_response(request, unit, frame, pair, answer, number)
    if find_step(unit) != "practice":
        return redirect_worker("crowd-unit", frame)
    open_pairs = ((pair.topic_id, pair.docno) not in answers for pair in pairs)
    at = next(n for n, is_open in enumerate(open_pairs) if is_open)
    if request.method == "POST":
        return save_practice_answer(request, unit, frame, pairs)
    pair = pairs[at]
    page = {
        "number": at + 1,
        "practice": count_practice(unit),
        "question": describe_question(pair.topic),
        "text": load_text(unit.plan.campaign_id, pair.docno),
        "grades": list_grades(unit.plan.campaign),
        "uuid": uuid4(),
        "facts": describe_study(frame.study),
    }
    return worker_page(request, "practice", frame, page)


def save_practice_answer(
    request: HttpRequest, unit: WorkUnit, frame: UnitFrame, pairs: list[TrainingPair]
) -> HttpResponseBase:
    """Save the answer, then show the right one."""
    number, grade = read_form_number(request, "number"), read_answer_grade(request)
    if number is None or not 0 < number <= len(pairs) or grade is None:
        return redirect_worker("crowd-practice", frame)
    uuid = read_uuid(request, "uuid")
    answer_practice(unit=unit, pair=pairs[number - 1], grade=grade, client_uuid=uuid)
    return redirect_worker("crowd-practice", frame, f"?answer={number}")


def read_form_number(request: HttpRequest, name: str) -> int | None:
    return read_digits((request.POST if request.method == "POST" else request.GET).get(name, ""), 4)


def feedback_response(
    request: HttpRequest,
    unit: WorkUnit,
    frame: UnitFrame,
    pair: TrainingPair,
    answer: Judgment,
    number: int,
) -> HttpResponse:
    grades = {grade.value: grade for grade in list_grades(unit.plan.campaign)}
    page = {
        "number": number,
        "practice": count_practice(unit),
        "question": describe_question(pair.topic),
        "text": load_text(unit.plan.campaign_id, pair.docno),
        "answer": grades.get(answer.grade) if answer.grade is not None else None,
        "right": grades.get(pair.grade),
        "explanation": pair.explanation,
    }
    return worker_page(request, "feedback", frame, page)


@unit_view("GET", "HEAD")
def crowd_instructions_view(
    request: HttpRequest, unit: WorkUnit, frame: UnitFrame
) -> HttpResponseBase:
    """The instructions, the answers and their meaning, and how to reach the people behind it."""
    page = {"facts": describe_study(frame.study), "grades": list_grades(unit.plan.campaign)}
    return worker_page(request, "instructions", frame, page)


def preview_response(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The whole task to look at, with a sample; it claims nothing and creates nothing."""
    sample = find_sample(study)
    page = {
        "study": study,
        "facts": describe_study(study),
        "text": load_consent_text(study),
        "grades": list_grades(study.campaign),
        "sample_question": sample[0] if sample else None,
        "sample_text": sample[1] if sample else None,
    }
    return add_worker_headers(worker_page(request, "preview", page), study)
