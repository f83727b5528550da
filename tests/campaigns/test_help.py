"""The help: every page of docs/ in the site, with its anchors and links on GitHub, and the ``?``
after a word: every one resolves, and each page has its own IDs.
"""

import re
from functools import cache
from html import unescape
from urllib.parse import unquote

import pytest
from django.urls import get_resolver, reverse

from campaigns.help.answers import ANSWERS, find_answer
from campaigns.help.guide import GUIDES, PAGE_HELP, ROLES, SITE_PAGES, SUBJECTS
from campaigns.help.pages import ID, list_help_passages, parse_help_page, resolve_help_link
from campaigns.help.search import (
    MAX_QUERY,
    MAX_WORDS,
    build_help_index,
    cut_word,
    list_query_stems,
    mark_matches,
    search_passages,
)
from campaigns.queries.help import find_help_image, list_help_files, load_help_page, search_help
from tests.conftest import REPOSITORY
from tests.house import APPS
from tests.pages import read_page
from tests.test_docs import anchors

PAGE = """# A *title*

First paragraph with [a link](other.md#there), ![picture](images/x.png)
and <script>alert(1)</script>.

<!-- begin: block -->
## `code`: One & two

| code | meaning |
|---|---|
| E07 | tag <b onclick="x()">differs</b> |
<!-- end -->

## Again

## Again

```
a < b
```

[out](https://example.org/) [bad](javascript:alert(1))
"""
NAMES = sorted(list_help_files())
ANCHORED = [name for name in NAMES if not name.startswith("decisions/")]


def test_a_page_has_githubs_anchors_and_its_own_links():
    page = parse_help_page("formats", PAGE, "/help/")
    assert page.title == "A title"
    assert [heading.anchor for heading in page.headings] == ["code-one--two", "again", "again-1"]
    assert page.anchors == {"code-one--two", "again", "again-1", "E07"}
    assert 'href="/help/other/#there"' in page.html
    assert 'src="/help/images/x.png"' in page.html
    assert "begin: block" not in page.html
    assert "a &lt; b" in page.html


def test_a_page_is_sanitized():
    page = parse_help_page("formats", PAGE, "/help/")
    assert not re.search(r"<script|onclick|='?javascript:|<b>|style=", page.html.replace('"', "'"))


@pytest.mark.parametrize(
    ("page", "target", "address"),
    [
        ("judging", "formats.md#runs", "/help/formats/#runs"),
        ("judging", "#here", "#here"),
        ("judging", "decisions/0001-a.md", "/help/decisions/0001-a/"),
        ("judging", "../README.md#quick-start", "/help/README/#quick-start"),
        ("decisions/0001-a", "../pooling.md", "/help/pooling/"),
        ("decisions/README", "0001-a.md", "/help/decisions/0001-a/"),
        ("README", "docs/images/x.png", "/help/images/x.png"),
        ("README", "CHANGELOG.md", "/help/CHANGELOG/"),
        ("judging", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_of_docs_lead_into_the_help(page, target, address):
    assert resolve_help_link(page, target, "/help/") == address


def test_anchors_of_a_page_are_those_of_github():
    for name, page in ((name, load_help_page(name)) for name in ANCHORED):
        headings = {heading.anchor for heading in page.headings}
        title = re.sub(r"[^\w -]", "", page.title.lower()).replace(" ", "-")
        assert headings == anchors(list_help_files()[name]) - {title}, name
        ids = ID.findall(page.html)
        assert len(ids) == len(set(ids)), name


def test_links_of_a_page_lead_somewhere_in_the_help():
    for page in map(load_help_page, NAMES):
        links = re.findall(r'<\w[^<>]*?(?:href|src)="([^"]+)"', page.html)
        for address in map(unquote, map(unescape, links)):
            if address.startswith("#"):
                assert address[1:] in page.anchors, f"{page.title}: {address}"
            elif not address.startswith(("http:", "https:", "mailto:")):
                check_address(address)


def check_address(address: str) -> None:
    path, _, anchor = address.partition("#")
    place = path.removeprefix("/help/")
    if place.startswith("images/"):
        assert find_help_image(place.removeprefix("images/")), address
        return
    page = load_help_page(place.removesuffix("/"))
    assert page, address
    assert not anchor or anchor in page.anchors, address


def test_every_place_of_the_guide_exists():
    places = [place for tasks in ROLES.values() for place in tasks.values()]
    places += [place for pages in SUBJECTS.values() for place in pages.values()]
    places += [guide for _, guide in ROLES] + [*PAGE_HELP.values(), *SITE_PAGES]
    places += [answer.place for *_, answer in ANSWERS] + [*GUIDES.values()]
    templates = "\n".join(path.read_text() for path in (REPOSITORY / "templates").rglob("*.html"))
    places += re.findall(r'help_place="([^"]+)"', templates)
    places += re.findall(r"""\{% help_url ['"]([^'"]+)['"]""", templates)
    for place in places:
        page, _, anchor = place.partition("#")
        check_address(f"/help/{page}/#{anchor}" if anchor else f"/help/{page}/")


def test_every_page_of_docs_is_listed_once():
    listed = [place for pages in SUBJECTS.values() for place in pages.values()]
    assert sorted(listed) == sorted([*ANCHORED, "decisions/README"])


def test_pages_with_help_are_pages_of_the_site():
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert set(PAGE_HELP) <= names
    assert {name for name, _ in SITE_PAGES.values()} <= names


def test_every_code_of_a_fault_has_an_anchor():
    source = "\n".join(
        path.read_text() for app in APPS for path in (REPOSITORY / app).rglob("*.py")
    )
    codes = set(re.findall(r'"([EW][A-Z]?\d\d)"', source))
    page = load_help_page("formats")
    assert len(codes) > 100
    assert codes <= page.anchors


@cache
def index():
    return build_help_index(
        passage
        for name in ANCHORED
        for passage in list_help_passages(name, list_help_files()[name].read_text())
    )


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("how do I submit a run", "participant#submit-a-run"),
        ("submitting runs", "participant#submit-a-run"),
        ("what does E07 mean", "formats#E07"),
        ("e07", "formats#E07"),
        ("create a pool", "organizer#pool"),
        ("freeze the pool", "organizer#pool"),
        ("what is bpref-10", "glossary#w-bpref"),
        ("pool depth", "glossary#w-pool-depth"),
        ("read my scores", "participant#read-your-scores"),
        ("work offline", "assessor#working-offline"),
        ("import topics", "organizer#topics-and-documents"),
        ("conflicting roles", "organizer#conflicting-roles"),
        ("backup", "commands#backup"),
    ],
)
def test_questions_of_newcomers_are_answered_first(query, place):
    matches = search_passages(index(), query)
    assert f"{matches[0].passage.page}#{matches[0].passage.anchor}" == place


def test_a_search_has_bounds():
    assert list_query_stems("a " * MAX_QUERY + "pool") == ["a"]
    assert len(list_query_stems(" ".join(f"w{n}" for n in range(30)))) == MAX_WORDS
    assert list_query_stems("what is it") == ["what", "is", "it"]
    assert search_passages(index(), " ?! ") == []
    assert search_passages(build_help_index([]), "pool") == []
    assert len(search_passages(index(), "pool", 5)) == 5


def test_words_are_cut_to_stems():
    words = {"judges": "judg", "judging": "judg", "submitted": "submit", "e07": "e07", "run": "run"}
    assert {word: cut_word(word) for word in words} == words


def test_matches_are_marked_as_words():
    parts = mark_matches("A run, two Runs and a runner <b>", ["run"])
    assert [part.text for part in parts if part.matches] == ["run", "Runs", "runner"]
    assert "".join(part.text for part in parts) == "A run, two Runs and a runner <b>"


def test_decisions_are_not_searched():
    assert {match.passage.page for match in search_help("decision")[0]}.isdisjoint(
        name for name in NAMES if name.startswith("decisions/")
    )


@pytest.mark.django_db
class TestPages:
    def test_the_index_lists_roles_tasks_and_pages(self, client):
        page = client.get(reverse("help")).content.decode()
        for role, _ in ROLES:
            assert f">{role}</h2>" in page
        assert 'href="/help/participant/#submit-a-run"' in page
        assert f'href="{reverse("measures")}"' in page

    def test_a_search_marks_its_matches_and_escapes_the_query(self, client):
        page = client.get(reverse("help"), {"q": "E07"}).content.decode()
        assert 'href="/help/formats/#E07"' in page
        assert "<mark>E07</mark>" in page
        nothing = client.get(reverse("help"), {"q": "<zzqq>"}).content.decode()
        assert "Nothing for" in nothing
        assert "&lt;zzqq&gt;" in nothing
        assert "<zzqq" not in nothing

    def test_what_cannot_be_done_is_answered_by_what_can(self, client):
        for query in ("delete campaign", "Forgot my password?"):
            page = read_page(client.get(reverse("help"), {"q": query}))
            assert find_answer(query).text in page.partition('<ol class="help-matches">')[0]
        for query in ("freeze the pool", "import topics", "judged@10", "create"):
            assert client.get(reverse("help"), {"q": query}).context["answer"] is None

    def test_a_search_is_restricted_to_a_role(self, client):
        """Pages for others are left out, and the answer is the reader's own."""
        pages = {}
        for role in ("", "organizer", "participant", "nobody"):
            answer = client.get(reverse("help"), {"q": "extend deadline", "role": role})
            pages[role] = {match.passage.page for match in answer.context["matches"]}
            texts = answer.context["answer"].text
            assert ("Only organizers" in texts) == (role == "participant")
        assert pages["nobody"] == pages[""] > pages["participant"]
        assert "organizer" in pages["organizer"] - pages["participant"]

    def test_unknown_words_are_named_and_bring_few_matches(self, client):
        page = client.get(reverse("help"), {"q": "frobnicate <b> pools"})
        assert "No page of the help has the word “frobnicate”." in read_page(page)
        assert len(page.context["matches"]) == 5
        page = client.get(reverse("help"), {"q": "kubernetes pods"})
        assert page.context["matches"] == []
        assert "the word “kubernetes”, “pods”" in read_page(page)

    def test_a_page_has_contents_and_leads_to_the_site(self, client):
        page = client.get(reverse("help-page", args=["measures"])).content.decode()
        assert 'href="#common-properties"' in page
        assert f'href="{reverse("measures")}"' in page
        assert 'id="bpref-10-binary-preference-over-r--10-non-relevant-documents"' in page

    @pytest.mark.parametrize("name", ["no-such-page", "../settings", "decisions", "images"])
    def test_other_names_are_not_found(self, client, name):
        assert client.get(f"/help/{name}/").status_code == 404

    def test_images_are_served_by_name_only(self, client):
        answer = client.get(reverse("help-image", args=["leaderboard.png"]))
        assert answer["Content-Type"] == "image/png"
        assert find_help_image("../../README.md") is None
        assert client.get("/help/images/none.png").status_code == 404

    def test_the_help_says_that_it_is_english_only(self, client):
        page = client.get(reverse("help"), headers={"accept-language": "de"}).content.decode()
        assert '<html\n  lang="en"' in page
        assert "nur auf Englisch" in page

    def test_pages_lead_to_their_own_help(self, client):
        page = client.get(reverse("measures")).content.decode()
        assert 'href="/help/measures/"' in page

    @pytest.mark.parametrize(
        ("name", "route", "status", "guide"),
        [
            ("participant", "pools", 403, "participant/"),
            ("assessor", "qrels-list", 403, "assessor/"),
            ("viewer", "topics", 200, "glossary/"),
            ("organizer", "work", 403, "assessor/#judging"),
            ("organizer", "campaign", 200, "organizer/"),
        ],
    )
    @pytest.mark.usefixtures("campaign")
    def test_the_help_is_that_of_the_readers_role(
        self, request, as_user, name, route, status, guide
    ):
        answer = as_user(request.getfixturevalue(name)).get(reverse(route, args=["small"]))
        page = read_page(answer)
        assert answer.status_code == status
        assert f'href="/help/{guide}">Help for this page' in page
        if status == 403:
            assert f"Your role in this campaign is {name}; this page is for other roles" in page
            assert '<a class="where" href="/c/small/">Small Task</a>' in page
            assert 'aria-label="Campaign"' in page
            assert "<title>Not for your role · Small Task · Poolbench</title>" in page
