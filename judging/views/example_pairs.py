"""Pages on which pairs with a known grade are added and dropped: training, practice, gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.pairs import PairsForm
from judging.queries.training_results import AgreedPair
from judging.services.training_sets import read_example_pairs
from poolbench.files.faults import FaultReport, InvalidFile, format_count
from poolbench.judging.training_file import TrainingRow


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
    drop: Callable[[Sequence[str]], int]
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
            ticked = [pk for pk in request.POST.getlist(kind.act) if pk.isdecimal()]
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


def render_pairs(
    request: SignedInRequest,
    kind: ExamplePairs,
    form: PairsForm,
    report: FaultReport | None = None,
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
