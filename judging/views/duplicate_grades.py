"""The organizer's table of duplicates whose grades differ."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import attachment_response
from campaigns.models import User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from campaigns.views.row_filters import filter_rows
from judging.queries.duplicate_grades import (
    KINDS,
    DocumentGrades,
    DuplicateGrades,
    list_duplicate_grades,
)
from judging.services.reviews import MOST_DOCUMENTS
from judging.views.judging_screen import grades_by_value
from poolbench.reports.csv import format_csv
from poolbench.shared_reads import share_reads

GROUPS = 50
"""On a page: a group may have many documents."""


@dataclass(frozen=True)
class GroupRow:
    """A group, and of each document the username, shown name and grade of its assessors."""

    group: DuplicateGrades
    query: str
    """Of the request to look at it again."""
    documents: Sequence[tuple[DocumentGrades, Sequence[tuple[str, str, int]]]]

    @property
    def first(self) -> str:
        return self.group.documents[0].docno


@require_safe
@share_reads
def duplicate_grades_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Groups of duplicates and near duplicates of a topic with differing grades; each assessor
    with the number of their documents in them.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    groups = list_duplicate_grades(campaign)
    rows, kinds = filter_rows(
        request, groups, lambda row: row.kind, parameter="kind", label="Kind", labels=KINDS
    )
    listed = paginate(request, rows, GROUPS)
    counts = Counter(name for row in groups for name in row.assessors for _ in row.list_pairs(name))
    people = list(User.objects.filter(username__in=counts).order_by("username"))
    names = {person.username: person.shown_name for person in people}
    page = {
        "campaign": campaign,
        "total": len(groups),
        "kinds": kinds,
        "page": listed,
        "rows": [name_assessors(row, names) for row in listed.object_list],
        "people": [(person, counts[person.username]) for person in people],
        "most": MOST_DOCUMENTS,
        "grades": grades_by_value(campaign),
    }
    return render_page(request, "judging/duplicate_grades.html", page)


@require_safe
def duplicate_grades_download_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All groups as CSV, a record for each document, with each assessor's grade."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    groups = list_duplicate_grades(campaign)
    names = sorted({name for row in groups for each in row.documents for name in each.grades})
    head = ("topic", "first", "kind", "difference", "docno", "text", "adjudicated", *names)
    rows = (
        (
            *(row.topic, row.documents[0].docno, row.kind, row.difference),
            *(each.docno, each.text, each.adjudicated, *map(each.grades.get, names)),
        )
        for row in groups
        for each in row.documents
    )
    text = format_csv("duplicate_grades", head, rows, {"campaign": slug})
    return attachment_response(text, f"{slug}-duplicate-grades.csv")


def name_assessors(row: DuplicateGrades, names: Mapping[str, str]) -> GroupRow:
    """``row`` with the shown names of its assessors; ``names`` lacks those of adjudicated ones."""
    query = {"duplicates": 1, "topic": row.topic, "docno": row.documents[0].docno}
    return GroupRow(
        row,
        urlencode(query),
        [
            (each, [(name, names.get(name, name), grade) for name, grade in each.grades.items()])
            for each in row.documents
        ],
    )
