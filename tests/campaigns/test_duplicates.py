"""Groups of documents with the same and nearly the same text, stored by a job."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from campaigns.models import Document, Duplicate, Job, PdfLayout
from campaigns.queries.duplicates import load_text_groups
from campaigns.services import duplicates
from campaigns.services.collection import import_documents
from campaigns.services.errata import correct_texts
from poolbench.texts.duplicates import sign_texts

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


def read_groups(campaign, docnos=(*TEXTS, "later")):
    groups = load_text_groups(campaign, docnos)
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


def draw_texts(rng, count):
    """By docno: a third copy an earlier text, word for word or with others in a few places."""
    texts = {}
    for number in range(count):
        words = [f"w{word}" for word in rng.integers(0, 400, rng.integers(1, 60))]
        if texts and rng.random() < 1 / 3:
            words = str(rng.choice([*texts.values()])).split()
            for place in rng.integers(0, len(words), rng.integers(0, 3)):
                words[place] = "else"
        texts[f"t{number}"] = " ".join(words)
    return texts


def list_groups(campaign):
    rows = campaign.duplicates.order_by("document__docno")
    first = dict(campaign.documents.values_list("pk", "docno"))
    found = rows.values_list("document__docno", "group", "text")
    return [(docno, first[group], text) for docno, group, text in found]


@pytest.fixture
def signed(monkeypatch):
    """The number of texts of each call that makes signatures."""
    counts = []

    def count_texts(texts):
        result = sign_texts(texts)
        counts.append(len(result.sha256))
        return result

    monkeypatch.setattr(duplicates, "sign_texts", count_texts)
    return counts


@pytest.mark.parametrize("seed", range(5))
def test_imports_one_by_one_give_the_groups_of_one_import(organizer, plain, signed, seed):
    rng = np.random.default_rng(seed)
    texts = draw_texts(rng, 60)
    ends = sorted({*rng.integers(1, 60, 6).tolist(), 60})
    for begin, end in itertools.pairwise([0, *ends]):
        import_texts(organizer, plain, dict([*texts.items()][begin:end]))
        duplicates.group_campaign_duplicates(plain.jobs.filter(kind=duplicates.GROUP).first())
        assert signed.pop() == end - begin
    assert signed == []
    in_steps = list_groups(plain)
    plain.documents.all().delete()
    import_texts(organizer, plain, texts)
    duplicates.group_campaign_duplicates(plain.jobs.filter(kind=duplicates.GROUP).first())
    assert signed.pop() == 60
    assert list_groups(plain) == in_steps
    sizes = Counter(group for _, group, _ in in_steps)
    assert len(sizes) > 5
    assert max(sizes.values()) > 2


def test_what_has_changed_is_signed_anew(organizer, plain, signed, monkeypatch):
    import_texts(organizer, plain, TEXTS)
    duplicates.group_campaign_duplicates(plain.jobs.get(kind=duplicates.GROUP))
    corrected = {"kind": "document", "name": "b", "texts": {"title": "Now with a title"}}
    correct_texts(actor=organizer, campaign=plain, **corrected)
    duplicates.group_campaign_duplicates(plain.jobs.filter(kind=duplicates.GROUP).first())
    assert signed == [6, 1]
    assert read_groups(plain)[0] == [["near1", "near2"]]
    plain.documents.filter(docno="near1").delete()
    monkeypatch.setattr(duplicates, "FORM", "another")
    duplicates.group_campaign_duplicates(duplicates.request_duplicates(plain))
    assert signed == [6, 1, 5]
    assert read_groups(plain)[0] == []


def test_the_text_of_a_file_counts_once_it_is_read(plain, signed):
    common = {"format": "pdf", "size": 9, "media_type": "application/pdf"}
    for docno in "pq":
        plain.documents.create(docno=docno, file=f"{docno}.pdf", sha256=docno, **common)
    duplicates.group_campaign_duplicates(duplicates.request_duplicates(plain))
    assert read_groups(plain, "pq")[0] == []
    for row in plain.documents.all():
        Document.objects.filter(pk=row.pk).update(body="One text.")
        PdfLayout.objects.create(document=row, pages=[])
    duplicates.group_campaign_duplicates(duplicates.request_duplicates(plain))
    assert read_groups(plain, "pq")[0] == [["p", "q"]]
    assert signed == [2, 2]
    assert duplicates.request_duplicates(plain) is None


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
