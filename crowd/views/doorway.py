"""The door of a study: where the links of providers lead, and their signed messages."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from campaigns.errors import ActionRefused
from crowd.models import Study
from crowd.services.doorway import admit_arrival, find_refusing_unit, make_unit_token, read_link
from crowd.services.units import abandon_expired_units
from crowd.services.webhooks import accept_webhook
from crowd.views.unit_frame import (
    UnitFrame,
    add_worker_headers,
    find_rush_response,
    redirect_worker,
    worker_refusal_response,
)
from crowd.views.unit_start import preview_response
from poolbench.crowd.providers.base import ArrivalRefused


@login_not_required
@csrf_exempt
@require_safe
def crowd_door_view(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Check the link; on to the worker's unit, or a page that says why not."""
    study = get_object_or_404(Study.objects.select_related("campaign", "plan"), pk=pk,
                              campaign__slug=slug)  # fmt: skip
    if (rushed := find_rush_response(request)) is not None:
        return rushed
    try:
        arrival, trial = read_link(study=study, query=request.META.get("QUERY_STRING", ""))
        if arrival.preview:
            return preview_response(request, study)
        if request.method == "HEAD":  # mail and chat programs look whether a link is good
            return add_worker_headers(HttpResponse(), study)
        abandon_expired_units(study=study)
        unit = admit_arrival(study=study, arrival=arrival, trial=trial)
    except ArrivalRefused as bad:
        refused = ActionRefused(bad.code, bad.message, bad.fix)
        return worker_refusal_response(request, refused, study)
    except ActionRefused as refused:
        frame = None
        is_known = refused.code == "unit-open" and arrival.is_signed
        if is_known and (other := find_refusing_unit(study, arrival, trial=trial)):
            frame = UnitFrame(make_unit_token(other), study, other.worker.pseudonym, trial)
        return worker_refusal_response(request, refused, study, frame=frame, status=409)
    answer = redirect_worker("crowd-unit", UnitFrame(make_unit_token(unit), study))
    return add_worker_headers(answer, study)


MAX_BODY = 65_536


@csrf_exempt
@login_not_required
@require_POST
def crowd_webhook_view(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Note a signed message; the same one again is no error. 403 if it is not signed."""
    if (rushed := find_rush_response(request)) is not None:
        return rushed
    study = get_object_or_404(Study.objects.select_related("campaign"), pk=pk, campaign__slug=slug)
    if len(request.body) > MAX_BODY:
        return JsonResponse({"code": "too-large"}, status=413)
    try:
        is_new = accept_webhook(
            study=study,
            event_id=request.headers.get("X-Event-ID", ""),
            timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
            signature=request.headers.get("X-Prolific-Request-Signature", ""),
            body=request.body,
        )
    except ActionRefused as refused:
        return JsonResponse({"code": refused.code, "detail": refused.message}, status=403)
    return JsonResponse({"new": is_new})
