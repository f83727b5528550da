import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused
from judging.queries.judgments import qrels_table
from judging.services.assignments import assign_topics
from judging.services.imports import import_judgments
from judging.services.judgments import undo_judgment
from judging.services.qrels import freeze_qrels, preview_policies, verify_qrels
from tests.judging.test_work import lapse
from tests.pages import read_page


def test_release_holds_the_current_grades_and_says_how(plan, campaign, assessor, grade, release):
    grade(assessor, "d2", 0)
    grade(assessor, "d1", 1)
    grade(assessor, "d1", 3)
    grade(assessor, "d3", 2)
    undo_judgment(actor=assessor, campaign=campaign)
    qrels = release(note="first")
    assert store.get_blob(qrels.path) == b"1 0 d1 3\n1 0 d2 0\n"
    assert (qrels.version, qrels.pairs, qrels.sha256) == (1, 2, qrels.path[3:67])
    told = qrels.manifest
    assert (told["grades"], told["assessors"]) == ({"0": 1, "3": 1}, {"assessor": 2})
    assert (told["unjudged_pairs_left_out"], told["policy"]) == (7, "single")
    assert qrels_table(qrels).docnos == ["d1", "d2"]


def test_release_can_be_made_again_from_the_log(plan, campaign, assessor, grade, release):
    grade(assessor, "d1", 1)
    first = release()
    grade(assessor, "d1", 2)
    undo_judgment(actor=assessor, campaign=campaign)
    grade(assessor, "d2", 0)
    second = release()
    assert first.sha256 != second.sha256
    assert verify_qrels(first)
    assert verify_qrels(second)
    assert release(as_of=first.as_of).sha256 == first.sha256


def test_verify_notices_a_changed_file(plan, assessor, grade, release):
    grade(assessor, "d1", 1)
    qrels = release()
    store.find_blob_path(qrels.path).write_bytes(b"1 0 d1 3\n")
    assert not verify_qrels(qrels)


def test_release_by_single_refuses_conflicts_and_lists_them(
    double_plan, assessor, assessor2, grade, release
):
    for user, value in ((assessor, 1), (assessor2, 2)):
        grade(user, "d1", value)
        grade(user, "d2", 1)
    with pytest.raises(ActionRefused, match=r"single leaves 1 pair undecided: topic 1 d1"):
        release()
    assert release("maximum").manifest["disagreeing_pairs"] == 1


def test_preview_counts_grades_and_conflicts(
    double_plan, campaign, organizer, assessor, assessor2, grade
):
    for user, value in ((assessor, 1), (assessor2, 2)):
        grade(user, "d1", value)
    args = {"actor": organizer, "campaign": campaign}
    single, median = preview_policies(**args, policies=["single", "median-floor"])
    assert single.conflicts == (("1", "d1"),)
    assert median.grades == {1: 1}


def test_an_extra_judgment_counts_only_where_no_wanted_one_stands(
    plan, organizer, assessor, assessor2, topic, grade, release, next_of
):
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    lost = next_of(assessor)
    lapse(lost)
    next_of(assessor2)
    grade(assessor, "d1", 3, token=lost.token)
    assert store.get_blob(release().path) == b"1 0 d1 3\n"
    grade(assessor2, "d1", 0)
    second = release()
    assert store.get_blob(second.path) == b"1 0 d1 0\n"
    assert second.manifest["extra_judgments_not_counted"] == 1


def test_release_leaves_out_withheld_topics_and_can_still_be_verified(
    plan, campaign, organizer, assessor, release
):
    rows = [("1", "d1", 1), ("2", "d5", 2)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    campaign.topics.filter(number="2").update(withheld=True)
    qrels = release()
    assert store.get_blob(qrels.path) == b"1 0 d1 1\n"
    campaign.topics.update(withheld=False)
    assert verify_qrels(qrels)


def test_release_refuses_nothing_the_future_and_strangers(plan, campaign, assessor, release):
    with pytest.raises(ActionRefused, match="No judgments yet"):
        release()
    with pytest.raises(ActionRefused, match="must not be in the future"):
        release(as_of=timezone.now().replace(year=2999))
    with pytest.raises(ActionRefused, match="Unknown policy: loudest"):
        release("loudest")
    with pytest.raises(PermissionDenied):
        freeze_qrels(actor=assessor, campaign=campaign, policy="single")


def test_grades_of_the_tie_rule_are_counted_everywhere(
    double_plan, organizer, assessor, assessor2, grade, release, as_user
):
    """Two of three pairs are one grade apart: undecided 0 would hide that a rule decides them."""
    for docno, grades in {"d1": (1, 2), "d2": (0, 1), "d3": (3, 3)}.items():
        for user, value in zip((assessor, assessor2), grades, strict=True):
            grade(user, docno, value)
    qrels = release("majority")
    assert qrels.manifest["decided_by_tie_rule"] == 2
    assert release("maximum").manifest["decided_by_tie_rule"] is None
    client = as_user(organizer)
    assert "2 of 3 pairs" in read_page(client.get(qrels.get_absolute_url()))
    listed = read_page(client.get(reverse("qrels-list", args=["small"])))
    assert "Decided by the tie rule" in listed
    assert "<dt>pairs decided by the tie rule</dt><dd>2</dd>" in listed
    told = client.get(f"/api/qrels/{qrels.pk}/").json()
    assert told["manifest"]["decided_by_tie_rule"] == 2
