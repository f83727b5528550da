"""The page of one study: where it is, what to do next, what it pays."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse

from campaigns.views.helpers import SignedInRequest, campaign_url
from campaigns.views.pages import render_page
from crowd.models import Study, WorkUnit
from crowd.queries.keys import lacks_link_key
from crowd.queries.payment_sheet import add_due_amounts, find_open_batch
from crowd.queries.start_checks import MISSING, StartCheck, list_start_checks
from crowd.queries.studies import StudyFigures, load_study_figures, load_study_forecast
from crowd.queries.study_terms import format_amount, load_pay_assessment
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.judging.aggregation.registry import MODELS

PROLIFIC_FIELDS = {
    "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
    "STUDY_ID": "{{%STUDY_ID%}}",
    "SESSION_ID": "{{%SESSION_ID%}}",
}
NOTES = {
    "generic": "Sign a link of its own for every worker; unsigned, the address opens nothing.",
    "fake": "Workers arrive from the fake provider's page only.",
    "prolific": "Enter it as the external study link of the Prolific study.",
    "external": "Enter it as the ExternalURL of the question.",
}


def render_study_page(request: SignedInRequest, study: Study) -> HttpResponse:
    figures = load_study_figures([study])[0]
    is_draft = study.state == Study.State.DRAFT
    checks = list_start_checks(study) if is_draft else []
    provider = PROVIDERS.get(study.provider)
    model = MODELS.get(study.aggregation)
    next_act = choose_next_act(study, figures, checks)
    page = {
        "campaign": study.campaign,
        "study": study,
        "provider_title": provider.title if provider else study.provider,
        "aggregation_title": model.card.title if model else study.aggregation,
        "link": request.build_absolute_uri(build_study_link(study)),
        "link_note": NOTES.get(study.provider, ""),
        "figures": figures,
        "units": [
            {"state": state.value, "label": str(state.label), "n": figures.units.get(state, 0)}
            for state in WorkUnit.State
        ],
        "forecast": load_study_forecast(study),
        "pay": load_pay_assessment(study),
        "checks": checks,
        "next_act": dict(zip(("text", "url", "label"), next_act, strict=True)),
        "consents": list(study.consent_texts.select_related("created_by")),
    }
    return render_page(request, "crowd/study.html", page)


def build_study_link(study: Study) -> str:
    """Path, and for Prolific the query with its placeholders, of the study's link."""
    path = reverse("crowd-door", args=[study.campaign.slug, study.pk])
    if study.provider == "prolific":
        return f"{path}?{urlencode(PROLIFIC_FIELDS, safe='{}%')}"
    return path


def choose_next_act(
    study: Study, figures: StudyFigures, checks: list[StartCheck]
) -> tuple[str, str, str]:
    """What the organizer does next, by the state of the study: one sentence, and address and label
    of the page where it is done.
    """
    if study.state == Study.State.DRAFT:
        return choose_draft_act(study, checks)
    if study.state == Study.State.STOPPED:
        return choose_last_act(study)
    args = [study.campaign.slug, study.pk]
    if figures.is_complete:
        return "All judgments are there.", reverse("study-stop", args=args), "Stop study"
    if study.state == Study.State.PAUSED:
        return "Paused: no worker gets a new unit.", "", ""
    if study.max_units is not None and figures.started_units >= study.max_units:
        url = reverse("study-extend", args=args)
        return f"All {study.max_units} units are taken.", url, "Extend study"
    text, url, act = "Running. Watch the workers, and pay them soon after they finish.", "", ""
    if not figures.started_units:
        text = "Running, and no worker has come yet. Hand out the link."
        if lacks_link_key(study):
            text, url, act = "No link opens it.", reverse("study-keys", args=args), "Add key"
    return text, url, act


def choose_last_act(study: Study) -> tuple[str, str, str]:
    """Of a stopped study: pay what is owed, see that it was paid, then use the judgments."""
    url = reverse("study-payments", args=[study.campaign.slug, study.pk])
    due = add_due_amounts(Study.objects.filter(pk=study.pk)).get().due
    if due:
        amount = format_amount(due, study.currency)
        return "The study is stopped; its workers wait for their pay.", url, f"Pay {amount}"
    if batch := find_open_batch(study):
        text = f"Batch {batch.number} is not marked as paid."
        return text, url, f"See batch {batch.number}"
    url = campaign_url("qrels-list", study.campaign)
    return "The study is stopped. Its judgments count.", url, "Freeze qrels"


def choose_draft_act(study: Study, checks: list[StartCheck]) -> tuple[str, str, str]:
    """The first thing that is missing; then a trial; then the start."""
    missing = [check for check in checks if check.state == MISSING]
    trials = [check for check in checks if check.code == "not-tried"]
    for check in missing + trials:
        return check.text, check.url, check.link
    url = reverse("study-start", args=[study.campaign.slug, study.pk])
    return "Everything is there.", url, "Start study"
