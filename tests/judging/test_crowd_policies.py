"""Qrels under policies that decide all pairs together: frozen, verified, compared, downloaded."""

import json

import pytest
from django.urls import reverse

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models.history import name_snapshot
from campaigns.services.snapshots import refresh_snapshot, request_stale_snapshots
from crowd.models import GoldPair, WorkUnit
from judging.models import Judgment, Purpose
from judging.queries.aggregation import count_gold_answers, load_label_matrix
from judging.queries.qrels_versions import find_study_model
from judging.services import policy_comparison
from judging.services.policy_comparison import COMPARED
from judging.services.qrels import preview_policies, verify_qrels
from judging.views.qrels import default_policy
from poolbench.judging.aggregation.base import (
    AggregationOptions,
    aggregate_labels,
    build_label_matrix,
)
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.policy_rules import CROWD_RULES
from tests.crowd.crowd_work import make_crowd
from tests.crowd.worker_study import make_study
from tests.examples import take
from tests.pages import read_page, run_command
from tests.world.judged import VOTES
from workbench.stored_files import list_unnamed_files

WITHOUT_GOLD = [name for name, rule in CROWD_RULES.items() if not rule.model.needs_gold]

SNAPSHOT = name_snapshot(COMPARED)


@pytest.fixture
def judged(restore, double_plan, campaign):
    """Two of four pairs are one grade apart."""
    restore("votes")
    return campaign


@pytest.fixture
def gold(judged, assessor, assessor2, organizer):
    """``assessor`` has 3 of 3 gold pairs right, ``assessor2`` 1 of 3."""
    topic = judged.topics.get(number="2")
    for docno, grades in {"g1": (1, 1), "g2": (2, 0), "g3": (0, 3)}.items():
        GoldPair.objects.create(
            campaign=judged, topic=topic, docno=docno, grade=grades[0], created_by=organizer
        )
        for user, value in zip((assessor, assessor2), grades, strict=True):
            Judgment.objects.create(
                campaign=judged, topic=topic, docno=docno, assessor=user, purpose=Purpose.GOLD,
                revision=1, kind=Judgment.Kind.GRADE, grade=value, source=Judgment.Source.CROWD,
            )  # fmt: skip


def test_the_majority_of_the_crowd_is_that_of_the_pairs(judged, release):
    qrels = release("crowd:majority")
    assert store.get_blob(qrels.path) == store.get_blob(release("majority").path)
    facts = qrels.manifest["aggregation"]
    assert (facts["model"], facts["options"]) == ("majority", {"ties": "lowest"})
    assert (facts["pairs"], facts["workers"], facts["labels"]) == (4, 2, 8)
    assert facts["mean_entropy"] == 0.5
    assert qrels.manifest["decided_by_tie_rule"] == 2
    lines = store.get_blob(facts["pairs_file"]).decode().splitlines()
    assert lines[2:4] == [
        "topic,docno,grade,tie,labels,entropy,p_0,p_1,p_2,p_3",
        "1,d1,1,1,2,1.0,0.0,0.5,0.5,0.0",
    ]
    assert store.get_blob(release("crowd:majority-highest").path).startswith(b"1 0 d1 2\n")
    assert release("majority").manifest["aggregation"] is None


@pytest.mark.parametrize("name", take(WITHOUT_GOLD, 3, 1))
def test_every_policy_gives_the_grades_of_its_model(name, judged, release):
    if name == "crowd:majority-undecided":
        with pytest.raises(ActionRefused, match="leaves 2 pairs undecided: topic 1 d1"):
            release(name)
        return
    rule = CROWD_RULES[name]
    labels = [
        (("1", d), w, g) for d, votes in VOTES.items() for w, g in zip("ab", votes, strict=True)
    ]
    result = aggregate_labels(
        rule.model, build_label_matrix(labels), AggregationOptions(ties=rule.ties)
    )
    wanted = "".join(f"1 0 {d} {g}\n" for d, g in zip(VOTES, result.grades.tolist(), strict=True))
    qrels = release(name)
    assert store.get_blob(qrels.path).decode() == wanted
    assert verify_qrels(qrels)


def test_verification_rebuilds_the_files_too(judged, release, assessor, grade):
    qrels = release("crowd:dawid-skene")
    grade(assessor, "d2", 3)
    assert verify_qrels(qrels)
    path = store.find_blob_path(qrels.manifest["aggregation"]["workers_file"])
    path.write_bytes(path.read_bytes().replace(b"assessor2", b"assessor3"))
    assert not verify_qrels(qrels)


def test_the_store_knows_the_files(judged, release):
    release("crowd:mace")
    release("majority")
    assert list_unnamed_files() == []


def adjudicate(campaign, who, of):
    Judgment.objects.create(
        campaign=campaign, topic=of.topic, docno=of.docno, assessor=who,
        purpose=Purpose.ADJUDICATE, revision=1, kind=Judgment.Kind.GRADE, grade=0,
        source=Judgment.Source.SCREEN,
    )  # fmt: skip


def test_adjudications_override_the_model(judged, organizer, release):
    adjudicate(judged, organizer, judged.judgments.filter(docno="d1").first())
    assert store.get_blob(release("crowd:majority").path).startswith(b"1 0 d1 1\n")
    qrels = release("adjudicated-crowd:majority")
    assert store.get_blob(qrels.path).startswith(b"1 0 d1 0\n")
    assert qrels.manifest["decided_by_tie_rule"] == 1
    assert qrels.manifest["adjudications"]["changed"] == 1
    assert verify_qrels(qrels)


def test_workers_weigh_by_their_gold(judged, gold, release):
    assert count_gold_answers(judged) == {"assessor": (3, 3), "assessor2": (1, 3)}
    qrels = release("crowd:weighted-majority")
    assert store.get_blob(qrels.path) == b"1 0 d1 1\n1 0 d2 0\n1 0 d3 3\n1 0 d4 0\n"
    assert qrels.manifest["aggregation"]["gold"] == {"assessor": [3, 3], "assessor2": [1, 3]}
    assert qrels.manifest["decided_by_tie_rule"] == 0
    GoldPair.objects.update(grade=3)
    assert count_gold_answers(judged)["assessor"] == (0, 3)
    assert verify_qrels(qrels)


def test_without_gold_the_policy_that_needs_it_is_refused(judged, organizer, as_user):
    with pytest.raises(ActionRefused, match="needs gold, and no worker has answered any"):
        preview_policies(actor=organizer, campaign=judged, policies=["crowd:weighted-majority"])
    page = read_page(as_user(organizer).get(reverse("qrels-list", args=["small"])))
    assert "crowd:mace" in page
    assert "crowd:weighted-majority" not in page
    url = reverse("qrels-list", args=["small"])
    page = read_page(as_user(organizer).get(url, {"policy": "crowd:weighted-majority"}))
    assert "needs gold" in page


def test_policies_stand_side_by_side(judged, gold, organizer, as_user):
    client, address = as_user(organizer), reverse("qrels-policies", args=["small"])
    # A job computes the figures; the page says that it waits for them.
    assert "crowd:mace" not in read_page(client.get(address))
    assert judged.jobs.filter(args__name=SNAPSHOT).count() == 1
    refresh_snapshot(judged, SNAPSHOT)
    page = read_page(client.get(address))
    for name in CROWD_RULES:
        assert name in page
    assert "As of " in page
    assert "Something has changed since" not in page
    url = reverse("qrels-policies-download", args=["small", "json"])
    data = json.loads(client.get(url).content)
    rows = {row["policy"]: row for row in data["policies"]}
    assert rows["crowd:majority"]["grades"] == {"0": 2, "1": 1, "3": 1}
    assert rows["crowd:majority-highest"]["grades"] == {"0": 1, "1": 1, "2": 1, "3": 1}
    assert rows["crowd:majority-undecided"]["undecided"] == 2
    assert (rows["crowd:majority"]["ties"], rows["crowd:majority"]["mean_entropy"]) == (2, 0.5)
    assert rows["majority"]["mean_entropy"] is None
    differ = {tuple(row["policies"]): row["pairs"] for row in data["differences"]}
    assert differ["majority", "crowd:majority"] == 0
    assert differ["crowd:majority", "crowd:majority-highest"] == 2
    assert data["as_of"].endswith("+00:00")
    assert client.get(reverse("qrels-policies-download", args=["small", "exe"])).status_code == 404


def test_a_comparison_is_shown_until_a_newer_one_is_there(
    judged, organizer, as_user, assessor, grade
):
    refresh_snapshot(judged, SNAPSHOT)
    before = judged.snapshots.get(name=SNAPSHOT).data
    grade(assessor, "d2", 3)
    page = read_page(as_user(organizer).get(reverse("qrels-policies", args=["small"])))
    assert "Something has changed since" in page
    assert "crowd:mace" in page
    # A day of judging does not compute models again for nothing.
    request_stale_snapshots()
    assert judged.jobs.filter(args__name=SNAPSHOT).count() == 1
    assert refresh_snapshot(judged, SNAPSHOT).data != before


def test_probabilities_and_workers_are_downloaded(judged, release, organizer, as_user):
    qrels, client = release("crowd:dawid-skene-one-coin"), as_user(organizer)
    page = read_page(client.get(qrels.get_absolute_url()))
    assert "dawid-skene-one-coin: 8 labels by 2 workers" in page
    for records, first in (("pairs", b"topic,docno,grade"), ("workers", b"worker,labels,accuracy")):
        url = reverse("qrels-aggregation", args=["small", 1, records])
        answer = client.get(url)
        assert answer.content.splitlines()[2].startswith(first)
        api = client.get(f"/api/qrels/{qrels.pk}/aggregation/", {"records": records})
        assert api.content == answer.content
    assert client.get(f"/api/qrels/{qrels.pk}/aggregation/?records=path").status_code == 404
    other = release("majority")
    assert client.get(reverse("qrels-aggregation", args=["small", 2, "pairs"])).status_code == 404
    assert client.get(f"/api/qrels/{other.pk}/aggregation/").status_code == 404


def test_the_form_previews_and_freezes_a_crowd_policy(judged, organizer, as_user):
    client, url = as_user(organizer), reverse("qrels-list", args=["small"])
    page = read_page(client.post(url, {"policy": "crowd:ordinal", "preview": "1"}))
    assert "Crowd: ordered grades" in page.replace("Ordered", "ordered")
    answer = client.post(reverse("qrels-freeze", args=["small"]), {"policy": "crowd:ordinal"})
    assert answer.status_code == 200


def test_the_command_aggregates_a_campaign(gold):
    options = ("--model", "weighted-majority", "--format", "qrels")
    assert run_command("aggregate", "small", *options) == "1 0 d1 1\n1 0 d2 0\n1 0 d3 3\n1 0 d4 0\n"


def test_the_judgments_of_a_campaign_are_aggregated(judged, gold):
    options = AggregationOptions(gold=count_gold_answers(judged))
    result = aggregate_labels(MODELS["weighted-majority"], load_label_matrix(judged), options)
    assert result.matrix.workers == ("assessor", "assessor2")
    assert result.fit.quality is not None
    assert result.fit.quality.tolist() == [0.8, 0.4]
    assert result.grades.tolist() == [1, 0, 3, 0]


def test_the_model_of_the_study_is_preselected(campaign, organizer, as_user, restore):
    client, url = as_user(organizer), reverse("qrels-list", args=["small"])
    study = make_study(campaign, aggregation="dawid-skene")
    assert default_policy(campaign) == "majority"
    make_crowd(study, ["honest"] * 3)
    page = read_page(client.get(url))
    assert 'value="crowd:dawid-skene" checked' in page
    assert page.count("chosen in the study") == 1
    assert "<details open><summary>Models of many assessors" in page
    # One that needs gold answers is offered only with some, one that is slow for few judgments.
    study.aggregation = "weighted-majority"
    study.save()
    assert default_policy(campaign) == "crowd:weighted-majority"
    campaign.judgments.filter(purpose=Purpose.GOLD)._raw_delete("default")
    assert default_policy(campaign) == "majority"
    # A trial is no judgment of the study.
    WorkUnit.objects.update(trial=True)
    assert find_study_model(campaign) == ""


def test_adjudications_override_the_model_of_the_study(campaign, organizer, restore, monkeypatch):
    make_crowd(make_study(campaign, aggregation="mace"), ["honest"] * 2)
    adjudicate(campaign, organizer, campaign.judgments.filter(purpose=Purpose.JUDGE).first())
    assert default_policy(campaign) == "adjudicated-crowd:mace"
    monkeypatch.setattr(policy_comparison, "MOST_LABELS", 15)
    assert default_policy(campaign) == "adjudicated-majority"
