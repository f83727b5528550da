"""Submission that is opened again after a release: an act that says who knows scores, and runs
that stay marked.
"""

import re
from datetime import datetime, timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ConfirmationNeeded
from campaigns.lifecycle.campaign import list_campaign_dates
from campaigns.lifecycle.home import build_home
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign, Run, Team
from campaigns.services.campaigns import close_submissions, reopen_submissions, update_campaign
from campaigns.services.snapshots import compute_report
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services.imports import import_judgments
from reliability.queries.disagreement_studies import EFFECT
from tests.confirming import api, confirm
from tests.csv_reading import csv_conditions, csv_rows
from tests.pages import read_page
from tests.refusals import refusing
from tests.world.files import checked_run, run_text

ADDRESS = "/c/small/runs/reopen/"
API = "/api/campaigns/small/reopen-submissions/"


@pytest.fixture
def later() -> datetime:
    return timezone.now().replace(second=0, microsecond=0) + timedelta(days=7)


@pytest.fixture
def closed(organizer, score_set, participant, rival, campaign) -> Campaign:
    """Scores are released, and submission is closed."""
    release_scores(actor=organizer, score_set=score_set)
    close_submissions(actor=organizer, campaign=campaign)
    return campaign


def test_a_later_date_in_the_settings_does_not_reopen(organizer, closed, later):
    for until in (later, None):
        with refusing("reopens-submission", "Reopen submission"):
            update_campaign(actor=organizer, campaign=closed, runs_deadline=until)
    patched = api(organizer).patch("/api/campaigns/small/", {"runs_deadline": later}, format="json")
    assert (patched.status_code, patched.data["code"]) == (409, "reopens-submission")
    assert not Campaign.objects.get().takes_runs()
    update_campaign(actor=organizer, campaign=Campaign.objects.get(), title="New title")
    passed = Campaign.objects.get().runs_deadline + timedelta(microseconds=1)
    update_campaign(actor=organizer, campaign=Campaign.objects.get(), runs_deadline=passed)
    assert not closed.events.filter(code__in=["submissions.reopened", "submissions.extended"])


def test_reopening_says_who_knows_scores_and_marks_runs(
    as_user, organizer, participant, rival, closed, team, later
):
    assert "Submission closed" in read_page(as_user(participant).get("/c/small/runs/"))
    client = as_user(organizer)
    assert "Reopen submission" in read_page(client.get("/c/small/runs/"))
    data = {"until": f"{later:%Y-%m-%dT%H:%M}", "team": ""}
    page = read_page(client.get(ADDRESS, data))
    assert "Before you reopen" in page
    assert "Scores are released: 2 teams know them (Alpha, Beta)." in page
    assert "closes before that" not in page
    Campaign.objects.update(judging_deadline=later - timedelta(days=1))
    assert "closes before that, on " in read_page(client.get(ADDRESS, data))
    assert confirm(client, ADDRESS, data, confirm=[]).status_code == 422
    assert confirm(client, ADDRESS, data).status_code == 302
    event = Campaign.objects.get().events.get(code="submissions.reopened")
    assert (event.data["after_release"], event.data["deadline"]) == (True, later.isoformat())
    told = read_page(as_user(participant).get("/c/small/runs/"))
    assert "Submission closed" not in told
    assert "Submission reopened" in told
    assert "Submit run" in told
    late = checked_run(participant, Campaign.objects.get(), team, run_text(tag="late"))
    assert late.after_release
    for path in ("runs/", f"runs/{late.pk}/", "pool/"):
        assert "after release" in read_page(as_user(organizer).get(f"/c/small/{path}")), path


def test_runs_after_the_release_are_marked_wherever_scores_are(
    as_user, organizer, assessor, participant, closed, team, later, score_set
):
    reopen_submissions(actor=organizer, campaign=closed, until=later)
    rows = [("1", "d1", 1), ("1", "d2", 0)]
    import_judgments(actor=organizer, campaign=closed, assessor=assessor, rows=rows)
    checked_run(participant, closed, team, run_text(tag="late"))
    scored = score_campaign(actor=organizer, campaign=closed, qrels=score_set.qrels)
    client = as_user(organizer)
    board = f"/c/small/results/scores/{scored.pk}/"
    assert read_page(client.get(board)).count("after release") == 1
    rows = csv_rows(read_page(client.get(f"{board}scores.csv")))
    marks = {row["run"]: row["after_release"] for row in rows if row["team"]}
    assert marks.pop("late") == "yes"
    assert set(marks.values()) == {""}
    mark = re.compile(r"late(</a>)?\s*<span class=\"tag waiting\">after release")
    addresses = [
        *((name, ["small"]) for name in ("interim-scores", "disagreement-effect", "stopping")),
        *((name, ["small", scored.pk]) for name in ("pairs", "compare", "score-set-changes")),
    ]
    compute_report(closed, EFFECT)
    told = [(name, read_page(client.get(reverse(name, args=args)))) for name, args in addresses]
    every = {"run": [run.pk for run in closed.runs.all()], "depth": 5, "seconds": 30, "preview": 1}
    some = every | {"run": [run.pk for run in closed.runs.exclude(tag="late")]}
    for name, form in (("preview", every), ("left out", some)):
        told.append((name, read_page(client.post("/c/small/pool/", form)).partition("by-run")[2]))
    assert [name for name, page in told if not mark.search(page)] == []
    note = "Submitted after the release: late."
    for name, table in (("disagreement", "runs"), ("stopping", "runs"), ("interim-scores", "")):
        parts = ["small", *([table] if table else []), "csv"]
        text = read_page(client.get(reverse(f"{name}-download", args=parts)))
        assert csv_conditions(text)["after_release"] == ["late"], name
    assert note in read_page(client.get(f"{board}scores.md"))
    release_scores(actor=organizer, score_set=scored)
    paper = client.get("/c/small/results/paper/runs.json", {"team": team.name}).json()
    said = f"1 of all {scored.runs.count()} runs was submitted after the release. {note}"
    assert said in paper["conditions"]["sentence"]


def test_one_team_is_given_more_time(as_user, organizer, participant, rival, closed, team, later):
    with pytest.raises(ConfirmationNeeded, match="scores-known"):
        reopen_submissions(
            actor=organizer, campaign=closed, until=later, team=team, decision=Decision()
        )
    asked = api(organizer).post(API, {"until": later, "team": team.name}, format="json")
    assert (asked.status_code, asked.data["missing"]) == (409, ["scores-known"])
    done = api(organizer).post(
        API, {"until": later, "team": team.name, "confirm": ["scores-known"]}, format="json"
    )
    assert done.status_code == 200
    assert Team.objects.get(pk=team.pk).runs_deadline == later
    event = closed.events.get(code="submissions.extended")
    assert (event.data["team"], event.subject.startswith(f"{team.name}, until")) == (team.pk, True)
    team.refresh_from_db()
    assert checked_run(participant, closed, team, run_text(tag="late")).after_release
    assert "Submission extended" in read_page(as_user(participant).get("/c/small/runs/"))
    dates = list_campaign_dates(get_campaign_status(Campaign.objects.get(), participant))
    assert later in [date.at for date in dates]
    assert later in [date.at for date in build_home(participant).dates]
    mine, theirs = (api(user).get("/api/campaigns/small/").data for user in (participant, rival))
    assert (mine["team_deadline"], theirs["team_deadline"]) == (later, closed.runs_deadline)
    assert mine["runs_deadline"] == theirs["runs_deadline"]
    members = api(organizer).get("/api/members/?campaign=small").data["results"]
    more = {row["username"]: row["team_deadline"] for row in members}
    assert more[participant.username] == f"{later:%Y-%m-%dT%H:%M:%SZ}"
    assert more[rival.username] is None
    assert "but for teams with a later deadline" in read_page(
        as_user(organizer).get(reverse("campaign-settings", args=["small"]))
    )
    other = Team.objects.exclude(pk=team.pk).get(members__user=rival)
    with refusing("deadline"):
        checked_run(rival, closed, other, run_text(tag="other"))
    told = read_page(as_user(rival).get("/c/small/runs/"))
    assert "Submission closed" in told
    assert "Submission extended" not in told
    for page in ("/c/small/runs/close/", "/c/small/runs/"):
        told = read_page(as_user(organizer).get(page))
        assert f"Submission is open for {team.name} until " in told, page
    scored = score_campaign(actor=organizer, campaign=closed, qrels=closed.qrels.first())
    with pytest.raises(ConfirmationNeeded, match="submission-open"):
        release_scores(actor=organizer, score_set=scored, decision=Decision())
    page = f"/c/small/results/scores/{scored.pk}/release/"
    asked = read_page(as_user(organizer).get(page))
    assert f"Submission is open for {team.name} until " in asked
    assert "Submission is closed since" not in asked
    codes = ["close-submissions", "seen-by-teams"]
    assert confirm(as_user(organizer), page, confirm=codes).status_code == 302
    assert not Campaign.objects.get().takes_runs_of_a_team()


def test_an_extension_in_the_settings_is_logged(organizer, campaign, later):
    update_campaign(actor=organizer, campaign=campaign, runs_deadline=later)
    update_campaign(actor=organizer, campaign=campaign, runs_deadline=later + timedelta(days=1))
    event = campaign.events.get(code="submissions.extended")
    assert event.data["deadline_before"] == later.isoformat()
    with refusing("not-later"):
        reopen_submissions(actor=organizer, campaign=campaign, until=later)


def test_runs_of_the_past_are_marked_by_the_migration(closed):
    run = closed.runs.first()
    Run.objects.filter(pk=run.pk).update(submitted_at=timezone.now() + timedelta(hours=1))
    import_module("evaluation.migrations.0002_late_runs").mark_late_runs(apps, None)
    assert list(closed.runs.filter(after_release=True)) == [run]
