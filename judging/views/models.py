"""Models that judge, for organizers: the prompt card, the trial, the work and what it found.

No page shows a grade of a pair; who may see those is a matter of ``views.automatic``.
"""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from judging.models import AutomaticAssessor
from judging.queries.models import (
    find_pool_to_judge,
    forecast_rest,
    list_flagged_answers,
    list_pairs_to_judge,
    sum_answers,
)
from judging.services.model_judging import (
    KIND,
    MOST_AT_ONCE,
    MOST_PER_MINUTE,
    TRIAL,
    ModelWish,
    request_model_judgments,
)
from judging.services.prompt_cards import (
    MOST_CHARACTERS,
    MOST_SHOWN,
    create_model_assessor,
    release_card,
)
from judging.views.automatic import get_automatic_assessor
from poolbench.judging.prompts import PLACES, TEMPLATE


class ModelForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        help_text="Letters, digits, - and _, such as llama3-70b. Used in policy names.",
    )
    model = forms.CharField(max_length=200, help_text="As the model's address expects it.")
    template = forms.CharField(
        max_length=50_000,
        strip=False,
        initial=TEMPLATE,
        widget=forms.Textarea({"rows": 18, "class": "mono"}),
        help_text=f"Filled in: {', '.join(f'{{{place}}}' for place in PLACES)}.",
    )
    example_count = forms.IntegerField(
        label="Examples",
        min_value=0,
        max_value=MOST_SHOWN,
        initial=0,
        help_text="Training pairs of the same topic that a prompt shows with their grades.",
    )
    characters = forms.IntegerField(
        label="Characters of a document",
        min_value=1,
        max_value=MOST_CHARACTERS,
        initial=20_000,
        help_text="Longer documents are cut off.",
    )


class AskForm(forms.Form):
    address = forms.ChoiceField(help_text="Addresses are allowed by the operator.")
    at_once = forms.IntegerField(
        label="Requests at once", min_value=1, max_value=MOST_AT_ONCE, initial=4
    )
    per_minute = forms.IntegerField(
        label="Requests per minute", min_value=1, max_value=MOST_PER_MINUTE, initial=60
    )
    price_prompt = forms.FloatField(
        label="Price of 1,000 tokens of prompts", required=False, min_value=0
    )
    price_answer = forms.FloatField(
        label="Price of 1,000 tokens of answers", required=False, min_value=0
    )
    trial = forms.BooleanField(
        label=f"Only a trial of {TRIAL} pairs",
        required=False,
        initial=True,
        help_text="After it the page says what the rest will take. Its answers count.",
    )
    texts_may_leave = forms.BooleanField(
        label="Topics and documents may be sent to this address",
        help_text="Their licenses allow it. The log of the campaign records that you said so.",
    )

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        allowed = settings.POOLBENCH_MODEL_ADDRESSES
        self.fields["address"].choices = [(each, each) for each in allowed]  # type: ignore[attr-defined]

    def build_wish(self) -> ModelWish:
        data = self.cleaned_data
        prices = (data["price_prompt"], data["price_answer"])
        return ModelWish(
            address=data["address"],
            at_once=data["at_once"],
            per_minute=data["per_minute"],
            trial=data["trial"],
            prices=(prices[0] or 0.0, prices[1] or 0.0) if any(prices) else None,
            texts_may_leave=data["texts_may_leave"],
        )


@require_http_methods(["GET", "POST"])
def model_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form for a model and its prompt card."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = ModelForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                automatic = create_model_assessor(
                    actor=request.user, campaign=campaign, **form.cleaned_data
                )
            except ActionRefused as refused:
                form.add_error(None, str(refused))
                status = 409
            else:
                return redirect("model", slug, automatic.name)
    page = {"campaign": campaign, "form": form}
    return render_page(request, "judging/model_new.html", page, status=status)


@require_http_methods(["GET", "POST"])
def model_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """A model: its card, totals of its answers, what the rest takes, and the form to ask it."""
    campaign, automatic = get_automatic_assessor(request, slug, name)
    form = AskForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                new_job = request_model_judgments(
                    actor=request.user, campaign=campaign, automatic=automatic,
                    wish=form.build_wish(),
                )  # fmt: skip
            except ActionRefused as refused:
                form.add_error(None, str(refused))
                status = 409
            else:
                return redirect(f"{reverse('model', args=[slug, name])}?job={new_job.pk}")
    job = campaign.jobs.filter(kind=KIND, args__automatic=automatic.pk).first()
    page = {"campaign": campaign, "automatic": automatic, "form": form, "job": job}
    page |= describe_model_work(campaign, automatic, job)
    page["page_obj"] = paginate(request, list_flagged_answers(automatic))
    if job is not None:
        page["job_url"] = reverse("job", args=[slug, job.pk])
    return render_page(request, "judging/model.html", page, status=status)


@require_POST
def model_release_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """Let teams read the prompt card."""
    _campaign, automatic = get_automatic_assessor(request, slug, name)
    try:
        if automatic.card is None:
            raise ActionRefused("no-card", f"{automatic.name} has no prompt card.")
        release_card(actor=request.user, card=automatic.card)
        messages.success(request, f"Prompt {automatic.card} is released to the teams.")
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("model", slug, name)


@require_safe
def prompt_cards_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The released cards, for everybody in the campaign."""
    campaign = get_campaign_for(request.user, slug)
    cards = campaign.prompt_cards.filter(release__isnull=False)
    page = {"campaign": campaign, "cards": cards.prefetch_related("assessors")}
    return render_page(request, "judging/prompt_cards.html", page)


def describe_model_work(
    campaign: Campaign, automatic: AutomaticAssessor, job: Job | None
) -> dict[str, object]:
    """Totals and forecast, at the pace and the prices of the last ``job``."""
    pool, card, totals = find_pool_to_judge(campaign), automatic.card, sum_answers(automatic)
    if pool is None or card is None:
        return {"totals": totals}
    pairs, pace = len(list_pairs_to_judge(pool, card)), job.args if job else {}
    rest = forecast_rest(
        totals,
        pairs,
        at_once=pace.get("at_once", 1),
        per_minute=pace.get("per_minute", 60),
        prices=pace.get("prices"),
    )
    return {"totals": totals, "pairs": pairs, "pool": pool, "rest": rest}
