"""A campaign archived, verified, changed, loaded elsewhere. Costs some seconds: a site with
everything, and a pool that grows.
"""

import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document, Run, Translation, User
from campaigns.services import jobs
from judging.models import Judgment
from judging.services.judgments import claim_next
from judging.services.qrels import freeze_qrels, verify_qrels
from poolbench.__main__ import main
from poolbench.files.faults import InvalidFile
from poolbench.replay.verification import verify_archive
from poolbench.texts.documents import DocumentText
from pooling.services.adaptive_pools import verify_pool_log
from replay.archive.jobs import ARCHIVE, OVERVIEW, request_campaign_file
from replay.archive.loader import load_archive
from replay.archive.tables import CAMPAIGN_FIELDS, CAMPAIGN_LEFT_OUT, NOT_ARCHIVED, TABLES
from tests.replay.archives import change_file, load, make_archive, move_away, unpack
from tests.world.judgments import submit_judgment

pytestmark = pytest.mark.django_db
APPS = ("campaigns", "pooling", "judging", "crowd", "preferences", "evaluation")


def test_every_field_of_a_campaign_is_archived_or_left_out_by_decision():
    listed = {table.model: {*table.fields, *table.left_out} for table in TABLES}
    listed[Campaign] = {*CAMPAIGN_FIELDS, *CAMPAIGN_LEFT_OUT}
    for model, fields in listed.items():
        assert fields == {field.name for field in model._meta.concrete_fields}, model
    others = {
        model.__name__
        for label in APPS
        for model in apps.get_app_config(label).get_models()
        if model not in listed
    }
    assert others - set(NOT_ARCHIVED) == {"User", "ApiToken", "ProcessHeartbeat", "StoreMarker"}


def test_an_archive_comes_out_the_same_elsewhere(world, settings, tmp_path):
    campaign = world.campaign
    Judgment.objects.filter(campaign=campaign).update(comment="Ask Cyril")
    first = make_archive(campaign, tmp_path / "first.zip")
    assert make_archive(campaign, tmp_path / "again.zip").read_bytes() == first.read_bytes()
    result = verify_archive(first)
    assert (result.list_lines(), result.notes) == ([], [])
    assert result.numbers == {
        "files": 52, "runs": 2, "pools": 1, "qrels versions": 1, "score sets": 2,
    }  # fmt: skip
    hashes = list(campaign.pools.values_list("inputs_hash", flat=True))
    move_away(campaign, settings, tmp_path)
    loaded = load(world.people["organizer"], first)
    assert list(loaded.pools.values_list("inputs_hash", flat=True)) == hashes
    assert [qrels.sha256 for qrels in loaded.qrels.all()] == [world.qrels.sha256]
    assert all(map(verify_qrels, loaded.qrels.all()))
    scores = [
        (row.run.tag, row.means, bytes(row.packed))
        for row in loaded.score_sets.get(released_at__isnull=False).runs.order_by("run__tag")
    ]
    assert scores == [
        (row.run.tag, row.means, bytes(row.packed))
        for row in world.score_set.runs.order_by("run__tag")
    ]
    assert make_archive(loaded, tmp_path / "last.zip").read_bytes() == first.read_bytes()


def test_an_archive_names_no_judge_and_has_no_secret(world, tmp_path):
    judge = world.people["assessor"]
    User.objects.filter(pk=judge.pk).update(email="a@example.org", last_name="Cleverdon")
    Judgment.objects.filter(assessor=judge).update(comment="Ask Cyril")
    plain = make_archive(world.campaign, tmp_path / "plain.zip")
    with zipfile.ZipFile(plain) as packed:
        text = b"".join(map(packed.read, packed.namelist()))
    keys = [key.secret.encode() for key in world.campaign.crowd_keys.all() if key.secret]
    for word in (b"a@example.org", b"Cleverdon", b"Cyril", b'"assessor":"assessor"', *keys):
        assert word not in text
    full = make_archive(world.campaign, tmp_path / "full.zip", comments=True)
    with zipfile.ZipFile(full) as packed:
        assert b"Ask Cyril" in packed.read("small/tables/judgments.jsonl")


def test_commands_archive_without_documents_and_load(world, settings, tmp_path):
    archive = tmp_path / "ids.zip"
    Judgment.objects.filter(campaign=world.campaign).update(passages=[[0, 4, "Text"]])
    call_command("archive", "small", str(archive), "--docnos-only", stdout=StringIO())
    with zipfile.ZipFile(archive) as packed:
        assert packed.read("small/docnos.txt").splitlines()[:2] == [b"d1", b"d2"]
        assert "small/tables/documents.jsonl" not in packed.namelist()
        assert b'"Text"' not in packed.read("small/tables/judgments.jsonl")
    assert verify_archive(archive).is_same
    move_away(world.campaign, settings, tmp_path)
    call_command("load_campaign", str(archive), organizer="keeper", stdout=StringIO())
    loaded = Campaign.objects.get(slug="small")
    assert loaded.created_by.username == "keeper"
    assert not loaded.documents.exists()
    assert loaded.judgments.first().passages == []
    with pytest.raises(CommandError, match="Campaign small already exists"):
        call_command("load_campaign", str(archive), stdout=StringIO())


def test_a_pool_that_grew_is_built_again(
    campaign, organizer, assessor, restore, settings, tmp_path
):
    for layer in ("team", "growing_runs", "growing_pool", "growing_plan"):
        restore(layer)
    pool, topic = campaign.pools.get(), campaign.topics.get(number="1")
    for grade in (2, 0, 1, 3):
        slot = claim_next(actor=assessor, campaign=campaign, topic=topic)
        submit_judgment(
            actor=assessor, campaign=campaign, topic=topic, docno=slot.item.docno, grade=grade
        )
    assert pool.events.count() == 4
    freeze_qrels(actor=organizer, campaign=campaign, policy=f"assessor:{assessor.username}")
    archive = make_archive(campaign, tmp_path / "grown.zip")
    assert verify_archive(archive).list_lines() == []
    move_away(campaign, settings, tmp_path)
    loaded = load(organizer, archive)
    assert verify_pool_log(loaded.pools.get()) == pool.items.count()
    assert verify_qrels(loaded.qrels.get())
    folder = unpack(archive)
    change_file(folder, "tables/pool_events.jsonl", lambda text: text.replace("true", "false", 1))
    (line, *_) = verify_archive(folder).list_lines()
    assert line.startswith("tables/pool_events.jsonl: log of pool 1: complete in the archive")


def test_what_was_changed_is_named(world, tmp_path, capsys):
    folder = unpack(make_archive(world.campaign, tmp_path / "a.zip"))
    assert main(["verify-archive", str(folder)]) == 0
    assert "No differences." in capsys.readouterr().out
    change_file(folder, "qrels/qrels-1.txt", lambda text: text.replace("d1 2", "d1 3"))
    change_file(
        folder,
        "tables/pool_items.jsonl",
        lambda text: text.replace('"min_rank":1', '"min_rank":7', 1),
    )
    lines = verify_archive(folder).list_lines()
    assert "qrels/qrels-1.txt: topic 1, d1, grade: 3 in the archive, 2 computed again" in lines
    assert any(
        line.startswith("tables/pool_items.jsonl: topic 1, d") and "min_rank in pool 1: 7" in line
        for line in lines
    )
    assert any("ndcg of small-a in score set 1" in line for line in lines)
    assert main(["verify-archive", str(folder)]) == 1
    (folder / "tables/teams.jsonl").write_text("")
    (folder / "extra").write_text("")
    assert verify_archive(folder).list_lines() == [
        "extra: not listed in SHA256SUMS.",
        "tables/teams.jsonl: its SHA-256 is not that of SHA256SUMS.",
    ]


def test_a_score_that_was_changed_is_named_with_its_topic(world, tmp_path):
    folder = unpack(make_archive(world.campaign, tmp_path / "a.zip"))

    def raise_first(text: str) -> str:
        rows = [json.loads(line) for line in text.splitlines()]
        rows[0]["packed"][0] += 0.25
        return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)

    change_file(folder, "tables/run_scores.jsonl", raise_first)
    (line,) = verify_archive(folder).list_lines()
    measure = world.score_set.measures[0]
    assert line.startswith(f"tables/run_scores.jsonl: topic 1, {measure} of small-a in score set 1")


@pytest.mark.parametrize(
    ("table", "before", "after"),
    [
        ("pools", '"inputs_hash"', '"other"'),
        ("qrels", '"policy":"majority"', '"policy":"mine"'),
        ("score_sets", '"map"', '"nonsense"'),
        ("run_scores", '"packed":[', '"packed":[[],'),
    ],
)
def test_a_malformed_table_is_refused(world, tmp_path, table, before, after):
    folder = unpack(make_archive(world.campaign, tmp_path / "a.zip"))
    change_file(folder, f"tables/{table}.jsonl", lambda text: text.replace(before, after))
    with pytest.raises(InvalidFile, match="EA05 A table has not what it needs"):
        verify_archive(folder)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"format": "html", "body": "<script>x</script>"}, "Its HTML is not sanitized."),
        ({"body": "other"}, "Its SHA-256 is another."),
        ({"media_type": "text/html"}, "A text has no file."),
        ({"format": "video"}, "Value 'video' is not a valid choice."),
    ],
)
def test_a_document_that_no_import_would_make_is_not_loaded(
    world, settings, tmp_path, row, message
):
    archive = make_archive(world.campaign, tmp_path / "a.zip")
    folder = unpack(archive)

    def change(text: str) -> str:
        first, *rest = text.splitlines(keepends=True)
        return json.dumps(json.loads(first) | row) + "\n" + "".join(rest)

    change_file(folder, "tables/documents.jsonl", change)
    move_away(world.campaign, settings, tmp_path)
    before = Document.objects.count(), Campaign.objects.count()
    with pytest.raises(InvalidFile) as refused:
        load_archive(actor=world.people["organizer"], folder=folder)
    (fault,) = refused.value.report.faults
    assert (fault.code, fault.file, fault.line) == ("EA05", "documents.jsonl", 1)
    assert message in fault.message
    assert (Document.objects.count(), Campaign.objects.count()) == before


def add_translation(campaign: Campaign, **more: object) -> Translation:
    body = "In English."
    document = campaign.documents.first()
    return Translation.objects.create(
        document=document, language="en", by="MT 3", body=body, segments=[[0, 0]],
        sha256=DocumentText("", body=body).sha256, **more,
    )  # fmt: skip


def test_translations_come_with_their_documents(world, settings, tmp_path):
    campaign = world.campaign
    translation = add_translation(campaign)
    bare = make_archive(campaign, tmp_path / "bare.zip", documents=False)
    assert not (unpack(bare) / "tables/translations.jsonl").exists()
    archive = make_archive(campaign, tmp_path / "a.zip")
    move_away(campaign, settings, tmp_path)
    loaded = load(world.people["organizer"], archive)
    document = loaded.documents.get(docno=translation.document.docno)
    assert (document.translation.by, document.translation.body, document.translation.segments) == (
        "MT 3", "In English.", [[0, 0]],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"format": "html", "body": "<script>x</script>"}, "Its HTML is not sanitized."),
        ({"body": "other"}, "Its SHA-256 is another."),
        ({"language": "English"}, "Its language or its segments are malformed."),
        ({"segments": [[0, 0], [0, 99]]}, "Its language or its segments are malformed."),
        ({"segments": [[0, 0, 0]]}, "Its language or its segments are malformed."),
        ({"segments": "all"}, "Its language or its segments are malformed."),
    ],
)
def test_a_translation_that_no_import_would_make_is_not_loaded(
    world, settings, tmp_path, row, message
):
    add_translation(world.campaign)
    folder = unpack(make_archive(world.campaign, tmp_path / "a.zip"))
    name = "tables/translations.jsonl"
    change_file(folder, name, lambda text: json.dumps(json.loads(text) | row) + "\n")
    move_away(world.campaign, settings, tmp_path)
    with pytest.raises(InvalidFile) as refused:
        load_archive(actor=world.people["organizer"], folder=folder)
    (fault,) = refused.value.report.faults
    assert (fault.code, fault.file) == ("EA05", "translations.jsonl")
    assert message in fault.message


def test_a_field_that_an_older_archive_lacks_has_its_default(world, settings, tmp_path):
    folder = unpack(make_archive(world.campaign, tmp_path / "a.zip"))
    change_file(folder, "tables/topics.jsonl", lambda text: text.replace('"withheld":false,', ""))
    change_file(folder, "campaign.yaml", lambda text: text.replace("max_docs_per_topic: 1000", ""))
    move_away(world.campaign, settings, tmp_path)
    loaded = load_archive(actor=world.people["organizer"], folder=folder)
    assert set(loaded.topics.values_list("withheld", flat=True)) == {False}
    assert loaded.max_docs_per_topic == 1000


def test_what_is_there_already_is_not_loaded_again(world, tmp_path):
    archive, organizer = make_archive(world.campaign, tmp_path / "a.zip"), world.people["organizer"]
    with pytest.raises(ActionRefused, match="Campaign small already exists"):
        load(organizer, archive)
    load(organizer, archive, slug="second")
    # Its workers of the crowd are those of the second campaign now.
    with pytest.raises(ActionRefused, match="was this archive loaded before"):
        load(organizer, archive, slug="third")
    assert not Campaign.objects.filter(slug="third").exists()


def test_the_page_makes_an_archive_and_gives_it_to_organizers(world, as_user, tmp_path):
    client, address = as_user(world.people["organizer"]), "/c/small/results/archive/"
    assert client.post(address, {"kind": "archive", "documents": "1"}).status_code == 302
    job = world.campaign.jobs.filter(kind=ARCHIVE).get()
    jobs.run_here(job)
    assert job.state == job.State.DONE
    data = b"".join(client.get(f"{address}{job.pk}.zip").streaming_content)
    same = make_archive(world.campaign, tmp_path / "same.zip")
    assert data == same.read_bytes()
    assert job.result["sha256"][:12] in client.get(address).content.decode()
    assert world.campaign.events.get(code="campaign.archived").data["size"] == len(data)


def test_the_overview_has_tables_figures_and_an_appendix_per_team(world, tmp_path):
    job = request_campaign_file(
        actor=world.people["organizer"], campaign=world.campaign, kind=OVERVIEW
    )
    jobs.run_here(job)
    with zipfile.ZipFile(store.find_blob_path(job.result["file"])) as packed:
        names = {name.removeprefix("small-overview/") for name in packed.namelist()}
        scores = packed.read("small-overview/scores.csv").decode()
    assert {"scores.tex", "topics.csv", "pairs.tex", "figure-runs.svg", "figure-boxes.png"} <= names
    assert {"teams/01-A/runs.tex", "teams/02-B/citation.bib", "SHA256SUMS"} <= names
    assert "small-a,A" in scores
    assert "small-b,B" in scores


def test_runs_with_their_metadata(world):
    with zipfile.ZipFile(store.find_blob_path(world.archive.result["file"])) as packed:
        table = packed.read("small-runs/runs.csv").decode()
        assert packed.read("small-runs/runs/0001-small-a").startswith(b"1 Q0 d1 1 99 small-a")
    run = Run.objects.get(tag="small-a", campaign=world.campaign)
    assert f"runs/0001-small-a,small-a,A,automatic,1,,{run.submitted_at.isoformat()}" in table
    assert "small-bad" not in table


def test_a_path_is_no_folder_of_ours(tmp_path: Path):
    with pytest.raises(InvalidFile):
        verify_archive(tmp_path)
