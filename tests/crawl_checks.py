"""What the walk over all addresses asks of a page that is shown, besides its status."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import reverse
from django.views import defaults
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView

from campaigns.models import Document, Run, Topic, User
from campaigns.services.campaigns import update_campaign
from campaigns.views.chart_files import WRITERS, chart_file_response
from poolbench.charts import png
from poolbench.charts.chart import Chart
from tests.csv_reading import csv_conditions
from tests.examples import ALL
from tests.png_chunks import SIGNATURE
from tests.world.site import World
from workbench import error_pages
from workbench.api_docs import EMPTY_STYLE

EVIL = "<script>alert(1)</script>"
STORED = {
    "document-body", "data-file", "data-file@open", "health", "api-schema", "api-schema-json",
}  # fmt: skip
"""Files are asked for again with their hash. The others are not about anybody: they never look at
who asks.
"""
STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
FORBIDDEN = re.compile(
    r"<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=|=[\"']?javascript:"
    r"|<(?:script|link|img)[^>]*(?:src|href)=\"https?:[^>]*"
)
"""Inline script and style, event handlers, and addresses of other hosts that would load."""


def cache_control(answer: HttpResponse) -> str:
    return answer.headers.get("Cache-Control", "")


def list_loose_headers(answer: HttpResponse) -> list[str]:
    """What an answer lacks of the strict policy; what the page has but the policy forbids, or
    markup that somebody wrote.
    """
    parts = answer.headers["Content-Security-Policy"].split(";")
    policy = dict(part.strip().partition(" ")[::2] for part in parts)
    # An empty style element, to which the page of the API adds rules, loosens nothing.
    policy["style-src"] = policy["style-src"].removesuffix(f" {EMPTY_STYLE}")
    loose = [name for name, value in STRICT.items() if policy.get(name) != value]
    if answer.headers["X-Frame-Options"] != "DENY":
        loose.append("X-Frame-Options")
    if answer.headers.get("X-Content-Type-Options") != "nosniff":
        loose.append("nosniff")
    if answer.headers["Content-Type"].startswith("text/html"):
        html = answer.content.decode()
        loose += FORBIDDEN.findall(html)
        loose += [EVIL] * (EVIL in html)
    return loose


def plant_words(world: World) -> dict[str, str]:
    """Markup and a word of its own in every text that somebody may read: word → what holds it."""
    campaign, planted = world.campaign, {}

    def plant(what: str) -> str:
        word = f"secretword{len(planted)}x"
        planted[word] = what
        return f"{word} {EVIL}"

    campaign.title = f"Small {EVIL}"
    campaign.save()
    update_campaign(
        actor=world.people["organizer"],
        campaign=campaign,
        description=f"Read **this** {plant('description')}",
        guidelines=plant("guidelines"),
    )
    for topic in Topic.objects.filter(campaign=campaign):
        for name in ("title", "description", "narrative"):
            setattr(topic, name, plant(f"topic {name}"))
        topic.save()
    for run in Run.objects.filter(campaign=campaign):
        run.description, run.file_name = plant(f"run of {run.team}"), plant(f"file of {run.team}")
        run.save()
    campaign.documents.update(title=EVIL, body=EVIL, url="javascript:alert(1)")
    document = Document.objects.filter(campaign=campaign).first()
    document.title = plant("document title")
    document.save()
    campaign.teams.filter(name="A").update(name=EVIL)
    User.objects.filter(username="owner").update(first_name=EVIL)
    campaign.grades.filter(value=1).update(meaning=plant("meaning of a grade"))
    return planted


@cache
def build_schema() -> dict[str, object]:
    """Of the API, which is the same for everybody."""
    return SchemaGenerator().get_schema(public=True)


def answer_again(render: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Gives the content and the status of the first answer about a campaign each time."""
    told: dict[str, HttpResponse] = {}

    def answer(request: HttpRequest, *asked: object, **options: int) -> HttpResponse:
        page = f"{asked[1:]}"
        if page not in told:
            told[page] = render(request, *asked, **options)
        return HttpResponse(told[page].content, status=told[page].status_code)

    return answer


def spare_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without POOLBENCH_TEST_EXAMPLES=all: the pages that refuse are rendered once for each role,
    the description of the API once, and PNGs are small.
    """
    if ALL:
        return
    monkeypatch.setattr(png, "DPI", 48)
    if SpectacularAPIView.serve_public:
        build_schema()
        monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: build_schema())
    for module, name in ((error_pages, "render"), (defaults, "page_not_found")):
        monkeypatch.setattr(module, name, answer_again(getattr(module, name)))


def list_pages_of_things(world: World) -> Iterator[str]:
    """Where the words are: the pages of the first document, the topics and runs."""
    slug, campaign = world.campaign.slug, world.campaign
    yield f"{reverse('document', args=[slug])}?docno={campaign.documents.first().docno}"
    yield from (reverse("topic", args=[slug, topic.number]) for topic in campaign.topics.all())
    yield from (run.get_absolute_url() for run in campaign.runs.all())


class DrawnCharts(dict[str, Chart]):
    """The charts of the pages that were rendered, by address and name."""

    def respond(self, request: HttpRequest, context: Mapping[str, object]) -> HttpResponse | None:
        """In the place of ``chart_file_response``."""
        address = request.get_full_path()
        mark = "&" if "?" in address else "?"
        for chart in context.values():
            if isinstance(chart, Chart) and request.method == "GET" and "chart" not in request.GET:
                self[f"{address}{mark}chart={chart.name}"] = chart
        return chart_file_response(request, context)

    def list_faults(self, client: Client) -> list[str]:
        """What charts lack, and which of their files are not what they should be.

        Of each chart one file, the next time another; all three with POOLBENCH_TEST_EXAMPLES=all.
        """
        faults = []
        for at, (link, chart) in enumerate(self.items()):
            texts = {
                "title": chart.title, "caption": chart.caption,
                "name of the horizontal axis": chart.across.name,
                "name of the vertical axis": chart.up.name,
            }  # fmt: skip
            faults += [f"{link} has no {what}" for what, text in texts.items() if not text]
            for ending in WRITERS if ALL else [list(WRITERS)[at % len(WRITERS)]]:
                answer = client.get(f"{link}.{ending}")
                faults += [
                    f"{link}.{ending}: {fault}" for fault in list_file_faults(answer, ending)
                ]
        return faults


def list_file_faults(answer: HttpResponse, ending: str) -> list[str]:
    if answer.status_code != 200:
        return [str(answer.status_code)]
    text = answer.content.decode("utf-8", "replace")
    return [
        fault
        for fault, is_one in (
            ("no PNG", ending == "png" and not answer.content.startswith(SIGNATURE)),
            ("no title", ending == "csv" and not csv_conditions(text)["title"]),
            ("no version", "Poolbench 0" not in text),
        )
        if is_one
    ]
