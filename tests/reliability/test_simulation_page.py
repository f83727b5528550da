"""Pool simulation: requested on the page, run by a job, stored as computed."""

import json
import re
from html import unescape

import pytest
from django.urls import reverse

from campaigns.models import Job
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import MAX_SPEC_LENGTH
from pooling.services.freeze import freeze_pool
from reliability.forms import MOST_SPECS
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.world.files import upload

GIVEN = {"qrels": "1", "fed_by": "all", "seeds": "2", "measures": "map"}
TAKE = "steps: [{method: take}]\nbudget: {per_topic: 2}\n"


@pytest.fixture
def address(campaign):
    return reverse("simulation", args=[campaign.slug])


@pytest.fixture
def judged(campaign, alpha, beta, qrels):
    return qrels


@pytest.fixture
def ask(page, address, django_capture_on_commit_callbacks):
    """Post the form; jobs run at once."""

    def post(**given):
        with django_capture_on_commit_callbacks(execute=True):
            return page.post(address, GIVEN | given)

    return post


def told(answer) -> list[str]:
    """The list of what is wrong, without its links."""
    html = read_page(answer)
    summary = html.partition('class="error-summary"')[2].partition("</div>")[0]
    return [unescape(re.sub("<[^>]*>", "", line)) for line in re.findall("<li>(.*?)</li>", summary)]


def simulations(campaign):
    return campaign.jobs.filter(kind="evaluation.simulation")


def test_without_judgments_the_page_says_what_is_missing(page, address):
    html = read_page(page.get(address))
    assert "No judgments" in html
    assert "<textarea" not in html


@pytest.mark.parametrize(("fed_by", "pooled"), [("pool", 1), ("all", 2)])
def test_the_form_says_which_runs_feed(ask, campaign, organizer, judged, alpha, fed_by, pooled):
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[alpha])
    assert ask(depths="1", fed_by=fed_by).status_code == 302
    assert simulations(campaign).get().result["pooled"] == pooled


def test_a_simulation_is_made_kept_and_told(page, address, ask, campaign, organizer, judged):
    freeze_pool(
        actor=organizer, campaign=campaign, spec=depth_spec(2), runs=campaign.runs.accepted()
    )
    files = [upload(TAKE.encode(), "greedy.v2.yaml"), upload(b'{"steps": [{"method": "rrf"}]}')]
    answer = ask(
        name=["", "mine"], text=[TAKE, TAKE], depths="3, 1 3", pools=["1"], files=files,
        fed_by="pool", budgets="2 5",
    )  # fmt: skip
    assert answer.status_code == 302
    job = simulations(campaign).get()
    names = ["depth 1", "depth 3", "pool 1", "spec 1", "mine", "greedy.v2", "run"]
    assert (job.state, job.result["specs"]) == (Job.State.DONE, names)
    html = read_page(page.get(address))
    assert ", ".join(names) in html
    assert "<td>qrels 1</td>" in html
    assert '2 / 2</td><td class="num">2</td>' in html
    assert f"<td>{organizer.shown_name}</td>" in html
    where = reverse("simulation-report", args=[campaign.slug, job.pk, "json"])
    found = page.get(where)
    assert "attachment" in found.headers["Content-Disposition"]
    result = json.loads(found.content)
    assert (result["budgets"], result["measures"]) == ([2, 5], ["map"])
    table = page.get(where.replace(".json", ".csv"))
    assert f"small-simulation-{job.pk}.csv" in table.headers["Content-Disposition"]
    rows = csv_rows(read_page(table))
    assert {row["spec"] for row in rows} == set(names)


def test_it_is_shown_with_its_own_style_and_nothing_else(page, ask, campaign, judged):
    ask(depths="1")
    where = reverse(
        "simulation-report", args=[campaign.slug, simulations(campaign).get().pk, "html"]
    )
    answer = page.get(where)
    html = read_page(answer)
    assert "Small Task, by qrels 1." in html
    assert not re.search(r"<script|<link|<img|\sstyle=|\son\w+=", html)
    assert "Content-Disposition" not in answer.headers
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    saved = page.get(where + "?save")
    assert "attachment" in saved.headers["Content-Disposition"]
    assert saved.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.get(where.replace(".html", ".pdf")).status_code == 404


def test_all_faults_are_told_and_what_was_typed_stays(page, ask, campaign, judged):
    answer = ask(
        name=["odd", ""], text=["cutoff: deep\nsteps:\n  - {method: guess}\n", TAKE],
        files=[upload(b"steps: [{method: depth}]", "brought.yaml"), upload(b"\xff", "bytes.json")],
        depths="10, x", measures="num_rel", seeds="51", budgets="0",
    )  # fmt: skip
    assert answer.status_code == 422
    starts = [
        "odd: Line 1, column 9: cutoff must be a positive integer.",
        "odd: Line 3, column 14: Unknown method in steps[1]: guess.",
        "brought: Line 1, column 9: Missing key: steps[1].k.",
        "bytes: The file is not UTF-8.",
        "Depths: 'x' must be an integer",
        "Rank runs by: Measures that do not rank runs: num_rel. Use",
        "Seeds: Ensure this value is less than or equal to 50.",
        "Budgets: '0' must be an integer",
    ]
    assert [line[: len(start)] for line, start in zip(told(answer), starts, strict=True)] == starts
    html = unescape(read_page(answer))
    for kept in ("cutoff: deep\nsteps", TAKE, "steps: [{method: depth}]</t", '"odd"', '"brought"'):
        assert kept in html
    for kept in ('value="10, x"', 'value="num_rel"', 'value="51"'):
        assert kept in html
    assert not simulations(campaign).exists()


def test_what_the_runs_cannot_do_is_told_of_every_spec(ask, campaign, judged):
    lost = "{steps: [{method: take}], runs: {teams: [Nobody]}}"
    campaign.documents.all().delete()
    answer = ask(name=["one", "two"], text=[lost, "steps: [{method: cal}]"])
    assert answer.status_code == 422
    first, second = told(answer)
    assert first == "No contributing run matches spec one: team Nobody."
    assert second.startswith("two: cal needs texts; ")
    assert lost in unescape(read_page(answer))
    assert not simulations(campaign).exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Enter a spec or a depth, or select a pool."),
        ({"name": ["a"], "text": ["  \n"]}, "Enter a spec or a depth, or select a pool."),
        ({"name": ["a", "a"], "text": [TAKE, TAKE]}, "Duplicate spec names: a."),
        ({"name": ["depth 2"], "text": [TAKE], "depths": "2"}, "Duplicate spec names: depth 2."),
        ({"name": ["a\x00b"], "text": [TAKE]}, "A name must have at most 60 printable"),
        ({"name": ["a" * 61], "text": [TAKE]}, "A name must have at most 60 printable"),
        (
            {"text": ["#" * (MAX_SPEC_LENGTH + 1)], "name": [""]},
            "A spec must have at most 100,000 characters.",
        ),
        ({"depths": " ".join(map(str, range(1, 22)))}, "Enter at most 20 numbers."),
        ({"depths": "1", "name": ["n"] * 20, "text": [TAKE] * 20}, "must have at most 20 specs."),
        ({"name": [""] * 30, "text": ["nonsense"] * 30}, "must have at most 20 specs."),
        (
            {"text": [f"{TAKE}#{'x' * 70_000}"] * 3, "name": [""] * 3},
            "together must have at most 200,",
        ),
        ({"depths": "1", "budgets": " ".join(map(str, range(1, 52)))}, "Enter at most 50 numbers."),
        ({"depths": "1", "qrels": "9"}, "Select a valid choice. 9 is not one of the available"),
        ({"depths": "1", "qrels": "so-far"}, "so-far is not one of the available choices."),
        ({"depths": "1", "fed_by": "pool"}, "pool is not one of the available choices."),
        ({"depths": "1", "seeds": ""}, "Seeds: This field is required."),
        ({"depths": "٣"}, "must be an integer between 1"),
    ],
)
def test_what_is_too_much_or_nonsense_is_refused(ask, campaign, judged, given, said):
    answer = ask(**given)
    assert answer.status_code == 422
    assert any(said in line for line in told(answer)), told(answer)
    assert not simulations(campaign).exists()


def test_files_have_their_bounds_and_take_the_place_of_texts(ask, campaign, judged):
    large = upload(b"#" * (4 * MAX_SPEC_LENGTH + 1), "large.yaml")
    answer = ask(depths="1", files=[large])
    assert told(answer) == ["large: The file has 400,001 bytes; the limit is 400,000."]
    twice = [upload(TAKE.encode(), "a.yaml"), upload(TAKE.encode(), "a.json")]
    assert told(ask(files=twice)) == ["Duplicate spec names: a. Rename the specs."]
    answer = ask(name=["a"], text=["nonsense"], files=[upload(TAKE.encode(), "a.yaml")])
    assert answer.status_code == 302
    assert simulations(campaign).get().result["specs"] == ["a"]


def test_room_for_another_spec_keeps_the_rest(page, address, campaign, judged):
    data = {**GIVEN, "name": ["a", ""], "text": ["nonsense", ""], "depths": "7", "fill": "1"}
    answer = page.post(address, data)
    html = read_page(answer)
    assert answer.status_code == 200
    assert html.count("<textarea") == 2
    assert "nonsense</textarea>" in html
    assert 'value="7"' in html
    assert "error" not in html.partition("<main")[2].partition("</main>")[0]
    full = page.post(address, {"name": ["a"] * 25, "text": [TAKE] * 25, "fill": "1"})
    assert read_page(full).count("<textarea") == MOST_SPECS
    assert not simulations(campaign).exists()


def test_a_spec_meant_for_another_campaign_goes_there_as_it_was_posted(
    page, address, campaign, organizer, judged
):
    data = {"name": "previewed", "text": TAKE, "fill": "1", "on": "elsewhere"}
    assert page.post(address, data).status_code == 404
    campaign.slug = "elsewhere"
    campaign.pk = None
    campaign.save()
    assert page.post(address, data).status_code == 404
    campaign.members.create(user=organizer, role="organizer")
    answer = page.post(address, data)
    assert (answer.status_code, answer.url) == (307, "/c/elsewhere/pool/simulation/")


def test_why_it_failed_is_told_and_the_same_is_queued_once(
    page, address, campaign, judged, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks():
        for _ in range(2):
            page.post(address, GIVEN | {"depths": "1"})
    job = simulations(campaign).get()
    assert "waiting" in read_page(page.get(address))
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, done=3, of=9)
    html = read_page(page.get(address))
    assert "3 of 9" in html
    polled = reverse("job", args=[campaign.slug, job.pk])
    assert polled in html
    # The page loads itself anew when the job is over: not while somebody is at the form.
    assert polled not in read_page(page.post(address, GIVEN | {"fill": "1"}))
    Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, error="No luck.")
    assert "No luck." in read_page(page.get(address))


def test_the_pages_that_lead_to_it(page, campaign, address, judged):
    campaign.qrels.update(policy="single", manifest={"topics": {}})
    for name, args in (("reusability", []), ("qrels", [1])):
        html = read_page(page.get(reverse(name, args=[campaign.slug, *args])))
        assert f'href="{address}"' in html
