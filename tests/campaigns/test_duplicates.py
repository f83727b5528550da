"""Groups of documents with the same and nearly the same text, stored by a job."""

from __future__ import annotations

import json

import pytest

from campaigns.models import Duplicate, Job
from campaigns.queries.duplicates import load_text_groups
from campaigns.services import duplicates
from campaigns.services.collection import import_documents

pytestmark = pytest.mark.django_db
LONG = " ".join(f"word{number}" for number in range(200))
TEXTS = {
    "a": "The same   text", "b": "the SAME text", "c": "another text",
    "near1": LONG, "near2": LONG.replace("word50 ", "other "), "far": LONG[: len(LONG) // 3],
}  # fmt: skip


def import_texts(organizer, campaign, texts):
    lines = [json.dumps({"id": docno, "text": text}) for docno, text in texts.items()]
    data = "\n".join(lines).encode()
    import_documents(actor=organizer, campaign=campaign, data=data, file="docs.jsonl")


@pytest.fixture
def plain(campaign):
    """Without documents that another test counts."""
    campaign.documents.all().delete()
    return campaign


def read_groups(campaign):
    groups = load_text_groups(campaign, [*TEXTS, "later"])
    same: dict[int, set[str]] = {}
    for docno, member in groups.items():
        same.setdefault(member.group, set()).add(docno)
    return sorted(map(sorted, same.values())), groups


def test_an_import_groups_all_documents(organizer, plain, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        import_texts(organizer, plain, TEXTS)
    found, groups = read_groups(plain)
    assert found == [["a", "b"], ["near1", "near2"]]
    assert groups["a"].text == groups["b"].text
    assert groups["near1"].text != groups["near2"].text
    job = plain.jobs.get(kind=duplicates.GROUP)
    assert (job.state, job.result) == (Job.State.DONE, {"groups": 2, "documents": 4})
    with django_capture_on_commit_callbacks(execute=True):
        import_texts(organizer, plain, {"later": "The same text"})
    assert read_groups(plain)[0] == [["a", "b", "later"], ["near1", "near2"]]
    plain.documents.filter(docno__in="ab").delete()
    assert Duplicate.objects.filter(document__docno="later").count() == 1


def test_work_in_parts_gives_the_same_groups(
    organizer, plain, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(duplicates, "SHARE", 2)
    with django_capture_on_commit_callbacks(execute=True):
        import_texts(organizer, plain, TEXTS)
    assert read_groups(plain)[0] == [["a", "b"], ["near1", "near2"]]


def test_of_several_waiting_jobs_the_last_does_the_work(organizer, plain):
    import_texts(organizer, plain, TEXTS)
    import_texts(organizer, plain, {"later": "The same text"})
    last, first = plain.jobs.filter(kind=duplicates.GROUP)
    duplicates.group_campaign_duplicates(first)
    first.refresh_from_db()
    assert (first.result, plain.duplicates.count()) == ({"superseded": True}, 0)
    duplicates.group_campaign_duplicates(last)
    assert plain.duplicates.count() == 5


def test_a_file_is_the_same_as_one_with_the_same_bytes(plain):
    common = {"format": "pdf", "size": 9, "media_type": "application/pdf"}
    for docno, digest in (("p", "1" * 64), ("q", "1" * 64), ("r", "2" * 64)):
        plain.documents.create(docno=docno, file=f"{digest}.pdf", sha256=digest, **common)
    duplicates.group_campaign_duplicates(duplicates.request_duplicates(plain))
    assert sorted(load_text_groups(plain, ["p", "q", "r"])) == ["p", "q"]
