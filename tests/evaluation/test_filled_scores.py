"""Scores by qrels that an automatic assessor completed carry their label wherever they stand.

Ten pairs, a tenth of them judged by a person: topic 1 d1 to d4, d9, topic 2 d1, d5, d6, topic 3
d6, d7. The automatic assessor gives every pair grade 1, the person d1 of topic 1 grade 2.
"""

import json
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.urls import reverse

from campaigns import store
from campaigns.models import Campaign
from campaigns.services import jobs
from campaigns.services.snapshots import compute_report
from evaluation.models import RunScores, ScoreSet
from evaluation.queries.score_moves import list_sets_to_compare
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.models import Qrels
from judging.services.automatic import (
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from poolbench.judging.policies import AUTOMATIC_ONLY, FILLED, label_qrels
from reliability.queries.disagreement_studies import EFFECT, DisagreementQuery, study_disagreement
from reliability.services.reusability import request_reusability_report
from reliability.views.stored_reports import read_stored_report
from replay.management.commands.demo import format_scores_table
from tests.csv_reading import csv_conditions, csv_rows
from tests.examples import take
from tests.pages import read_page, run_command
from tests.poolbench.commands.conftest import run  # noqa: F401
from tests.world.files import make_pool

PAIRS = {"1": ["d1", "d2", "d3", "d4", "d9"], "2": ["d1", "d5", "d6"], "3": ["d6", "d7"]}
POLICY = "majority+automatic:robot"


@pytest.fixture
def judged(campaign, organizer, assessor, alpha, beta, beta2) -> Campaign:
    make_pool(campaign, PAIRS)
    robot = create_automatic_assessor(actor=organizer, campaign=campaign, name="robot")
    rows = [
        SubmittedJudgment(topic, docno, 1, uuid4())
        for topic, docnos in PAIRS.items()
        for docno in docnos
    ]
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=robot, judgments=rows)
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=[("1", "d1", 2)])
    return campaign


@pytest.fixture
def filled(judged, organizer) -> ScoreSet:
    qrels = freeze_qrels(actor=organizer, campaign=judged, policy=POLICY)
    return score_campaign(actor=organizer, campaign=judged, qrels=qrels)


@pytest.fixture
def by_people(judged, organizer) -> ScoreSet:
    qrels = freeze_qrels(actor=organizer, campaign=judged, policy="majority")
    return score_campaign(actor=organizer, campaign=judged, qrels=qrels)


def pages(score_set: ScoreSet, own: int) -> list[str]:
    at = score_set.get_absolute_url()
    return [
        *("/c/small/results/scores/", at, f"{at}run/{own}/", f"{at}compare/"),
        reverse("pairs", args=["small", score_set.pk]),
        reverse("measures-compared", args=["small", score_set.pk]),
    ]


def files(score_set: ScoreSet, own: int) -> list[str]:
    at = score_set.get_absolute_url()
    set_files = [f"{at}scores.csv", f"{at}scores.csv?shape=long", f"{at}scores.json"]
    run_files = [f"{at}run/{own}/scores.{fmt}" for fmt in ("txt", "csv", "json")]
    pair_files = [
        reverse("pairs-download", args=["small", score_set.pk, fmt]) for fmt in ("csv", "json")
    ]
    return [*set_files, *run_files, *pair_files]


def test_the_label_is_that_of_the_manifest(judged, organizer, filled, by_people):
    alone = freeze_qrels(actor=organizer, campaign=judged, policy="automatic:robot")
    assert (filled.qrels.label, filled.qrels.automatic_pairs) == (FILLED, 9)
    assert (alone.label, alone.automatic_pairs) == (AUTOMATIC_ONLY, 10)
    assert (by_people.qrels.label, by_people.label, str(by_people.qrels)) == ("", "", "qrels 2")
    assert str(filled.qrels) == "qrels 1 (filled, no estimate)"
    assert str(filled).endswith("(filled, no estimate)")
    settled = {"policy": POLICY, "automatic": {"pairs": 0}}
    assert label_qrels(settled) == label_qrels({}) == ""


def test_every_page_of_the_scores_has_the_label(as_user, organizer, filled, alpha):
    client = as_user(organizer)
    for url in pages(filled, alpha.pk):
        text = read_page(client.get(url))
        assert "Filled, no estimate.</strong> 9 of 10 pairs of qrels 1" in text, url
        assert '<span class="tag late" lang="en">filled, no estimate</span>' in text, url


def test_pages_of_human_judgments_have_none(as_user, organizer, by_people, alpha):
    client = as_user(organizer)
    for url in (*pages(by_people, alpha.pk), *files(by_people, alpha.pk)):
        answer = client.get(url)
        assert "no estimate" not in read_page(answer), url
        assert "filled" not in answer.headers.get("Content-Disposition", ""), url


@pytest.mark.parametrize("board", take(Campaign.Board.values, 3, 1))
def test_a_team_sees_the_label_after_release(as_user, organizer, participant, filled, alpha, board):
    Campaign.objects.filter(pk=filled.campaign_id).update(board=board)
    release_scores(actor=organizer, score_set=filled)
    client = as_user(participant)
    for url in ("/c/small/results/scores/", f"{filled.get_absolute_url()}run/{alpha.pk}/"):
        assert "Filled, no estimate." in read_page(client.get(url)), url
    for url in files(filled, alpha.pk)[:6]:
        assert "filled, no estimate" in read_page(client.get(url)), url


def test_every_file_has_the_label_in_text_and_name(as_user, organizer, filled, alpha):
    client = as_user(organizer)
    for url in files(filled, alpha.pk):
        answer = client.get(url)
        assert "filled, no estimate" in read_page(answer), url
        assert "-filled." in answer.headers["Content-Disposition"], url
    at = filled.get_absolute_url()
    conditions = csv_conditions(read_page(client.get(f"{at}scores.csv")))
    assert (conditions["label"], conditions["pairs"], conditions["automatic_pairs"]) == (
        *(FILLED, 10), 9,
    )  # fmt: skip
    text = read_page(client.get(f"{at}run/{alpha.pk}/scores.txt"))
    assert f"{'runid':<22}\tall\talpha-one (filled, no estimate)\n" in text


def test_the_api_has_the_label(as_user, organizer, filled, by_people, alpha):
    client = as_user(organizer)
    row = RunScores.objects.get(score_set=filled, run=alpha).pk
    told = client.get(f"/api/score-sets/{filled.pk}/").json()
    assert (told["label"], told["conditions"]["label"]) == (FILLED, FILLED)
    board = client.get(f"/api/score-sets/{filled.pk}/leaderboard/").json()
    assert (board["label"], board["conditions"]["label"]) == (FILLED, FILLED)
    text = read_page(client.get(f"/api/score-sets/{filled.pk}/leaderboard.csv/"))
    assert csv_conditions(text)["label"] == FILLED
    assert client.get(f"/api/run-scores/{row}/").json()["label"] == FILLED
    for fmt in ("txt", "csv", "json"):
        answer = client.get(f"/api/run-scores/{row}/scores.{fmt}/")
        assert FILLED in read_page(answer)
    assert client.get(f"/api/qrels/{filled.qrels_id}/").json()["label"] == FILLED
    plain = client.get(f"/api/score-sets/{by_people.pk}/").json()
    assert (plain["label"], "label" in plain["conditions"]) == ("", False)


def test_score_sets_evaluated_before_have_it_too(as_user, organizer, filled):
    assert "label" not in filled.conditions
    assert filled.provenance["label"] == FILLED


def test_filled_and_other_scores_share_no_column(as_user, organizer, judged, filled, by_people):
    listed = read_page(as_user(organizer).get("/c/small/results/scores/"))
    assert listed.count('qrels 1 <span class="tag late" lang="en">filled, no estimate</span>') == 1
    assert "<td>qrels 2</td>" in listed
    assert list_sets_to_compare(judged, "map") == [by_people]
    by_people.runs.all()._raw_delete("default")
    ScoreSet.objects.filter(pk=by_people.pk)._raw_delete("default")
    assert list_sets_to_compare(judged, "map") == []


def test_interim_scores_are_never_filled(as_user, organizer, filled):
    address = reverse("interim-scores", args=["small"])
    assert as_user(organizer).get(address, {"policy": POLICY}).status_code == 409


def test_qrels_and_policies_side_by_side_have_the_label(as_user, organizer, judged, filled):
    client = as_user(organizer)
    qrels = read_page(client.get("/c/small/results/qrels/1/"))
    assert '<span class="tag late">filled, no estimate</span>' in qrels
    listed = read_page(client.get("/c/small/results/qrels/", {"policy": POLICY}))
    assert listed.count('<span class="tag late">filled, no estimate</span>') == 2
    assert listed.count('<span class="tag late">automatic, no estimate</span>') == 1
    assert "<strong>Filled, no estimate.</strong>" in listed


def test_the_effect_of_disagreement_names_them(as_user, organizer, judged, capsys):
    study = study_disagreement(
        actor=organizer, campaign=judged, query=DisagreementQuery(policy=POLICY, measure="map")
    )
    assert study.report.facts.label == FILLED
    call_command("disagreement", "small", "--policy", POLICY)
    assert f"policy {POLICY} (filled, no estimate)" in capsys.readouterr().out
    call_command("disagreement", "small", "--format", "csv")
    text = capsys.readouterr().out
    machine = [name for name in csv_rows(text)[0] if "robot" in name]
    assert machine
    assert all(name.endswith("(automatic, no estimate)") for name in machine)
    compute_report(judged, EFFECT)
    page = read_page(as_user(organizer).get("/c/small/judging/agreement/effect/"))
    assert "automatic, no estimate" in page


@pytest.mark.full
def test_reports_by_such_qrels_have_the_label(as_user, organizer, judged, filled, alpha, beta):
    # The pool of the fixture names no run of the campaign as a contributor.
    runs = [{"tag": each.tag, "team": each.team.name} for each in (alpha, beta)]
    spec = judged.pools.get().spec | {"runs": runs}
    judged.pools.update(spec=spec)
    assert str(filled.qrels) == "qrels 1 (filled, no estimate)"
    job = request_reusability_report(actor=organizer, campaign=judged, qrels=filled.qrels)
    jobs.run_here(job)
    job.refresh_from_db()
    assert job.error == ""
    assert job.result["label"] == FILLED
    assert csv_conditions(read_stored_report(job, "csv"))["label"] == FILLED
    assert FILLED in read_stored_report(job, "html")
    page = read_page(as_user(organizer).get(reverse("reusability", args=["small"])))
    assert '<span class="tag late">filled, no estimate</span>' in page


def run_qrels(*words: object) -> str:
    return run_command("qrels", *words)


def test_commands_label_what_the_manifest_says(run, judged, filled, alpha, tmp_path):  # noqa: F811
    assert f"\t{FILLED}\t" in run_qrels("list", "small")
    assert f"\t{FILLED}\t" in run_qrels("policies", "small", "--policy", POLICY)
    manifest, text = tmp_path / "manifest.json", tmp_path / "qrels.txt"
    run_qrels("manifest", "small", 1, "--output", manifest)
    run_qrels("text", "small", 1, "--output", text)
    assert json.loads(manifest.read_text())["label"] == FILLED
    given = ("evaluate", text, store.find_blob_path(alpha.file), "-m", "map")
    ran = run(*given, "--manifest", manifest)
    assert f"{'runid':<22}\tall\talpha-one (filled, no estimate)\n" in ran.out
    assert ran.err.split(": ", 1)[1].startswith("filled, no estimate; profile")
    for more in ((), ("--bounds",)):
        told = run(*given, *more, "--manifest", manifest, "--format", "csv").out
        assert csv_conditions(told)["label"] == FILLED
    assert "no estimate" not in run(*given).out
    text.write_text("1 0 d1 1\n")
    assert "of other qrels" in (run(*given, "--manifest", manifest).refusal or "")
    manifest.write_text("[]")
    assert "is not the manifest" in (run(*given, "--manifest", manifest).refusal or "")
    assert run(*given, "--manifest", "gone").refusal == "gone: No such file or directory."


def test_the_demo_prints_it(filled, by_people):
    assert format_scores_table(filled).startswith("filled, no estimate\n")
    assert not format_scores_table(by_people).startswith("filled")
    assert Qrels.objects.count() == 2
