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

from campaigns.errors import Refused
from campaigns.models import Campaign, Topic, User
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.forms import JudgeForm, SkipForm, UndoForm
from judging.models import Judgment
from judging.queries.papers import own_pace
from judging.queries.screen import MyTopic, progress_in
from judging.services.work import claim_ahead, judge, release, renew, skip, undo
from judging.templatetags.reading import hours
from judging.views.screens import (
    AHEAD,
    Paper,
    as_uuid,
    over_context,
    paper_html,
    paper_in_hand,
    papers_of,
)

MOST_ACTS, MOST_BYTES, MOST_TOKENS = 50, 2_000_000, 50
LISTS = ("flags", "passages")
ACTS: dict[str, tuple[type[Any], Callable[..., Judgment]]] = {
    "judge": (JudgeForm, judge),
    "skip": (SkipForm, skip),
    "undo": (UndoForm, undo),
}
Asked = dict[str, Any]


class UnreadableError(Exception):
    """The request is none of ours."""


def spoken(
    view: Callable[[SignedIn, Campaign, Asked], Asked],
) -> Callable[[HttpRequest, str], HttpResponse]:
    """JSON in, JSON out, for an assessor who is who the page was made for."""

    @wraps(view)
    def answer(request: HttpRequest, slug: str) -> HttpResponse:
        if not isinstance(request.user, User):
            return JsonResponse({"code": "signed-out"}, status=401)
        campaign = campaign_for(request.user, slug, "campaigns.judge")
        try:
            asked = read(request)
            if asked.get("user", request.user.pk) != request.user.pk:
                return JsonResponse({"code": "other-account"}, status=409)
            return JsonResponse(view(request, campaign, asked))  # type: ignore[arg-type]
        except UnreadableError as error:
            return JsonResponse({"code": "unreadable", "message": str(error)}, status=400)

    return login_not_required(never_cache(require_POST(answer)))


def read(request: HttpRequest) -> Asked:
    """What is asked. Half of a surrogate pair, which no database keeps, becomes a ``?``."""
    if len(request.body) > MOST_BYTES:
        raise UnreadableError(f"More than {MOST_BYTES:,} bytes.")
    try:
        text = json.dumps(json.loads(request.body), ensure_ascii=False)
        asked = json.loads(text.encode(errors="replace"))
    except (ValueError, RecursionError):
        raise UnreadableError("This is no JSON.") from None
    if not isinstance(asked, dict):
        raise UnreadableError("This is no JSON object.")
    return asked


def listed(asked: Asked, name: str, most: int) -> list[Any]:
    rows = asked.get(name, [])
    if not isinstance(rows, list) or len(rows) > most:
        raise UnreadableError(f"{name} is no list of at most {most}.")
    return rows


def tokens_in(asked: Asked, name: str) -> list[UUID]:
    found = map(as_uuid, map(str, listed(asked, name, MOST_TOKENS)))
    return [UUID(text) for text in found if text]


@spoken
def acts(request: SignedIn, campaign: Campaign, asked: Asked) -> Asked:
    """Judgments, skips and undos in the order of the assessor's hands, each written by itself."""
    rows = listed(asked, "acts", MOST_ACTS)
    if not all(isinstance(row, dict) for row in rows):
        raise UnreadableError("An act is a JSON object.")
    return {"results": [result(request.user, campaign, row) for row in rows]}


def result(actor: User, campaign: Campaign, row: Asked) -> Asked:
    """What came of one act; a second time the same act comes to the same."""
    told: Asked = {"uuid": row.get("uuid"), "ok": False}
    try:
        made = done(actor, campaign, row)
    except Refused as refused:
        no = {"code": refused.code, "message": refused.message, "cure": refused.cure}
        return told | no
    told |= {"ok": True, "topic": made.topic.number, "docno": made.docno}
    if made.kind == Judgment.Kind.WITHDRAWN and made.slot is not None:
        told["token"] = str(made.slot.token)
    return told


def done(actor: User, campaign: Campaign, row: Asked) -> Judgment:
    make_form, act = ACTS.get(str(row.get("act")), (None, None))
    if make_form is None or act is None:
        raise Refused("no-act", _("This is neither a judgment nor a skip nor an undo."))
    plain = {name: value if isinstance(value, list) and name in LISTS else str(value)
             for name, value in row.items() if value is not None}  # fmt: skip
    form = make_form(plain | {"client_uuid": str(row.get("uuid"))})
    if not form.is_valid():
        told = "; ".join(f"{name}: {' '.join(errors)}" for name, errors in form.errors.items())
        raise Refused("incomplete", _("The judgment is incomplete."), told)
    said = form.cleaned_data
    if act is not undo:
        said["topic"] = topic_of(campaign, row)
        if said["topic"] is None:
            raise Refused("no-topic", _("The campaign has no such topic."))
    return act(actor=actor, campaign=campaign, **said)


def topic_of(campaign: Campaign, asked: Asked) -> Topic | None:
    return campaign.topics.filter(number=word(asked, "topic")).first()


def word(asked: Asked, name: str) -> str:
    """What is asked under ``name``, to look it up; nothing where no database could have it."""
    text = str(asked.get(name, ""))
    return "" if "\0" in text else text


@spoken
def ahead(request: SignedIn, campaign: Campaign, asked: Asked) -> Asked:
    """Documents to come, leased and rendered; or one again that the assessor has had.

    ``have`` are the leases that the page holds already. ``over`` is what the page shows when
    nothing is left. Progress costs as much as the documents: it is told when asked for.
    """
    topic = topic_of(campaign, asked)
    if topic is None:
        raise UnreadableError("The campaign has no such topic.")
    told, papers = "", []
    try:
        papers = wanted(request.user, campaign, topic, asked)
    except Refused as refused:
        told = str(refused)
    found: Asked = {"documents": [rendered(request, campaign, paper) for paper in papers]}
    if papers and not asked.get("progress"):
        return found
    progress = progress_in(campaign, request.user, topic)
    found["progress"] = told_progress(progress, own_pace(campaign, request.user))
    if not papers:
        context = over_context(request.user, campaign, topic, progress, told)
        found["over"] = render_to_string("judging/_over.html", context, request)
    return found


def told_progress(progress: MyTopic, per_hour: float | None) -> Asked:
    return {
        "done": progress.done,
        "of": progress.of,
        "per_hour": per_hour and round(per_hour),
        "left": hours(progress.left / per_hour) if per_hour else "",
    }


def wanted(actor: User, campaign: Campaign, topic: Topic, asked: Asked) -> list[Paper]:
    if "again" in asked:
        docno, token = word(asked, "again"), as_uuid(word(asked, "token"))
        paper = paper_in_hand(actor, campaign, topic, docno, token)
        return [paper] if paper else []
    have = set(tokens_in(asked, "have"))
    count = asked.get("count", AHEAD)
    count = max(0, min(count, AHEAD)) if isinstance(count, int) else AHEAD
    slots = claim_ahead(actor=actor, campaign=campaign, topic=topic, count=len(have) + count)
    new = [slot for slot in slots if slot.token not in have]
    return papers_of(actor, campaign, new[:count])


def rendered(request: SignedIn, campaign: Campaign, paper: Paper) -> Asked:
    return {
        "docno": paper.docno,
        "token": str(paper.token or ""),
        "html": paper_html(request, campaign, paper),
    }


@spoken
def renewed(request: SignedIn, campaign: Campaign, asked: Asked) -> Asked:
    """Lengthen the leases of what is on screen and ahead."""
    tokens = tokens_in(asked, "tokens")
    held = renew(actor=request.user, campaign=campaign, tokens=tokens)
    return {"held": sorted(map(str, held))}


@require_POST
def released(request: SignedIn, slug: str) -> HttpResponse:
    """Give back what was fetched ahead and not shown: the page's last word when it is left."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    texts = request.POST.getlist("token")[:MOST_TOKENS]
    tokens = [UUID(text) for text in map(as_uuid, texts) if text]
    release(actor=request.user, campaign=campaign, tokens=tokens)
    return HttpResponse(status=204)
