"""Score sets of estimates: made from frozen qrels of a sample, shown and written with intervals."""

import json
from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

import poolbench as pb
from campaigns.errors import ActionRefused
from campaigns.services import jobs
from campaigns.services.run_files import read_original_file
from evaluation.models import ESTIMATED, SAMPLED, RunScores, ScoreSet
from evaluation.queries.comparison import compare_all_runs, get_fixed_test, mark_entries
from evaluation.queries.leaderboard import get_leaderboard, rank_entries
from evaluation.queries.overview_paper import iter_overview_files
from evaluation.queries.paper import get_paper_results
from evaluation.queries.score_moves import list_sets_to_compare
from evaluation.queries.score_sets import organizer_reader
from evaluation.services.estimating import estimate_campaign, request_estimate, verify_estimates
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.models import AutomaticAssessor
from judging.services.automatic import (
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)
from judging.services.imports import import_judgments
from judging.services.prompt_cards import create_model_assessor, release_card
from judging.services.qrels import freeze_qrels
from poolbench.evaluation.paper.verdict import judge_paper
from poolbench.judging.prompts import TEMPLATE
from poolbench.replay.archive_folder import TABLES
from poolbench.replay.verification import verify_archive
from poolbench.runs.sampled_qrels import read_frame
from replay.archive.loader import load_archive
from tests.csv_reading import csv_conditions, csv_rows
from tests.evaluation.samples import DOCNOS, judge, list_order
from tests.pages import read_page
from tests.replay.archives import change_file, make_archive, move_away, unpack

MEANING = "Estimated from 32 pairs that people judged, a probability sample of the 60 pairs"


@pytest.fixture
def qrels(sampled, assessor, organizer):
    judge(sampled, assessor, list_order(sampled))
    return freeze_qrels(actor=organizer, campaign=sampled.campaign, policy="majority")


@pytest.fixture
def estimated(qrels, organizer) -> ScoreSet:
    return estimate_campaign(actor=organizer, campaign=qrels.campaign, qrels=qrels)


def test_a_set_has_values_intervals_and_its_manifest(estimated, qrels):
    assert (estimated.kind, estimated.label, estimated.measures) == (
        "estimate", ESTIMATED, ["map", "P_5"],
    )  # fmt: skip
    manifest = estimated.conditions["estimate"]
    assert [manifest[name] for name in ("pool", "pairs", "judged", "skipped", "seed")] == [
        1, 60, 32, 0, 1,
    ]  # fmt: skip
    assert (manifest["drawn_for"], manifest["machines"]) == (["map", "P_5"], [])
    assert estimated.label_reading.startswith(MEANING)
    for row in estimated.runs.select_related("run"):
        one = row.estimates["P_5"]
        assert one.run == ""
        assert one.estimate.low <= row.means["P_5"] <= one.estimate.high
        assert row.means["P_5"] == pytest.approx(row.table[:, 1].mean())
    text = json.dumps(estimated.provenance)
    assert not any(f'"r{at}"' in text for at in range(5))
    assert verify_estimates(estimated)


def test_later_judgments_change_nothing_and_changed_numbers_are_found(
    estimated, sampled, assessor, organizer
):
    rows = [("1", "d20", 1), ("2", "d20", 1), ("3", "d20", 1)]
    import_judgments(actor=organizer, campaign=sampled.campaign, assessor=assessor, rows=rows)
    assert verify_estimates(estimated)
    row = estimated.runs.first()
    packed = (row.table + 0.001).tobytes()
    RunScores.objects.filter(pk=row.pk)._raw_delete("default")
    RunScores.objects.create(
        score_set=estimated,
        run=row.run,
        means=row.means,
        packed=packed,
        intervals=row.intervals,
        difference_errors=row.difference_errors,
    )
    assert not verify_estimates(estimated)
    with pytest.raises(CommandError, match="do not come out again: 1"):
        call_command("check_estimates", "small")


def change_end(row) -> None:
    row.intervals["map"]["estimate"]["low"] += 0.001


def change_other_end(row) -> None:
    row.intervals["P_5"]["estimate"]["high"] += 0.001


def change_place(row) -> None:
    row.intervals["map"]["place"] += 1


def change_error(row) -> None:
    errors = np.frombuffer(bytes(row.difference_errors), "<f8").copy()
    errors[1] += 1e-6
    row.difference_errors = errors.tobytes()


@pytest.mark.parametrize("change", [change_end, change_other_end, change_place, change_error])
def test_changed_intervals_places_and_errors_are_found(estimated, change):
    row = estimated.runs.get(run__tag="r0")
    assert verify_estimates(estimated)
    change(row)
    RunScores.objects.filter(pk=row.pk)._raw_delete("default")
    RunScores.objects.bulk_create([row])
    assert not verify_estimates(estimated)


def test_runs_differ_by_the_intervals_of_differences(estimated):
    leaderboard = get_leaderboard(estimated, organizer_reader(estimated.campaign))
    choice = get_fixed_test(estimated)
    assert choice.test == "sample-intervals"
    compared = compare_all_runs(leaderboard, "map", choice)
    first = compared.rows[0]
    error = leaderboard.difference_errors[0, 0, 1]
    assert first.statistic == pytest.approx(first.difference / error)
    assert (first.wins, first.effect) == (None, None)
    ranked, undefined = rank_entries(leaderboard, "map")
    assert undefined == []
    assert [entry.estimates["map"].place for entry in ranked] == [1, 2, 3, 4, 5]
    marks = mark_entries(leaderboard, ranked, "map")
    assert "intervals of differences, from the sample" in marks.caption
    assert marks.groups.letters[ranked[0].tag].startswith("a")


def test_every_page_and_file_names_the_kind_and_has_intervals(as_user, organizer, estimated):
    client, pk = as_user(organizer), estimated.pk
    run = estimated.runs.first().run
    at = estimated.get_absolute_url()
    for url in (
        "/c/small/results/scores/", at, f"{at}run/{run.pk}/", f"{at}compare/", f"{at}pairs/",
        f"{at}measures/", "/c/small/results/paper/",
    ):  # fmt: skip
        text = read_page(client.get(url))
        assert "Estimate from a sample.</strong>" in text, url
        assert MEANING in text, url
    for url in (
        f"{at}scores.csv", f"{at}scores.json", f"{at}scores.tex", f"{at}scores.csv?shape=long",
        f"{at}run/{run.pk}/scores.txt", f"{at}pairs.csv", f"{at}compare.json",
    ):  # fmt: skip
        answer = client.get(url)
        assert ESTIMATED in read_page(answer), url
        assert "-estimate." in answer.headers["Content-Disposition"], url
    page = read_page(client.get(at))
    entry = estimated.runs.get(run=run).estimates["map"].estimate
    assert f"{entry.low:.4f} to {entry.high:.4f}" in page or f"{entry.low:.3f} to" in page
    rows = csv_rows(read_page(client.get(f"{at}scores.csv")))
    assert {"map_low", "map_high", "map_place"} <= set(rows[0])
    assert csv_conditions(read_page(client.get(f"{at}scores.csv")))["kind"] == "estimate"
    told = client.get(f"/api/score-sets/{pk}/leaderboard/").json()
    assert told["label"] == ESTIMATED
    assert told["runs"][0]["estimates"]["map"]["estimate"]["level"] == 0.95


def test_tests_over_topics_are_refused(as_user, organizer, estimated):
    url = reverse("pairs", args=["small", estimated.pk])
    assert as_user(organizer).get(url, {"test": "wilcoxon"}).status_code == 409


def test_kinds_share_no_column(estimated, qrels, organizer, as_user):
    plain = score_campaign(actor=organizer, campaign=qrels.campaign, qrels=qrels)
    assert (plain.kind, plain.label) == ("sample", SAMPLED)
    again = estimate_campaign(actor=organizer, campaign=qrels.campaign, qrels=qrels)
    assert list_sets_to_compare(qrels.campaign, "map", again) == [estimated]
    assert list_sets_to_compare(qrels.campaign, "map", plain) == []
    listed = read_page(as_user(organizer).get("/c/small/results/scores/"))
    assert listed.count(f'<span class="tag late" lang="en">{ESTIMATED}</span>') >= 2


def test_teams_see_intervals_after_release(as_user, participant, organizer, estimated):
    client = as_user(participant)
    assert client.get(estimated.get_absolute_url()).status_code == 404
    release_scores(actor=organizer, score_set=estimated)
    page = read_page(
        client.get(f"{estimated.get_absolute_url()}run/{estimated.runs.first().run_id}/")
    )
    assert MEANING in page
    for part in ("people", "frame", "expected-grades"):
        url = reverse("estimate-file", args=["small", estimated.pk, part])
        assert client.get(url).status_code in (403, 404), part


def test_files_of_a_release(as_user, organizer, estimated):
    client = as_user(organizer)
    texts = {
        part: read_page(client.get(reverse("estimate-file", args=["small", estimated.pk, part])))
        for part in ("people", "frame", "expected-grades")
    }
    people = texts["people"].splitlines()
    assert len(people) == 32
    assert all(len(line.split()) == 4 for line in people)
    frame = [line.split() for line in texts["frame"].splitlines()]
    assert len(frame) == 60
    assert sum(grade == "-1" for _, _, grade, _, _ in frame) == 28
    assert sum(float(line[4]) for line in frame) == pytest.approx(32)
    # The same file as that of the pool, which is read by the same reader.
    url = reverse("pool-download", args=["small", 1, "frame"])
    own = read_page(client.get(f"{url}?qrels=1"))
    assert (
        read_frame(own.encode()).qrels.by_pair()
        == read_frame(texts["frame"].encode()).qrels.by_pair()
    )
    first = json.loads(texts["expected-grades"].splitlines()[0])
    assert (set(first), len(first["at_least"])) == ({"topic", "docno", "at_least"}, 3)


def test_only_samples_that_people_judge_are_estimated(qrels, organizer, sampled):
    campaign = sampled.campaign
    with pytest.raises(ActionRefused, match="No automatic assessor: nobody"):
        request_estimate(actor=organizer, campaign=campaign, qrels=qrels, machines=["nobody"])
    job = request_estimate(actor=organizer, campaign=campaign, qrels=qrels)
    jobs.run_here(job)
    jobs.run_here(job)
    job.refresh_from_db()
    assert campaign.score_sets.get().pk == job.result["score_set"]


def test_an_archive_keeps_estimates_and_computes_them_again(
    estimated, organizer, settings, tmp_path
):
    archive = make_archive(estimated.campaign, tmp_path / "first.zip", documents=False)
    result = verify_archive(archive)
    assert result.list_lines() == []
    folder = unpack(archive)
    row = estimated.runs.order_by("run").first()
    low = str(row.estimates["map"].estimate.low)
    change_file(folder, f"{TABLES}/run_scores.jsonl", lambda text: text.replace(low, "0.001", 1))
    frames = f"{TABLES}/estimate_frames.jsonl"
    change_file(folder, frames, lambda text: text.replace("1.0", "0.0", 1))
    lines = "\n".join(verify_archive(folder).list_lines())
    assert "interval map of" in lines
    assert "grade: 0 in the archive, 1 computed again" in lines
    move_away(estimated.campaign, settings, tmp_path)
    loaded = load_archive(actor=organizer, folder=unpack(archive.rename(tmp_path / "second.zip")))
    again = loaded.score_sets.get()
    assert (again.kind, again.label) == ("estimate", ESTIMATED)
    pairs = zip(again.runs.order_by("run"), estimated.runs.order_by("run"), strict=True)
    for new, old in pairs:
        assert bytes(new.difference_errors) == bytes(old.difference_errors)
        assert new.estimates == old.estimates
    assert np.array_equal(again.frame.table, estimated.frame.table, equal_nan=True)
    assert verify_estimates(again)


def test_machines_sharpen_and_stay_hidden_until_release(as_user, qrels, organizer):
    campaign = qrels.campaign
    robot = create_automatic_assessor(actor=organizer, campaign=campaign, name="robot")
    rows = [SubmittedJudgment(t, d, int(int(d[1:]) <= 9), uuid4()) for t in "123" for d in DOCNOS]
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=robot, judgments=rows)
    estimated = estimate_campaign(
        actor=organizer, campaign=campaign, qrels=qrels, machines=["robot"]
    )
    (machine,) = estimated.conditions["estimate"]["machines"]
    assert (machine["name"], machine["coverage"]) == ("robot", 1.0)
    assert sum(cell["pairs"] for cell in machine["confusion"]) == 32
    assert "with the grades of robot as an aid" in estimated.label_reading
    client, url = (
        as_user(organizer),
        reverse("estimate-file", args=["small", estimated.pk, "frame"]),
    )
    assert "robot" not in read_page(client.get(url))
    release_scores(actor=organizer, score_set=estimated)
    text = read_page(client.get(url))
    head, first, *_ = text.splitlines()
    assert head == "# topic docno grade method probability robot"
    assert first.split()[5] in {"0", "1"}
    # From the file, the estimates of the set: values, intervals, places.
    grades = {t: {d: int(int(d[1:]) <= 9) for d in DOCNOS} for t in "123"}
    runs = {row.run.tag: read_original_file(row.run) for row in estimated.runs.all()}
    again = pb.estimate(runs, text.encode(), ["AP", "P@5"], machines={"robot": grades}, top=3,
                        seed=1)  # fmt: skip
    stored = {row.run.tag: row.estimates for row in estimated.runs.select_related("run")}
    for row in [*again["AP"].runs, *again["P@5"].runs]:
        name = "map" if row in again["AP"].runs else "P_5"
        known = stored[row.run][name]
        assert row.estimate.value == pytest.approx(known.estimate.value)
        assert (row.estimate.low, row.place) == (pytest.approx(known.estimate.low), known.place)
    assert verify_estimates(estimated)


def test_the_verdict_for_a_paper_is_by_the_interval_and_counts_no_topics(estimated):
    results = get_paper_results(estimated, estimated.runs.first().run.team)
    own, (spread, *others) = results.lead_run.intervals[0], results.spreads
    for median, state in (
        (own.low - 0.01, "good"), ((own.low + own.high) / 2, "amber"), (own.high + 0.01, "bad"),
    ):  # fmt: skip
        verdict = judge_paper(replace(results, spreads=(replace(spread, median=median), *others)))
        assert verdict.state.value == state
        assert f"interval {own.low:.3f} to {own.high:.3f}" in verdict.sentence
        assert "topic" not in f"{verdict.sentence} {verdict.reason}"


def test_the_files_of_a_paper_have_intervals_and_the_sentence(as_user, organizer, estimated):
    client = as_user(organizer)
    team = estimated.runs.first().run.team.name
    row = estimated.runs.get(run__tag="r0").estimates["map"].estimate
    for fmt in ("tex", "csv", "json", "md"):
        url = reverse("paper-download", args=["small", "runs", fmt])
        text = read_page(client.get(url, {"team": team}))
        assert "Estimated from 32 pairs that people judged" in text, fmt
        assert fmt == "json" or f"{row.low:.3f} to {row.high:.3f}" in text, fmt
    told = json.loads(read_page(client.get(url.replace(".md", ".json"), {"team": team})))
    assert "set before the first scores" not in told["conditions"]["sentence"]
    assert "intervals of differences" in told["conditions"]["significance"]
    assert told["runs"][0]["intervals"]["map"][0] <= told["runs"][0]["measures"]["map"]["mean"]
    files = dict(iter_overview_files(estimated))
    assert "Estimated from 32 pairs" in files["scores.tex"]
    assert " to " in files["scores.tex"]


def test_a_prompt_card_is_a_hash_until_it_is_released(as_user, qrels, organizer, participant):
    campaign = qrels.campaign
    model = create_model_assessor(
        actor=organizer, campaign=campaign, name="llama", model="llama-3",
        template=f"{TEMPLATE}\nOur secret wording.",
    )  # fmt: skip
    card, own = model.card, AutomaticAssessor.objects.filter(pk=model.pk)
    own.update(card=None, model="")
    rows = [SubmittedJudgment(t, d, int(int(d[1:]) <= 9), uuid4()) for t in "123" for d in DOCNOS]
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=own.get(),
                               judgments=rows)  # fmt: skip
    own.update(card=card, model="llama-3")
    made = estimate_campaign(actor=organizer, campaign=campaign, qrels=qrels, machines=["llama"])
    (machine,) = made.conditions["estimate"]["machines"]
    assert (machine["card_sha256"], machine["model"]) == (card.sha256, "llama-3")
    assert made.conditions["estimate"]["penalties"] == {"ranks": 0.5, "topics": 1.0,
                                                        "machines": 0.3}  # fmt: skip
    with pytest.raises(ActionRefused, match="No scores are released"):
        release_card(actor=organizer, card=card)
    release_scores(actor=organizer, score_set=made)
    team, url = as_user(participant), reverse("prompt-cards", args=["small"])
    page = read_page(team.get(made.get_absolute_url()))
    assert card.sha256[:12] in page
    assert "secret wording" not in page + read_page(team.get(url))
    address = reverse("model-release", args=["small", "llama"])
    assert team.post(address).status_code == 403
    owner = as_user(organizer)
    assert "Release card to teams" in read_page(
        owner.get(reverse("model", args=["small", "llama"]))
    )
    assert owner.post(address).status_code == 302
    page = read_page(as_user(participant).get(url))
    assert "Our secret wording." in page
    assert card.sha256 in page
    event = campaign.events.get(code="automatic.card_released")
    assert event.data["sha256"] == card.sha256
    with pytest.raises(ActionRefused, match="released already"):
        release_card(actor=organizer, card=card)


def test_chances_of_a_machine_are_computed_again_from_an_archive(qrels, organizer, tmp_path):
    campaign = qrels.campaign
    robot = create_automatic_assessor(actor=organizer, campaign=campaign, name="robot")
    top = max(campaign.grades.values_list("value", flat=True))
    rest = [0.1 / top] * top
    rows = [
        SubmittedJudgment(t, d, int(int(d[1:]) <= 9), uuid4(),
                          chances=[*rest[: int(int(d[1:]) <= 9)], 0.9,
                                   *rest[int(int(d[1:]) <= 9):]])
        for t in "123" for d in DOCNOS
    ]  # fmt: skip
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=robot, judgments=rows)
    made = estimate_campaign(actor=organizer, campaign=campaign, qrels=qrels, machines=["robot"])
    assert made.conditions["estimate"]["machines"][0]["has_chances"]
    assert verify_estimates(made)
    archive = make_archive(campaign, tmp_path / "chances.zip")
    assert verify_archive(archive).list_lines() == []
