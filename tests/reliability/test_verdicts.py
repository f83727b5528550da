"""The verdicts of a campaign: one sentence on page, API, report and command."""

import json
import re
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from typing import get_args, get_type_hints

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.help.glossary import parse_glossary
from campaigns.models import Job, Snapshot
from campaigns.models.history import FORM, name_snapshot
from campaigns.services.jobs import perform_job
from campaigns.services.snapshots import (
    REST,
    SNAPSHOT,
    compute_report,
    compute_snapshot,
    find_report,
    get_report,
    list_stored_verdicts,
    list_verdict_subjects,
    refresh_snapshot,
    request_stale_snapshots,
)
from campaigns.templatetags.verdicts import LABELS, locate_act
from evaluation.services.scoring import score_campaign
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from poolbench.estimation.looks import SampleLook
from poolbench.judging.today.verdict import TodayReport, judge_today
from poolbench.pooling.spec import depth_spec
from poolbench.verdicts import ANSWERS, Act, VerdictState
from pooling.services.freeze import freeze_pool
from reliability.lifecycle import LABELS as TITLES
from tests.conftest import REPOSITORY
from tests.examples import take
from tests.pages import read_page, run_command
from tests.poolbench.judging.test_alarms import DAYS, LOUD, WORKING, progress
from tests.poolbench.reliability.verdicts.test_rules import CASES
from tests.reliability.test_disagreement import import_grades

CSS = "static/css/pages.css"
NAMES = ("leaderboard", "agreement", "stopping", "collection")
PAGES = {"agreement": "agreement", "stopping": "stopping", "collection": "reusability"}


@pytest.fixture
def judged(campaign, organizer, assessor, assessor2, alpha, beta):
    """Two assessors on five documents."""
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=[alpha, beta])
    import_grades(campaign, organizer, assessor, assessor2)
    return campaign


@pytest.fixture
def computed(judged):
    """All figures are stored, as after the jobs."""
    for subject in list_verdict_subjects():
        refresh_snapshot(judged, subject.snapshot)
    return judged


def test_a_report_is_read_once_and_anew_after_its_job(computed, organizer, assessor):
    before = find_report(computed, "agreement")
    with CaptureQueriesContext(connection) as queries:
        assert find_report(computed, "agreement").report is before.report
    assert len(queries) == 1
    assert '"data"' not in queries[0]["sql"]
    import_judgments(actor=organizer, campaign=computed, assessor=assessor, rows=[("1", "d1", 3)])
    refresh_snapshot(computed, before.subject.snapshot)
    after = find_report(computed, "agreement")
    assert after.report.last > before.report.last
    assert after.computed_at > before.computed_at


def printed(*args):
    return run_command("verdicts", *args)


def test_each_verdict_of_the_registry_is_tried_and_explained():
    """By every rule each state that it can give; its name, question and page on the help page."""
    subjects = {subject.decide: subject for subject in list_verdict_subjects()}
    tried = {judge: {state for of, _, state, _ in CASES if of is judge} for judge in subjects}
    tried[judge_today] = {state for _, _, state, _ in DAYS}
    assert {subject.name for subject in subjects.values()} == {*NAMES, "today"} == {*TITLES}
    page = (REPOSITORY / "docs/verdicts.md").read_text()
    for judge, subject in subjects.items():
        never = {VerdictState.BAD} if subject.name == "collection" else set()
        assert tried[judge] == {*ANSWERS} - never
        assert f"| `{subject.name}` | {subject.question} |" in page
        assert reverse(subject.page, args=["x"])


def test_each_state_and_figure_has_its_words_and_its_color():
    page, css = ((REPOSITORY / path).read_text() for path in ("docs/verdicts.md", CSS))
    assert {*LABELS} == {*VerdictState}
    for state, label in LABELS.items():
        assert f"**{str(label).lower()}**" in page
        assert re.search(rf"\.state-{state}\b[^{{]*{{ color: var\(--", css)
    figures = [figure for judge, report, *_ in CASES for figure in judge(report).figures]
    words = {figure.word for figure in figures if figure.word}
    assert len(words) > 4
    assert words <= {*parse_glossary((REPOSITORY / "docs/glossary.md").read_text())}


@pytest.mark.parametrize("name", PAGES)
def test_page_api_and_command_say_the_same(name, computed, organizer, as_user):
    client = as_user(organizer)
    verdict = compute_report(computed, name).verdict
    rows = client.get(reverse("api-verdict-list"), {"campaign": computed.slug}).json()
    (row,) = [each for each in rows if each["name"] == name]
    (told,) = json.loads(printed("--campaign", computed.slug, "--only", name, "--format", "json"))
    assert row["sentence"] == told["sentence"] == verdict.sentence
    assert row["state"] == told["state"] == verdict.state.value
    assert row["is_current"]
    text = read_page(client.get(reverse(PAGES[name], args=[computed.slug])))
    if name != "stopping" or 'class="verdict"' in text:
        assert verdict.sentence.replace("'", "&#x27;") in text
    assert verdict.sentence in printed("--campaign", computed.slug)


def test_reports_begin_with_the_verdict(computed, organizer, as_user):
    client = as_user(organizer)
    verdict = compute_report(computed, "agreement").verdict
    for route, args in (
        ("agreement-download", ("md",)),
        ("disagreement-download", ("report", "md")),
    ):
        text = read_page(client.get(reverse(route, args=[computed.slug, *args])))
        assert verdict.sentence in text
        assert text.index("Verdict") < text.index(verdict.sentence)
    stopping = compute_report(computed, "stopping").verdict
    url = reverse("stopping-download", args=[computed.slug, "panel", "json"])
    assert client.get(url).json()["verdict"]["sentence"] == stopping.sentence


def test_what_identifies_inputs_fits_its_column(computed):
    longest = Snapshot._meta.get_field("inputs").max_length
    assert [k.page for k in list_verdict_subjects() if len(k.identify(computed)) > longest] == []


def list_stored_fields(kind, found):
    """Of the dataclass and of all in its fields, by name of the class."""
    for part in get_args(kind):
        list_stored_fields(part, found)
    if is_dataclass(kind) and kind.__name__ not in found:
        found[kind.__name__] = sorted(field.name for field in fields(kind))
        for hint in get_type_hints(kind).values():
            list_stored_fields(hint, found)
    return found


def test_other_fields_of_stored_reports_have_another_form():
    found = {}
    for report in (*(subject.report for subject in list_verdict_subjects()), SampleLook):
        list_stored_fields(report, found)
    digest = sha256(repr(sorted(found.items())).encode()).hexdigest()[:8]
    assert (FORM, digest) == (9, "01b08587"), "raise FORM, so that old reports are computed again"


def test_the_overview_shows_stored_verdicts_only(computed):
    assert [each.subject.name for each in list_stored_verdicts(computed)] != []
    computed.snapshots.all().delete()
    assert list_stored_verdicts(computed) == []


def test_the_overview_reads_a_stored_report_once(computed, django_assert_num_queries):
    before = list_stored_verdicts(computed)
    with django_assert_num_queries(3):
        assert list_stored_verdicts(computed) == before
    computed.snapshots.exclude(name=name_snapshot("leaderboard")).update(inputs="others")
    with django_assert_num_queries(3 + len(before) - 1):
        assert list_stored_verdicts(computed) == before


def test_an_empty_campaign_has_full_answers(campaign):
    for subject in list_verdict_subjects():
        verdict = compute_report(campaign, subject.name).verdict
        assert verdict.state is VerdictState.UNKNOWN
        assert verdict.sentence


@pytest.mark.parametrize("name", PAGES)
def test_a_verdict_without_figures_is_being_computed(name, judged, organizer, as_user):
    client = as_user(organizer)
    text = read_page(client.get(reverse(PAGES[name], args=[judged.slug])))
    job = judged.jobs.get(kind=SNAPSHOT)
    assert "Being computed" in text
    assert "Cannot be determined" not in text
    assert f"not there yet; being computed since {job.created_at:%Y-%m-%d %H:%M} UTC." in text
    assert "leaving does no harm" in text
    assert reverse("job", args=[judged.slug, job.pk]) in text
    overview = read_page(client.get(judged.get_absolute_url()))
    assert 'state-computing" href' in overview
    rows = client.get(reverse("api-verdict-list"), {"campaign": judged.slug}).json()
    (row,) = [each for each in rows if each["name"] == name]
    assert (row["state"], row["computed_at"]) == ("computing", None)
    told = json.loads(printed("--campaign", judged.slug, "--only", name, "--format", "json"))
    assert told[0]["state"] in ANSWERS


def test_right_after_an_evaluation_the_leaderboard_is_being_computed(computed, organizer, as_user):
    assert "0 runs" in compute_report(computed, "leaderboard").verdict.sentence
    qrels = freeze_qrels(actor=organizer, campaign=computed, policy="adjudicated-maximum")
    score_campaign(actor=organizer, campaign=computed, qrels=qrels, measures=["map"])
    client = as_user(organizer)
    page = read_page(client.get(reverse("scores", args=[computed.slug])))
    overview = read_page(client.get(computed.get_absolute_url()))
    rows = client.get(reverse("api-verdict-list"), {"campaign": computed.slug}).json()
    (row,) = [each for each in rows if each["name"] == "leaderboard"]
    assert (row["state"], row["computed_at"]) == ("computing", None)
    assert "being computed since" in page
    assert 'state-computing" href' in overview
    assert "0 runs" not in page + overview
    told = printed("--campaign", computed.slug, "--only", "leaderboard")
    assert "2 runs" in told or "first by MAP" in told


def test_no_rule_says_that_it_is_being_computed(computed):
    for subject in list_verdict_subjects():
        assert compute_report(computed, subject.name).verdict.state in ANSWERS


def test_a_failed_computation_says_why(judged, organizer, as_user):
    url = reverse("agreement", args=[judged.slug])
    as_user(organizer).get(url)
    judged.jobs.filter(kind=SNAPSHOT).update(state=Job.State.FAILED, error="No memory left.")
    text = read_page(as_user(organizer).get(url))
    assert "could not be computed" in text
    assert "No memory left." in text
    assert "Being computed" not in text


def test_one_job_is_kept_of_each_snapshot(judged):
    for measure in ("map", "P_5", "P_10"):
        judged.measures = [measure]
        judged.save()
        perform_job(get_report(judged, "agreement").job.pk, compute_snapshot)
    job = judged.jobs.get(kind=SNAPSHOT, args__name=name_snapshot("agreement"))
    assert job.state == Job.State.DONE


def test_the_tick_leaves_young_figures_alone(computed):
    computed.measures = ["P_5"]
    computed.save()
    assert request_stale_snapshots() == 0
    computed.snapshots.update(computed_at=timezone.now() - REST)
    assert request_stale_snapshots() > 0


def list_all_acts(score_set, person):
    """Of every rule in every state of its table, and of every alarm, once for each address."""
    acts = [act for judge, report, *_ in CASES for act in judge(report).acts]
    acts += [act for _, alarms, *_ in DAYS for alarm in alarms for act in alarm.acts]
    acts += [
        act
        for facts, alarms, *_ in DAYS
        for act in judge_today(TodayReport(progress(WORKING, **facts), alarms)).acts
    ]
    acts += [act for check in LOUD for alarm in check().alarms for act in alarm.acts]
    # With names that the campaign has.
    args = {"pairs": (score_set.pk,), "review-new": (person,), "judging-assessor": (person,)}
    query = {"a": "assessor", "b": "assessor2"}
    found = [
        replace(
            act, args=args.get(act.page, act.args), query=query if "a" in act.query else act.query
        )
        for act in acts
    ]
    return {(act.page, tuple(act.query.items())): act for act in found}


def test_every_act_leads_to_a_page(judged, score_set, organizer, as_user):
    client = as_user(organizer)
    acts = list_all_acts(score_set, "assessor")
    links = {page: locate_act(judged.slug, acts[page]) for page in take(acts, 2)}
    assert {page: client.get(url).status_code for page, url in links.items()} == dict.fromkeys(
        links, 200
    )
    assert {page for page, _ in acts} >= {"agreement", "agreement-pair", "plan-new", "pairs"}


def test_acts_set_the_filter_of_their_page(judged, organizer, as_user):
    client = as_user(organizer)
    for page, query, shown in (
        ("agreement", {"topic": "2"}, "topic 2"),
        ("agreement-pair", {"a": "assessor", "b": "assessor2"}, "assessor2"),
    ):
        url = locate_act(judged.slug, Act("x", page, query=query))
        assert shown in read_page(client.get(url)), page
