"""Addresses that pages of campaigns had before they were grouped, and the way to the new ones."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.views.decorators.csrf import csrf_exempt

MOVES = {
    "adjudication": "judging/adjudication",
    "agreement": "judging/agreement",
    "collection": "results/collection",
    "crowd": "judging/crowd",
    "disagreement": "judging/agreement/effect",
    "documents": "setup/documents",
    "guidelines": "setup/guidelines",
    "log": "people/log",
    "preferences": "judging/preferences",
    "qrels": "results/qrels",
    "scores": "results/scores",
    "settings": "setup",
    "simulation": "pool/simulation",
    "stopping": "judging/stopping",
    "topics": "setup/topics",
}
"""The first word of an old address below its campaign, and what replaces it."""
OLD_ADDRESS = rf"^c/(?P<slug>[-a-zA-Z0-9_]+)/(?P<word>{'|'.join(MOVES)})(?P<rest>/.*)?$"


@csrf_exempt
@login_not_required
def old_address_view(
    request: HttpRequest, slug: str, word: str, rest: str | None = None
) -> HttpResponse:
    """301 to the same page where it is now, with the query.

    A form that was open during an update is sent again there (308): the new address checks who
    sends it, so that nothing typed is lost.
    """
    old, new = f"/c/{slug}/{word}", f"/c/{slug}/{MOVES[word]}"
    if rest is None:
        new += "/"
    address = request.get_full_path().replace(old, new, 1)
    asks = request.method in ("GET", "HEAD")
    return HttpResponsePermanentRedirect(address, preserve_request=not asks)
