"""The help: pages of docs/, with search, open to everybody."""

from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.help.answers import find_answer
from campaigns.help.guide import READERS, ROLES, SITE_PAGES, SUBJECTS
from campaigns.help.pages import HelpHeading, HelpPage
from campaigns.help.search import MAX_QUERY
from campaigns.queries.help import find_help_image, load_help_page, search_help
from campaigns.views.pages import render_page

MAX_CONTENTS = 25


@login_not_required
@require_safe
def help_view(request: HttpRequest) -> HttpResponse:
    query = " ".join(request.GET.get("q", "")[:MAX_QUERY].split())
    role = request.GET.get("role", "")
    role = role if role in READERS else ""
    matches, unknown = search_help(query, role)
    # ``readers``: the roles to which a search can be restricted.
    page = {
        "query": query,
        "role": role,
        "readers": list(READERS.items()),
        "max_length": MAX_QUERY,
        "answer": find_answer(query, role),
        "matches": matches,
        "unknown": unknown,
        "roles": [(label, guide, tasks) for (label, guide), tasks in ROLES.items()],
        "subjects": SUBJECTS,
    }
    return render_page(request, "campaigns/help.html", page)


@login_not_required
@require_safe
def help_page_view(request: HttpRequest, name: str) -> HttpResponse:
    help_page = load_help_page(name)
    if not help_page:
        raise Http404
    url_name, label = SITE_PAGES.get(name, ("", ""))
    # ``site_url``: a page of the site about the same, and what it offers.
    page = {
        "help_page": help_page,
        "contents": list_contents(help_page),
        "site_url": url_name and reverse(url_name),
        "site_label": label,
    }
    return render_page(request, "campaigns/help_page.html", page)


def list_contents(page: HelpPage) -> list[HelpHeading]:
    """The headings of the table of contents: of levels 2 and 3, of long pages only of level 2."""
    upper = [heading for heading in page.headings if heading.level == 2]
    both = [heading for heading in page.headings if heading.level <= 3]
    return both if len(both) <= MAX_CONTENTS else upper


@login_not_required
@require_safe
def help_image_view(_request: HttpRequest, name: str) -> FileResponse:
    path = find_help_image(name)
    if not path:
        raise Http404
    return FileResponse(path.open("rb"), content_type="image/png")
