"""Pages of an account that allauth does not have: the picture of a new second factor."""

from __future__ import annotations

from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.http import Http404, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.views.helpers import SignedInRequest


@never_cache
@require_safe
def totp_picture_view(request: SignedInRequest) -> HttpResponse:
    """The QR code of the key that the page *Second factor* offers; the policy forbids ``data:``."""
    secret = request.session.get(SECRET_SESSION_KEY)
    if not secret:
        raise Http404("no key is offered")
    adapter = get_adapter()
    picture = adapter.build_totp_svg(adapter.build_totp_url(request.user, secret))
    return HttpResponse(picture, content_type="image/svg+xml")
