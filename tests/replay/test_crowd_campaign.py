"""The second campaign of the demo, on two topics: every stage of a crowd study."""

import json
from pathlib import Path

import pytest
from django.utils import timezone

from crowd.models import GoldPair
from crowd.queries.fake_platform import list_fake_submissions
from crowd.queries.payment_sheet import list_batches, load_payment_sheet
from crowd.queries.workers import list_crowd_workers
from judging.queries.invariants import list_violations
from judging.queries.today import load_situation
from poolbench.judging.scale import GradeSpec
from poolbench.replay.manifest import ReplayManifest, RunEntry
from preferences.models import Preference
from replay.demo.build import TOPICS, load_demo_judgments
from replay.demo.crowd import RUNS, play_crowd
from tests.pages import read_page

pytestmark = pytest.mark.django_db(transaction=True)
FEW = ("02", "04")


@pytest.fixture
def manifest(tmp_path: Path) -> ReplayManifest:
    """Runs over what all assessors judged of two topics, each in another order."""
    pairs = [pair for pair in load_demo_judgments("ada") if pair[0] in FEW]
    docnos = sorted({docno for _, docno in pairs})
    lines = [json.dumps({"docno": d, "title": d, "text": f"How {d} works."}) for d in docnos]
    (tmp_path / "documents.jsonl").write_text("\n".join(lines))
    entries = []
    for number, tag in enumerate(RUNS):
        text = ""
        for topic in FEW:
            own = [docno for name, docno in pairs if name == topic][number * 2 :]
            text += "".join(f"{topic} Q0 {d} {at} {99 - at} {tag}\n" for at, d in enumerate(own, 1))
        (tmp_path / tag).write_text(text)
        entries.append(RunEntry(tmp_path / tag, f"Team {number}", tag))
    scale = tuple(GradeSpec(n, f"grade {n}", str(n), float(n)) for n in range(4))
    return ReplayManifest(
        "Demo", "demo", scale, TOPICS, tuple(entries), (), 10,
        documents=tmp_path / "documents.jsonl",
    )  # fmt: skip


@pytest.mark.full
def test_the_demo_shows_a_crowd_from_gold_to_qrels(manifest, organizer, as_user, monkeypatch):
    # The spammer first: the documents of two topics are soon taken.
    monkeypatch.setattr("replay.demo.crowd.WORKERS", {"spam": 0.0, "ann": 1.0, "bob": 0.8})
    lines: list[str] = []
    campaign = play_crowd(organizer, manifest, lines.append)
    study = campaign.studies.get()
    workers = list_crowd_workers(study)
    (spammer,) = [row for row in workers if row.state == "aside"]
    assert set(spammer.alarm_codes) >= {"pace"}
    assert study.state == "stopped"
    assert not study.plan.slots.filter(purpose="judge").exclude(state="judged").exists()
    sheet = load_payment_sheet(study)
    assert {row.payment_state for row in sheet} == {"paid"}
    (batch,) = list_batches(study, sheet)
    assert batch.paid == batch.total == sum(row.total for row in sheet)
    assert {row["status"] for row in list_fake_submissions(study)} == {"awaiting review"}
    assert GoldPair.objects.filter(campaign=campaign).count() >= 4
    assert campaign.qrels.get().policy == f"crowd:{study.aggregation}"
    assert campaign.score_sets.count() == 1
    assert Preference.objects.filter(comparison__plan__campaign=campaign).count() == 2 * len(FEW)
    assert not any(count for _, count in list_violations(campaign))
    assert f"{batch.total} EUR paid; 2 comparisons by edsger and grace" in lines[0]
    situation = load_situation(campaign, timezone.now().date())
    assert sum(situation.counts.values()) == situation.judged  # nothing of the spammer
    client = as_user(organizer)
    assert "First documents" in read_page(client.get(f"/c/{campaign.slug}/judging/crowd/"))
