"""Documents that stay in their files: registration, run checks, rows of what is pooled."""

import gzip
import os
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.urls import reverse

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Collection, Document, Job
from campaigns.queries.collection_files import iter_docnos, list_missing_docnos
from campaigns.services import jobs
from campaigns.services.collection import delete_all, import_documents
from campaigns.services.made_files import MADE_FILES
from campaigns.services.registration import prepare_documents, register_collection
from judging.services.imports import import_judgments
from judging.services.training import add_training
from poolbench.files.faults import InvalidFile
from poolbench.judging.training_file import TrainingRow
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from pooling.services.adaptive_pools import extend_pool_topic
from pooling.services.freeze import freeze_pool
from tests.pages import run_command
from tests.refusals import refusing
from tests.world.files import checked_run, ranked_run, run_text
from workbench.stored_files import check_stored_files

JSONL = b"".join(
    f'{{"id": "d{n}", "title": "Title {n}", "text": "Text {n}"}}\n'.encode() for n in range(1, 6)
)
TSV = b"".join(f"d{n}\ttext {n}\n".encode() for n in range(6, 10))


@pytest.fixture
def campaign(campaign):
    """Without documents."""
    campaign.documents.all().delete()
    return campaign


@pytest.fixture
def paths(tmp_path) -> list[Path]:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.tsv.gz"
    first.write_bytes(JSONL)
    second.write_bytes(gzip.compress(TSV))
    return [first, second]


@pytest.fixture
def collection(organizer, campaign, paths) -> Collection:
    return register_collection(actor=organizer, campaign=campaign, paths=paths)


def list_rows(campaign) -> list[tuple[str, str, str]]:
    return list(campaign.documents.order_by("docno").values_list("docno", "title", "body"))


def test_registration_writes_no_documents(campaign, collection):
    assert collection.documents == 9
    assert list_rows(campaign) == []
    assert list(iter_docnos(campaign)) == [f"d{n}" for n in range(1, 10)]
    assert list_missing_docnos(campaign, {"d1", "D1", "d10"}) == {"D1", "d10"}
    files = [(file["name"], file["form"], file["packing"]) for file in collection.files]
    assert files == [("a.jsonl", "jsonl", ""), ("b.tsv.gz", "tsv", "gzip")]
    event = campaign.events.get(code="documents.registered")
    assert event.data["files"][0]["sha256"] == store.sha256(JSONL)
    assert check_stored_files().is_whole


def test_runs_are_checked_against_the_files(organizer, campaign, team, collection):
    run = checked_run(organizer, campaign, team, run_text(docnos=["d1", "d9"]))
    assert run.state == "accepted"
    bad = checked_run(organizer, campaign, team, run_text("bad", ["1"], ["d1", "D2", "d10"]))
    faults = {fault["code"]: fault for fault in bad.report["faults"]}
    assert (bad.state, bad.report["counts"]["E10"]) == ("rejected", 2)
    assert [f["line"] for f in bad.report["faults"] if f["code"] == "E10"] == [2, 3]
    assert "d2" in faults["W11"]["message"]


def test_a_frozen_pool_makes_rows_of_its_documents(organizer, campaign, team, collection):
    run = ranked_run(team, "r", {"1": "d2 d7 d1", "2": "d7 d9"})
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[run])
    assert list_rows(campaign) == [
        ("d2", "Title 2", "Text 2"),
        ("d7", "", "text 7"),
        ("d9", "", "text 9"),
    ]
    # A deeper pool adds what is new.
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=[run])
    assert campaign.documents.count() == 4


def test_an_adaptive_pool_has_the_texts_of_all_that_it_can_select(
    organizer, campaign, team, collection
):
    run = ranked_run(team, "r", {"1": "d2 d7 d1 d4"})
    spec = read_spec("steps: [{method: mtf}]\ncutoff: 3\nbudget: {per_topic: 3}")
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=[run])
    assert [row[0] for row in list_rows(campaign)] == ["d1", "d2", "d7"]
    items = extend_pool_topic(
        pool=pool, topic=campaign.topics.get(number="1"), outcomes={}, passed=(), limit=1
    )
    assert campaign.documents.filter(docno=items[0].docno).exists()


def test_what_somebody_reads_gets_its_row(organizer, campaign, assessor, collection):
    rows = [("1", "d3", 1)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    training = [TrainingRow("1", "d8", 1, "because")]
    add_training(actor=organizer, campaign=campaign, rows=training)
    assert [row[0] for row in list_rows(campaign)] == ["d3", "d8"]


@pytest.mark.parametrize("change", ["text", "gone"])
def test_a_changed_file_stops_the_pool_and_nothing_is_written(
    organizer, campaign, team, collection, paths, change
):
    run = ranked_run(team, "r", {"1": "d2 d7"})
    if change == "gone":
        paths[1].unlink()
    else:
        paths[1].write_bytes(gzip.compress(TSV.replace(b"text", b"TEXT")))
    with refusing("collection-changed", match=r"b\.tsv\.gz"):
        freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[run])
    assert (campaign.pools.count(), campaign.documents.count()) == (0, 0)


def test_a_copied_file_is_the_same_by_its_content(organizer, campaign, team, collection, paths):
    os.utime(paths[0], (1, 1))
    with prepare_documents(campaign, ["d1"]) as add_documents:
        assert (add_documents(), add_documents()) == (1, 1)
    assert [row[0] for row in list_rows(campaign)] == ["d1"]


def test_files_are_registered_anew_from_another_place(
    organizer, campaign, team, collection, paths, tmp_path
):
    run = ranked_run(team, "r", {"1": "d2 d7"})
    (tmp_path / "moved").mkdir()
    moved = [path.rename(tmp_path / "moved" / path.name) for path in paths]
    with refusing("documents-in-use"):
        register_collection(actor=organizer, campaign=campaign, paths=moved[:1])
    register_collection(actor=organizer, campaign=campaign, paths=moved)
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[run])
    assert campaign.documents.count() == 2


def test_files_and_imported_documents_exclude_each_other(organizer, campaign, collection, paths):
    with refusing("documents-registered"):
        import_documents(actor=organizer, campaign=campaign, data=TSV)
    assert delete_all(actor=organizer, campaign=campaign, noun="documents") == 9
    assert not Collection.objects.exists()
    import_documents(actor=organizer, campaign=campaign, data=TSV)
    with refusing("has-documents"):
        register_collection(actor=organizer, campaign=campaign, paths=paths)


def test_faults_leave_nothing_behind(organizer, campaign, paths):
    paths[0].write_bytes(JSONL + b'{"id": "d9"}\n')
    with pytest.raises(InvalidFile) as refused:
        register_collection(actor=organizer, campaign=campaign, paths=paths)
    assert [fault.code for fault in refused.value.report.faults] == ["ED06"]
    assert not Collection.objects.exists()
    assert not [file for file in store.list_blobs() if file.name.endswith(".part")]


def test_the_command_registers_files(campaign, paths):
    out = run_command("register_collection", "small", *map(str, paths))
    assert "a.jsonl: 5 documents" in out
    assert "small: 9 documents registered" in out
    with pytest.raises(CommandError, match="cannot be read"):
        run_command("register_collection", "small", "no-such-file")


def run_registration() -> Job:
    return jobs.run_here(Job.objects.get(kind="campaigns.register_collection"))


def test_the_page_registers_what_the_operator_offers(page, campaign, paths, settings, tmp_path):
    url = reverse("collection-files", args=["small"])
    assert "register_collection small" in page.get(url).content.decode()
    (tmp_path / "small").mkdir()
    for path in paths:
        path.rename(tmp_path / "small" / path.name)
    settings.POOLBENCH_COLLECTIONS = str(tmp_path)
    assert "a.jsonl" in page.get(url).content.decode()
    assert page.post(url, {"file": ["../small/a.jsonl"]}).status_code == 409
    assert page.post(url, {"file": ["a.jsonl", "b.tsv.gz"]}).status_code == 302
    assert "waiting" in page.get(url).content.decode()
    assert run_registration().state == "done"
    shown = page.get(url).content.decode()
    assert "9 documents in 2" in " ".join(shown.split())
    assert str(tmp_path) not in shown
    listed = page.get(reverse("documents", args=["small"])).content.decode()
    text = " ".join(listed.split())
    assert "9 documents in 2 files. Those that are pooled" in text


def test_faults_of_a_registration_are_shown_on_the_page(page, campaign, settings, tmp_path):
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "a.tsv").write_bytes(b"d1\tx\nd1\ty\n")
    settings.POOLBENCH_COLLECTIONS = str(tmp_path)
    url = reverse("collection-files", args=["small"])
    page.post(url, {"file": ["a.tsv"]})
    assert run_registration().result["report"]["counts"] == {"ED06": 1}
    shown = page.get(url).content.decode()
    assert "Not registered" in shown
    assert "ED06" in shown
    assert "<code>a.tsv</code>" in shown
    assert not Document.objects.filter(campaign=campaign).exists()


def test_a_lost_index_is_told(organizer, campaign, collection):
    store.find_blob_path(collection.index).unlink()
    with pytest.raises(ActionRefused) as refused:
        list(iter_docnos(campaign))
    assert refused.value.code == "no-index"
    # A page says so, but a job is for another worker.
    assert jobs.find_absence(refused.value) == f"{collection.index} is not in the store"


def test_who_does_not_judge_is_not_shown_what_is_pooled(
    as_user, organizer, campaign, team, participant, assessor, collection
):
    run = ranked_run(team, "r", {"1": "d2 d7"})
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[run])
    page = reverse("document", args=["small"]) + "?docno=d2"
    listing, api = reverse("documents", args=["small"]), "/api/documents/?campaign=small"
    answers = {}
    for user in (organizer, assessor, participant):
        client = as_user(user)
        shown = "docno=d2" in client.get(listing).content.decode()
        answers[user] = client.get(page).status_code, shown, client.get(api).json()["count"]
    assert answers[organizer] == answers[assessor] == (200, True, 2)
    assert answers[participant] == (404, False, 0)
    assert "9 documents" in client.get(listing).content.decode()


def test_files_for_teams_are_of_the_whole_collection(organizer, campaign, team, collection):
    run = ranked_run(team, "r", {"1": "d2 d7"})
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[run])
    made = {each.name: b"".join(each.write(campaign)) for each in MADE_FILES}
    assert made["docnos.txt"].split() == [f"d{n}".encode() for n in range(1, 10)]
    assert {line.split()[2] for line in made["sample-run.txt"].splitlines()} > {b"d1", b"d9"}
    assert made["documents.jsonl.gz"] == b""
