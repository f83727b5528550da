"""Pages outside campaigns: front page, sign-in, account, theme, health."""

import math
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.utils import perform_login
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.forms.accounts import AccountForm, CurrentPasswordForm, SignInForm, TokenForm
from campaigns.lifecycle.home import build_home
from campaigns.models import User
from campaigns.queries.public_page import list_public_campaigns
from campaigns.queries.teams import list_open_registrations
from campaigns.services.accounts import has_to_confirm_address, is_sign_up_open
from campaigns.services.health import FAILED, get_health
from campaigns.services.tokens import create_token, revoke_token
from campaigns.views.context_processors import THEMES
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page

YEAR = 365 * 24 * 3600
MOST_CAMPAIGNS = 100


@login_not_required
@require_safe
def home_view(request: HttpRequest) -> HttpResponse:
    """What is wrong, what waits, where the campaigns are. With one campaign its overview is home,
    unless ``?all`` asks for the list.
    """
    if not isinstance(request.user, User):
        front = {
            "campaigns": list_public_campaigns()[:MOST_CAMPAIGNS],
            "is_sign_up_open": is_sign_up_open(),
        }
        return render_page(request, "campaigns/front.html", front)
    home = build_home(request.user)
    if len(home.campaigns) == 1 and "all" not in request.GET:
        return redirect(home.campaigns[0].campaign)
    may_create = request.user.has_perm("campaigns.create")
    registrations = list_open_registrations(request.user)
    # ``today``: the date by UTC.
    page = {
        "home": home,
        "may_create": may_create,
        "today": timezone.now().date(),
        "registrations": registrations,
        "waits": any(last and last.state == last.State.WAITING for _each, last in registrations),
    }
    return render_page(request, "campaigns/home.html", page)


@login_not_required
@require_POST
def theme_view(request: HttpRequest) -> HttpResponse:
    answer = HttpResponseRedirect(get_safe_next_url(request))
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        answer.set_cookie("theme", chosen, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    else:
        answer.delete_cookie("theme")
    return answer


def get_safe_next_url(request: HttpRequest) -> str:
    """The page to go back to, if it is on this site."""
    target = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return target if ours and target.startswith("/") and target.isprintable() else "/"


@require_http_methods(["GET", "POST"])
def account_view(request: SignedInRequest) -> HttpResponse:
    form = AccountForm(request.POST or None, instance=User.objects.get(pk=request.user.pk))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Account saved."))
        return redirect("account")
    return render_account(request, form)


def render_account(
    request: SignedInRequest,
    form: AccountForm,
    token_form: TokenForm | None = None,
    new_token: str = "",
    status: int = 200,
) -> HttpResponse:
    # ``new_token``: shown once, right after it was created.
    page = {
        "form": form,
        "tokens": request.user.api_tokens.select_related("campaign"),
        "token_form": token_form or TokenForm(user=request.user),
        "has_second_factor": is_mfa_enabled(request.user),
        "new_token": new_token,
    }
    return render_page(request, "campaigns/account.html", page, status=status)


@require_http_methods(["GET", "POST"])
def token_create_view(request: SignedInRequest) -> HttpResponse:
    """Create a token, shown only in this answer."""
    if request.method == "GET":  # the answer reloaded, or left for another language
        return redirect("account")
    form, account = TokenForm(request.POST, user=request.user), AccountForm(instance=request.user)
    if form.is_valid():
        with collect_refusal(form):
            key = create_token(request.user, **form.cleaned_data)
            return render_account(request, account, new_token=key)
    return render_account(request, account, form, status=422)


@require_POST
def token_revoke_view(request: SignedInRequest, pk: int) -> HttpResponse:
    if not revoke_token(request.user, pk):
        raise Http404
    messages.success(request, _("API token revoked."))
    return redirect("account")


@login_not_required
@require_safe
def health_view(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 (views take one)
    """The state of the installation, for a monitor; 503 if database or store fails."""
    health = get_health()
    return JsonResponse(health, status=503 if health["status"] == FAILED else 200)


class SignInView(LoginView):
    """The password, under our limits; then allauth's steps, such as a second factor."""

    authentication_form = SignInForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        answer: HttpResponse = perform_login(
            self.request,
            user,
            email_verification="mandatory" if has_to_confirm_address(user) else "none",
            redirect_url=self.get_success_url(),
        )
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"is_sign_up_open": is_sign_up_open()}


class ChangePasswordView(PasswordChangeView):
    form_class: type[PasswordChangeForm] = CurrentPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        answer = super().form_valid(form)
        adapter = get_adapter(self.request)
        adapter.send_notification_mail("account/email/password_changed", form.user)
        return answer


def lockout_response(
    request: Any, _answer: HttpResponse, _credentials: dict[str, Any] | None
) -> HttpResponse:
    """The page that says how long to wait, with status 429 (``AXES_LOCKOUT_CALLABLE``)."""
    seconds = max(1, math.ceil(request.sign_in_wait.total_seconds()))
    page = {"minutes": math.ceil(seconds / 60)}
    answer = render_page(request, "registration/locked.html", page, status=429)
    answer["Retry-After"] = str(seconds)
    return answer
