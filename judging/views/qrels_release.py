"""The page before a qrels version is released or published, and its download by teams."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import store
from campaigns.api.attachments import attachment_response
from campaigns.confirmation import Decision
from campaigns.models import DataFile
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import require_access
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest
from judging.queries.qrels_release import (
    describe_qrels_release,
    list_wider_audiences,
    name_qrels_file,
)
from judging.services.qrels_release import check_release, release_qrels


@require_http_methods(["GET", "POST"])
def qrels_release_view(request: SignedInRequest, slug: str, version: int) -> HttpResponse:
    """To the teams, or with ``to=everybody`` to all."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    qrels = get_object_or_404(campaign.qrels, version=version)
    qrels.campaign = campaign
    wider = list_wider_audiences(qrels)
    chosen = request.POST.get("to") or request.GET.get("to", "")
    audience = chosen or (wider[0].value if wider else "")
    check_release(qrels, audience)

    def act(decision: Decision) -> HttpResponse:
        file = release_qrels(actor=request.user, qrels=qrels, audience=audience, decision=decision)
        readers = file.get_audience_display()
        messages.success(request, f"Qrels {qrels.version} are for {readers} now.")
        return redirect("qrels", campaign.slug, qrels.version)

    describe = partial(describe_qrels_release, qrels, audience)
    return confirm_act(request, campaign, describe=describe, act=act, fields=[("to", audience)])


@require_safe
def qrels_download_view(request: SignedInRequest, slug: str, version: int) -> HttpResponse:
    """For organizers, and for members to whom the version was released."""
    campaign = get_campaign_for(request.user, slug)
    qrels = get_object_or_404(campaign.qrels, version=version)
    files = DataFile.objects.visible_to(request.user).filter(campaign=campaign)
    if not files.filter(name=name_qrels_file(qrels)).exists():
        require_access(request.user, "campaigns.manage", campaign)
    return attachment_response(store.get_blob(qrels.path), f"{slug}-qrels-{version}.txt")
