"""Tasks and rounds of a campaign: the list, and the form of one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.forms.tasks import TaskForm
from campaigns.models import Campaign, CampaignTask
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.tasks import list_task_lines
from campaigns.rules import is_organizer_anywhere
from campaigns.services.tasks import create_task, delete_task, is_fixed, update_task
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page


@require_safe
def tasks_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All tasks with topics and dates, for all members; organizers see the counts of runs."""
    campaign = get_campaign_for(request.user, slug)
    page = {
        "campaign": campaign,
        "lines": list_task_lines(campaign),
        "organizes": is_organizer_anywhere(request.user, campaign),
    }
    return render_page(request, "campaigns/tasks.html", page)


@require_http_methods(["GET", "POST"])
def task_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return handle_task_form(request, campaign, None)


@require_http_methods(["GET", "POST"])
def task_edit_view(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return handle_task_form(request, campaign, get_object_or_404(campaign.tasks, slug=task))


@require_POST
def task_delete_view(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    row = get_object_or_404(campaign.tasks, slug=task)
    delete_task(actor=request.user, task=row)
    messages.success(request, f"{row} deleted.")
    return redirect("tasks", campaign.slug)


def handle_task_form(
    request: SignedInRequest, campaign: Campaign, task: CampaignTask | None
) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    form = TaskForm(posted, instance=task, campaign=campaign)
    if form.is_valid():
        fields = form.cleaned_data
        with collect_refusal(form):
            if task is None:
                create_task(actor=request.user, campaign=campaign, **fields)
            else:
                update_task(actor=request.user, task=task, **fields)
            messages.success(request, "Saved.")
            return redirect("tasks", campaign.slug)
    page = {
        "campaign": campaign,
        "task": task,
        "form": form,
        "can_delete": task is not None and not task.runs.exists() and not is_fixed(task),
    }
    return render_page(
        request, "campaigns/task_edit.html", page, status=422 if form.is_bound else 200
    )
