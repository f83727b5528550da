"""JSON endpoints of the judging screen's script: acts, prefetched documents, leases.

A signed-out user gets 401; unsent acts stay in their browser.
"""

import json
from collections.abc import Callable, Collection
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, read_digits
from judging.forms.screen import JudgeForm, NoteForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Judgment, Plan, Slot
from judging.queries.adjudication import own_adjudication_progress
from judging.queries.screen import (
    AT_ONCE,
    PREFETCHED,
    count_ahead,
    count_ahead_at_pace,
    get_assessor_topic,
    get_own_pace,
)
from judging.queries.tallies import SlotTally
from judging.services.judgment_log import JudgmentSubmission
from judging.services.judgments import (
    claim_ahead,
    release_leases,
    renew_leases,
    submit_judgment,
    undo_judgment,
)
from judging.services.notebook import remove_note, save_note
from judging.services.reviews import MOST_DOCUMENTS, keep_judgment
from judging.templatetags.judging import format_hours
from judging.views.duplicates import describe_contradiction
from judging.views.finished import render_finished
from judging.views.judging_screen import (
    JudgingDocument,
    Progress,
    build_judging_documents,
    get_current_document,
    parse_uuid_text,
    render_judging_documents,
)
from judging.views.reviews import build_review_documents, find_review, require_passages

MOST_ACTS, MOST_BYTES, MOST_TOKENS = 50, 2_000_000, 80
LISTS = ("flags", "passages")
ACTS: dict[str, type[SubmissionForm | UndoForm]] = {
    "judge": JudgeForm,
    "skip": SkipForm,
    "undo": UndoForm,
}
JsonObject = dict[str, Any]


class InvalidRequestError(Exception):
    """The request is malformed."""


def json_endpoint(
    view: Callable[[SignedInRequest, Campaign, JsonObject], JsonObject],
) -> Callable[[HttpRequest, str], HttpResponse]:
    """JSON in, JSON out; refused if another account than the page's is signed in. Every answer
    has the current guideline version and correction, so that a page learns of a change.
    """

    @wraps(view)
    def answer(request: HttpRequest, slug: str) -> HttpResponse:
        if not isinstance(request.user, User):
            return JsonResponse({"code": "signed-out"}, status=401)
        campaign = get_campaign_for(request.user, slug, "campaigns.use_desk")
        try:
            data = read_json_body(request)
            if data.get("user", request.user.pk) != request.user.pk:
                return JsonResponse({"code": "other-account"}, status=409)
            result = view(request, campaign, data)  # type: ignore[arg-type]
            return JsonResponse(
                result
                | {"guidelines": campaign.guideline_version, "erratum": campaign.last_erratum}
            )
        except InvalidRequestError as error:
            return JsonResponse({"code": "unreadable", "message": str(error)}, status=400)

    return login_not_required(never_cache(require_POST(answer)))


def read_json_body(request: HttpRequest) -> JsonObject:
    """The request's JSON object. A lone surrogate, which no database stores, becomes ``?``."""
    if len(request.body) > MOST_BYTES:
        raise InvalidRequestError(f"Request too large: at most {MOST_BYTES:,} bytes.")
    try:
        text = json.dumps(json.loads(request.body), ensure_ascii=False)
        data = json.loads(text.encode(errors="replace"))
    except (ValueError, RecursionError):
        raise InvalidRequestError("Invalid JSON.") from None
    if not isinstance(data, dict):
        raise InvalidRequestError("Expected a JSON object.")
    return data


def get_list(data: JsonObject, name: str, most: int) -> list[Any]:
    rows = data.get(name, [])
    if not isinstance(rows, list) or len(rows) > most:
        raise InvalidRequestError(f"{name} must be a list of at most {most} items.")
    return rows


def get_tokens(data: JsonObject, name: str) -> list[UUID]:
    tokens = map(parse_uuid_text, map(str, get_list(data, name, MOST_TOKENS)))
    return [UUID(text) for text in tokens if text]


@json_endpoint
def judge_sync_view(request: SignedInRequest, campaign: Campaign, data: JsonObject) -> JsonObject:
    """Judgments, skips and undos in the order in which they were made, each saved on its own."""
    rows = get_list(data, "acts", MOST_ACTS)
    if not all(isinstance(row, dict) for row in rows):
        raise InvalidRequestError("An action must be a JSON object.")
    return {"results": [apply_act(request.user, campaign, row) for row in rows]}


def apply_act(actor: User, campaign: Campaign, row: JsonObject) -> JsonObject:
    """The result of one act; repeating an act gives the same result."""
    result: JsonObject = {"uuid": row.get("uuid"), "ok": False}
    try:
        if (save := OTHER_ACTS.get(str(row.get("act")))) is not None:
            return result | save(actor, campaign, row) | {"ok": True}
        judgment = perform_act(actor, campaign, row)
    except ActionRefused as refused:
        return result | {"code": refused.code, "message": refused.message, "fix": refused.fix}
    except PermissionDenied:
        message = _("Your role does not allow this.")
        return result | {"code": "forbidden", "message": message, "fix": ""}
    result |= {"ok": True, "topic": judgment.topic.number, "docno": judgment.docno}
    slot = judgment.slot
    if judgment.kind == Judgment.Kind.WITHDRAWN:
        if slot is not None and slot.state == Slot.State.LEASED:
            result["token"] = str(slot.token)
    elif slot is None and judgment.revision == 1:
        result["extra"] = True
    return result | describe_contradiction(judgment)


def keep_on_list(actor: User, campaign: Campaign, row: JsonObject) -> JsonObject:
    """The judgment of a document on a list to look at again stands."""
    pair = get_text(row, "topic"), get_text(row, "docno")
    pk = read_digits(get_text(row, "review"), 18) or 0
    keep_judgment(actor=actor, campaign=campaign, pk=pk, pair=pair)
    return {"topic": pair[0], "docno": pair[1]}


def add_note(actor: User, campaign: Campaign, row: JsonObject) -> JsonObject:
    """An entry of the notebook."""
    topic = get_requested_topic(campaign, row)
    form = NoteForm(row | {"client_uuid": str(row.get("uuid"))})
    if topic is None or not form.is_valid():
        raise ActionRefused("incomplete", _("The note is incomplete."))
    fields = form.cleaned_data
    save_note(actor=actor, topic=topic, uuid=fields.pop("client_uuid"), **fields)
    return {"topic": topic.number}


def drop_note(actor: User, campaign: Campaign, row: JsonObject) -> JsonObject:
    """An entry of the notebook is removed."""
    uuid = parse_uuid_text(get_text(row, "of"))
    if not uuid:
        raise ActionRefused("incomplete", _("The note is incomplete."))
    remove_note(actor=actor, campaign=campaign, uuid=UUID(uuid))
    return {}


OTHER_ACTS = {"keep": keep_on_list, "note": add_note, "note-remove": drop_note}
"""Acts that are no judgments."""


def perform_act(actor: User, campaign: Campaign, row: JsonObject) -> Judgment:
    form_class = ACTS.get(str(row.get("act")))
    kind = get_text(row, "purpose") or Plan.Kind.JUDGE
    if form_class is None or kind not in Plan.Kind.values:
        raise ActionRefused("no-act", _("Unknown action: expected a judgment, skip or undo."))
    texts = {name: value if isinstance(value, list) and name in LISTS else str(value)
             for name, value in row.items() if value is not None}  # fmt: skip
    form = form_class(texts | {"client_uuid": str(row.get("uuid"))})
    if not form.is_valid():
        errors = form.errors.items()
        details = "; ".join(f"{name}: {' '.join(map(str, each))}" for name, each in errors)
        raise ActionRefused("incomplete", _("The judgment is incomplete."), details)
    if form_class is UndoForm:
        return undo_judgment(actor=actor, campaign=campaign, kind=kind, **form.cleaned_data)
    topic = get_requested_topic(campaign, row)
    if topic is None:
        raise ActionRefused("no-topic", _("Unknown topic."))
    return submit_judgment(JudgmentSubmission(actor, campaign, topic, **form.cleaned_data), kind)


def get_requested_topic(campaign: Campaign, data: JsonObject) -> Topic | None:
    return campaign.topics.filter(number=get_text(data, "topic")).first()


def get_text(data: JsonObject, name: str) -> str:
    """The text under ``name``; empty if it has a NUL, which no database stores."""
    text = str(data.get(name, ""))
    return "" if "\0" in text else text


@json_endpoint
def judge_ahead_view(request: SignedInRequest, campaign: Campaign, data: JsonObject) -> JsonObject:
    """Next documents, checked out and rendered; or one that the assessor has seen before.

    ``have`` are the leases that the page has already; ``ahead`` is how many it shall have.
    ``over`` is the page to show when no documents are left. Progress costs as much as the
    documents: it is sent on request only. With the ``purpose`` "adjudicate" documents come from
    all topics.
    """
    if "review" in data and "again" not in data:
        return build_review_answer(request, campaign, data)
    kind, topic = str(data.get("purpose", Plan.Kind.JUDGE)), get_requested_topic(campaign, data)
    anywhere = kind == Plan.Kind.ADJUDICATE and "again" not in data
    if kind not in Plan.Kind.values or (topic is None and not anywhere):
        raise InvalidRequestError("Unknown topic.")
    message, documents = "", []
    try:
        documents = documents_to_serve(request.user, campaign, topic, kind, data)
    except ActionRefused as refused:
        message = str(refused)
    result: JsonObject = {
        "documents": render_judging_documents(
            request, campaign, documents, kind, review="review" in data
        )
    }
    if documents and not data.get("progress"):
        return result
    per_hour = get_own_pace(campaign, request.user, kind)
    progress: Progress
    if topic is None or kind == Plan.Kind.ADJUDICATE:
        progress = own_adjudication_progress(campaign, request.user)
    else:
        progress = get_assessor_topic(campaign, request.user, topic)
        result["ahead"] = count_ahead(campaign, request.user, progress, per_hour)
    result["progress"] = progress_payload(progress, per_hour)
    if not documents:
        result |= render_finished(request, campaign, topic, progress, message)
    return result


def build_review_answer(
    request: SignedInRequest, campaign: Campaign, data: JsonObject
) -> JsonObject:
    """The next documents of a request to look at them again, without those ``seen`` by the page;
    none if it has been finished.
    """
    notice = find_review(campaign, request.user, get_text(data, "review"))
    rows = get_list(data, "seen", 2 * MOST_DOCUMENTS)
    seen = {tuple(map(str, row)) for row in rows if isinstance(row, list)}
    again = build_review_documents(request.user, campaign, notice, seen, PREFETCHED)
    documents = render_judging_documents(request, campaign, again, Plan.Kind.JUDGE, review=True)
    progress = notice or SlotTally()
    result: JsonObject = {"documents": documents, "progress": progress_payload(progress, None)}
    if not documents:
        result |= render_finished(request, campaign, None, progress, review=True)
    return result


def progress_payload(progress: Progress, per_hour: float | None) -> JsonObject:
    return {
        "done": progress.done,
        "of": progress.total,
        "shared": getattr(progress, "is_forecast", False),
        "per_hour": per_hour and round(per_hour),
        "left": format_hours(progress.left / per_hour) if per_hour else "",
    }


def documents_to_serve(
    actor: User, campaign: Campaign, topic: Topic | None, kind: str, data: JsonObject
) -> list[JudgingDocument]:
    if topic is not None and "again" in data:
        docno, token = get_text(data, "again"), parse_uuid_text(get_text(data, "token"))
        document = get_current_document(actor, campaign, topic, docno, token, kind)
        if document and "review" in data:
            require_passages(campaign, document)
        return [document] if document else []
    have = set(get_tokens(data, "have"))
    count = data.get("count", PREFETCHED)
    here = topic if kind == Plan.Kind.JUDGE else None
    count = count_allowed_documents(
        actor, campaign, here, count if isinstance(count, int) else PREFETCHED, have
    )
    slots = claim_ahead(
        actor=actor, campaign=campaign, topic=here, count=len(have) + count, kind=kind
    )
    new = [slot for slot in slots if slot.token not in have]
    return build_judging_documents(actor, campaign, new[:count])


def count_allowed_documents(
    actor: User, campaign: Campaign, topic: Topic | None, count: int, have: Collection[UUID]
) -> int:
    """Of ``count`` documents as many as a request may bring: ``PREFETCHED``, and more only as far
    as their pace and the way in which documents are chosen let the assessor have so many ahead,
    besides the one on screen. The page asks for no more than its last ``count_ahead``.
    """
    if count <= PREFETCHED or topic is None:
        return max(0, min(count, PREFETCHED))
    most = count_ahead_at_pace(campaign, actor, topic, get_own_pace(campaign, actor))
    return min(count, AT_ONCE, max(PREFETCHED, most + bool(have) - len(have)))


@json_endpoint
def judge_renew_view(request: SignedInRequest, campaign: Campaign, data: JsonObject) -> JsonObject:
    """Renew the leases of the document on screen and the prefetched ones."""
    tokens = get_tokens(data, "tokens")
    renewed = renew_leases(actor=request.user, campaign=campaign, tokens=tokens)
    return {"held": sorted(map(str, renewed))}


@require_POST
def judge_return_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Return prefetched documents that were not shown, when the page is closed."""
    campaign = get_campaign_for(request.user, slug, "campaigns.use_desk")
    texts = request.POST.getlist("token")[:MOST_TOKENS]
    tokens = [UUID(text) for text in map(parse_uuid_text, texts) if text]
    release_leases(actor=request.user, campaign=campaign, tokens=tokens)
    return HttpResponse(status=204)
