"""Judging today: the verdict, alarms with evidence and act, progress; documents sent to look at
again.
"""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import get_report
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page
from judging.models import AlarmDismissal
from judging.queries.duplicate_grades import list_duplicate_grades, list_pairs_to_review
from judging.queries.tallies import judging_progress
from judging.queries.today import list_answered_reviews, list_aside_alarms, list_open_reviews
from judging.services.reviews import MOST_DOCUMENTS, finish_review, request_review
from judging.services.today import put_alarm_aside, undo_alarm_dismissal
from judging.views.progress import get_assessor
from poolbench.judging.today.alarm import Alarm
from poolbench.judging.today.verdict import RULE, TODAY, TodayReport


class AlarmForm(forms.Form):
    """Which alarm, and why it is put aside."""

    name = forms.CharField(max_length=40)
    subject = forms.CharField(max_length=500, required=False)
    reason = forms.CharField(max_length=500, required=False)


class ReviewForm(forms.Form):
    """Documents to look at again, and a message."""

    count = forms.IntegerField(
        label="Documents",
        min_value=0,
        max_value=MOST_DOCUMENTS,
        initial=20,
        help_text="The last ones that the assessor judged; 0 for a message alone.",
    )
    topic = forms.CharField(
        label="Topic", max_length=100, required=False, help_text="Leave empty for all topics."
    )
    documents = forms.CharField(
        label="These documents",
        max_length=100_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Instead of the last ones: one a line, topic and docno.",
    )
    message = forms.CharField(
        label="Message",
        max_length=2_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Say why: what you have seen, and what you would like to know.",
    )

    def clean_documents(self) -> list[tuple[str, str]]:
        """(topic, docno) of each line that is not blank."""
        lines = [line.split(maxsplit=1) for line in self.cleaned_data["documents"].splitlines()]
        if any(len(parts) == 1 for parts in lines) or len(lines) > MOST_DOCUMENTS:
            raise forms.ValidationError(
                f"Write a topic and a docno on each line, on at most {MOST_DOCUMENTS} lines."
            )
        return [(parts[0], parts[1].strip()) for parts in lines if parts]


LONGEST_ANSWER = 2_000


@dataclass(frozen=True)
class AlarmRow:
    """``dismissal`` is None for an alarm that sounds."""

    alarm: Alarm
    dismissal: AlarmDismissal | None = None


@require_safe
def judging_today_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    current = get_report(campaign, TODAY)
    report: TodayReport | None = current.report
    rows = list_aside_alarms(campaign)
    page = {
        "campaign": campaign,
        "current": current,
        "rule": RULE,
        "alarms": [AlarmRow(alarm) for alarm in report.alarms] if report else (),
        "aside": [
            AlarmRow(alarm, rows.get((alarm.name, alarm.subject)))
            for alarm in (report.quiet if report else ())
        ],
        "left": sum(topic.left for topic in report.topics) if report else 0,
        "reviews": [row for row in list_open_reviews(campaign) if not row.is_own],
        "answered": list_answered_reviews(campaign),
        "has_plans": campaign.plans.exists(),
        "tally": judging_progress(campaign),
    }
    return render_page(request, "judging/today.html", page)


@require_POST
def alarm_aside_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Put an alarm aside with a reason, or, with ``back``, let it sound again."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = AlarmForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Not saved: the form was incomplete.")
        return redirect("judging-today", slug)
    fields = form.cleaned_data
    try:
        if "back" in request.POST:
            fields.pop("reason")
            undo_alarm_dismissal(actor=request.user, campaign=campaign, **fields)
            messages.success(request, "The alarm sounds again.")
        else:
            put_alarm_aside(actor=request.user, campaign=campaign, **fields)
            messages.success(request, "Put aside. It comes back if it gets worse.")
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("judging-today", slug)


def propose_review(request: SignedInRequest, campaign: Campaign, person: User) -> dict[str, str]:
    """What the form has at first."""
    if "duplicates" not in request.GET:
        return {"topic": ""}
    groups = list_duplicate_grades(campaign)
    if "docno" in request.GET:
        here = request.GET.get("topic"), request.GET["docno"]
        groups = [row for row in groups if here == (row.topic, row.documents[0].docno)]
    pairs = list_pairs_to_review(groups, person.username)[:MOST_DOCUMENTS]
    return {
        "documents": "\n".join(f"{topic} {docno}" for topic, docno in pairs),
        "message": "Documents with the same or nearly the same text have different grades."
        if pairs
        else "",
    }


@require_http_methods(["GET", "POST"])
def review_new_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """Documents for an assessor to look at again, with a message; with ``?duplicates`` those that
    *Same text, different grades* has of them, or with ``?docno`` of the group of this document.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    person = get_assessor(campaign, username)
    posted = request.method == "POST"
    form = (
        ReviewForm(request.POST)
        if posted
        else ReviewForm(initial=propose_review(request, campaign, person))
    )
    if posted and form.is_valid():
        with collect_refusal(form):
            row = request_review(
                actor=request.user, campaign=campaign, assessor=person, **form.cleaned_data
            )
            count = len(row.documents)
            messages.success(request, f"Sent to {person.shown_name}: {count} documents.")
            return redirect("judging-today", slug)
    page = {"campaign": campaign, "person": person, "form": form}
    return render_page(request, "judging/review_new.html", page)


@require_POST
def review_done_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The assessor has looked at the documents again."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    answer = request.POST.get("answer", "").replace("\0", "").strip()[:LONGEST_ANSWER]
    row = finish_review(actor=request.user, campaign=campaign, pk=pk, answer=answer)
    if row is not None:
        thanks = _("Thank you: the organizers see that you are done.")
        messages.success(request, _("List removed.") if row.is_own else thanks)
    return redirect("work", slug)
