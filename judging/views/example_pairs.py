"""Pages on which pairs with a known grade are added and dropped: training, practice, gold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from judging.queries.training import (
    AgreedPair,
    is_locked,
    list_agreed_pairs,
    list_training_pairs,
    list_training_progress,
)
from judging.services.training import add_training, read_example_pairs, remove_training
from poolbench.files.faults import FaultReport, InvalidFile, format_count
from poolbench.judging.training_file import TrainingRow
from poolbench.shared_reads import share_reads


class PairsForm(forms.Form):
    text = forms.CharField(
        required=False,
        max_length=500_000,
        strip=False,
        label="Pairs",
        widget=forms.Textarea({"rows": 5, "spellcheck": "false"}),
        help_text="One pair per line: topic, docno, grade, explanation; tab- or comma-separated."
        " Put an explanation with commas in quotation marks.",
    )
    upload = forms.FileField(required=False, label="Or a CSV or TSV file")

    def read_table(self) -> tuple[str, str]:
        """After validation: the table and the name of its file, empty without one."""
        text, file = self.cleaned_data["text"], self.cleaned_data["upload"]
        if file is None:
            return text, ""
        try:
            return file.read().decode("utf-8-sig"), file.name
        except UnicodeDecodeError as error:
            fix = "Save it as UTF-8."
            raise ActionRefused("not-utf-8", f"{file.name} is not UTF-8.", fix) from error


@dataclass(frozen=True)
class ExamplePairs:
    """What such a page does. ``act`` (remove or retire) is the name of its check boxes.

    A set that is ``locked`` takes no pairs. ``add`` takes rows and the name of their file, ``drop``
    the keys of pairs; both return a number. ``picks`` are pairs that could be added with
    their grade, and the explanation of ``explain``. ``part`` loads what the page has besides.
    """

    campaign: Campaign
    noun: str
    address: str
    template: str
    act: str
    add: Callable[[Sequence[TrainingRow], str], int]
    drop: Callable[[Sequence[int]], int]
    picks: Callable[[], list[AgreedPair]]
    explain: Callable[[AgreedPair], str]
    part: Callable[[], Any]
    locked: bool = False


def serve_example_pairs(request: SignedInRequest, kind: ExamplePairs) -> HttpResponse:
    """The page; or, posted, the pairs of the table or those that are ticked added or dropped."""
    if request.method == "GET":
        return render_pairs(request, kind, PairsForm())
    form = PairsForm(request.POST, request.FILES)
    try:
        if kind.act in request.POST:
            ticked = [read_digits(pk) or 0 for pk in request.POST.getlist(kind.act)]
            return redirect_to_pairs(request, kind, kind.drop(ticked), f"{kind.act}d")
        if "pick" in request.POST:
            return redirect_to_pairs(request, kind, add_picked_pairs(request, kind), "added")
        if form.is_valid():
            text, file = form.read_table()
            rows = read_example_pairs(kind.campaign, text, file)
            return redirect_to_pairs(request, kind, kind.add(rows, file), "added")
    except InvalidFile as bad:
        return render_pairs(request, kind, form, bad.report)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
    return render_pairs(request, kind, form)


def add_picked_pairs(request: SignedInRequest, kind: ExamplePairs) -> int:
    picked = set(request.POST.getlist("pick"))
    rows = [
        TrainingRow(pair.number, pair.docno, pair.grade, kind.explain(pair))
        for pair in kind.picks()
        if f"{pair.topic_id} {pair.docno}" in picked
    ]
    if not rows:
        raise ActionRefused("nothing-ticked", "No pairs selected.", "Select at least one pair.")
    return kind.add(rows, "")


def redirect_to_pairs(
    request: SignedInRequest, kind: ExamplePairs, count: int, done: str
) -> HttpResponse:
    messages.success(request, f"{format_count(count, kind.noun)} {done}.")
    return redirect(kind.address, kind.campaign.slug)


@share_reads
def render_pairs(
    request: SignedInRequest, kind: ExamplePairs, form: PairsForm, report: FaultReport | None = None
) -> HttpResponse:
    # ``picks``: see ``ExamplePairs``. ``scale``: the grades by their value.
    page = {
        "campaign": kind.campaign,
        "kind": kind,
        "form": form,
        "report": report,
        "picks": [] if kind.locked else kind.picks(),
        "scale": {grade.value: grade for grade in kind.campaign.grades.all()},
    }
    status = 422 if report or form.errors else 200
    return render_page(request, kind.template, page, kind.part(), status=status)


@require_http_methods(["GET", "POST"])
def training_sets_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List training pairs; add pairs from text, a file or agreed judgments; remove pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    actor = request.user
    training = ExamplePairs(
        campaign,
        noun="training pair",
        address="training-sets",
        template="judging/training_sets.html",
        act="remove",
        add=lambda rows, file: add_training(actor=actor, campaign=campaign, rows=rows, file=file),
        drop=lambda pairs: remove_training(actor=actor, campaign=campaign, pairs=pairs),
        picks=lambda: list_agreed_pairs(campaign),
        explain=lambda pair: f"{pair.count} assessors gave this grade.",
        part=lambda: {
            "pairs": list_training_pairs(campaign),
            "people": list_training_progress(campaign),
        },
        locked=is_locked(campaign),
    )
    return serve_example_pairs(request, training)
