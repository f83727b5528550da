"""The dictionary of a campaign in its database: many files, several writers, its bounds."""

import gc
import os
import weakref

import numpy as np
import pytest
from django.db import transaction

from campaigns.models import Document, Run
from campaigns.queries import run_checks
from campaigns.queries.run_checks import load_imported_docnos
from campaigns.services import matrices
from campaigns.services.runs import submit_and_check_run
from evaluation.queries import interim_scores
from evaluation.queries.interim_scores import get_warm_runs
from poolbench.reading.reader import DocnoArray
from poolbench.runs import run_matrix
from poolbench.runs.run_matrix import PairDictionary
from tests.world.files import checked_run, run_text


@pytest.fixture
def all_on_disk(monkeypatch, settings, tmp_path):
    """As if each campaign were large: files are mapped, segments are files of this folder."""
    settings.VAR_DIR = tmp_path
    matrices._dictionaries.clear()
    monkeypatch.setattr(run_matrix, "STORED", 1)
    monkeypatch.setattr(matrices, "MAPPED", 0)
    monkeypatch.setattr(matrices, "MAPPED_CHUNK", 0)
    monkeypatch.setattr(interim_scores, "WARM_LINES", 0)
    yield tmp_path / "cache" / "pairs"
    matrices._dictionaries.clear()


def submit(organizer, campaign, team, tag, docnos):
    data = run_text(tag, docnos=docnos)
    return submit_and_check_run(
        actor=organizer, campaign=campaign, team=team, data=data, file_name=f"{tag}.txt"
    )


def test_runs_of_a_large_campaign_are_stored_and_read_through_files(
    all_on_disk, organizer, campaign, team
):
    runs = [submit(organizer, campaign, team, *run) for run in (
        ("a", ("d1", "d2")), ("b", ("d3", "d2")), ("c", ("d1", "d3")),
    )]  # fmt: skip
    assert {run.state for run in runs} == {Run.State.ACCEPTED}
    folder = all_on_disk / str(campaign.pk)
    assert len(list(folder.glob("*.pairs"))) == 2
    matrices._dictionaries.clear()  # another process
    for run, docnos in zip(runs, (["d1", "d2"], ["d3", "d2"], ["d1", "d3"]), strict=True):
        assert list(matrices.load_run_table(run).docnos) == docnos * 3
    pairs = [*matrices.get_pair_dictionary(campaign)]
    assert (len(pairs), len(set(pairs))) == (9, 9)
    kept, read = get_warm_runs(campaign, runs), interim_scores.load_warm_runs(runs)
    assert not read.stay
    for topic in ("1", "2", "3", "7"):
        for first, second in zip(kept.of_topic(topic), read.of_topic(topic), strict=True):
            assert np.array_equal(first, second)
    assert not read.ranked


def test_a_campaign_with_too_many_pairs_is_told(monkeypatch, organizer, campaign, team):
    monkeypatch.setattr(matrices, "MOST_PAIRS", 6)
    assert submit(organizer, campaign, team, "a", ("d1", "d2")).state == Run.State.ACCEPTED
    again = submit(organizer, campaign, team, "b", ("d2", "d1"))
    assert again.state == Run.State.ACCEPTED
    refused = submit(organizer, campaign, team, "c", ("d3",))
    assert refused.state == Run.State.RECEIVED
    job = campaign.jobs.filter(args__run=refused.pk).get()
    assert "can have 6 pairs" in job.error


def test_segments_of_a_deleted_campaign_are_removed(all_on_disk, organizer, campaign, team):
    submit(organizer, campaign, team, "a", ("d1",))
    submit(organizer, campaign, team, "b", ("d1",))
    (all_on_disk / "0").mkdir()
    assert matrices.remove_unused_segments() == 1
    assert [path.name for path in all_on_disk.iterdir()] == [str(campaign.pk)]


def test_segments_of_all_campaigns_are_bounded(all_on_disk, settings, organizer, campaign, team):
    old, lock = all_on_disk / "7" / "old.pairs", all_on_disk / "7" / "lock"
    old.parent.mkdir(parents=True)
    for path in (old, lock):
        path.write_bytes(b"x" * 900)
        os.utime(path, (0, 0))
    submit(organizer, campaign, team, "a", ("d1",))
    submit(organizer, campaign, team, "b", ("d1",))
    assert old.exists()
    settings.POOLBENCH_CACHE_BYTES = 1_000
    submit(organizer, campaign, team, "c", ("d2",))
    submit(organizer, campaign, team, "d", ("d2",))
    # Files in use stay, and what is no segment.
    assert (old.exists(), lock.exists()) == (False, True)
    assert list((all_on_disk / str(campaign.pk)).glob("*.pairs"))


@pytest.mark.parametrize("dearer", [0, 1_000])
def test_imported_docnos_are_asked_for_or_read(monkeypatch, campaign, dearer):
    monkeypatch.setattr(run_checks, "DEARER", dearer)
    monkeypatch.setattr(run_checks, "READ_AT_ONCE", 3)
    assert load_imported_docnos(campaign) is not None
    names = ["d1", "nothing", "d9", "d1", "D1", "a\0b", "nothing"]
    found = load_imported_docnos(campaign).contains(DocnoArray.from_ids(names))
    assert found.tolist() == [True, False, True, True, False, False, False]
    Document.objects.filter(campaign=campaign).delete()
    assert load_imported_docnos(campaign) is None


def test_a_dictionary_extended_by_another_thread_meanwhile_gives_no_pair_two_codes(
    campaign, team, organizer, monkeypatch
):
    """Between looking up what is new and appending it, the cached dictionary may grow."""
    known = matrices.get_pair_dictionary(campaign)
    look = type(known).find

    def look_and_be_overtaken(dictionary, table):
        found = look(dictionary, table)
        monkeypatch.setattr(type(known), "find", look)
        data = run_text("other", docnos=("d1", "d2", "d3"))
        checked_run(organizer, campaign, team, data)
        return found

    monkeypatch.setattr(type(known), "find", look_and_be_overtaken)
    run = checked_run(organizer, campaign, team, run_text("late"))
    pairs = list(matrices.get_pair_dictionary(campaign))
    assert (len(pairs), len(set(pairs))) == (9, 9)
    assert matrices.load_run_table(run).docnos == ["d1", "d2"] * 3


def test_the_dictionary_forgets_what_was_rolled_back(campaign, team, organizer):
    with transaction.atomic():
        checked_run(organizer, campaign, team, run_text("gone", docnos=("d8", "d9")))
        assert len(matrices.get_pair_dictionary(campaign)) == 6
        transaction.set_rollback(True)
    run = checked_run(organizer, campaign, team, run_text("stays", docnos=("d1",)))
    assert len(matrices.get_pair_dictionary(campaign)) == 3
    assert matrices.load_run_table(run).docnos == ["d1"] * 3


def test_a_writer_that_was_overtaken_leaves_no_arrays_behind(
    campaign, team, organizer, monkeypatch
):
    """Not in a cycle of an error with the functions on its way."""
    look, tables = PairDictionary.find, []

    def look_and_be_overtaken(dictionary, table):
        codes = look(dictionary, table)
        monkeypatch.setattr(PairDictionary, "find", look)
        tables.append(weakref.ref(table.scores))
        checked_run(organizer, campaign, team, run_text("other", docnos=("d1", "d2", "d3")))
        return codes

    monkeypatch.setattr(PairDictionary, "find", look_and_be_overtaken)
    gc.collect()
    gc.disable()
    try:
        checked_run(organizer, campaign, team, run_text("late"))
        assert [scores() is None for scores in tables] == [True]
    finally:
        gc.enable()
