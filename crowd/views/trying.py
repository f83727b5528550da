"""The fake platform: trying a study, and what the platform has recorded."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import report_response
from campaigns.errors import ActionRefused
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from crowd.models import Study
from crowd.queries.fake_platform import (
    SUBMISSION_FORMATS,
    is_platform_open,
    list_fake_submissions,
    load_task_states,
)
from crowd.queries.workers import get_study_for
from crowd.services.fake_platform import (
    FORGERIES,
    MAX_LINKS,
    DoorAnswer,
    accept_tasks,
    hash_fake_units,
    make_task_link,
    play_abandonment,
    play_double_completion,
    play_forgery,
    play_preview,
    play_replay,
    play_return,
    record_submission,
)
from crowd.views.unit_frame import add_worker_headers, find_rush_response

FORGERY_LABELS = {
    "signature": "Alter signature",
    "worker": "Alter worker",
    "expired": "Expired link",
    "moved": "Another worker",
}


@require_http_methods(["GET", "POST"])
def study_try_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Play the fake platform, act by act, and see what the study answers."""
    _, study = get_study_for(request.user, slug, pk)
    if request.method == "GET":
        return render_try_page(request, study)
    try:
        if request.POST.get("act") == "accept":
            return render_try_page(request, study, links=accept_from_form(request, study))
        return render_try_page(request, study, answer=play_act(request, study))
    except ActionRefused as refused:
        return render_try_page(request, study, refused=refused)


def accept_from_form(request: SignedInRequest, study: Study) -> list[str]:
    count, worker = read_digits(request.POST.get("count", "1"), 4), request.POST.get("worker", "")
    if count is None:
        raise ActionRefused("bad-count", "Enter how many tasks to accept, as a number.")
    tasks = accept_tasks(actor=request.user, study=study, count=count, worker=worker.strip()[:60])
    return [request.build_absolute_uri(link) for _worker, _uid, link in tasks]


def play_act(request: SignedInRequest, study: Study) -> DoorAnswer:
    """Do what the button says."""
    act, uid = request.POST.get("act", ""), request.POST.get("unit", "")[:200]
    if act == "preview":
        return play_preview(actor=request.user, study=study)
    workers = {task["unit"]: task["worker"] for task in list_fake_submissions(study)}
    if uid not in workers:
        raise ActionRefused("no-task", "The platform knows no such task.", "Reload the page.")
    play: dict[str, Any] = {"actor": request.user, "study": study, "uid": uid}
    if act in FORGERIES:
        return play_forgery(**play, worker=workers[uid], forgery=act)
    if act == "replay":
        return play_replay(**play, worker=workers[uid])
    acts: dict[str, Callable[..., DoorAnswer]] = {
        "return": play_return,
        "abandon": play_abandonment,
        "twice": play_double_completion,
    }
    if act not in acts:
        raise ActionRefused("no-act", "Unknown act.", "Use the buttons of the page.")
    return acts[act](**play)


def render_try_page(request: SignedInRequest, study: Study, **outcome: object) -> HttpResponse:
    """``outcome``: the ``answer`` to an act, the ``links`` of accepted tasks, or what is
    ``refused``.
    """
    submissions = list_fake_submissions(study)
    uids = [task["unit"] for task in submissions]
    units = load_task_states(study, hash_fake_units(study, uids)) if uids else {}
    # A task of the platform beside our unit for it, if a worker has opened it.
    page = {
        "campaign": study.campaign,
        "study": study,
        "is_open": is_platform_open(study),
        "is_real": study.provider == "fake" and study.state != Study.State.DRAFT,
        "tasks": [
            {
                "task": task,
                "unit": units.get(task["unit"]),
                "link": make_task_link(study, task["worker"], task["unit"]),
            }
            for task in reversed(submissions)
        ],
        "most": MAX_LINKS,
        "forgeries": FORGERY_LABELS,
        **outcome,
    }
    return render_page(request, "crowd/try.html", page, status=409 if "refused" in outcome else 200)


@require_safe
def study_try_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The platform's list of submissions, as a file."""
    _, study = get_study_for(request.user, slug, pk)
    return report_response(f"submissions-{pk}.{fmt}", SUBMISSION_FORMATS, study)


@csrf_exempt
@login_not_required
@require_POST
def crowd_fake_return_view(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The fake platform gets a worker back with a code. It believes the code, as platforms do."""
    if (rushed := find_rush_response(request)) is not None:
        return rushed
    study = get_object_or_404(Study.objects.select_related("campaign"), pk=pk,
                              campaign__slug=slug)  # fmt: skip
    is_recorded = is_platform_open(study) and record_submission(
        study=study,
        uid=request.POST.get("uid", "")[:200].replace("\0", ""),
        code=request.POST.get("code", "").replace("\0", ""),
        receipt=request.POST.get("receipt", "").replace("\0", ""),
    )
    answer = render_page(request, "crowd/try_returned.html", {"is_recorded": is_recorded})
    add_worker_headers(answer, study)
    return answer
