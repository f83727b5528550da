"""Where providers send their signed messages."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from campaigns.errors import ActionRefused
from crowd.models import Study
from crowd.services.webhooks import accept_webhook

MAX_BODY = 65_536


@csrf_exempt
@login_not_required
@require_POST
def crowd_webhook_view(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Keep a signed message; the same one again is no error. 403 if it is not signed."""
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
