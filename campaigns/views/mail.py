"""The outbox of a campaign, messages of organizers, one's own mails, and the end of reminders."""

from collections.abc import Mapping
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.confirmation import Decision
from campaigns.forms.messages import MessageForm
from campaigns.models import Campaign, Mail
from campaigns.models.mail import MAIL_KINDS, MailQuerySet
from campaigns.queries.confirmations.messages import MessageDraft, describe_message
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.mail import find_unsent_state, list_outbox, list_own_mails
from campaigns.services.mail import cancel_mail, read_reminder_token, requeue_mail, stop_reminders
from campaigns.services.messages import send_message
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from campaigns.views.row_filters import RowFilter, build_row_filter

FILTERS: dict[str, tuple[str, Mapping[str, object]]] = {
    "state": ("State", dict(Mail.State.choices)),
    "kind": ("Kind", MAIL_KINDS),
}
"""The outbox is in English, as all pages of organizers."""


@require_safe
def outbox_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All mails about the campaign, newest first, by state and kind."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    outbox = list_outbox(campaign)
    states, kinds = (build_mail_filter(request, outbox, field) for field in FILTERS)
    chosen = {"state": states.value, "kind": kinds.value}
    rows = outbox.filter(**{field: value for field, value in chosen.items() if value})
    page = {
        "campaign": campaign,
        "page_obj": paginate(request, rows, 100),
        "states": states,
        "kinds": kinds,
        "unsent_state": find_unsent_state(),
    }
    return render_page(request, "campaigns/outbox.html", page)


def build_mail_filter(request: HttpRequest, mails: MailQuerySet, field: str) -> RowFilter:
    counts = dict(mails.order_by().values_list(field).annotate(Count("pk")))
    label, labels = FILTERS[field]
    return build_row_filter(request, field, label, counts, labels)


@require_safe
def outbox_mail_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    mail = get_object_or_404(list_outbox(campaign), pk=pk)
    same = campaign.mails.filter(kind=mail.kind, key=mail.key, state=Mail.State.QUEUED)
    page = {"campaign": campaign, "mail": mail, "queued": same.count()}
    return render_page(request, "campaigns/outbox_mail.html", page)


@require_POST
def mail_cancel_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Cancel this mail, or with ``all`` every queued one of the same occasion."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    mail = get_object_or_404(list_outbox(campaign), pk=pk)
    count = cancel_mail(actor=request.user, mail=mail, is_whole="all" in request.POST)
    messages.success(request, f"Mails canceled: {count}.")
    return redirect("outbox-mail", slug, pk)


@require_POST
def mail_requeue_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    requeue_mail(actor=request.user, mail=get_object_or_404(list_outbox(campaign), pk=pk))
    messages.success(request, "The mail is queued again.")
    return redirect("outbox-mail", slug, pk)


@require_http_methods(["GET", "POST"])
def message_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form; then the page that shows who gets the message and what it says; then it is sent."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = MessageForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        if build_draft(request, campaign, form).recipients:
            return confirm_message(request, campaign, form)
        form.add_error("to", "No members yet. Invite them first.")
    status = 422 if request.method == "POST" else 200
    page = {"campaign": campaign, "form": form}
    return render_page(request, "campaigns/message_new.html", page, status=status)


def build_draft(request: SignedInRequest, campaign: Campaign, form: MessageForm) -> MessageDraft:
    fields = form.cleaned_data
    audience, team = form.read_audience()
    return MessageDraft(campaign, request.user, audience, team, fields["subject"], fields["text"])


def confirm_message(
    request: SignedInRequest, campaign: Campaign, form: MessageForm
) -> HttpResponse:
    draft = build_draft(request, campaign, form)

    def act(decision: Decision) -> HttpResponse:
        send_message(
            actor=request.user, campaign=campaign, audience=draft.audience, team=draft.team,
            subject=draft.subject, text=draft.text, decision=decision,
        )  # fmt: skip
        messages.success(request, "The message is in the outbox.")
        return redirect("outbox", campaign.slug)

    return confirm_act(
        request,
        campaign,
        describe=partial(describe_message, draft),
        act=act,
        fields=[(name, form.cleaned_data[name]) for name in form.fields],
    )


@require_safe
def mails_view(request: SignedInRequest) -> HttpResponse:
    """One's own mails about campaigns, also those that were not sent."""
    page = {"page_obj": paginate(request, list_own_mails(request.user), 100)}
    return render_page(request, "campaigns/mails.html", page)


@require_safe
def mail_view(request: SignedInRequest, pk: int) -> HttpResponse:
    mail = get_object_or_404(list_own_mails(request.user), pk=pk)
    return render_page(request, "campaigns/mail.html", {"mail": mail})


# Mail programs post here by themselves (RFC 8058), without a page before; the link is the proof.
@csrf_exempt
@login_not_required
@require_http_methods(["GET", "POST"])
def reminders_stop_view(request: HttpRequest, token: str) -> HttpResponse:
    """Ask; by POST, end the reminders to the user of the link. It says nothing about them."""
    if request.method == "POST":
        stop_reminders(token)
    else:
        read_reminder_token(token)
    page = {"is_over": request.method == "POST"}
    return render_page(request, "campaigns/reminders_stop.html", page)
