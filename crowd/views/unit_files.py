"""The file of a PDF or picture at hand, by its place in the unit."""

from __future__ import annotations

from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Document
from crowd.queries.unit_pages import find_shown_document
from crowd.views.unit_frame import (
    UnitFrame,
    WorkerRefusal,
    list_frame_hosts,
    unit_view,
    worker_page,
)
from judging.models import WorkUnit


@unit_view("GET", "HEAD")
def crowd_file_view(
    request: HttpRequest, unit: WorkUnit, frame: UnitFrame, position: int
) -> HttpResponseBase:
    """The file of document ``position``, if the worker has come that far; without its name."""
    document = None if unit.is_over else find_shown_document(unit, position)
    if document is None or not document.file:
        refused = ActionRefused("no-file", _("This text is not part of your work any more."))
        return worker_page(request, "refused", frame, WorkerRefusal(refused), status=404)
    answer = FileResponse(
        store.blob_path(document.file).open("rb"), content_type=document.media_type
    )
    hosts = " ".join(list_frame_hosts(frame.study))
    # The browser's PDF viewer does not work in a sandbox.
    sandbox = "" if document.format == Document.Format.PDF else "sandbox; "
    answer.headers["Content-Security-Policy"] = (
        f"{sandbox}default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors 'self' {hosts}".strip()
    )
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    answer.headers["Content-Disposition"] = "inline"
    return answer
