"""No page shows two values of one figure, whatever happens between a report and a look at it.

After the reports were computed a document is judged, and every analysis page is read again. A page
with a report must show what it showed before, in all its parts and under any choice: verdict,
tables, charts. Only what is marked as live may move. A page without one must show the figures of
the moment in all its parts, also those that come from memory.
"""

import json
import re
from html.parser import HTMLParser

import pytest
from django.urls import reverse

from campaigns.services.snapshots import compute_report, find_report, list_verdict_subjects
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from judging.services.policy_comparison import COMPARED
from poolbench.cache import clear_caches
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool
from reliability.queries import stopping
from reliability.queries.disagreement_studies import EFFECT
from reliability.services import reusability
from reliability.services.reusability import request_reusability_report
from tests.examples import take
from tests.pages import read_page
from tests.reliability.test_disagreement import import_grades

LATER = [("1", "d3", 2), ("1", "d9", 1), ("2", "d5", 2)]
"""What is judged between the reports and the look at the pages; it changes every ranking."""
OF_REPORTS = (
    "agreement", "stopping", "reusability", "scores", "judging-today", "qrels-policies",
    "disagreement-effect",
)  # fmt: skip
CHOICES = [
    ("stopping", {"policy": "maximum", "by": "bpref", "last": "2"}),
    ("stopping", {"by": "map"}),
    ("stopping", {"last": "3"}),
    ("agreement", {"level": "2"}),
    ("agreement", {"by": "kappa", "topic": "1"}),
    ("agreement", {"binary": "1", "third": "1"}),
]
OF_THE_MOMENT = take(
    [
        "interim-scores",
        "assessor-quality",
        "agreement-topics",
        "agreement-variation",
        "judging",
        "campaign",
        "qrels-list",
    ],
    2,
)
LIVE = {"live", "as-of", "job"}
VOID = {"input", "br", "hr", "img", "meta", "link", "col", "wbr"}
NOTE = "Something has changed since; it is being computed again."


class MainText(HTMLParser):
    """The text of ``main`` without what is marked as live."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        within = self._open[-1] if self._open else False
        classes = set((dict(attrs).get("class") or "").split())
        self._open.append((within or tag == "main") and not classes & LIVE)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1]:
            self.words.append(data)


@pytest.fixture
def campaign_with_reports(
    campaign, organizer, assessor, assessor2, alpha, beta, beta2, qrels, score_set,
    monkeypatch, django_capture_on_commit_callbacks,
):  # fmt: skip
    """Two assessors on a pool in random order, scores, and all reports."""
    monkeypatch.setattr(reusability, "DRAWS", 3)
    pool = freeze_pool(
        actor=organizer, campaign=campaign, spec=depth_spec(3), runs=[alpha, beta, beta2]
    )
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    import_grades(campaign, organizer, assessor, assessor2)
    with django_capture_on_commit_callbacks(execute=True):
        request_reusability_report(actor=organizer, campaign=campaign, qrels=qrels)
    for name in (*(subject.name for subject in list_verdict_subjects()), COMPARED, EFFECT):
        compute_report(campaign, name)
    clear_caches()
    return campaign


@pytest.fixture
def read(campaign_with_reports, organizer, as_user):
    def read(name, query=None):
        url = reverse(name, args=[campaign_with_reports.slug])
        answer = as_user(organizer).get(url, query or {})
        assert answer.status_code == 200
        reader = MainText()
        reader.feed(read_page(answer))
        text = " ".join(" ".join(reader.words).replace(NOTE, "").split())
        # Without blanks inside of parentheses, where elements end.
        return re.sub(r"(?<=\() | (?=[).,])", "", text)

    return read


@pytest.fixture
def judge_later(campaign_with_reports, organizer, assessor):
    def judge():
        import_judgments(
            actor=organizer, campaign=campaign_with_reports, assessor=assessor, rows=LATER
        )

    return judge


def test_pages_with_a_report_show_one_moment(read, judge_later):
    before = {name: read(name) for name in OF_REPORTS}
    assert all(re.search(r"\d", text) for text in before.values())
    judge_later()
    assert {name: read(name) for name in OF_REPORTS} == before


def test_the_figures_of_a_choice_are_of_the_report_too(read, judge_later):
    choices = take(CHOICES, 2)
    before = [read(*choice) for choice in choices]
    judge_later()
    assert [read(*choice) for choice in choices] == before


def test_pages_without_a_report_show_the_moment_in_all_parts(read, judge_later):
    before = {name: read(name) for name in OF_THE_MOMENT}
    judge_later()
    after = {name: read(name) for name in OF_THE_MOMENT}
    clear_caches()
    assert {name: read(name) for name in OF_THE_MOMENT} == after
    assert [name for name in OF_THE_MOMENT if after[name] == before[name]] == []


def test_tiles_of_stopping_are_the_figures_of_its_sections(
    campaign_with_reports, read, judge_later
):
    judge_later()
    text = read("stopping")
    tile = re.search(r"expected in the rest of the pool (\S+) (\S+) to (\S+) ", text)
    section = re.search(r"About (\S+) relevant \((\S+) to (\S+)\) among", text)
    assert None not in (tile, section), text
    assert tile.groups() == section.groups()
    report = find_report(campaign_with_reports, "stopping").report
    shares = [run.judged[1] for run in report.panel.runs if run.pooled]
    assert report.lowest_judged == min(shares)


def test_a_judgment_while_a_report_is_computed_is_in_all_of_it_or_in_none(
    campaign_with_reports, judge_later, monkeypatch
):
    campaign_with_reports.snapshots.all().delete()
    load = stopping.load_campaign_state

    def load_after_a_judgment(campaign, **more):
        judge_later()
        return load(campaign, **more)

    monkeypatch.setattr(stopping, "load_campaign_state", load_after_a_judgment)
    report = compute_report(campaign_with_reports, "stopping").report
    assert report.judgments == report.panel.judgments
    assert report.lowest_judged == min(run.judged[1] for run in report.panel.runs if run.pooled)


def test_files_have_the_figures_of_their_verdict(
    campaign_with_reports, judge_later, as_user, organizer
):
    judge_later()
    url = reverse("stopping-download", args=[campaign_with_reports.slug, "panel", "json"])
    whole = json.loads(as_user(organizer).get(url).content)
    tiles = {figure["label"]: figure["value"] for figure in whole["verdict"]["figures"]}
    assert (
        tiles["relevant documents expected in the rest of the pool"]
        == (whole["left"][0]["expected"])
    )
    shares = [row["judged_10"] for row in whole["runs"] if row["pooled"]]
    assert tiles["judged@10 of every contributing run, at least"] == min(shares)


def test_reusability_says_that_its_report_is_of_other_judgments(
    campaign_with_reports, organizer, read, django_capture_on_commit_callbacks
):
    note = "It is of other judgments than the verdict above."
    assert note not in read("reusability")
    with django_capture_on_commit_callbacks(execute=True):
        request_reusability_report(actor=organizer, campaign=campaign_with_reports, qrels=None)
    assert note in read("reusability")
