"""The page of an invitation link, for users with and without an account."""

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from campaigns.errors import ActionRefused
from campaigns.forms.accounts import SignUpForm
from campaigns.models import Campaign, Invitation, User
from campaigns.services import people
from campaigns.services.sign_in import set_device_cookie
from campaigns.views.pages import render_page

BACKEND = "django.contrib.auth.backends.ModelBackend"


@sensitive_post_parameters()
@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def join_view(request: HttpRequest, token: str) -> HttpResponse:
    try:
        invitation = people.get_invitation(token)
        if isinstance(request.user, User):
            return join_as_user(request, request.user, invitation, token)
        return join_as_newcomer(request, invitation, token)
    except ActionRefused as refused:
        status = 404 if refused.code == "bad-link" else 410
        status = 409 if refused.code in ("has-role", "other-team") else status
        page = {"refused": refused}
        return render_page(request, "campaigns/join_refused.html", page, status=status)


def join_as_user(
    request: HttpRequest, user: User, invitation: Invitation, token: str
) -> HttpResponse:
    if request.method == "POST":
        people.accept_invitation(user=user, token=token)
        return welcome_member(request, invitation.campaign)
    return render_page(request, "campaigns/join.html", {"invitation": invitation, "form": None})


def join_as_newcomer(request: HttpRequest, invitation: Invitation, token: str) -> HttpResponse:
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = people.create_account(
            token=token,
            username=form.cleaned_data["username"],
            password=form.cleaned_data["password1"],
            name=form.cleaned_data["name"],
        )
        login(request, user, backend=BACKEND)
        if address := form.cleaned_data.get("email"):
            EmailAddress.objects.add_email(request, user, address, confirm=True)
        answer = welcome_member(request, invitation.campaign)
        set_device_cookie(request, answer, user)
        return answer
    # ``form`` is for newcomers, who need an account.
    return render_page(request, "campaigns/join.html", {"invitation": invitation, "form": form})


def welcome_member(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    messages.success(request, _("Welcome to %(title)s.") % {"title": campaign.title})
    return redirect(campaign)
