"""Recorded layers come back whole, apart from each other, and leave nothing behind."""

import pytest

from campaigns import store
from campaigns.models import Campaign, User
from evaluation.models import RunScores
from judging.models import Judgment, Plan, Slot
from tests.world import once
from tests.world.recording import OWN_KEYS_FROM


@pytest.mark.parametrize("time", ["first", "second"])
def test_layers_are_there_for_those_who_ask_alone(time, score_set):
    assert score_set.campaign == Campaign.objects.get()
    assert RunScores.objects.filter(score_set=score_set).count() == 3
    assert all(store.get_blob(run.file) for run in score_set.campaign.runs.all())
    assert not Plan.objects.exists()


def test_nobody_is_there_unasked(db):
    assert not User.objects.exists()


def test_layers_built_aside_of_each_other_can_be_put_together(restore, score_set):
    for name in ("assessor", "assessor2", "pool", "double_plan", "disputes"):
        restore(name)
    assert Plan.objects.get().overlap == 2
    assert Slot.objects.filter(state="judged").count() == Judgment.objects.count() == 8


def test_rows_of_a_test_come_after_those_of_layers(organizer):
    own = User.objects.create_user("own")
    assert own.pk > organizer.pk
    assert organizer.pk < OWN_KEYS_FROM


def test_what_is_kept_goes_with_every_source_it_could_depend_on(tmp_path, monkeypatch):
    assert once.SOURCES[:2] == ("poolbench", "campaigns")
    assert all((once.REPOSITORY / place).exists() for place in once.SOURCES)
    monkeypatch.setattr(once, "SOURCES", (str(tmp_path),))
    seen = []
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b.sql", "3")):
        (tmp_path / name).write_text(text)
        seen.append(once.hash_sources())
    assert len(set(seen)) == 3
