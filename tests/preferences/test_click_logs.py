"""Click logs in a campaign: import, faults, results for organizers, and never a grade."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.models import Judgment, Qrels
from judging.services.qrels import freeze_qrels
from poolbench.files.faults import InvalidFile
from poolbench.preferences.preference_table import read_preferences
from preferences.models import ClickLog, ClickPreference
from preferences.queries.preference_sets import (
    CLICKS,
    COMPARISONS,
    compute_set_strengths,
    iter_run_rankings,
    list_run_comparisons,
    load_preference_set,
    score_runs,
)
from preferences.services.click_logs import import_click_log
from tests.pages import read_page
from tests.preferences.conftest import answer


def write_log(*sessions: tuple[str, str, str, str]) -> bytes:
    """``(session, topic, shown, clicks)``; documents separated by blanks."""
    return "".join(
        json.dumps({"session": s, "topic": t, "shown": d.split(), "clicks": c.split()}) + "\n"
        for s, t, d, c in sessions
    ).encode()


LOG = write_log(
    ("s1", "1", "d3 d2 d1", "d2"), ("s2", "1", "d3 d2 d1", "d2 d1"), ("s3", "2", "d6 d5", "d5")
)


@pytest.fixture
def clicks(organizer, campaign, alpha, beta) -> ClickLog:
    return import_click_log(actor=organizer, campaign=campaign, data=LOG, name="week1.jsonl")


def test_an_import_counts_pairs_and_is_logged(clicks, campaign) -> None:
    assert (clicks.sessions, clicks.preferences, len(clicks.sha256)) == (3, 4, 64)
    pairs = ClickPreference.objects.filter(log=clicks)
    assert {(p.topic.number, p.better, p.worse): p.times for p in pairs} == {
        ("1", "d2", "d3"): 2, ("1", "d1", "d3"): 1, ("2", "d5", "d6"): 1,
    }  # fmt: skip
    event = Event.objects.get(campaign=campaign, code="clicks.imported")
    assert event.data["sha256"] == clicks.sha256


def test_unknown_topics_and_documents_reject_the_file(organizer, campaign) -> None:
    data = write_log(("s1", "99", "d1 d2", "d2"), ("s2", "1", "d1 nowhere", "nowhere"))
    with pytest.raises(InvalidFile) as raised:
        import_click_log(actor=organizer, campaign=campaign, data=data, name="bad")
    assert ("EC08", 1) in {(fault.code, fault.line) for fault in raised.value.report.faults}
    assert ClickLog.objects.count() == 0


def test_only_organizers_import(assessor, campaign) -> None:
    with pytest.raises(PermissionDenied):
        import_click_log(actor=assessor, campaign=campaign, data=LOG, name="x")


def test_runs_that_produced_the_lists_are_marked(organizer, campaign, alpha) -> None:
    [(run, rankings)] = iter_run_rankings(campaign, {"1"})
    top = list(rankings["1"][:3])
    data = write_log(("s1", "1", " ".join(top), top[2]))
    log = import_click_log(actor=organizer, campaign=campaign, data=data, name="own")
    assert log.own_lists == {run.tag: 1}
    [score] = score_runs(campaign, load_preference_set(campaign, CLICKS))
    assert (score.own_lists, score.micro.value) == (1, 0.0)


def test_shares_are_those_of_the_rankings(clicks, campaign) -> None:
    listed = score_runs(campaign, load_preference_set(campaign, CLICKS))
    scores = {score.run: score for score in listed}
    pairs = [("1", "d2", "d3", 2), ("1", "d1", "d3", 1), ("2", "d5", "d6", 1)]
    assert len(scores) == 2
    for run, rankings in iter_run_rankings(campaign, {"1", "2"}):
        kept = 0
        for topic, better, worse, times in pairs:
            order = [*rankings.get(topic, ())]
            last = len(order)
            place = {docno: at for at, docno in enumerate(order)}
            kept += times * (place.get(better, last) < place.get(worse, last))
        assert (scores[run.tag].satisfied, scores[run.tag].total) == (kept, 4)


def test_compared_documents_are_a_set_of_their_own(pairs_plan, campaign, assessor, claim) -> None:
    slot = claim(assessor)
    answer(assessor, slot, "left")
    compared = load_preference_set(campaign, COMPARISONS)
    [record] = compared.records
    shown = {slot.comparison.docno_a, slot.comparison.docno_b}
    left = slot.comparison.docno_b if slot.swapped else slot.comparison.docno_a
    assert record.better == left
    assert {record.better, record.worse} == shown
    assert record.judge == assessor.username
    report = compute_set_strengths(campaign, compared, 1.0)
    assert report.topics[0].result.items[0].item == left


def test_runs_compared_by_judges_have_an_outcome(ranking_plan, campaign, assessor, claim) -> None:
    slot = claim(assessor)
    answer(assessor, slot, "left")
    [(_plan, outcome)] = list_run_comparisons(campaign)
    assert (outcome.wins_a, outcome.wins_b) == ((0, 1) if slot.swapped else (1, 0))


def test_preferences_never_become_grades(clicks, pairs_plan, organizer, campaign, assessor, claim):
    """Neither clicks nor comparisons write a judgment, and a qrels version has the judged pairs
    only."""
    answer(assessor, claim(assessor), "left")
    assert not Judgment.objects.exists()
    with pytest.raises(ActionRefused):
        freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    assert not Qrels.objects.exists()
    related = {
        field.related_model for field in (*Qrels._meta.get_fields(), *Judgment._meta.get_fields())
    }
    assert not {model for model in related if model and model._meta.app_label == "preferences"}


def test_an_upload_is_imported_and_listed(page, campaign, alpha) -> None:
    upload = {"file": SimpleUploadedFile("week.jsonl", LOG)}
    answered = page.post(reverse("click-log-import", args=[campaign.slug]), upload, follow=True)
    html = read_page(answered)
    assert "week.jsonl: 4 preferences from 3 sessions imported." in html
    assert '<th scope="row">week.jsonl</th><td class="num">3</td><td class="num">4</td>' in html


def test_faults_of_an_upload_are_listed(page, campaign) -> None:
    bad = b'{"session": "<b>", "topic": "1", "shown": ["a"], "clicks": ["<i>"]}\n[]\n'
    url = reverse("click-log-import", args=[campaign.slug])
    answered = page.post(url, {"file": SimpleUploadedFile("bad", bad)})
    html = read_page(answered)
    assert answered.status_code == 422
    assert 'id="fault-EC01"' in html
    assert "Clicked but not shown: &lt;i&gt;." in html
    assert "<i>" not in html


def test_the_same_upload_is_refused(page, campaign, clicks) -> None:
    url = reverse("click-log-import", args=[campaign.slug])
    answered = page.post(url, {"file": SimpleUploadedFile("again", LOG)})
    assert answered.status_code == 409
    assert "This file is imported already." in read_page(answered)
    assert ClickLog.objects.count() == 1


def test_results_show_shares_strengths_and_the_rule(page, campaign, clicks) -> None:
    html = read_page(page.get(reverse("preference-results", args=[campaign.slug])))
    assert "no qrels version contains them" in html
    assert "Click logs: 4 preferences and 0 ties in 2 topics." in html
    for run in campaign.runs.accepted():
        assert f'<th scope="row">{run.tag}</th>' in html
    assert "fewer than 5 topics" in html
    assert "Undefined" in html
    url = reverse("preference-results", args=[campaign.slug])
    html = read_page(page.get(url, {"source": "clicks", "prior": "1"}))
    assert "Undefined" not in html
    assert '<td class="num">1</td><th scope="row">d2</th>' in html


def test_without_preferences_the_page_says_what_to_do(page, campaign) -> None:
    html = read_page(page.get(reverse("preference-results", args=[campaign.slug])))
    assert "No preferences" in html
    assert reverse("click-log-import", args=[campaign.slug]) in html


@pytest.mark.parametrize("name", ["shares", "strengths", "pairs"])
def test_results_can_be_downloaded(page, campaign, clicks, name) -> None:
    for ending in ("csv", "json", "html", "md", "tex"):
        url = reverse("preference-results-download", args=[campaign.slug, name, ending])
        answered = page.get(url, {"source": "clicks", "prior": "1"})
        assert answered.status_code == 200
        assert "attachment" in answered["Content-Disposition"]
    url = reverse("preference-results-download", args=[campaign.slug, "other", "csv"])
    assert page.get(url).status_code == 404


def test_a_downloaded_table_is_read_again(page, campaign, clicks) -> None:
    url = reverse("preference-results-download", args=[campaign.slug, "pairs", "csv"])
    records = read_preferences(page.get(url).content).records
    assert records == load_preference_set(campaign, CLICKS).records


def test_the_api_has_results_and_takes_logs(page, campaign, alpha) -> None:
    url = reverse("api-preferences-import", args=[campaign.slug])
    answered = page.post(url, {"file": SimpleUploadedFile("week.jsonl", LOG)})
    assert answered.status_code == 201
    assert answered.json()["preferences"] == 4
    bad = page.post(url, {"file": SimpleUploadedFile("bad", b"[]\n")})
    assert bad.status_code == 422
    results = page.get(reverse("api-preferences-detail", args=[campaign.slug])).json()
    assert results["preferences"] == 4
    assert [run["preferences"] for run in results["runs"]] == [4]
    assert {topic["topic"] for topic in results["topics"]} == {"1", "2"}
