"""Releasing scores, changing what participants see, and withdrawing a released run."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, ConfirmationNeeded
from campaigns.models import Campaign, Run
from campaigns.services import jobs
from campaigns.services.campaigns import change_visibility, update_campaign
from campaigns.services.runs import latest_check_job, submit_run, withdraw_run
from evaluation.models import ScoreSet
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from tests.confirming import api, confirm, read_confirmation
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.refusals import refusing
from tests.world.files import accepted_run, checked_run, run_text


@pytest.fixture
def address(score_set) -> str:
    return reverse("score-release", args=["small", score_set.pk])


@pytest.fixture
def released(organizer, score_set, participant, rival) -> ScoreSet:
    return release_scores(actor=organizer, score_set=score_set)


def is_released() -> bool:
    return ScoreSet.objects.filter(released_at__isnull=False).exists()


# Release


def test_the_release_lists_what_is_open_and_who_sees_what(
    as_user, organizer, participant, rival, campaign, address
):
    Campaign.objects.update(runs_deadline=timezone.now() + timedelta(days=9))
    page = read_page(as_user(organizer).get(address))
    assert "Submission is open until" in page
    assert "2 teams, 2 people" in page
    assert "All accepted runs are in this score set." in page
    assert "Release to 2 teams" in page
    assert not is_released()


def test_without_every_consent_nothing_is_released(
    as_user, organizer, participant, campaign, address
):
    client = as_user(organizer)
    answer = confirm(client, address, confirm=["submission-open"])
    assert answer.status_code == 422
    page = read_page(answer)
    assert "1 confirmation is missing" in page
    assert 'id="confirm-submission-open" checked' in page
    assert confirm(client, address, confirm=[]).status_code == 422
    assert client.post(address).status_code == 200
    assert not is_released()
    assert not campaign.events.filter(code="scores.released").exists()


def test_a_confirmed_release_is_logged_with_what_was_overridden(
    as_user, organizer, participant, campaign, address
):
    answer = confirm(as_user(organizer), address, confirm=["submission-open", "seen-by-teams"])
    assert answer.status_code == 302
    assert is_released()
    event = campaign.events.get(code="scores.released")
    kept = event.data["confirmed"]
    assert kept["overridden"] == ["submission-open"]
    assert kept["consents"] == ["seen-by-teams"]
    assert kept["question"] == "Release the scores to the teams?"
    who, text = kept["consequences"][0]
    assert who == "1 team, 1 person"
    assert text.startswith("see their own scores with best, median and worst.")
    log = read_page(as_user(organizer).get(reverse("events", args=["small"])))
    assert "overriding submission-open" in log
    assert as_user(organizer).post(address).status_code == 409


def test_a_release_can_close_submission(as_user, organizer, participant, campaign, address):
    answer = confirm(as_user(organizer), address, confirm=["close-submissions", "seen-by-teams"])
    assert answer.status_code == 302
    campaign.refresh_from_db()
    assert not campaign.takes_runs()
    assert campaign.events.get(code="scores.released").data["confirmed"]["overridden"] == []
    assert campaign.events.get(code="submissions.closed").actor == organizer
    told = read_page(as_user(participant).get("/c/small/"))
    assert "Submission closed" in told


def test_a_page_that_was_overtaken_is_shown_again(
    as_user, organizer, participant, team, address, campaign
):
    client = as_user(organizer)
    form = read_confirmation(client.get(address))
    accepted_run(team, "late", "1 Q0 d1 1 1 late\n")
    answer = client.post(address, form)
    assert answer.status_code == 409
    page = read_page(answer)
    assert "Something has changed" in page
    assert "1 run not in this score set: late." in page
    assert " checked" not in page[page.index('class="decision"') :]
    assert not is_released()
    assert client.post(address, read_confirmation(answer)).status_code == 302


def test_what_has_changed_since_the_evaluation_is_open(
    as_user, organizer, participant, alpha, campaign, qrels, score_set, address
):
    withdraw_run(actor=organizer, run=alpha)
    score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    form = read_confirmation(as_user(organizer).get(address))
    assert {"runs-withdrawn", "scores-newer"} <= set(form["confirm"])


def test_the_api_asks_the_same_as_the_page(organizer, participant, campaign, score_set):
    address = reverse("api-score-set-release", args=[score_set.pk])
    client = api(organizer)
    refused = client.post(address, {}, format="json")
    assert (refused.status_code, refused.data["code"]) == (409, "not-confirmed")
    assert refused.data["missing"] == ["submission-open", "seen-by-teams"]
    assert refused.data["open"][0]["code"] == "submission-open"
    assert not is_released()
    body = {"confirm": refused.data["missing"], "digest": "0" * 64}
    assert client.post(address, body, format="json").data["code"] == "facts-changed"
    body["digest"] = refused.data["digest"]
    assert client.post(address, body, format="json").status_code == 200
    assert client.post(address, body, format="json").data["code"] == "already-released"
    assert "confirmed" in campaign.events.get(code="scores.released").data


# What participants see after the release


def test_visibility_before_a_release_is_a_setting(organizer, campaign):
    update_campaign(actor=organizer, campaign=campaign, board="names")
    campaign.refresh_from_db()
    assert campaign.board == "names"


def test_after_a_release_the_settings_do_not_change_it(organizer, campaign, released, as_user):
    with refusing("board-released"):
        update_campaign(actor=organizer, campaign=campaign, board="names")
    address = reverse("api-campaign-detail", args=["small"])
    assert api(organizer).patch(address, {"board": "names"}, format="json").status_code == 409
    page = read_page(as_user(organizer).get("/c/small/setup/"))
    assert reverse("visibility-change", args=["small"]) in page
    campaign.refresh_from_db()
    assert campaign.board == "own"


def test_seeing_more_lists_who_sees_what_and_tells_the_teams(
    as_user, organizer, participant, campaign, released
):
    address = reverse("visibility-change", args=["small"])
    client = as_user(organizer)
    assert "Full leaderboard with team names" in read_page(client.get(address))
    page = read_page(client.get(f"{address}?board=names"))
    assert "2 teams, 2 people" in page
    assert "the scores of all 3 runs of 2 teams, with run tags and team names" in page
    assert confirm(client, f"{address}?board=names", confirm=[]).status_code == 422
    campaign.refresh_from_db()
    assert campaign.board == "own"
    assert confirm(client, f"{address}?board=names").status_code == 302
    campaign.refresh_from_db()
    assert campaign.board == "names"
    event = campaign.events.get(code="board.changed")
    assert (event.data["before"], event.data["after"]) == ("own", "names")
    assert event.data["confirmed"]["consents"] == ["seen-by-teams"]
    told = read_page(as_user(participant).get("/c/small/results/scores/"))
    assert "Visibility to participants changed" in told
    assert "Visibility to participants" not in read_page(as_user(organizer).get("/c/small/"))


def test_the_api_changes_visibility_with_consent(organizer, campaign, released):
    address = reverse("api-campaign-visibility", args=["small"])
    body = {"board": "pseudonyms"}
    refused = api(organizer).post(address, body, format="json")
    assert (refused.status_code, refused.data["missing"]) == (409, ["seen-by-teams"])
    done = api(organizer).post(address, body | {"confirm": ["seen-by-teams"]}, format="json")
    assert (done.status_code, done.data["board"]) == (200, "pseudonyms")


def test_a_stale_change_of_visibility_is_refused(organizer, campaign, released):
    decision = Decision(frozenset({"seen-by-teams"}), "0" * 64)
    with pytest.raises(ConfirmationNeeded):
        change_visibility(actor=organizer, campaign=campaign, board="names", decision=decision)
    assert not campaign.events.filter(code="board.changed").exists()


# Withdrawal after the release


def test_a_withdrawn_run_stays_in_later_evaluations_with_its_date(
    as_user, participant, organizer, campaign, alpha, qrels, released
):
    client = as_user(participant)
    address = reverse("run-withdraw", args=["small", alpha.pk])
    assert "include the run" in read_page(client.get(address))
    assert confirm(client, address, confirm=[]).status_code == 422
    assert confirm(client, address).status_code == 302
    alpha.refresh_from_db()
    assert alpha.state == Run.State.WITHDRAWN
    assert campaign.events.get(code="run.withdrawn").data["after_release"] is True
    again = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert set(again.runs.values_list("run__tag", flat=True)) == {
        "alpha-one", "beta-secret", "beta-other",
    }  # fmt: skip
    assert again.conditions["runs"] == 3
    board = read_page(as_user(organizer).get(again.get_absolute_url()))
    assert f"withdrawn {alpha.withdrawn_at:%-d %b %Y}" in board
    page = read_page(as_user(participant).get(alpha.get_absolute_url()))
    assert "stays in released and later score sets" in page


def test_downloads_and_api_mark_a_withdrawn_run(as_user, organizer, alpha, released):
    withdraw_run(actor=organizer, run=alpha)
    alpha.refresh_from_db()
    moment = alpha.withdrawn_at.isoformat()
    text = read_page(as_user(organizer).get(f"{released.get_absolute_url()}scores.csv"))
    rows = {row["run"]: row["withdrawn"] for row in csv_rows(text)}
    assert rows == {"alpha-one": moment, "beta-secret": "", "beta-other": ""}
    address = reverse("api-score-set-leaderboard", args=[released.pk])
    runs = {row["run"]: row["withdrawn_at"] for row in api(organizer).get(address).json()["runs"]}
    assert runs == {"alpha-one": moment, "beta-secret": None, "beta-other": None}
    run = api(organizer).get(reverse("api-run-detail", args=[alpha.pk])).json()
    assert run["withdrawn_at"] is not None
    assert run["state"] == "withdrawn"


def test_before_a_release_a_withdrawn_run_leaves_the_next_evaluation(
    organizer, campaign, alpha, qrels, score_set
):
    withdraw_run(actor=organizer, run=alpha, decision=Decision())
    again = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert set(again.runs.values_list("run__tag", flat=True)) == {"beta-secret", "beta-other"}


def test_a_released_run_is_not_replaced_and_keeps_tag_and_place(
    participant, organizer, team, campaign, alpha, released
):
    with refusing("scores-released"):
        submit_run(
            actor=participant, campaign=campaign, team=team, data=run_text("better"),
            file_name="better.txt", replaces=alpha,
        )  # fmt: skip
    update_campaign(actor=organizer, campaign=campaign, max_runs_per_team=1)
    withdraw_run(actor=participant, run=alpha)
    with pytest.raises(ActionRefused, match="Run limit reached"):
        submit_run(
            actor=participant, campaign=campaign, team=team, data=run_text(), file_name="run.txt"
        )
    update_campaign(actor=organizer, campaign=campaign, max_runs_per_team=5)
    again = checked_run(participant, campaign, team, run_text("alpha-one"))
    assert again.state == Run.State.REJECTED
    assert [fault.code for fault in again.fault_report.faults] == ["E08"]


def test_a_release_during_the_check_of_a_replacing_run_rejects_it(
    participant, organizer, team, campaign, alpha, score_set
):
    new = submit_run(
        actor=participant, campaign=campaign, team=team, data=run_text("better"),
        file_name="better.txt", replaces=alpha,
    )  # fmt: skip
    release_scores(actor=organizer, score_set=score_set)
    jobs.run_here(latest_check_job(new))
    new.refresh_from_db()
    alpha.refresh_from_db()
    assert (new.state, alpha.state) == (Run.State.REJECTED, Run.State.ACCEPTED)


def test_the_api_withdraws_a_released_run_only_with_consent(participant, alpha, released):
    address = reverse("api-run-withdraw", args=[alpha.pk])
    refused = api(participant).post(address, {}, format="json")
    assert (refused.status_code, refused.data["missing"]) == (409, ["stays-in-scores"])
    done = api(participant).post(address, {"confirm": ["stays-in-scores"]}, format="json")
    assert (done.status_code, done.data["state"]) == (200, "withdrawn")
