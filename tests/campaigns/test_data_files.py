"""Data files: made by the system, added by organizers, given to more readers, downloaded."""

import gzip
import json

import pytest
from django.urls import reverse

from campaigns import store
from campaigns.models import DataFile, Document, Topic
from campaigns.queries.lists import list_notices_for
from campaigns.services import jobs
from campaigns.services.data_files import (
    add_data_file,
    check_name,
    edit_data_file,
    release_data_file,
    remove_data_file,
)
from campaigns.services.errata import correct_texts
from campaigns.services.made_files import request_made_files, request_stale_files
from poolbench.texts.documents import read_documents
from poolbench.texts.topics import read_topics
from tests.confirming import api, confirm
from tests.pages import read_page
from tests.refusals import refusal, refusing
from tests.world.files import checked_run

DATA = "/c/small/data/"


def make(campaign) -> None:
    """What a worker does."""
    jobs.run_here(request_made_files(campaign))


def content(campaign, name: str) -> bytes:
    return store.get_blob(campaign.data_files.get(name=name).versions.first().path)


def add(organizer, campaign, name: str = "notes.txt", data: bytes = b"one", **more: object):
    fields = {"name": name, "data": data, "title": "Notes"} | more
    return add_data_file(actor=organizer, campaign=campaign, **fields).file


# Made by the system


def test_topics_come_back_as_they_are_and_withheld_ones_are_in_no_file(organizer, campaign):
    Topic.objects.filter(campaign=campaign, number="3").update(withheld=True, title="secretword")
    hard = {"title": "a < b & “c”", "description": "two\nlines", "narrative": "tab\there"}
    Topic.objects.filter(campaign=campaign, number="1").update(**hard)
    make(campaign)
    for name in ("topics.xml", "topics.jsonl"):
        first, second = read_topics(content(campaign, name))
        assert (first.number, first.title, first.description) == ("1", "a < b & “c”", "two\nlines")
        assert (second.number, second.title, second.narrative) == ("2", "topic 2", "")
    assert content(campaign, "topics.tsv") == "1\ta < b & “c”\n2\ttopic 2\n".encode()
    assert content(campaign, "docnos.txt").split() == [f"d{n}".encode() for n in range(1, 10)]
    for file in campaign.data_files.filter(versions__isnull=False):
        assert b"secretword" not in content(campaign, file.name)
        assert not content(campaign, file.name).startswith(b"3 ")


def test_the_sample_run_is_accepted(participant, campaign, team):
    campaign.max_docs_per_topic = 4
    campaign.save()
    make(campaign)
    run = checked_run(participant, campaign, team, content(campaign, "sample-run.txt"))
    assert (run.state, run.tag, run.lines) == ("accepted", "sample", 12)


def test_documents_are_made_once_they_may_be_had(organizer, campaign):
    Document.objects.filter(docno="d2").update(format="html", body="<p>Two</p>")
    Document.objects.filter(docno="d3").update(format="pdf", body="", file="ab/cd")
    make(campaign)
    file = campaign.data_files.get(name="documents.jsonl.gz")
    assert (file.audience, file.versions.count()) == ("organizers", 0)
    release_data_file(actor=organizer, file=file, audience="teams")
    jobs.run_here(campaign.jobs.get(state="queued"))
    data = content(campaign, "documents.jsonl.gz")
    docnos = [json.loads(line)["id"] for line in gzip.decompress(data).splitlines()]
    assert docnos == ["d1", "d2", *(f"d{n}" for n in range(4, 10))]
    read = {each.docno: each for each in read_documents(data)}
    assert (read["d1"].title, read["d1"].body) == ("Document 1", "The text of document 1.")
    assert (read["d2"].format, read["d2"].body) == ("html", "<p>Two</p>")
    assert "without 1 PDF" in file.versions.get().holds


def test_a_correction_is_a_new_version_with_one_notice(
    as_user, organizer, participant, campaign, team
):
    assert as_user(participant).get(DATA).status_code == 200
    jobs.run_here(campaign.jobs.get(kind="campaigns.data_files"))
    before = campaign.data_files.get(name="topics.xml").versions.get()
    assert list_notices_for(participant, campaign) == []
    correct_texts(
        actor=organizer, campaign=campaign, kind="topic", name="1", texts={"title": "Corrected"}
    )
    assert request_stale_files() == 1  # the tick
    make(campaign)
    assert request_stale_files() == 0
    page = read_page(as_user(participant).get(DATA))
    assert "topics.xml, topics.jsonl, topics.tsv" in page
    versions = campaign.data_files.get(name="topics.xml").versions
    assert [each.number for each in versions.all()] == [2, 1]
    assert campaign.data_files.get(name="docnos.txt").versions.count() == 1
    earlier = f"{DATA}files/topics.xml?sha256={before.sha256}"
    assert as_user(participant).get(earlier).status_code == 404
    old = as_user(organizer).get(earlier)
    assert b"topic 1" in old.getvalue()
    assert campaign.events.filter(code="data.changed").count() == 1


# Added by organizers


def test_a_file_goes_from_organizers_to_teams_to_everybody(
    as_user, organizer, participant, viewer, campaign
):
    file = add(organizer, campaign)
    address = file.get_absolute_url()

    def statuses() -> list[int]:
        return [as_user(who).get(address).status_code for who in (participant, viewer, None)]

    assert statuses() == [404, 404, 302]
    client = as_user(organizer)
    assert confirm(client, f"{DATA}release/notes.txt/", confirm=["for-teams"]).status_code == 422
    assert confirm(client, f"{DATA}release/notes.txt/").status_code == 302
    assert statuses() == [200, 404, 302]
    assert confirm(as_user(organizer), f"{DATA}release/notes.txt/?to=everybody").status_code == 302
    assert statuses() == [200, 200, 200]
    kept = campaign.events.get(code="data.published").data["confirmed"]
    assert (kept["overridden"], kept["consents"]) == (["no-licence"], ["for-everybody"])
    file.refresh_from_db()
    for audience in ("organizers", "teams", "everybody", "nobody"):
        assert (
            refusal(release_data_file, actor=organizer, file=file, audience=audience) == "not-wider"
        )
    # Told once: the publication is no news to those who had it.
    (notice,) = list_notices_for(participant, campaign)
    assert (notice.phrase, notice.subject) == ("New data", "notes.txt")


def test_a_new_version_keeps_name_and_readers(organizer, campaign):
    file = add(organizer, campaign)
    release_data_file(actor=organizer, file=file, audience="teams")
    with refusing("same-file"):
        add(organizer, campaign)
    add(organizer, campaign, data=b"two", note="Mended", licence="CC0")
    file.refresh_from_db()
    assert (file.audience, file.licence) == ("teams", "CC0")
    assert [(v.number, v.note) for v in file.versions.all()] == [(2, "Mended"), (1, "")]
    remove_data_file(actor=organizer, file=file)
    assert not DataFile.objects.visible_to(organizer).filter(name="notes.txt").exists()
    add(organizer, campaign, data=b"two")
    file.refresh_from_db()
    assert (file.removed_at, file.versions.count()) == (None, 3)


def test_the_form_takes_a_text_that_the_page_shows_as_markdown(as_user, organizer, campaign):
    client = as_user(organizer)
    fields = {"title": "Guidelines", "name": "guidelines.txt", "text": "Be **brief**.\r\n<script>"}
    assert client.post(f"{DATA}new/", fields).status_code == 302
    page = read_page(client.get(DATA))
    assert "<strong>brief</strong>" in page
    assert "<script>" not in page.split("guidelines.txt")[-1]
    assert content(campaign, "guidelines.txt") == b"Be **brief**.\n<script>"
    empty = client.post(f"{DATA}new/", {"title": "Nothing"})
    assert empty.status_code == 422
    assert "Choose a file, or write a text." in read_page(empty)
    changed = {"title": "Rules", "licence": "CC0", "text": "Be *briefer*.", "note": "Shorter"}
    assert client.post(f"{DATA}edit/guidelines.txt/", changed).status_code == 302
    assert "Shorter" in read_page(client.get(DATA))


# Attacks


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x.txt", "a/b", "a\\b", "a..b", ".env", "x.", "a b", 'a"b', "a\nb", "a;b",
     "é.txt", "x" * 101, "%2e%2e", "a\0b"],
)  # fmt: skip
def test_names_that_are_no_plain_file_names_are_refused(name):
    assert refusal(check_name, name) == "bad-name"


def test_names_of_the_system_are_refused(organizer, campaign):
    for name in ("topics.xml", "documents.jsonl.gz", "qrels-1.txt", "qrels-77.txt"):
        assert refusal(add, organizer, campaign, name) == "name-taken"


@pytest.mark.parametrize("name", ["evil.html", "evil.svg", "evil.xml", "evil.xhtml", "evil.md"])
def test_no_browser_opens_or_runs_a_file(as_user, organizer, campaign, name):
    add(organizer, campaign, name, b"<svg onload='alert(1)'>")
    answer = as_user(organizer).get(f"{DATA}files/{name}")
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["Content-Type"].split(";")[0] in ("application/octet-stream", "text/markdown")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_a_download_goes_on_where_it_was(as_user, organizer, campaign):
    file = add(organizer, campaign, data=b"0123456789")
    client, address = as_user(organizer), file.get_absolute_url()
    whole = client.get(address)
    assert (whole.getvalue(), whole["Cache-Control"]) == (b"0123456789", "private, no-cache")
    etag = whole["ETag"]
    assert etag == f'"{file.versions.get().sha256}"'
    part = client.get(address, headers={"Range": "bytes=4-6", "If-Range": etag})
    assert (part.status_code, part.getvalue()) == (206, b"456")
    assert part["Content-Range"] == "bytes 4-6/10"
    other = client.get(address, headers={"Range": "bytes=4-6", "If-Range": '"another"'})
    assert (other.status_code, other.getvalue()) == (200, b"0123456789")
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 304


def test_nobody_reaches_what_is_of_another_campaign(world, client_for):
    """By page, API and guessable ID; and no act of an organizer works elsewhere."""
    assert world.elsewhere is not None
    other, foreigner = world.elsewhere.data_file, world.people["foreigner"]
    for role in ("anonymous", "owner", "organizer"):
        client = client_for(role)
        assert client.get(other.get_absolute_url()).status_code in (302, 404)
        assert client.get(f"/api/data-files/{other.pk}/file/").status_code == 404
        listed = client.get("/api/data-files/?campaign=elsewhere").json()["results"]
        assert [each["name"] for each in listed] == ["open.txt"]
    assert api(foreigner).post(
        f"/api/data-files/{world.data_file.pk}/release/", {"audience": "everybody"}, format="json"
    ).status_code == 404  # fmt: skip
    sums = client_for("viewer").get(reverse("data-checksums", args=["small"])).getvalue()
    assert [line.split()[1] for line in sums.splitlines()] == [b"open.txt"]


def test_the_api_adds_describes_and_gives_a_file(organizer, campaign):
    client = api(organizer)
    file = add(organizer, campaign)
    edit_data_file(actor=organizer, file=file, title="New", licence="CC0")
    make(campaign)
    listed = client.get("/api/data-files/?campaign=small").json()["results"]
    row = next(each for each in listed if each["name"] == "notes.txt")
    assert (row["title"], row["licence"], row["version"], row["size"]) == ("New", "CC0", 1, 3)
    assert {"topics.xml", "sample-run.txt"} <= {each["name"] for each in listed}
    body = {"audience": "everybody"}
    refused = client.post(f"/api/data-files/{file.pk}/release/", body, format="json")
    assert (refused.status_code, refused.data["missing"]) == (409, ["for-everybody"])
    body["confirm"] = refused.data["missing"]
    assert (
        client.post(f"/api/data-files/{file.pk}/release/", body, format="json").status_code == 200
    )
    anybody = api(None).get(f"/api/data-files/{file.pk}/file/")
    assert (anybody.status_code, anybody.getvalue()) == (200, b"one")


def test_a_removed_file_comes_back_for_organizers_only(organizer, campaign):
    file = add(organizer, campaign)
    type(file).objects.update(audience="everybody")
    remove_data_file(actor=organizer, file=file)
    again = add(organizer, campaign, data=b"unreleased")
    assert again.audience == "organizers"
    assert api(None).get(f"/api/data-files/{again.pk}/file/").status_code == 404
