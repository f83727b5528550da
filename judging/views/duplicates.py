"""Two documents side by side, with their differences, for an assessor and for the organizer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Document
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.models import Judgment
from judging.queries.duplicates import find_contradiction, find_originals
from judging.queries.screen import find_document
from judging.views.judging_screen import get_current_document, judgment_change_url
from poolbench.texts.duplicates import extract_plain_text
from poolbench.texts.text_diff import DiffLine, diff_lines

SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=\S)")


@dataclass(frozen=True)
class DuplicateColumn:
    """A document with its lines, of which the other has those of kind *same* too."""

    document: Document
    lines: Sequence[DiffLine]


@never_cache
@require_safe
def judge_duplicate_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    """``?docno=`` and ``?other=``, both judged by the assessor or checked out. No grades: those
    come after the judgment.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    names = [request.GET.get(name, "") for name in ("docno", "other")]
    for docno in names:
        if get_current_document(request.user, campaign, topic, docno) is None:
            raise Http404("not a document of this assessor")
    return render_page(request, "judging/_duplicate.html", compare_documents(campaign, *names))


@require_safe
def duplicate_texts_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """``?docno=`` and ``?other=`` for the organizer, who has seen their grades in the table."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    names = [request.GET.get(name, "") for name in ("docno", "other")]
    page = {"campaign": campaign, "names": names, **compare_documents(campaign, *names)}
    return render_page(request, "judging/duplicate_texts.html", page)


@never_cache
@require_safe
def judge_docnos_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    """Documents of the topic for *duplicate of*, whose docno or title begins with ``?q=``; none for
    fewer than two characters.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    text = request.GET.get("q", "").replace("\0", "").strip()[:500]
    rows = find_originals(request.user, topic, text) if len(text) > 1 else ()
    return render_page(request, "judging/_docno_options.html", {"found": rows})


def compare_documents(campaign: Campaign, docno: str, other: str) -> dict[str, object]:
    """What ``judging/_duplicate.html`` shows; not found if either has no text here."""
    first, second = find_document(campaign, docno), find_document(campaign, other)
    if first is None or second is None:
        raise Http404("no text")
    columns = build_columns(first, second)
    # Also where the one has the other's lines and more of its own.
    same = all(line.kind == "same" for column in columns for line in column.lines)
    return {"columns": columns, "same": same}


def build_columns(first: Document, other: Document) -> list[DuplicateColumn]:
    lines = diff_lines(split_sentences(other), split_sentences(first))
    return [
        DuplicateColumn(first, [line for line in lines if line.kind != "gone"]),
        DuplicateColumn(other, [line for line in lines if line.kind != "new"]),
    ]


def split_sentences(document: Document) -> str:
    """The text with a line for each sentence, so that a word changed marks no whole paragraph."""
    is_html = document.format == Document.Format.HTML
    text = extract_plain_text(document.title, document.body, is_html=is_html)
    return "\n".join(" ".join(line.split()) for line in SENTENCE_END.sub("\n", text).splitlines())


def describe_contradiction(judgment: Judgment) -> dict[str, object]:
    """For the answer to a judgment: what the assessor gave to a duplicate, if it is another grade;
    where the two are seen side by side, and where either is changed.
    """
    contradiction = find_contradiction(judgment)
    if contradiction is None:
        return {}
    other, same = contradiction
    query = {"docno": judgment.docno, "other": other.docno}
    place = [judgment.campaign.slug, judgment.topic.number]
    return {
        "contradiction": {
            "docno": other.docno, "grade": other.grade, "same": same,
            "both": reverse("judge-duplicate", args=place, query=query),
            "change": judgment_change_url(judgment.campaign, judgment),
            "change_other": judgment_change_url(judgment.campaign, other),
        }
    }  # fmt: skip
