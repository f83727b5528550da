"""The same text judged once: its grade is propagated, and follows each change."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Job
from campaigns.services.collection import import_documents
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from campaigns.services.errata import correct_texts
from campaigns.services.people import get_or_create_team
from evaluation.queries.interim_scores import compute_interim_scores
from evaluation.queries.propagation_effect import compare_without_propagated
from judging.models import Judgment, PropagatedPair, Purpose, Slot
from judging.queries.agreement import load_labels
from judging.queries.exchange import iter_log_rows
from judging.queries.invariants import list_violations
from judging.queries.judgments import load_log_reader, load_pair_ballots
from judging.queries.overview import unplanned_counts
from judging.queries.progress import pace_by_user
from judging.services.adjudication import record_meeting_decision
from judging.services.crowd_plans import PlanOptions
from judging.services.imports import import_judgments
from judging.services.judgments import claim_ahead, undo_judgment
from judging.services.plans import close_plan, create_plan, pause_plan, preview_plan
from judging.services.qrels import freeze_qrels, verify_qrels
from poolbench.pooling.spec import depth_spec
from poolbench.replay.verification import verify_archive
from pooling.services.freeze import freeze_pool
from tests.pages import read_page
from tests.replay.archives import load, make_archive, move_away
from tests.world.files import make_pool, ranked_run
from tests.world.judgments import submit_judgment

pytestmark = pytest.mark.django_db
TEXTS = {"x": "The same text.", "y": "the SAME  text.", "z": "The same text.", "o": "Another one."}


@pytest.fixture
def plan(campaign, organizer, assessor, assessor2):
    return make_plan(campaign, organizer, [assessor, assessor2], overlap=2)


def make_plan(campaign, organizer, people, overlap=1, *, propagate=True, version=1, docnos=TEXTS):
    """Of topic 1: x, y and z have one text, o another."""
    add_texts(campaign)
    pool = make_pool(campaign, {"1": list(docnos)}, version)
    scheme = PlanOptions(parameters={"n": overlap}, propagate=propagate)
    return create_plan(actor=organizer, pool=pool, assessors={"1": people}, scheme=scheme)


def add_texts(campaign):
    lines = [json.dumps({"id": docno, "text": text}) for docno, text in TEXTS.items()]
    data = "\n".join(lines).encode()
    import_documents(actor=campaign.created_by, campaign=campaign, data=data, file="d.jsonl")
    if job := request_duplicates(campaign):
        group_campaign_duplicates(job)


def judge(plan, assessor, docno, grade, **more):
    topic = plan.campaign.topics.get(number="1")
    return submit_judgment(
        actor=assessor, campaign=plan.campaign, topic=topic, docno=docno, grade=grade, **more
    )


def list_grades(campaign, policy="single"):
    rows, _ = load_log_reader(campaign).decide_topics(policy, ["1"])
    return {docno: grade for _, docno, grade in rows}


def list_broken(campaign):
    return {each.name for each, count in list_violations(campaign) if count}


def list_propagated(campaign):
    """Kind and grade of each propagated row, in the order of the log, by document."""
    rows = campaign.judgments.filter(purpose=Purpose.PROPAGATED).order_by("pk")
    found = {}
    for row in rows:
        found.setdefault(row.docno, []).append(row.grade if row.kind == "grade" else row.kind)
    return found


def test_the_same_text_is_handed_out_once(plan, campaign, assessor):
    docnos = plan.slots.order_by().values_list("item__docno", flat=True)
    assert sorted(docnos) == ["o", "o", "x", "x"]
    pairs = PropagatedPair.objects.values_list("docno", "original")
    assert sorted(pairs) == [("y", "x"), ("z", "x")]
    claimed = claim_ahead(actor=assessor, campaign=campaign, topic=None, count=10)
    assert sorted(slot.docno for slot in claimed) == ["o", "x"]
    assert unplanned_counts(campaign)["unplanned"] == 0


def test_a_grade_follows_each_change_of_its_original(plan, campaign, assessor):
    first = judge(plan, assessor, "x", 2)
    assert list_propagated(campaign) == {"y": [2], "z": [2]}
    row = campaign.judgments.get(docno="y")
    assert (row.duplicate_of, row.assessor, row.slot, row.active_seconds) == (
        "x", assessor, None, None,
    )  # fmt: skip
    again = judge(plan, assessor, "x", 2, client_uuid=first.client_uuid)
    assert (again, list_propagated(campaign)) == (first, {"y": [2], "z": [2]})
    judge(plan, assessor, "x", 0)
    assert list_propagated(campaign)["y"] == [2, 0]
    undo_judgment(actor=assessor, campaign=campaign)
    # The grade before the change stands again.
    assert list_propagated(campaign)["y"] == [2, 0, 2]
    assert list_grades(campaign) == {"x": 2, "y": 2, "z": 2}
    judge(plan, assessor, "x", None, reason="undecided")
    assert list_propagated(campaign)["z"] == [2, 0, 2, "withdrawn"]
    assert list_grades(campaign) == {}
    judge(plan, assessor, "o", 1)
    judge(plan, assessor, "x", 3)
    undo_judgment(actor=assessor, campaign=campaign)
    assert list_propagated(campaign)["y"][-2:] == [3, "withdrawn"]
    assert list_broken(campaign) == set()


def test_an_import_is_propagated_and_an_own_judgment_stands(
    plan, campaign, organizer, assessor, assessor2
):
    rows = [("1", "x", 2), ("1", "z", 0)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    assert list_grades(campaign, "maximum") == {"x": 2, "y": 2, "z": 0}
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor2, rows=[("1", "x", 3)])
    assert list_propagated(campaign)["y"] == [2, 3]
    assert list_grades(campaign, "maximum") == {"x": 3, "y": 3, "z": 0}
    assert list_broken(campaign) == set()


def test_adjudications_count_for_all(plan, campaign, organizer, assessor, assessor2):
    judge(plan, assessor, "x", 0)
    judge(plan, assessor2, "x", 2)
    ballots = load_pair_ballots(campaign)
    # One disagreement, not three.
    assert [ballot.docno for ballot in ballots.disagreeing] == ["x"]
    topic = campaign.topics.get(number="1")
    decided = {"topic": topic, "docno": "x", "grade": 1, "client_uuid": uuid4()}
    record_meeting_decision(actor=organizer, campaign=campaign, **decided)
    assert list_grades(campaign, "adjudicated-majority") == {"x": 1, "y": 1, "z": 1}
    without = list_grades(campaign, "adjudicated-majority-without-propagated")
    assert without == {"x": 1}


def test_work_is_what_people_did(plan, campaign, assessor, assessor2):
    for docno in ("x", "o"):
        judge(plan, assessor, docno, 1, active_seconds=5.0)
        judge(plan, assessor2, docno, 1, active_seconds=5.0)
    assert {docno for _, docno in load_labels(campaign).pairs} == {"x", "o"}
    assert pace_by_user(campaign)[assessor.pk].judgments == 2
    states = {row["docno"]: row["purpose"] for row in iter_log_rows(campaign, current=True)}
    assert states == {"x": "judge", "o": "judge", "y": "propagated", "z": "propagated"}


def test_a_later_plan_takes_the_grade_of_an_earlier_one(campaign, organizer, assessor):
    first = make_plan(campaign, organizer, [assessor], docnos=("x", "o"), propagate=False)
    judge(first, assessor, "x", 3)
    scheme = PlanOptions(parameters={"n": 1}, propagate=True)
    pool = make_pool(campaign, {"1": ["x", "y", "z", "o", "d9"]}, 2)
    preview = preview_plan(actor=organizer, pool=pool, scheme=scheme, assessors={"1": [assessor]})
    assert (len(preview.allocation.pairs), len(preview.allocation.propagated)) == (1, 2)
    assert preview.planned_before == 2
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]}, scheme=scheme)
    assert list_propagated(campaign) == {"y": [3], "z": [3]}


def test_a_closed_plan_gives_its_duplicates_back(plan, campaign, organizer):
    pause_plan(actor=organizer, plan=plan)
    close_plan(actor=organizer, plan=plan)
    assert not PropagatedPair.objects.exists()
    assert unplanned_counts(campaign)["unplanned"] == 4


def test_a_corrected_text_is_no_duplicate_any_more(plan, campaign, organizer, assessor):
    judge(plan, assessor, "x", 2)
    corrected = {"kind": "document", "name": "y", "texts": {"title": "Now with a title"}}
    correct_texts(actor=organizer, campaign=campaign, **corrected)
    group_campaign_duplicates(campaign.jobs.first())
    assert list(PropagatedPair.objects.values_list("docno", flat=True)) == ["z"]
    assert list_propagated(campaign) == {"y": [2, "withdrawn"], "z": [2]}
    assert list_grades(campaign) == {"x": 2, "z": 2}
    assert (unplanned_counts(campaign)["unplanned"], list_broken(campaign)) == (1, set())


def test_what_is_not_possible_is_refused(campaign, organizer, assessor):
    make_plan(campaign, organizer, [assessor], docnos=("o",))
    Job.objects.create(campaign=campaign, kind="campaigns.group_duplicates", args={})
    pool = make_pool(campaign, {"1": ["x", "y"]}, 2)
    asked = {"actor": organizer, "pool": pool, "scheme": PlanOptions(propagate=True)}
    with pytest.raises(ActionRefused) as refused:
        create_plan(**asked)
    assert refused.value.code == "not-compared"
    with pytest.raises(ActionRefused) as refused:
        create_plan(**asked, audience="crowd")
    assert refused.value.code == "no-propagation"


def test_the_checker_finds_what_was_not_propagated(plan, campaign, assessor):
    judge(plan, assessor, "x", 2)
    row = Judgment.objects.filter(docno="y")
    row.update(grade=1)
    assert list_broken(campaign) == {"propagated", "original"}
    row.update(grade=2)
    Slot.objects.filter(item__docno="o").update(item=plan.pool.items.get(docno="y"))
    assert "duplicate" in list_broken(campaign)


def test_an_archive_rebuilds_propagated_grades(campaign, organizer, assessor, settings, tmp_path):
    add_texts(campaign)
    team = get_or_create_team(actor=organizer, campaign=campaign, name="Team")
    ranked_run(team, "first", {"1": "x y z o"})
    pool = freeze_pool(
        actor=organizer, campaign=campaign, spec=depth_spec(4), runs=campaign.runs.accepted()
    )
    scheme = PlanOptions(parameters={"n": 1}, propagate=True)
    plan = create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]}, scheme=scheme)
    judge(plan, assessor, "x", 2)
    judge(plan, assessor, "o", 1)
    for policy in ("single", "single-without-propagated"):
        freeze_qrels(actor=organizer, campaign=campaign, policy=policy)
    before = set(PropagatedPair.objects.values_list("docno", "original"))
    assert len(before) == 2
    archive = make_archive(campaign, tmp_path / "first.zip")
    result = verify_archive(archive)
    assert (result.list_lines(), result.numbers["qrels versions"]) == ([], 2)
    move_away(campaign, settings, tmp_path)
    loaded = load(organizer, archive)
    pairs = PropagatedPair.objects.filter(plan__campaign=loaded)
    assert {(row.docno, row.original) for row in pairs} == before
    assert loaded.plans.get().propagate
    assert all(map(verify_qrels, loaded.qrels.all()))
    assert list_broken(loaded) == set()


def test_a_campaign_with_and_without_propagation(campaign, organizer, assessor, as_user):
    """The assessor is not consistent: of one text z gets another grade where each is judged."""
    team = get_or_create_team(actor=organizer, campaign=campaign, name="Team")
    ranked_run(team, "first", {"1": "z o"})
    ranked_run(team, "second", {"1": "o z"})
    ranked_run(team, "third", {"1": "y x"})
    plan = make_plan(campaign, organizer, [assessor])
    grades = {"x": 2, "o": 1}
    for docno, grade in grades.items():
        judge(plan, assessor, docno, grade)
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="single")
    assert (qrels.pairs, qrels.manifest["propagated"]) == (4, {"pairs": 2, "originals": 1})
    assert qrels.manifest["assessors"] == {"assessor": 2}
    assert qrels.manifest["purposes"] == {"judge": 2, "propagated": 2}
    assert verify_qrels(qrels)
    without = freeze_qrels(actor=organizer, campaign=campaign, policy="single-without-propagated")
    assert (without.pairs, without.manifest["propagated"]) == (2, None)
    # Later changes leave the version as it was.
    judge(plan, assessor, "x", 0)
    assert verify_qrels(qrels)
    judge(plan, assessor, "x", 2)

    scores = compute_interim_scores(
        actor=organizer, campaign=campaign, policy="single", names=["ndcg_cut_10", "P@2"]
    )
    effect = compare_without_propagated(organizer, campaign, "single", scores, ["ndcg_cut_10"])
    assert (effect.grades, effect.moves["ndcg_cut_10"].pairs) == (2, 3)
    moves = effect.moves["ndcg_cut_10"]
    # With the grade of z the first run is better than the second.
    assert (moves.turned, round(moves.tau.value, 4)) == (1, 0.3333)
    assert compare_without_propagated(organizer, campaign, effect.policy, scores, ["P_2"]) is None
    client = as_user(organizer)
    page = read_page(client.get(reverse("interim-scores", args=[campaign.slug])))
    assert "2 of 4 grades are those of other documents" in page
    # What was frozen stays: no later judgment changes its effect.
    row = '<th scope="row">nDCG@10</th><td class="num">0.3333</td><td class="num">1 of 3</td>'
    assert row in page
    judge(plan, assessor, "o", 3)
    url = reverse("interim-scores", args=[campaign.slug])
    assert row not in read_page(client.get(url))
    frozen = read_page(client.get(url, {"qrels": 1}))
    assert row in frozen
    assert (
        'judgments of <a href="/c/small/results/qrels/1/">qrels 1</a>, not those of now' in frozen
    )
    judge(plan, assessor, "o", 1)
    page = read_page(client.get(reverse("qrels", args=[campaign.slug, 1])))
    assert "2 of 4 pairs have the grade of 1 documents with the same text" in page
    page = read_page(client.get(reverse("qrels-list", args=[campaign.slug])))
    assert "propagated to the same text" in page
    assert "the same text judged once: 2 documents not judged" in read_page(
        client.get(reverse("judging", args=[campaign.slug]))
    )
