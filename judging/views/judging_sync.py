"""What the judging screen's script sends and asks for, as JSON: acts, documents ahead, leases.

Somebody who is signed out is told so with 401; what was sent stays in their browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from campaigns.queries import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from judging.forms import JudgeForm, SkipForm, UndoForm
from judging.models import Judgment
from judging.queries.judging_documents import get_own_pace
from judging.queries.screen import MyTopic, topic_progress
from judging.services.judgments import (
    claim_ahead,
    release_leases,
    renew_leases,
    submit_judgment,
    submit_skip,
    undo_judgment,
)
from judging.templatetags.judging import format_hours
from judging.views.judging_screen import (
    AHEAD,
    JudgingDocument,
    build_judging_documents,
    get_current_document,
    parse_uuid_text,
    render_judging_document,
    topic_finished_context,
)

MOST_ACTS, MOST_BYTES, MOST_TOKENS = 50, 2_000_000, 50
LISTS = ("flags", "passages")
ACTS: dict[str, tuple[type[Any], Callable[..., Judgment]]] = {
    "judge": (JudgeForm, submit_judgment),
    "skip": (SkipForm, submit_skip),
    "undo": (UndoForm, undo_judgment),
}
Asked = dict[str, Any]


class InvalidRequestError(Exception):
    """The request is none of ours."""


def json_endpoint(
    view: Callable[[SignedInRequest, Campaign, Asked], Asked],
) -> Callable[[HttpRequest, str], HttpResponse]:
    """JSON in, JSON out, for an assessor who is who the page was made for."""

    @wraps(view)
    def answer(request: HttpRequest, slug: str) -> HttpResponse:
        if not isinstance(request.user, User):
            return JsonResponse({"code": "signed-out"}, status=401)
        campaign = get_campaign_for(request.user, slug, "campaigns.judge")
        try:
            asked = read_json_body(request)
            if asked.get("user", request.user.pk) != request.user.pk:
                return JsonResponse({"code": "other-account"}, status=409)
            return JsonResponse(view(request, campaign, asked))  # type: ignore[arg-type]
        except InvalidRequestError as error:
            return JsonResponse({"code": "unreadable", "message": str(error)}, status=400)

    return login_not_required(never_cache(require_POST(answer)))


def read_json_body(request: HttpRequest) -> Asked:
    """What is asked. Half of a surrogate pair, which no database keeps, becomes a ``?``."""
    if len(request.body) > MOST_BYTES:
        raise InvalidRequestError(f"More than {MOST_BYTES:,} bytes.")
    try:
        text = json.dumps(json.loads(request.body), ensure_ascii=False)
        asked = json.loads(text.encode(errors="replace"))
    except (ValueError, RecursionError):
        raise InvalidRequestError("This is no JSON.") from None
    if not isinstance(asked, dict):
        raise InvalidRequestError("This is no JSON object.")
    return asked


def get_list(asked: Asked, name: str, most: int) -> list[Any]:
    rows = asked.get(name, [])
    if not isinstance(rows, list) or len(rows) > most:
        raise InvalidRequestError(f"{name} is no list of at most {most}.")
    return rows


def get_tokens(asked: Asked, name: str) -> list[UUID]:
    found = map(parse_uuid_text, map(str, get_list(asked, name, MOST_TOKENS)))
    return [UUID(text) for text in found if text]


@json_endpoint
def judge_sync_view(request: SignedInRequest, campaign: Campaign, asked: Asked) -> Asked:
    """Judgments, skips and undos in the order of the assessor's hands, each written by itself."""
    rows = get_list(asked, "acts", MOST_ACTS)
    if not all(isinstance(row, dict) for row in rows):
        raise InvalidRequestError("An act is a JSON object.")
    return {"results": [apply_act(request.user, campaign, row) for row in rows]}


def apply_act(actor: User, campaign: Campaign, row: Asked) -> Asked:
    """What came of one act; a second time the same act comes to the same."""
    told: Asked = {"uuid": row.get("uuid"), "ok": False}
    try:
        made = perform_act(actor, campaign, row)
    except ActionRefused as refused:
        no = {"code": refused.code, "message": refused.message, "fix": refused.fix}
        return told | no
    told |= {"ok": True, "topic": made.topic.number, "docno": made.docno}
    if made.kind == Judgment.Kind.WITHDRAWN and made.slot is not None:
        told["token"] = str(made.slot.token)
    return told


def perform_act(actor: User, campaign: Campaign, row: Asked) -> Judgment:
    make_form, act = ACTS.get(str(row.get("act")), (None, None))
    if make_form is None or act is None:
        raise ActionRefused("no-act", _("This is neither a judgment nor a skip nor an undo."))
    plain = {name: value if isinstance(value, list) and name in LISTS else str(value)
             for name, value in row.items() if value is not None}  # fmt: skip
    form = make_form(plain | {"client_uuid": str(row.get("uuid"))})
    if not form.is_valid():
        told = "; ".join(f"{name}: {' '.join(errors)}" for name, errors in form.errors.items())
        raise ActionRefused("incomplete", _("The judgment is incomplete."), told)
    said = form.cleaned_data
    if act is not undo_judgment:
        said["topic"] = get_requested_topic(campaign, row)
        if said["topic"] is None:
            raise ActionRefused("no-topic", _("The campaign has no such topic."))
    return act(actor=actor, campaign=campaign, **said)


def get_requested_topic(campaign: Campaign, asked: Asked) -> Topic | None:
    return campaign.topics.filter(number=get_text(asked, "topic")).first()


def get_text(asked: Asked, name: str) -> str:
    """What is asked under ``name``, to look it up; nothing where no database could have it."""
    text = str(asked.get(name, ""))
    return "" if "\0" in text else text


@json_endpoint
def judge_ahead_view(request: SignedInRequest, campaign: Campaign, asked: Asked) -> Asked:
    """Documents to come, leased and rendered; or one again that the assessor has had.

    ``have`` are the leases that the page holds already. ``over`` is what the page shows when
    nothing is left. Progress costs as much as the documents: it is told when asked for.
    """
    topic = get_requested_topic(campaign, asked)
    if topic is None:
        raise InvalidRequestError("The campaign has no such topic.")
    told, papers = "", []
    try:
        papers = documents_to_serve(request.user, campaign, topic, asked)
    except ActionRefused as refused:
        told = str(refused)
    found: Asked = {"documents": [document_payload(request, campaign, paper) for paper in papers]}
    if papers and not asked.get("progress"):
        return found
    progress = topic_progress(campaign, request.user, topic)
    found["progress"] = progress_payload(progress, get_own_pace(campaign, request.user))
    if not papers:
        context = topic_finished_context(request.user, campaign, topic, progress, told)
        found["over"] = render_to_string("judging/_over.html", context, request)
    return found


def progress_payload(progress: MyTopic, per_hour: float | None) -> Asked:
    return {
        "done": progress.done,
        "of": progress.total,
        "per_hour": per_hour and round(per_hour),
        "left": format_hours(progress.left / per_hour) if per_hour else "",
    }


def documents_to_serve(
    actor: User, campaign: Campaign, topic: Topic, asked: Asked
) -> list[JudgingDocument]:
    if "again" in asked:
        docno, token = get_text(asked, "again"), parse_uuid_text(get_text(asked, "token"))
        paper = get_current_document(actor, campaign, topic, docno, token)
        return [paper] if paper else []
    have = set(get_tokens(asked, "have"))
    count = asked.get("count", AHEAD)
    count = max(0, min(count, AHEAD)) if isinstance(count, int) else AHEAD
    slots = claim_ahead(actor=actor, campaign=campaign, topic=topic, count=len(have) + count)
    new = [slot for slot in slots if slot.token not in have]
    return build_judging_documents(actor, campaign, new[:count])


def document_payload(request: SignedInRequest, campaign: Campaign, paper: JudgingDocument) -> Asked:
    return {
        "docno": paper.docno,
        "token": str(paper.token or ""),
        "html": render_judging_document(request, campaign, paper),
    }


@json_endpoint
def judge_renew_view(request: SignedInRequest, campaign: Campaign, asked: Asked) -> Asked:
    """Lengthen the leases of what is on screen and ahead."""
    tokens = get_tokens(asked, "tokens")
    held = renew_leases(actor=request.user, campaign=campaign, tokens=tokens)
    return {"held": sorted(map(str, held))}


@require_POST
def judge_return_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give back what was fetched ahead and not shown: the page's last word when it is left."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    texts = request.POST.getlist("token")[:MOST_TOKENS]
    tokens = [UUID(text) for text in map(parse_uuid_text, texts) if text]
    release_leases(actor=request.user, campaign=campaign, tokens=tokens)
    return HttpResponse(status=204)
