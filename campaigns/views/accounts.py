"""Pages of an account that allauth does not have: the picture of a new second factor, export,
deletion.
"""

import json
from functools import partial
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from allauth.account.decorators import reauthentication_required
from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.confirmation import Decision
from campaigns.models import User
from campaigns.queries.account_data import iter_account_data
from campaigns.queries.confirmations.account import describe_account_deletion
from campaigns.services.account_deletion import check_account_deletable, delete_account
from campaigns.views.confirmation import confirm_act
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


@require_safe
@reauthentication_required(app="allauth.account")  # type: ignore[untyped-decorator]
def account_export_view(request: SignedInRequest) -> HttpResponse:
    """Everything that the installation holds about the person: a zip of JSON files."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, rows in iter_account_data(request.user):
            archive.writestr(f"{name}.json", json.dumps(rows, indent=1, default=str))
    answer = HttpResponse(buffer.getvalue(), content_type="application/zip")
    answer["Content-Disposition"] = 'attachment; filename="account.zip"'
    return answer


@require_http_methods(["GET", "POST"])
@reauthentication_required(app="allauth.account")  # type: ignore[untyped-decorator]
def account_delete_view(request: SignedInRequest) -> HttpResponse:
    """Delete one's account, with all consequences told before."""
    user = User.objects.get(pk=request.user.pk)
    check_account_deletable(user)

    def act(decision: Decision) -> HttpResponse:
        delete_account(user=user, decision=decision)
        logout(request)
        messages.success(request, _("Your account is deleted."))
        return redirect("home")

    return confirm_act(request, None, describe=partial(describe_account_deletion, user), act=act)
