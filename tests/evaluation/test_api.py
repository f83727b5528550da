import json

import pytest

from campaigns.models import Campaign
from evaluation.api.scores import RunScoresViewSet, ScoreSetViewSet
from evaluation.models import RunScores
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from tests.confirming import call_view as call
from tests.world.files import qrels_release


def ids(user) -> list[int]:
    answer = call(ScoreSetViewSet, user, "list")
    return [row["id"] for row in json.loads(answer.content)["results"]]


def row_of(score_set, run) -> int:
    return RunScores.objects.get(score_set=score_set, run=run).pk


def test_score_sets_are_listed_by_role(
    organizer, participant, assessor, viewer, stranger, campaign, score_set
):
    assert ids(organizer) == [score_set.pk]
    for person in (participant, assessor, viewer, stranger):
        assert ids(person) == []
    release_scores(actor=organizer, score_set=score_set)
    assert ids(participant) == [score_set.pk]
    for person in (assessor, viewer, stranger):
        assert ids(person) == []


def test_participants_reach_only_the_set_released_last(organizer, participant, campaign, score_set):
    newer = qrels_release(campaign, version=2)
    later = score_campaign(actor=organizer, campaign=campaign, qrels=newer)
    for made in (score_set, later):
        release_scores(actor=organizer, score_set=made)
    assert ids(participant) == [later.pk]
    answer = call(ScoreSetViewSet, participant, "retrieve", pk=score_set.pk)
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("board", "leaks"), [("own", False), ("pseudonyms", False), ("names", True)]
)
def test_the_leaderboard_follows_the_board(
    organizer, participant, campaign, score_set, alpha, board, leaks
):
    Campaign.objects.filter(pk=campaign.pk).update(board=board)
    for action in ("leaderboard", "csv"):
        assert call(ScoreSetViewSet, participant, action, pk=score_set.pk).status_code == 404
    release_scores(actor=organizer, score_set=score_set)
    for action in ("leaderboard", "csv", "retrieve"):
        text = call(ScoreSetViewSet, participant, action, pk=score_set.pk).content.decode()
        assert ("beta" in text.lower()) is (leaks and action != "retrieve")
    told = json.loads(call(ScoreSetViewSet, participant, "leaderboard", pk=score_set.pk).content)
    assert told["spread"]["map"] == {"best": 0.5, "median": 0.5, "worst": 0.0}
    assert [run["run"] for run in told["runs"] if run["own"]] == ["alpha-one"]
    numbers = {run["own"]: run["run_scores"] for run in told["runs"]}
    assert numbers.pop(True) == row_of(score_set, alpha)
    assert set(numbers.values()) <= {None}


def test_run_scores_are_own_after_release_for_participants(
    organizer, participant, assessor, score_set, alpha, beta
):
    own, other = row_of(score_set, alpha), row_of(score_set, beta)
    for action in ("retrieve", "txt", "csv", "json"):
        assert call(RunScoresViewSet, organizer, action, pk=other).status_code == 200
        assert call(RunScoresViewSet, participant, action, pk=own).status_code == 404
    release_scores(actor=organizer, score_set=score_set)
    for action in ("retrieve", "txt", "csv", "json"):
        assert call(RunScoresViewSet, participant, action, pk=own).status_code == 200
        assert call(RunScoresViewSet, participant, action, pk=other).status_code == 404
        assert call(RunScoresViewSet, assessor, action, pk=own).status_code == 404
    told = json.loads(call(RunScoresViewSet, participant, "retrieve", pk=own).content)
    assert (told["tag"], told["means"]["map"]) == ("alpha-one", 0.5)


def test_evaluate_asks_for_a_job(organizer, campaign, alpha, qrels):
    asked = {"campaign": "small", "qrels": 1, "measures": ["AP"]}
    answer = call(ScoreSetViewSet, organizer, "evaluate", "post", asked)
    assert answer.status_code == 202
    assert json.loads(answer.content)["job"] == campaign.jobs.get().pk
    wrong = {**asked, "measures": ["nope"]}
    refused = call(ScoreSetViewSet, organizer, "evaluate", "post", wrong)
    assert (refused.status_code, refused.data["code"]) == (409, "unknown-measure")
