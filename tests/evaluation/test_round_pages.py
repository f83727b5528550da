"""Pages and API of tasks and rounds. Four seconds: the rounds are played for each test."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.models import CampaignTask, Role
from evaluation.queries.paper import get_paper_results
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from poolbench.evaluation.paper.citation import write_conditions
from poolbench.replay.verification import verify_archive
from pooling.models import Pool
from reliability.queries.campaign_state import load_campaign_state
from reliability.queries.collection import load_collection_report
from reliability.queries.disagreement_studies import load_panel_unchecked
from tests.confirming import api
from tests.evaluation.test_rounds import TOPICS, Rounds, read_grades, rounds  # noqa: F401
from tests.pages import read_page
from tests.replay.archives import load, make_archive, move_away
from tests.world.files import upload
from tests.world.people import joined

RUN = "1 Q0 new-document 1 1.0 fresh\n"


@pytest.fixture
def played(rounds: Rounds) -> Rounds:  # noqa: F811
    return rounds


def test_pages_of_organizers_are_chosen_by_task(played: Rounds, as_user) -> None:
    client, args = as_user(played.organizer), ["rounds"]

    def read(name: str, query: str = "", *more: object) -> str:
        return read_page(client.get(reverse(name, args=[*args, *more]) + query))

    tasks = read("tasks")
    assert "Round 1" in tasks
    assert "qrels 1" in tasks
    runs = read("runs", "?task=round-1")
    assert "r1-0" in runs
    assert "r2-0" not in runs
    assert "r2-0" in read("pools")
    assert "r1-0" not in read("pools")
    assert "r1-0" in read("pools", "?task=round-1")
    removed = len(read_grades(played.qrels[0]))
    assert f"{removed} documents" in " ".join(read("pool", "", 2).split())
    assert "r2-0" in read("scores")
    first = read("scores", "?task=round-1")
    assert "r1-0" in first
    assert "r2-0" not in first
    assert "Residual evaluation" in read("scores")
    assert "Residual evaluation" not in first
    assert "Residual evaluation" in read("paper")
    assert "Residual evaluation" not in read("paper", "?task=round-1")


def test_a_task_is_added_changed_and_deleted(played: Rounds, as_user) -> None:
    client = as_user(played.organizer)
    new = reverse("task-new", args=["rounds"])
    wrong = client.post(new, {"name": "Round 3", "topics": "1 99"})
    assert wrong.status_code == 422
    assert "Not among the topics" in read_page(wrong)
    assert client.post(new, {"name": "Round 3", "topics": "1 2", "judged_before": "2"}).url
    task = played.campaign.tasks.get(slug="round-3")
    assert (task.judged_before, task.list_topic_numbers()) == (2, ["1", "2"])
    edit = reverse("task-edit", args=["rounds", "round-3"])
    assert "Delete task" in read_page(client.get(edit))
    assert client.post(edit, {"name": "Third", "topics": "", "measures": "map P_5"}).url
    task.refresh_from_db()
    assert (task.name, task.measures, task.judged_before) == ("Third", ["map", "P_5"], None)
    assert len(task.list_topic_numbers()) == TOPICS
    assert client.post(edit, {"name": "Third", "measures": "nonsense"}).status_code == 422
    client.post(reverse("task-delete", args=["rounds", "round-3"]))
    assert not played.campaign.tasks.filter(slug="round-3").exists()
    fixed = {"name": "Round two", "max_runs_per_team": "3"}
    assert client.post(reverse("task-edit", args=["rounds", "round-2"]), fixed).url
    played.second.refresh_from_db()
    assert (played.second.name, played.second.judged_before) == ("Round two", 1)
    assert client.post(reverse("task-delete", args=["rounds", "round-2"])).status_code == 409


def test_a_participant_chooses_the_task_of_a_run(played: Rounds, as_user) -> None:
    team = played.runs["r1-0"].team
    member = joined(played.campaign, "pat", Role.PARTICIPANT, team)
    client, url = as_user(member), reverse("run-upload", args=["rounds"])
    form = read_page(client.get(url))
    assert "Round 1" in form
    assert "remaining: 4" in " ".join(form.split())
    missing = client.post(url, {"file": upload(RUN.encode()), "team": team.pk, "kind": "automatic",
                                "priority": 1})  # fmt: skip
    assert missing.status_code == 422
    sent = {"file": upload(RUN.encode()), "team": team.pk, "kind": "automatic", "priority": 1}
    answer = client.post(url, sent | {"task": played.second.pk})
    assert answer.status_code == 302, read_page(answer)
    assert team.runs.get(tag="fresh").task == played.second
    for score_set in played.sets:
        release_scores(actor=played.organizer, score_set=score_set)
    scores = reverse("scores", args=["rounds"])
    assert "r2-0" in read_page(client.get(scores))
    assert "r1-0" in read_page(client.get(f"{scores}?task=round-1"))


def test_the_api_reads_and_writes_tasks(played: Rounds) -> None:
    organizer, url = api(played.organizer), reverse("api-task-list")
    rows = organizer.get(url, {"campaign": "rounds"}).json()["results"]
    assert [(row["slug"], row["judged_before"]) for row in rows] == [
        ("round-1", None), ("round-2", 1),
    ]  # fmt: skip
    body = {"campaign": "rounds", "name": "Round 3", "judged_before": 2, "topics": ["2"]}
    made = organizer.post(url, body, format="json")
    assert (made.status_code, made.json()["topics"]) == (201, ["2"])
    own = reverse("api-task-detail", args=[made.json()["id"]])
    assert organizer.patch(own, {"refuse_judged": True}, format="json").json()["refuse_judged"]
    member = joined(played.campaign, "pat", Role.PARTICIPANT, played.runs["r1-0"].team)
    assert api(member).get(own).status_code == 200
    assert api(member).patch(own, {"name": "Mine"}, format="json").status_code == 403
    assert api(member).delete(own).status_code == 403
    assert organizer.delete(own).status_code == 204
    sent = {"campaign": "rounds", "file": upload(RUN.encode()), "task": "round-2"}
    run = api(member).post(reverse("api-run-list"), sent, format="multipart")
    assert (run.status_code, run.json()["task"]) == (201, "round-2")
    pools = organizer.get(reverse("api-pool-list"), {"campaign": "rounds"}).json()["results"]
    assert {row["task"] for row in pools} == {"round-1", "round-2"}
    evaluate = {"campaign": "rounds", "qrels": 2, "task": "round-2"}
    assert organizer.post(reverse("api-score-set-evaluate"), evaluate, format="json").json()["job"]


def test_reports_are_about_the_round_of_the_latest_pool(played: Rounds) -> None:
    tags = {"r2-0", "r2-1", "r2-2"}
    before = set(read_grades(played.qrels[0]))
    panel = load_panel_unchecked(played.campaign, "maximum")
    assert set(panel.tags) == tags
    assert before.isdisjoint(panel.ballots.pairs)
    report = load_collection_report(played.campaign)
    assert set(report.judged) == tags
    state = load_campaign_state(played.campaign)
    assert {run.tag for run in state.history.runs} == tags


def test_the_conditions_of_a_paper_say_that_scores_are_residual(played: Rounds) -> None:
    team = played.runs["r2-0"].team
    first, second = (get_paper_results(score_set, team) for score_set in played.sets)
    assert first is not None
    assert second is not None
    text = write_conditions(second)
    removed = played.sets[1].conditions["removed"]
    assert "topics of Rounds, Round 2 under qrels 2" in text
    assert f"the {removed['judged_pairs']} documents judged in qrels 1" in text
    assert f"({removed['documents']} ranked documents of all runs)" in text
    assert "Residual" not in write_conditions(first)


def test_without_tasks_nothing_names_one(score_set, alpha) -> None:
    assert not CampaignTask.objects.exists()
    assert {"task", "removed"}.isdisjoint(score_set.conditions)
    assert alpha.task is None
    assert not any({"task", "removed"} & set(pool.spec) for pool in Pool.objects.all())


def test_an_archive_of_rounds_comes_out_the_same_elsewhere(
    played: Rounds, settings, tmp_path
) -> None:
    first = make_archive(played.campaign, tmp_path / "first.zip")
    result = verify_archive(first)
    assert (result.list_lines(), result.numbers["pools"], result.numbers["score sets"]) == (
        [],
        2,
        2,
    )
    means = [row.means for row in played.sets[1].runs.order_by("pk")]
    move_away(played.campaign, settings, tmp_path)
    loaded = load(played.organizer, first)
    second = loaded.tasks.get(slug="round-2")
    assert (second.judged_before, len(second.list_topic_numbers())) == (1, TOPICS)
    assert [pool.inputs_hash for pool in loaded.pools.all()] == [
        pool.inputs_hash for pool in played.campaign.pools.all()
    ]
    again = score_campaign(
        actor=played.organizer, campaign=loaded, qrels=loaded.qrels.get(version=2), task=second
    )
    assert [row.means for row in again.runs.order_by("pk")] == means
