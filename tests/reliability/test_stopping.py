"""When to stop: the panel on a small campaign, its page, its files, and the rule on it."""

import json
import re
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils.html import strip_tags

from campaigns.services.campaigns import update_campaign
from evaluation.queries.interim_scores import compute_interim_scores
from judging.models import Judgment, Plan, StoppedTopic
from judging.queries.slots import get_stopping_rule
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from poolbench.cache import clear_caches
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.reliability.stopping.panel import TRUST, rank_scores
from poolbench.reliability.stopping.remaining_relevant import NO_DEPTH
from pooling.services.freeze import freeze_pool
from reliability.queries.stopping import RankingChoice, choose_stopping_panel
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.poolbench.shapes import tooltips
from tests.world.judgments import submit_judgment

RUNS = ("alpha", "beta", "beta2")


@pytest.fixture
def runs(request):
    return [request.getfixturevalue(name) for name in RUNS]


@pytest.fixture
def pool(campaign, organizer, runs):
    return freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=runs)


@pytest.fixture
def plan(pool, organizer, assessor):
    return create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})


@pytest.fixture
def judge(campaign, organizer, assessor):
    def judged(*rows, by=assessor):
        import_judgments(actor=organizer, campaign=campaign, assessor=by, rows=rows)

    return judged


@pytest.fixture
def panel(organizer, campaign):
    def made(**more):
        choice = RankingChoice(**{"policy": "majority", "by": "map", **more})
        return choose_stopping_panel(actor=organizer, campaign=campaign, choice=choice, report=None)

    return made


@pytest.fixture
def client(page):
    """That of the organizer."""
    return page


@pytest.fixture
def url(campaign):
    return reverse("stopping", args=[campaign.slug])


def test_the_panel_counts_first_judgments(panel, plan, assessor2, judge):
    judge(("1", "d1", 2), ("1", "d3", 0))
    judge(("1", "d1", 0), by=assessor2)
    found = panel()
    assert (found.judged, found.relevant, found.judgments) == (2, 1, 3)
    assert found.curve == ((1, 1), (2, 1))
    topic = next(row for row in found.pool.topics if row.number == "1")
    assert (topic.judged, topic.relevant) == (2, 1)
    assert found.pool.left.reason is None


def test_scores_of_the_past_are_those_that_were_seen_then(panel, plan, organizer, campaign, judge):
    scores = {"actor": organizer, "campaign": campaign, "policy": "majority"}
    scores["names"] = ("map", *TRUST)
    judge(("1", "d1", 2), ("1", "d3", 0))
    then, last = compute_interim_scores(**scores), campaign.judgments.order_by("-pk").first().pk
    judge(("1", "d3", 2), ("1", "d1", 0))
    now = compute_interim_scores(**scores)
    assert now.means != then.means
    assert compute_interim_scores(**scores, last=last).means == then.means
    assert compute_interim_scores(**scores, last=last).rescored == 0
    assert compute_interim_scores(**scores).means == now.means


def test_a_ranking_that_was_turned_is_told_with_the_run_that_fell(panel, plan, judge):
    judge(("1", "d1", 0), ("1", "d3", 2))
    before = {row.tag: row.place for row in panel().runs}
    judge(("1", "d1", 2), ("1", "d3", 0))
    found = panel(step=2)
    assert [move.ago for move in found.moves] == [2]
    assert found.moves[0].tau_b.value < 1
    after = {row.tag: row.place for row in found.runs}
    assert {row.tag: row.before for row in found.runs} == before
    fallen = found.moves[0].drop
    assert after[fallen.tag] - before[fallen.tag] == fallen.places == max(
        after[tag] - before[tag] for tag in after
    )  # fmt: skip


def test_places_lost_are_those_since_the_latest_ranking_before(
    panel, plan, organizer, campaign, judge
):
    """Alpha has d3, d1; beta d1, d2; beta2 d4 alone: each step has another of them first."""
    for grades in ({"d4": 2, "d1": 0, "d3": 0}, {"d4": 0, "d3": 2}, {"d3": 0, "d1": 2}):
        rows = [("1", docno, grade) for docno, grade in grades.items()]
        judge(*rows)
    found = panel(step=2)
    assert [move.ago for move in found.moves] == [3, 5]
    before = {row.tag: row.before for row in found.runs}
    last = campaign.judgments.order_by("pk")[3].pk
    then = compute_interim_scores(
        actor=organizer, campaign=campaign, policy="majority", names=["map"], last=last
    )
    best = max(zip(then.means, then.runs, strict=True), key=lambda pair: pair[0][0])[1]
    assert before[best.tag] == 1


def test_skips_are_no_judgments_and_the_last_ones_are_those_that_count(
    panel, plan, campaign, assessor, judge
):
    judge(("1", "d1", 2), ("1", "d2", 2), ("1", "d3", 0))
    topic = campaign.topics.get(number="1")
    submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="d4", reason="broken")
    found = panel(step=2)
    assert (found.judgments, found.recent) == (3, 1)


def test_a_run_that_fed_no_pool_is_told_apart(panel, organizer, campaign, runs, judge):
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=runs[:2])
    judge(("1", "d1", 2))
    pooled = {row.tag: row.pooled for row in panel().runs}
    assert pooled == {"alpha-one": True, "beta-secret": True, "beta-other": False}


def test_judged_at_k_is_that_of_the_measure(panel, plan, organizer, campaign, judge):
    judge(("1", "d1", 2))
    scores = compute_interim_scores(
        actor=organizer, campaign=campaign, policy="majority", names=TRUST
    )
    want = dict(zip([run.tag for run in scores.runs], scores.means, strict=True))
    assert {row.tag: [*row.judged] for row in panel().runs} == want


def test_of_a_pool_in_order_of_rank_no_rest_is_expected(panel, plan, judge):
    Plan.objects.update(order=Plan.Order.POOL)
    judge(("1", "d1", 2))
    assert "random order" in panel().pool.left.reason


def test_of_a_pool_that_grows_no_rest_is_expected(
    panel, organizer, campaign, assessor, runs, judge
):
    spec = read_spec("steps: [{method: depth, k: 1}, {method: maxmean}]")
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    judge(("1", "d1", 2))
    found = panel().pool
    assert found.documents == pool.items.count()
    assert found.below == NO_DEPTH
    assert "random order" in found.left.reason


def test_what_was_judged_for_an_earlier_pool_is_no_sample_of_the_newest(
    panel, organizer, campaign, assessor, runs, judge
):
    for depth, docno in ((1, "d1"), (3, "d2")):
        pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(depth), runs=runs)
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
        judge(("1", docno, 2))
    assert panel().pool.version == pool.version
    assert "another pool" in panel().pool.left.reason


def test_what_was_judged_before_there_was_a_plan_is_no_sample_if_it_is_pooled(
    panel, pool, organizer, assessor, assessor2, judge
):
    judge(("1", "d8", 2), ("3", "d1", 0), by=assessor2)
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    judge(("1", "d1", 2))
    assert (panel().judged, panel().pool.left.reason) == (3, None)
    judge(("1", "d1", 1), by=assessor2)
    assert panel().pool.left.reason is None
    Judgment.objects.filter(docno="d1", assessor=assessor).update(slot=None)
    # As after a restart: no row of the log changes otherwise.
    clear_caches()
    assert "another pool" in panel().pool.left.reason
    Judgment.objects.filter(docno="d1", assessor=assessor).update(lease=uuid4())
    clear_caches()
    assert panel().pool.left.reason is None


def test_relevant_is_what_the_campaign_calls_so(panel, plan, organizer, campaign, judge):
    judge(("1", "d1", 1), ("1", "d2", 2))
    assert panel().relevant == 2
    update_campaign(actor=organizer, campaign=campaign, relevance_level=2)
    assert panel().relevant == 1


def test_places_go_by_what_is_better_and_runs_without_a_score_have_none():
    scores = {"a": 1.0, "b": 2.0, "c": float("nan"), "d": 2.0}
    assert rank_scores(scores, lower=False) == {"b": 1, "d": 1, "a": 3}
    assert rank_scores(scores, lower=True) == {"a": 1, "b": 2, "d": 2}


def test_only_organizers_see_it(campaign, assessor):
    with pytest.raises(PermissionDenied):
        choose_stopping_panel(
            actor=assessor, campaign=campaign, choice=RankingChoice("majority", "map"), report=None
        )


def test_the_page_before_anything_is_there(client, url):
    page = client.get(url)
    assert page.status_code == 200
    assert "No judgments" in read_page(page)


def test_the_page_tells_the_whole(client, url, plan, judge):
    judge(("1", "d1", 2), ("1", "d3", 0))
    page = client.get(url, {"by": "bpref", "last": "1", "policy": "maximum"})
    text = read_page(page)
    assert page.context["panel"].measure == "bpref"
    assert [move.ago for move in page.context["panel"].moves] == [1]
    assert "Current ranking by bpref (" in text
    for told in (
        "Expected in the pool",
        "Expected below the pool",
        "Run ranking if judging stopped now",
        "By team",
    ):
        assert told.casefold() in text.casefold()
    assert all(run in text for run in ("alpha-one", "beta-secret"))


@pytest.fixture
def told(client, url):
    """What the page says, in one line without tags."""

    def read(**query):
        text = read_page(client.get(url, query)).replace("<", " <")
        return " ".join(strip_tags(text).split())

    return read


def test_where_nothing_relevant_is_found_no_share_of_it_is(told, plan, judge):
    judge(("1", "d1", 0))
    assert "among 4 unjudged documents. Excludes 2 topics without" in told()
    judge(("1", "d2", 2))
    assert (
        "among 3 unjudged documents; 40 % of the relevant documents of the pool are found."
        in told()
    )


def test_the_rest_of_topics_that_were_not_begun_is_not_called_judged(told, plan, judge):
    rows = [("1", docno, 1) for docno in ("d1", "d2", "d3", "d9", "d4")]
    judge(*rows)
    assert (
        "All documents of the topics with judgments are judged. Excludes 2 topics without" in told()
    )


def test_of_a_pool_of_which_nothing_is_judged_no_number_is_told(told, plan, judge):
    judge(("1", "unpooled", 1))
    assert "Expected in the pool No estimate: no document of the pool is judged." in told()


def test_no_run_is_called_new_where_there_is_no_ranking_before(told, plan, judge):
    judge(("1", "d1", 2))
    assert "1 judgment so far: too few for a comparison in steps of 10." in told()
    assert "beta-secret –" in told()


def test_without_runs_the_page_says_so(told, judge):
    judge(("1", "d1", 2))
    assert "No accepted runs." in told()


def test_the_page_shows_who_rose_what_is_low_and_what_a_team_has_of_all(client, url, plan, judge):
    judge(("1", "d1", 0), ("1", "d3", 2))
    judge(("1", "d1", 2), ("1", "d3", 0), ("1", "d4", 1))
    page = client.get(url, {"last": "2", "by": "map"})
    shown = page.context
    rows = {row.tag: row for row in shown["panel"].runs}
    assert [rows[tag].before for tag in ("alpha-one", "beta-secret", "beta-other")] == [1, 2, 2]
    assert rows["beta-other"].place == 1
    assert (rows["beta-other"].moved, rows["alpha-one"].moved) == (1, -2)
    # Alpha has d9, which nobody has judged, among its three; beta-other has d4 alone.
    cells = {tag: read_page(page).partition(f">{tag}</a>")[2].partition("</tr>")[0] for tag in rows}
    assert cells["alpha-one"].count("tag late") == 3
    assert cells["beta-other"].count("tag late") == 0
    said = tooltips(shown["moves"])
    assert [text.split(" after ")[1] for text in said] == ["2 judgments", "5 judgments"]
    # By first judgments d3 and d4 are relevant: each team brought one alone.
    teams = read_page(page).partition('id="teams"')[2].partition("</section>")[0]
    assert re.findall(r'<th scope="row">(\w+)<|bar-fill" width="([0-9.]+)"', teams) == [
        ("Alpha", ""), ("", "50.0"), ("Beta", ""), ("", "50.0"),
    ]  # fmt: skip


@pytest.mark.parametrize("query", [{"by": "nonsense"}, {"last": "0"}, {"last": "-3"},
                                   {"last": "9" * 30}, {"last": "٣"}])  # fmt: skip
def test_nonsense_in_the_address_is_passed_over(client, url, plan, query, judge):
    judge(("1", "d1", 2))
    assert client.get(url, query).status_code == 200
    assert client.get(url, {"policy": "x"}).status_code == 409


def test_a_rule_is_set_on_the_page_and_shown(client, url, plan, campaign, judge):
    judge(("1", "d1", 2), ("1", "d3", 0))
    page = client.post(url, {"documents": "2", "no_relevant_in": "30"}, follow=True)
    assert "Complete topics: 1." in read_page(page)
    assert StoppedTopic.objects.get().topic.number == "1"
    assert (get_stopping_rule(campaign).documents, get_stopping_rule(campaign).no_relevant_in) == (
        2,
        30,
    )
    assert 'value="30"' in read_page(page)
    assert re.search(r"UTC</time>\.\s+Each document", page.content.decode())
    page = client.post(url, {}, follow=True)
    assert "Stopping rule removed." in read_page(page)
    assert not StoppedTopic.objects.exists()


def test_a_rule_that_is_none_is_refused_in_place(client, url, campaign):
    page = client.post(url, {"documents": "0", "relevant": "many"})
    assert page.status_code == 422
    assert page.context["form"].errors.keys() == {"documents", "relevant"}
    assert not get_stopping_rule(campaign)


def test_tables_are_given_away(client, campaign, plan, judge):
    judge(("1", "d1", 2), ("1", "d3", 0))

    def got(what, fmt):
        address = reverse("stopping-download", args=[campaign.slug, what, fmt])
        return client.get(address, {"last": "1"})

    whole = json.loads(got("panel", "json").content)
    tables = {"found", "ranking", "runs", "left", "topics", "depths", "teams"}
    assert whole.keys() == {"verdict", *tables}
    for name in tables:
        rows = whole[name]
        table = csv_rows(read_page(got(name, "csv")))
        assert len(table) == len(rows)
        assert [*table[0]] == [*rows[0]]
    assert whole["topics"][0] | {"topic": "1", "judged": 2, "relevant": 1} == whole["topics"][0]
    assert got("nothing", "csv").status_code == 404
    assert got("topics", "json").status_code == 404
