"""The organizer's pool pages."""

import json
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from campaigns.models import Run
from campaigns.services.campaigns import create_campaign
from judging.services.imports import import_judgments
from poolbench.pooling.registry import LISTED, METHODS
from poolbench.pooling.spec import depth_spec
from pooling.forms import fill_up_choices
from pooling.services.freeze import freeze_pool
from tests.confirming import confirm
from tests.examples import take
from tests.pages import read_page
from tests.world.files import qrels_release, ranked_run
from tests.world.people import SCALE, user

JSON = "application/json"
TREC = "1 0 d1 -1\n1 0 d2 -1\n1 0 d4 -1\n1 0 d5 -1\n2 0 d1 -1\n2 0 d2 -1\n2 0 d3 -1\n"


def asked(runs, **more):
    return {"run": [run.pk for run in runs], "depth": 2, "seconds": 30, **more}


@pytest.fixture
def address(campaign):
    return reverse("pools", args=[campaign.slug])


def ticked(answer) -> set[str]:
    found = {run.pk: run.tag for run in answer.context["runs"]}
    return {found[pk] for pk in answer.context["selected_ids"] if pk in found}


def test_without_runs_the_page_says_what_is_missing(page, address):
    assert "No accepted runs" in read_page(page.get(address))


def test_all_runs_are_ticked_at_first_and_a_rule_ticks_others(page, address, runs):
    everything = {"alpha1", "alpha2", "beta1", "beta2"}
    assert ticked(page.get(address)) == everything
    assert ticked(page.get(address, {"priority": 1})) == {"alpha1", "beta1"}
    assert ticked(page.get(address, {"per_team": 1, "priority": ""})) == {"alpha1", "beta1"}
    assert ticked(page.get(address, {"per_team": 2})) == everything
    for rule in ("per_team", "priority"):
        assert ticked(page.get(address, {rule: 0})) == set()


def test_ticking_by_a_rule_keeps_what_was_typed(page, address, runs):
    typed = {"depth": "7", "then": "take", "documents": "x", "total": "", "seconds": "12"}
    typed |= {"text": "steps: [{method: take}]\n# mine", "run": [runs[0].pk]}
    answer = page.post(address, typed | {"priority": "", "per_team": "1", "tick": ""})
    assert (answer.status_code, ticked(answer)) == (200, {"alpha1", "beta1"})
    form = answer.context["form"]
    kept = {name: form[name].value() for name in typed if name != "run"}
    assert kept == {name: value for name, value in typed.items() if name != "run"}
    html = unescape(read_page(answer))
    assert "steps: [{method: take}]\n# mine" in html
    assert "<details open>" in html


@pytest.mark.parametrize(
    ("rule", "tags"),
    [("all", {"alpha1", "alpha2", "beta1", "beta2"}), ("priority=1", {"alpha1", "beta1"}),
     ("per_team=1", {"alpha1", "beta1"}), ("per_team=0", set())],
)  # fmt: skip
def test_each_button_ticks_by_its_own_rule(page, address, runs, rule, tags):
    assert f'name="tick" value="{rule}"' in read_page(page.get(address))
    answer = page.post(address, {"depth": "7", "per_team": "5", "priority": "2", "tick": rule})
    assert (ticked(answer), answer.context["form"]["depth"].value()) == (tags, "7")


def test_a_rule_that_cannot_be_read_leaves_the_ticks(page, address, runs):
    answer = page.post(address, {"run": [runs[2].pk], "priority": "first", "tick": ""})
    assert (answer.status_code, ticked(answer)) == (422, {"beta1"})
    assert "No pool built" in read_page(answer)
    answer = page.get(address, {"priority": "first"})
    assert (answer.status_code, "Enter a whole number" in read_page(answer)) == (422, True)


def test_the_preview_shows_size_cost_and_topics_and_writes_nothing(page, address, campaign, runs):
    answer = page.get(address, asked(runs, seconds=3600))
    html = read_page(answer)
    assert "Pool of 7 documents" in html
    assert "<dd>7.0</dd>" in html
    assert "No selected run answers topic 3" in html
    assert "Freeze pool 1" in html
    assert not campaign.pools.exists()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"run": []}, "Select at least one run."), ({"depth": "deep"}, "Enter a whole number."),
     ({"depth": 5000}, "between 1 and 1,000"), ({"run": [99999]}, "no longer accepted"),
     ({"run": ["x"]}, "not a valid value")],
)  # fmt: skip
def test_a_wrong_question_is_told_in_the_form(page, address, runs, wrong, told):
    answer = page.get(address, asked(runs) | wrong)
    assert answer.status_code == 422
    assert told in read_page(answer)


def test_freezing_leads_to_the_pool_and_back_to_a_list(page, address, campaign, runs):
    answer = confirm(page, f"{address}freeze/", asked(runs, after=0))
    pool = campaign.pools.get()
    assert answer.headers["Location"] == pool.get_absolute_url()
    shown = read_page(page.get(pool.get_absolute_url()))
    assert pool.inputs_hash in shown
    assert "Version 1" in read_page(page.get(address))


def test_a_second_organizer_is_told_that_the_first_was_quicker(page, address, campaign, runs):
    confirm(page, f"{address}freeze/", asked(runs, after=0))
    answer = page.post(f"{address}freeze/", asked(runs[:2], after=0))
    assert answer.status_code == 422
    html = read_page(answer)
    assert "Another pool was frozen in the meantime." in html
    assert "Freeze pool 2" in html
    assert campaign.pools.count() == 1


def test_a_run_withdrawn_between_preview_and_freeze_is_told(page, address, campaign, runs):
    Run.objects.filter(pk=runs[0].pk).update(state=Run.State.WITHDRAWN)
    answer = page.post(address, asked(runs, after=0))
    assert answer.status_code == 422
    assert not campaign.pools.exists()


def test_the_file_for_judges_shows_neither_run_nor_rank(page, organizer, campaign, runs):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    answer = page.get(reverse("pool-download", args=[campaign.slug, pool.version, "trec"]))
    assert read_page(answer) == TREC
    assert answer.headers["Content-Disposition"] == 'attachment; filename="small-pool-1.txt"'


def test_csv_and_json_name_the_contributors(page, organizer, campaign, runs):
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    csv = read_page(page.get(reverse("pool-download", args=[campaign.slug, 1, "csv"])))
    assert csv.splitlines()[4] == "1,d2,1,alpha1 beta1"
    found = json.loads(
        page.get(reverse("pool-download", args=[campaign.slug, 1, "json"])).getvalue()
    )
    assert found["topics"]["1"][2] == {"docno": "d4", "min_rank": 2, "contributors": ["alpha2"]}
    assert page.get(reverse("pool-download", args=[campaign.slug, 1, "pdf"])).status_code == 404


def test_a_pool_tells_which_of_its_runs_are_gone(page, organizer, campaign, runs):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    Run.objects.filter(pk=runs[0].pk).update(state=Run.State.WITHDRAWN)
    html = " ".join(read_page(page.get(pool.get_absolute_url())).split())
    assert "1 contributing run has been replaced or withdrawn since: alpha1." in html


def test_an_old_pool_points_to_the_newest(page, organizer, campaign, runs):
    pools = [
        freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(depth), runs=runs)
        for depth in (1, 2, 3)
    ]
    shown = [page.get(pool.get_absolute_url()).context["newer"] for pool in pools]
    assert shown == [pools[2], pools[2], None]


def test_a_method_can_fill_up_to_a_budget(page, address, campaign, runs):
    more = {"depth": 1, "then": "take", "documents": 3}
    html = read_page(page.get(address, asked(runs, **more)))
    assert "Pool of 6 documents" in html
    assert "Depth 1, then take, 3 per topic, from 4 runs" in html


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"depth": ""}, "Enter a depth, a fill-up method, or a spec."),
        ({"then": "take"}, "Set a limit; otherwise everything is pooled."),
        ({"then": "take", "documents": 3, "total": 9}, "not both"),
        ({"text": "steps: [{method: tak}]"}, "Line 1, column 18: Unknown method in steps[1]: tak."),
        ({"text": "seed: x\nsteps: 3"}, "Line 2, column 8: steps must be a list"),
        (
            {"text": "steps: [{method: depth, k: {nobody: 4}}]"},
            "selects no documents from these runs",
        ),
        ({"text": "steps: [{method: mtc, alpha: 1}]"}, "selects no documents from these runs"),
        ({"text": "3"}, "Line 1: The spec must be a mapping."),
        (
            {"text": "{runs: {tags: [x, beta1]}, steps: [{method: take}]}"},
            "Not among the accepted runs: tag x.",
        ),
        ({"text": "{runs: {teams: [Alpha, Beeta]}, steps: [{method: take}]}"}, "team Beeta."),
        (
            {"text": "{runs: {tags: [beta1], teams: [Alpha]}, steps: [{method: take}]}"},
            "Select at least one run",
        ),
    ],
)
def test_what_is_wrong_with_a_spec_is_told(page, address, runs, given, told):
    answer = page.get(address, asked(runs, **given))
    assert answer.status_code == 422
    assert told in unescape(read_page(answer))


def test_a_spec_is_previewed_and_frozen_with_the_runs_that_it_names(
    page, address, campaign, organizer, runs
):
    text = "{runs: {per_team: 1}, budget: {total: 4}, seed: 3, steps: [{method: depth, k: 9}]}"
    answer = page.get(address, asked(runs, text=text))
    assert {run.tag for run in answer.context["preview"].runs} == {"alpha1", "beta1"}
    assert ticked(answer) == {"alpha1", "beta1"}
    told = {"text": answer.context["spec_text"], "seconds": 30, "after": 0}
    assert confirm(page, f"{address}freeze/", told).status_code == 302
    pool = campaign.pools.get()
    assert (pool.size, pool.spec["seed"], len(pool.spec["runs"])) == (4, 3, 2)
    assert "depth 9, 4 in total" in read_page(page.get(pool.get_absolute_url()))


def test_a_run_that_the_spec_chooses_since_the_preview_is_told(page, address, campaign, team, runs):
    text = "{runs: {per_team: 2}, steps: [{method: depth, k: 9}]}"
    shown = [run.pk for run in page.get(address, asked(runs, text=text)).context["preview"].runs]
    ranked_run(team, "alpha0", {"1": "d8"})
    told = {"run": shown, "text": text, "seconds": 30, "after": 0}
    answer = page.post(address, told)
    assert answer.status_code == 422
    assert "The spec now selects different runs" in read_page(answer)
    assert not campaign.pools.exists()


def test_the_api_takes_a_spec_as_json(page, campaign, organizer, runs):
    campaign.teams.filter(name="Alpha").update(name="Alpha 😀")
    steps = [{"method": "depth", "k": 1}, {"method": "mtc", "alpha": 0.00001}]
    spec = {"steps": steps, "runs": {"teams": ["Alpha 😀"]}}
    asked = {"campaign": campaign.slug, "spec": spec, "confirm": ["submission-open"]}
    address = reverse("api-pool-list")
    made = page.post(address, asked, content_type="application/json")
    assert made.status_code == 201, made.content
    assert campaign.pools.get().spec["runs"][0]["team"] == "Alpha 😀"
    asked["spec"] = "#" * 100_001
    answer = page.post(address, asked, content_type="application/json")
    assert (answer.status_code, "100,000 characters" in read_page(answer)) == (400, True)


def test_a_pool_that_grows_tells_how_much_may_come(page, address, campaign, runs):
    text = "{budget: {per_topic: 4}, steps: [{method: depth, k: 1}, {method: maxmean}]}"
    answer = page.get(address, asked(runs, text=text, seconds=3600))
    html = " ".join(read_page(answer).split())
    # Topic 1 begins with d1, d2, d5; topic 2 has d1, d2 and then d3 only.
    assert "Pool of 5 documents initially" in html
    assert '<dt>Added during judging</dt><dd><span class="quiet">at most</span> 2</dd>' in html
    assert "<dd>7.0</dd>" in html
    confirm(page, f"{address}freeze/", asked(runs, text=answer.context["spec_text"], after=0))
    assert campaign.pools.get().growing.count() == 2


def test_topics_of_which_nothing_is_taken_are_not_said_to_be_unanswered(page, address, runs):
    answer = page.get(address, asked(runs, total=1))
    html = read_page(answer)
    assert "No selected run answers topic 3." in html
    (skipped,) = answer.context["preview"].skipped_topics
    assert f"The spec selects no documents of topic {skipped}." in html
    text = "{budget: {per_topic: 2}, steps: [{method: maxmean}]}"
    html = read_page(page.get(address, asked(runs, text=text)))
    assert "Pool of 0 documents initially" in html
    assert "selects no documents" not in html


def test_the_methods_have_a_page_for_everyone(client):
    html = read_page(client.get(reverse("pooling-methods")))
    for name in METHODS:
        assert f'<tr id="{name}">' in html
    assert "<code>all</code> runs" in html


def test_the_api_takes_a_spec_as_object_and_as_text(page, campaign, runs):
    spec = {"budget": {"total": 4}, "steps": [{"method": "take"}]}
    given = {"campaign": campaign.slug, "runs": [run.pk for run in runs]}
    for written in (spec, "budget: {total: 4}\nsteps: [{method: fairtake}]"):
        answer = page.post(reverse("api-pool-preview"), given | {"spec": written}, JSON)
        assert (answer.status_code, answer.json()["size"]) == (200, 4)
    for wrong, told in (
        ({"spec": spec, "depth": 2}, "either depth or spec"),
        ({}, "either depth or spec"),
        ({"spec": {"steps": [{"method": "tak"}]}}, "Unknown method in steps[1]: tak."),
        (
            {"spec": spec | {"runs": {"tags": ["alpha1", "x"]}}},
            "Not among the accepted runs: tag x.",
        ),
    ):
        answer = page.post(reverse("api-pool-preview"), given | wrong, JSON)
        assert answer.status_code == 400
        assert told in read_page(answer)


def test_a_pool_is_filled_up_by_any_method_that_needs_no_number():
    offered = {name for name, _ in fill_up_choices() if name}
    assert offered >= {m.name for m in LISTED if m.kind == "static"} - {"depth", "ntcir"}
    assert offered >= {m.name for m in LISTED if m.kind == "adaptive"} - {"cal"}
    assert not offered & {"depth", "ntcir", "strata", "cal"}


@pytest.mark.parametrize("name", take((name for name, _ in fill_up_choices() if name), 4))
def test_whatever_fills_up_can_be_previewed(page, address, runs, name):
    answer = page.get(address, asked(runs, depth="1", then=name, documents="2"))
    assert answer.status_code == 200
    assert answer.context["preview"].most > 0


SPEC_FILE = "# ours\nbudget: {per_topic: 2}\nsteps: [{method: take}]\n"


def brought(content: bytes, name: str = "pool.yaml") -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile(name, content)}


def test_a_spec_is_brought_as_a_file_and_can_be_seen_and_changed(page, address, runs):
    asking = asked(runs, preview="1", text="steps: [{method: nothing}]")
    answer = page.post(address, asking | brought(b"\xef\xbb\xbf" + SPEC_FILE.encode()))
    assert answer.status_code == 200
    assert answer.context["preview"].parts.size == 4
    assert answer.context["form"]["text"].value() == SPEC_FILE
    faulty = page.post(address, asking | brought(b"steps: [{method: nothing}]\nbudgets: 3\n"))
    assert faulty.status_code == 422
    assert "Unknown key" in unescape(read_page(faulty))
    assert "budgets: 3" in read_page(faulty)


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"steps: \xff", "is not UTF-8"),
     (b" " * 400_001, "has 400,001 bytes; the limit is 400,000")],
)  # fmt: skip
def test_a_file_that_can_be_no_spec_is_refused_in_its_place(page, address, runs, content, told):
    answer = page.post(address, asked(runs, preview="1") | brought(content))
    assert answer.status_code == 422
    assert told in answer.context["form"].errors["file"][0]


def test_ticking_runs_keeps_the_spec_of_a_file(page, address, runs):
    answer = page.post(address, asked(runs, tick="priority=1") | brought(SPEC_FILE.encode()))
    assert answer.status_code == 200
    assert SPEC_FILE in unescape(read_page(answer))


def test_a_previewed_spec_can_be_simulated_where_there_are_judgments(
    page, address, campaign, organizer, assessor, runs
):
    def offered() -> list[str]:
        html = read_page(page.get(address, asked(runs, text="steps: [{method: take}]")))
        form = html.partition('class="simulate-spec"')[2].partition("</form>")[0]
        assert ("take" in form) == bool(form)
        return re.findall('<option value="([a-z-]+)"', form)

    assert offered() == []
    other, foreign = (
        create_campaign(actor=who, title=slug, slug=slug, scale=SCALE)
        for who, slug in ((organizer, "earlier"), (user("f", can_create_campaigns=True), "foreign"))
    )
    for made, version in ((other, 1), (other, 2), (foreign, 1), (foreign, 2)):
        qrels_release(made, version=version)
    assert offered() == ["earlier"]
    rows = [("1", "d1", 1)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    assert offered() == ["earlier", "small"]
