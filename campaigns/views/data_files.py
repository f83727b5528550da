"""The data of a campaign: the list, downloads, and what organizers add and give to others."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import attachment_response, stored_file_response
from campaigns.confirmation import Decision
from campaigns.forms.data_files import DataFileEditForm, DataFileForm
from campaigns.models import Campaign, DataFile, Job
from campaigns.models.data_files import QRELS
from campaigns.queries.confirmations.data_files import describe_widening
from campaigns.queries.data_files import (
    find_version,
    format_checksums,
    list_changes,
    list_offered_files,
)
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.services.data_files import (
    add_data_file,
    check_widening,
    edit_data_file,
    release_data_file,
    remove_data_file,
)
from campaigns.services.made_files import MAKE, list_waiting_files, request_made_files
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, campaign_url, collect_refusal
from campaigns.views.pages import render_page


@require_safe
def data_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The files that the reader can download; for organizers all, and what they can do."""
    campaign = get_campaign_for(request.user, slug)
    request_made_files(campaign)
    offered = list_offered_files(request.user, campaign)
    organizes = is_organizer_anywhere(request.user, campaign)
    job = campaign.jobs.filter(kind=MAKE).first() if organizes else None
    page = {
        "campaign": campaign,
        "offered": offered,
        "size": sum(each.newest.size for each in offered),
        "texts": [each for each in offered if each.text],
        "changes": list_changes(offered),
        "organizes": organizes,
        "waiting": list_waiting_files(campaign) if organizes else [],
        # The latest one, under way or failed.
        "job": job if job and job.state != Job.State.DONE else None,
        "job_url": campaign_url("job", campaign, job.pk) if job else "",
    }
    return render_page(request, "campaigns/data.html", page)


@require_safe
def data_checksums_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    text = format_checksums(list_offered_files(request.user, campaign))
    return attachment_response(text, "sha256sums.txt")


@login_not_required
@require_safe
def data_file_view(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The file; ``?sha256=`` is an earlier version. Visitors get what is for everybody."""
    version = find_version(request.user, slug, name, request.GET.get("sha256", "")[:64])
    if version is None and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if version is None:
        raise Http404(f"no data file {name}")
    answer = stored_file_response(
        request, version.path, name=name, size=version.size, sha256=version.sha256
    )
    is_public = version.file.audience == DataFile.Audience.EVERYBODY
    answer.headers["Cache-Control"] = "public, no-cache" if is_public else "private, no-cache"
    return answer


@require_http_methods(["GET", "POST"])
def data_file_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    posted = [request.POST, request.FILES] if request.method == "POST" else []
    form = DataFileForm(*posted, initial={key: request.GET.get(key, "") for key in PRESETS})
    if form.is_bound and form.is_valid():
        fields = form.cleaned_data
        with collect_refusal(form):
            version = add_data_file(
                actor=request.user,
                campaign=campaign,
                data=form.read_content(),
                is_text=not fields["file"],
                **{name: fields[name] for name in ("name", "title", "holds", "licence")},
            )
            readers = version.file.get_audience_display()
            messages.success(request, f"{version.file.name} added, for {readers}.")
            return redirect("data", campaign.slug)
    page = {"campaign": campaign, "form": form, "file": None}
    return render_page(request, "campaigns/data_file.html", page, status=find_status(form))


PRESETS = ("name", "title", "holds")
"""Fields of the form that an address can fill."""


def find_status(form: Any) -> int:
    return 422 if form.errors else 200


def get_data_file(request: SignedInRequest, slug: str, name: str) -> tuple[Campaign, DataFile]:
    """A file of an organizer's campaign; it need not have a version yet."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return campaign, get_object_or_404(campaign.data_files, name=name, removed_at__isnull=True)


@require_http_methods(["GET", "POST"])
def data_file_edit_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """Title and licence of a file; of one that organizers added, a new version too."""
    campaign, file = get_data_file(request, slug, name)
    newest = file.versions.first()
    posted = [request.POST, request.FILES] if request.method == "POST" else []
    holds = newest.holds if newest else ""
    initial = {"title": file.title, "licence": file.licence, "holds": holds}
    form = DataFileEditForm(*posted, by_hand=file.is_by_hand, initial=initial)
    if form.is_bound and form.is_valid():
        described = {key: form.cleaned_data[key] for key in ("title", "licence")}
        with collect_refusal(form):
            if file.is_by_hand and (data := form.read_content()):
                more = {key: form.cleaned_data[key] for key in ("holds", "note")}
                add_data_file(
                    actor=request.user, campaign=campaign, name=file.name, data=data,
                    is_text=not form.cleaned_data["file"], **described, **more,
                )  # fmt: skip
            else:
                edit_data_file(actor=request.user, file=file, **described)
            messages.success(request, f"{file.name} saved.")
            return redirect("data", campaign.slug)
    page = {"campaign": campaign, "form": form, "file": file}
    return render_page(request, "campaigns/data_file.html", page, status=find_status(form))


@require_http_methods(["GET", "POST"])
def data_file_release_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """The page before a file is given to the teams, or with ``to=everybody`` to all."""
    campaign, file = get_data_file(request, slug, name)
    if file.source == QRELS:
        return redirect("qrels-list", campaign.slug)
    wider = file.list_wider_audiences()
    chosen = request.POST.get("to") or request.GET.get("to", "")
    audience = chosen or (wider[0].value if wider else "")
    check_widening(file, audience)

    def act(decision: Decision) -> HttpResponse:
        release_data_file(actor=request.user, file=file, audience=audience, decision=decision)
        messages.success(request, f"{file.name} is for {file.get_audience_display()} now.")
        return redirect("data", campaign.slug)

    describe = partial(describe_widening, file, audience)
    return confirm_act(request, campaign, describe=describe, act=act, fields=[("to", audience)])


@require_POST
def data_file_remove_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    campaign, file = get_data_file(request, slug, name)
    remove_data_file(actor=request.user, file=file)
    messages.success(request, f"{file.name} removed. Add it again under the same name to undo it.")
    return redirect("data", campaign.slug)
