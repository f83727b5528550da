"""A worker's way through a unit: consent, practice, the texts one by one, the end."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from django.core import signing
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Document
from campaigns.views.documents import pdf_picture_response
from crowd.models import CrowdWorker, Payment, WorkUnit
from crowd.queries.unit_pages import (
    count_practice,
    describe_study,
    find_item,
    find_shown_document,
    find_step,
    is_set_aside,
    list_grades,
    list_open_slots,
    make_unit_return,
)
from crowd.queries.unit_pay import find_paid_amount, preview_leaving_pay
from crowd.services.unit_answers import UnitAnswer
from crowd.services.units import answer_unit, begin_unit, complete_unit, leave_unit
from crowd.views.unit_frame import (
    UnitFrame,
    add_worker_headers,
    explain_refusal,
    list_frame_hosts,
    redirect_worker,
    unit_view,
    worker_page,
)

SALT = "crowd.shown"
PAGES = {"consent": "crowd-consent", "practice": "crowd-practice", "end": "crowd-end"}
REASONS = {
    "undecided": gettext_lazy("I am not sure."),
    "broken": gettext_lazy("The text is empty or I cannot read it."),
    "language": gettext_lazy("I do not know the language."),
    "other": gettext_lazy("It is something else:"),
}
"""Why a worker cannot tell, in plain words (``judging.rules.SKIP_REASONS``)."""
CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
"""Control characters, of which databases take no NUL; tabs and ends of lines may stay."""


@unit_view("GET", "HEAD")
def crowd_unit_view(request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """The step at hand; the one address of every text of a unit. ``back``: the last answer."""
    # A started unit is at its documents, which their page reads itself.
    is_at_documents = unit.state == WorkUnit.State.STARTED and not unit.is_over
    step = "judge" if is_at_documents else find_step(unit)
    if step in PAGES:
        return redirect_worker(PAGES[step], frame)
    if step == "begin":
        page = {
            "facts": describe_study(frame.study),
            "practice": count_practice(unit),
            "uuid": uuid4(),
        }
        return worker_page(request, "begin", frame, page)
    return item_response(request, unit, frame, back="back" in request.GET)


def item_response(
    request: HttpRequest,
    unit: WorkUnit,
    frame: UnitFrame,
    *,
    back: bool = False,
    refused: ActionRefused | None = None,
) -> HttpResponseBase:
    """The page of the text at hand, or of the last answer; without any left, of the finish."""
    item = find_item(unit, back=back)
    if item is None and back:
        return redirect_worker("crowd-unit", frame)
    if item is None:
        return worker_page(request, "finish", frame, {"total": unit.size})
    # The text at hand with the answers that can be given, and what was wrong with the last.
    page = {
        "item": item,
        "grades": list_grades(unit.plan.campaign),
        "reasons": dict(REASONS),
        "uuid": uuid4(),
        "signed_time": sign_moment(item["token"], timezone.now()),
        "is_change": item["grade"] is not None or bool(item["reason"]),
        "refused": refused,
    }
    return worker_page(request, "item", frame, page, status=409 if refused else 200)


@unit_view("POST")
def crowd_begin_view(_request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """Check the texts out and show the first."""
    begin_unit(unit=unit)
    return redirect_worker("crowd-unit", frame)


@unit_view("POST")
def crowd_answer_view(request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """Save an answer; on to the next text, or the same one again with what was wrong."""
    if unit.is_over:
        return redirect_worker("crowd-end", frame)
    try:
        token, uuid = read_uuid(request, "token"), read_uuid(request, "uuid")
        answer = UnitAnswer(
            token, uuid, read_answer_grade(request),
            reason=request.POST.get("reason", "")[:40],
            comment=request.POST.get("comment", "")[:1000].translate(CONTROLS),
            served_at=read_moment(request.POST.get("shown", ""), str(token)),
        )  # fmt: skip
        answer_unit(unit=unit, answer=answer)
    except ActionRefused as refused:
        unit.refresh_from_db()
        if unit.is_over:
            return redirect_worker("crowd-end", frame)
        back = request.POST.get("change") == "1"
        return item_response(request, unit, frame, back=back, refused=explain_refusal(refused))
    return redirect_worker("crowd-unit", frame)


@unit_view("POST")
def crowd_finish_view(_request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """End the unit, if every text has an answer."""
    complete_unit(unit=unit)
    return redirect_worker("crowd-end", frame)


@unit_view("GET", "HEAD", "POST")
def crowd_leave_view(request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """Stop here: what is paid for it, and the button that does it."""
    if request.method == "POST" and not unit.is_over:
        leave_unit(unit=unit)
    if request.method == "POST" or unit.is_over:
        return redirect_worker("crowd-end", frame)
    answered = unit.size - len(list_open_slots(unit)) if unit.started_at else 0
    # ``pay`` is what stopping now is paid, None where nothing was done.
    page = {
        "facts": describe_study(frame.study),
        "answered": answered,
        "total": unit.size,
        "pay": preview_leaving_pay(unit, frame.study),
        "currency": frame.study.currency,
    }
    return worker_page(request, "leave", frame, page)


@unit_view("GET", "HEAD")
def crowd_end_view(request: HttpRequest, unit: WorkUnit, frame: UnitFrame) -> HttpResponseBase:
    """How the unit ended: the same page whenever it is opened."""
    if not unit.is_over:
        return redirect_worker("crowd-unit", frame)
    way_back = make_unit_return(unit)
    failed = unit.state == WorkUnit.State.SCREENED_OUT and unit.started_at is None
    practice = count_practice(unit) if failed else None
    payment = Payment.objects.filter(unit=unit).first()
    # How the unit ended, what is paid for it, and the way back; ``is_aside``: by hand.
    page = {
        "unit": unit,
        "payment": payment,
        "pay": payment and find_paid_amount(payment),
        "practice": practice,
        "way_back": way_back,
        "is_aside": is_set_aside(unit),
        "is_withdrawn": unit.worker.state == CrowdWorker.State.WITHDRAWN,
    }
    answer = worker_page(request, "end", frame, page)
    return add_worker_headers(answer, frame.study, way_back)


def read_uuid(request: HttpRequest, name: str) -> UUID:
    try:
        return UUID(request.POST.get(name, ""))
    except ValueError as error:
        raise bad_form() from error


def read_answer_grade(request: HttpRequest) -> int | None:
    """The grade that was pressed; None for "I cannot tell"."""
    text = request.POST.get("grade")
    if text is None and "cannot" in request.POST:
        return None
    try:
        return int((text or "")[:6])
    except ValueError as error:
        raise bad_form() from error


def bad_form() -> ActionRefused:
    return ActionRefused(
        "bad-form", _("That did not work."), _("Please read the text and answer again.")
    )


def sign_moment(token: str, moment: datetime) -> str:
    """When the text of ``token`` was shown, so that it cannot be changed on the way."""
    return signing.dumps([token, round(moment.timestamp() * 1000)], salt=SALT)


def read_moment(text: str, token: str) -> datetime | None:
    """The moment that ``sign_moment`` signed for ``token``; None if it is not ours."""
    try:
        name, milliseconds = signing.loads(text[:400], salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if name == token else None


@unit_view("GET", "HEAD")
def crowd_file_view(
    request: HttpRequest, unit: WorkUnit, frame: UnitFrame, position: int
) -> HttpResponseBase:
    """The file of document ``position``, if the worker has come that far, without its name; with
    ``page`` the picture of that page of a PDF.
    """
    document = None if unit.is_over else find_shown_document(unit, position)
    answer = open_unit_file(request, document) if document and document.file else None
    if answer is None:
        refused = ActionRefused("no-file", _("This text is not part of your work any more."))
        return worker_page(request, "refused", frame, {"refused": refused}, status=404)
    hosts = " ".join(list_frame_hosts(frame.study))
    # The browser's PDF viewer does not work in a sandbox.
    sandbox = "" if document and document.format == Document.Format.PDF else "sandbox; "
    answer.headers["Content-Security-Policy"] = (
        f"{sandbox}default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors 'self' {hosts}".strip()
    )
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    answer.headers["Content-Disposition"] = "inline"
    return answer


def open_unit_file(request: HttpRequest, document: Document) -> HttpResponseBase | None:
    if "page" not in request.GET:
        return FileResponse(store.open_blob(document.file), content_type=document.media_type)
    try:
        return pdf_picture_response(request, document)
    except Http404:  # The site's own page of it would set a cookie.
        return None
