"""The page of one study: where it is, what to do next, what it pays."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse

from campaigns.models import Campaign
from campaigns.views.helpers import SignedInRequest, campaign_url
from campaigns.views.pages import render_page
from crowd.core.forecast import StudyForecast
from crowd.core.hourly_pay import PayAssessment
from crowd.core.providers.registry import PROVIDERS
from crowd.models import ConsentText, Study
from crowd.queries.start_checks import MISSING, StartCheck, list_start_checks
from crowd.queries.studies import StudyFigures, load_study_figures, load_study_forecast
from crowd.queries.study_pay import load_pay_assessment
from judging.core.aggregation.registry import MODELS
from judging.models import WorkUnit

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


@dataclass(frozen=True)
class UnitCount:
    state: str
    label: str
    n: int


@dataclass(frozen=True)
class NextAct:
    """One sentence, and the page where it is done."""

    text: str
    url: str = ""
    label: str = ""


@dataclass(frozen=True)
class StudyPage:
    campaign: Campaign
    study: Study
    provider_title: str
    aggregation_title: str
    link: str
    link_note: str
    figures: StudyFigures
    units: list[UnitCount]
    forecast: StudyForecast
    pay: PayAssessment
    checks: list[StartCheck]
    next_act: NextAct
    consents: list[ConsentText]


def render_study_page(request: SignedInRequest, study: Study) -> HttpResponse:
    figures = load_study_figures([study])[0]
    is_draft = study.state == Study.State.DRAFT
    checks = list_start_checks(study) if is_draft else []
    provider = PROVIDERS.get(study.provider)
    model = MODELS.get(study.aggregation)
    page = StudyPage(
        campaign=study.campaign,
        study=study,
        provider_title=provider.title if provider else study.provider,
        aggregation_title=model.card.title if model else study.aggregation,
        link=request.build_absolute_uri(build_study_link(study)),
        link_note=NOTES.get(study.provider, ""),
        figures=figures,
        units=[
            UnitCount(state.value, str(state.label), figures.units.get(state, 0))
            for state in WorkUnit.State
        ],
        forecast=load_study_forecast(study),
        pay=load_pay_assessment(study),
        checks=checks,
        next_act=choose_next_act(study, figures, checks),
        consents=list(study.consent_texts.select_related("created_by")),
    )
    return render_page(request, "crowd/study.html", page)


def build_study_link(study: Study) -> str:
    """Path, and for Prolific the query with its placeholders, of the study's link."""
    path = reverse("crowd-door", args=[study.campaign.slug, study.pk])
    if study.provider == "prolific":
        return f"{path}?{urlencode(PROLIFIC_FIELDS, safe='{}%')}"
    return path


def choose_next_act(study: Study, figures: StudyFigures, checks: list[StartCheck]) -> NextAct:
    """What the organizer does next, by the state of the study."""
    if study.state == Study.State.DRAFT:
        return choose_draft_act(study, checks)
    if study.state == Study.State.STOPPED:
        url = campaign_url("qrels-list", study.campaign)
        return NextAct("The study is stopped. Its judgments count.", url, "Freeze qrels")
    args = [study.campaign.slug, study.pk]
    if figures.is_complete:
        return NextAct("All judgments are there.", reverse("study-stop", args=args), "Stop study")
    if study.state == Study.State.PAUSED:
        return NextAct("Paused: no worker gets a new unit.")
    if study.max_units is not None and figures.started_units >= study.max_units:
        url = reverse("study-extend", args=args)
        return NextAct(f"All {study.max_units} units are taken.", url, "Extend study")
    return NextAct(
        "Running. Watch the workers, and pay them soon after they finish."
        if figures.started_units
        else "Running, and no worker has come yet. Hand out the link."
    )


def choose_draft_act(study: Study, checks: list[StartCheck]) -> NextAct:
    """The first thing that is missing; then a trial; then the start."""
    missing = [check for check in checks if check.state == MISSING]
    trials = [check for check in checks if check.code == "not-tried"]
    for check in missing + trials:
        return NextAct(check.text, check.url, check.link)
    url = reverse("study-start", args=[study.campaign.slug, study.pk])
    return NextAct("Everything is there.", url, "Start study")
