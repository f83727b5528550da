"""Pages of crowd studies for organizers: list, create, edit, study, and the acts on it."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from campaigns.views.row_filters import filter_rows
from crowd.forms.studies import StudyExtendForm, StudyForm, StudyNewForm, build_edit_form
from crowd.models import Study
from crowd.queries.confirmations import describe_study_start, describe_study_stop
from crowd.queries.start_checks import MISSING, OPEN, list_start_checks
from crowd.queries.studies import (
    find_example_study,
    list_studies,
    load_crowd_needs,
    load_study_figures,
)
from crowd.queries.study_terms import assess_study_pay, get_consent_text, load_campaign_seconds
from crowd.queries.workers import get_study_for
from crowd.services.studies import (
    create_study,
    edit_study,
    extend_study,
    pause_study,
    start_study,
    stop_study,
)
from crowd.views.study_page import render_study_page
from judging.queries.slot_counts import count_pairs_without_plan
from poolbench.crowd.consent import PLACEHOLDERS
from poolbench.crowd.forecast import forecast_study
from poolbench.files.faults import format_count
from poolbench.shared_reads import share_reads


@require_GET
@share_reads
def studies_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The studies of a campaign with their key figures."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    studies = load_study_figures(list_studies(campaign))
    listed, states = filter_rows(
        request, studies, lambda row: row.study.state, parameter="state", label="State",
        labels=dict(Study.State.choices),
    )  # fmt: skip
    page = {
        "campaign": campaign,
        "studies": listed,
        "has_studies": bool(studies),
        "states": states,
        "needs": load_crowd_needs(campaign),
        "example": None if studies else find_example_study(request.user, campaign),
    }
    return render_page(request, "crowd/studies.html", page)


@share_reads
def render_study_form(
    request: SignedInRequest,
    campaign: Campaign,
    form: StudyForm,
    study: Study | None = None,
    preview: dict[str, object] | None = None,
) -> HttpResponse:
    # ``study`` is None for a new one; ``can_fill`` lists the placeholders of the consent text.
    page = {
        "campaign": campaign,
        "form": form,
        "study": study,
        "needs": None if study else load_crowd_needs(campaign),
        "preview": preview,
        "can_fill": PLACEHOLDERS,
    }
    status = 422 if form.is_bound and form.errors else 200
    return render_page(request, "crowd/study_form.html", page, status=status)


def build_study_preview(campaign: Campaign, form: StudyNewForm) -> dict[str, object]:
    """The preview of a valid form. Writes nothing."""
    options, values = form.options(), form.cleaned_data
    pool, numbers = values["pool"], values["topics"]
    topics = (
        campaign.topics.all() if numbers is None else campaign.topics.filter(number__in=numbers)
    )
    wanted = set(topics.values_list("pk", flat=True))
    unplanned = {t: n for t, n in count_pairs_without_plan(pool).items() if t in wanted}
    seconds = load_campaign_seconds(campaign, options.documents)
    forecast = forecast_study(list(unplanned.values()), values["redundancy"], options, seconds)
    # ``planned_before``: pairs of the chosen topics that are in a plan already.
    return {
        "forecast": forecast,
        "pay": assess_study_pay(campaign, options, values["consent"], seconds),
        "currency": options.currency,
        "documents": options.documents,
        "planned_before": pool.items.filter(topic__in=wanted).count() - sum(unplanned.values()),
    }


def find_copied_study(campaign: Campaign, number: str) -> Study | None:
    """The study of ``campaign`` whose fields a new one gets; None unless it is there."""
    studies = Study.objects.filter(campaign=campaign, pk=read_digits(number) or 0)
    return studies.select_related("plan").first()


@require_http_methods(["GET", "POST"])
def study_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Decide about a study, from the fields of study ``copy`` if there is one; preview what it
    costs; create it with its plan.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    data = request.POST if request.method == "POST" else None
    copied = find_copied_study(campaign, request.GET.get("copy", ""))
    latest = get_consent_text(copied) if copied else None
    consent = latest.source if latest else ""
    form = StudyNewForm(campaign, data, copied=copied, consent=consent)
    if not form.is_valid():
        return render_study_form(request, campaign, form)
    if "preview" in request.POST:
        preview = build_study_preview(campaign, form)
        return render_study_form(request, campaign, form, preview=preview)
    values = form.cleaned_data
    try:
        study = create_study(
            actor=request.user,
            pool=values["pool"],
            options=form.options(),
            redundancy=values["redundancy"],
            max_redundancy=values["max_redundancy"],
            topics=values["topics"],
            consent=values["consent"],
        )
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_study_form(request, campaign, form)
    messages.success(request, "Study created as a draft: no worker sees it yet.")
    return redirect(study)


@require_http_methods(["GET", "POST"])
def study_edit_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Change a study: all of a draft, later what workers do not rely on."""
    campaign, study = get_study_for(request.user, slug, pk)
    latest = get_consent_text(study)
    form = build_edit_form(
        study, latest.source if latest else "", request.POST if request.method == "POST" else None
    )
    if not form.is_valid():
        return render_study_form(request, campaign, form, study)
    try:
        consent = form.cleaned_data["consent"]
        edit_study(actor=request.user, study=study, options=form.options(), consent=consent)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_study_form(request, campaign, form, study)
    messages.success(request, "Study saved.")
    return redirect(study)


@require_GET
def study_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """State, links, units, judgments, cost and pay of a study."""
    _, study = get_study_for(request.user, slug, pk)
    return render_study_page(request, study)


@require_http_methods(["GET", "POST"])
def study_start_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The list of what is missing, then the page before a study starts; its form starts it."""
    campaign, study = get_study_for(request.user, slug, pk)
    if study.state != Study.State.DRAFT:
        return redirect(study)
    reason = request.POST.get("reason", "").strip()[:500]
    checks = list_start_checks(study)
    missing = any(check.state == MISSING for check in checks)
    below = any(check.code == "pay-below" for check in checks)
    if missing or (below and not reason):
        # Before the confirmation: what is missing, or the reason for pay below the minimum.
        page = {
            "campaign": campaign,
            "study": study,
            "checks": [check for check in checks if check.state in (MISSING, OPEN)],
            "is_missing": missing,
            "needs_reason": below and not missing,
        }
        status = 200 if request.method == "GET" else 422
        return render_page(request, "crowd/study_start.html", page, status=status)

    def act(decision: Decision) -> HttpResponse:
        start_study(actor=request.user, study=study, reason=reason, decision=decision)
        messages.success(request, "Study started: its link is open to workers.")
        return redirect(study)

    describe = partial(describe_study_start, study, reason)
    fields = [("reason", reason)] if reason else []
    return confirm_act(request, campaign, describe=describe, act=act, fields=fields)


@require_POST
def study_pause_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Pause or resume."""
    _, study = get_study_for(request.user, slug, pk)
    paused = request.POST.get("paused") == "1"
    study = pause_study(actor=request.user, study=study, paused=paused)
    text = "Study paused: no new units. Those in progress may finish."
    messages.success(request, text if paused else "Study resumed.")
    return redirect(study)


@require_http_methods(["GET", "POST"])
def study_stop_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before a study ends; its form ends it."""
    campaign, study = get_study_for(request.user, slug, pk)
    if study.state == Study.State.STOPPED:
        return redirect(study)

    def act(decision: Decision) -> HttpResponse:
        stop_study(actor=request.user, study=study, decision=decision)
        messages.success(request, "Study stopped. Units in progress may finish.")
        return redirect(study)

    describe = partial(describe_study_stop, study)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def study_extend_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Raise the limits of a study."""
    campaign, study = get_study_for(request.user, slug, pk)
    form = StudyExtendForm(study, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        before = study.plan.slots.count()
        try:
            study = extend_study(actor=request.user, study=study, extension=form.extension())
        except ActionRefused as refused:
            form.add_error(None, str(refused))
        else:
            added = study.plan.slots.count() - before
            more = f" {format_count(added, 'judgment')} added." if added else ""
            messages.success(request, f"Study extended.{more}")
            return redirect(study)
    page = {
        "campaign": campaign,
        "study": study,
        "form": form,
        "pairs": study.plan.slots.values("item").distinct().count(),
    }
    status = 422 if form.errors else 200
    return render_page(request, "crowd/study_extend.html", page, status=status)
