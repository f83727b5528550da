"""The door of a study: where the links of providers lead."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from campaigns.errors import ActionRefused
from crowd.core.providers.base import ArrivalRefused
from crowd.models import Study
from crowd.services.doorway import admit_arrival, make_unit_token, read_link
from crowd.services.units import abandon_expired_units
from crowd.views.unit_frame import (
    UnitFrame,
    add_worker_headers,
    redirect_worker,
    worker_refusal_response,
)
from crowd.views.unit_start import preview_response


@login_not_required
@csrf_exempt
@require_safe
def crowd_door_view(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Check the link; on to the worker's unit, or a page that says why not."""
    study = get_object_or_404(Study.objects.select_related("campaign", "plan"), pk=pk,
                              campaign__slug=slug)  # fmt: skip
    try:
        link = read_link(study=study, query=request.META.get("QUERY_STRING", ""))
        if link.arrival.preview:
            return preview_response(request, study)
        abandon_expired_units(study=study)
        unit = admit_arrival(study=study, arrival=link.arrival, trial=link.trial)
    except ArrivalRefused as bad:
        refused = ActionRefused(bad.code, bad.message, bad.fix)
        return worker_refusal_response(request, refused, study)
    except ActionRefused as refused:
        return worker_refusal_response(request, refused, study, status=409)
    answer = redirect_worker("crowd-unit", UnitFrame(make_unit_token(unit), study))
    return add_worker_headers(answer, study)
