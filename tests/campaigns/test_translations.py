"""Translations from the import to their pages: with the documents, or from a file of their own."""

import json

import pytest
from django.urls import reverse

from campaigns.models import Document, Event, Translation
from campaigns.services.collection import delete_all, import_documents
from campaigns.services.copies import CopyChoice, copy_campaign
from campaigns.services.registration import register_collection
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool
from tests.pages import read_page
from tests.world.files import ranked_run

ENGLISH = {"language": "en", "title": "Greeting", "text": "Hello world. Good bye.", "by": "MT 3"}
PERSIAN = {"_id": "fa1", "title": "سلام", "text": "سلام دنیا. خداحافظ.", "language": "fa"}
SEGMENTS = [["سلام دنیا.", "Hello world."], ["خداحافظ.", "Good bye."]]


def lines(*records: dict[str, object]) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


@pytest.fixture
def bring(campaign, organizer):
    """``bring(record, …)``: import them; the number of new documents and the codes of faults."""

    def run(*records: dict[str, object]) -> tuple[int, list[str]]:
        report = FaultReport("t.jsonl")
        options = {"data": lines(*records), "file": "t.jsonl", "report": report}
        count = import_documents(actor=organizer, campaign=campaign, **options)
        return count, [fault.code for fault in report.faults]

    return run


def refuse(bring, *records: dict[str, object]) -> tuple[str, str, int | None, int | None]:
    before = Document.objects.count(), Translation.objects.count()
    with pytest.raises(InvalidFile) as refused:
        bring(*records)
    assert (Document.objects.count(), Translation.objects.count()) == before
    [fault] = [fault for fault in refused.value.report.faults if fault.is_error]
    assert fault.fix
    return fault.code, fault.message, fault.line, fault.column


def test_a_document_comes_with_its_translation(bring, campaign):
    record = PERSIAN | {"translation": ENGLISH, "segments": SEGMENTS}
    assert bring(record) == (1, ["WD07"])
    document = campaign.documents.get(docno="fa1")
    translation = document.translation
    assert (document.language, document.direction) == ("fa", "rtl")
    assert (translation.language, translation.by, translation.title, translation.body) == (
        "en", "MT 3", "Greeting", "Hello world. Good bye.",
    )  # fmt: skip
    assert [list(row) for row in translation.segments] == [[0, 0], [11, 13]]
    assert Event.objects.latest("pk").data == {"new": 1, "translations": 1}
    assert bring(record) == (0, [])  # The same again changes nothing.


def test_translations_come_later_by_docno(bring, campaign):
    assert bring(PERSIAN | {"language": ""}, {"_id": "x", "text": "y"}) == (2, [])
    alone = {"_id": "fa1", "language": "fa", "translation": ENGLISH, "segments": SEGMENTS}
    with_text = {"_id": "x", "text": "y", "translation": ENGLISH}
    assert bring(alone, with_text) == (0, ["WD07"])
    rows = campaign.documents.filter(translation__body=ENGLISH["text"]).order_by("docno")
    assert list(rows.values_list("docno", "language", "translation__segments")) == [
        ("fa1", "fa", [[0, 0], [11, 13]]), ("x", "", []),
    ]  # fmt: skip


def test_what_does_not_fit_is_refused_whole(bring):
    bring(PERSIAN | {"translation": ENGLISH})
    other = {"_id": "new", "text": "new"}
    code, message, line, _ = refuse(bring, other, {"_id": "none", "translation": ENGLISH})
    assert (code, line) == ("ED33", 2)
    assert message == "Document none is not in the campaign, and has no text here."
    again = {"_id": "fa1", "translation": ENGLISH | {"text": "Goodbye."}}
    code, message, line, _ = refuse(bring, other, again)
    assert (code, message, line) == ("ED34", "Document fa1 already has another translation.", 2)
    wrong = {"_id": "b", "text": "a b", "translation": ENGLISH, "segments": [["c", "Hello"]]}
    code, message, line, column = refuse(bring, other, wrong)
    assert (code, line, column) == ("ED32", 2, json.dumps(wrong).index('"segments"') + 1)
    assert message.startswith("Segment 1 is not in the text of the original")
    page = {"_id": "b", "html": "<p>c", "translation": ENGLISH, "segments": [["c", "Hello"]]}
    assert refuse(bring, other, page)[:2] == ("ED32", "Only plain texts are aligned by segments.")


def test_the_page_of_a_document_has_both(bring, as_user, assessor, stranger):
    bring(
        PERSIAN | {"translation": ENGLISH, "segments": SEGMENTS},
        {"_id": "plain", "text": "ein Text", "translation": ENGLISH | {"text": "word " * 60_000}},
        {"_id": "page", "text": "x", "translation": {"language": "ar", "html": "<p>مرحبا"}},
    )
    client = as_user(assessor)

    def body(docno: str, **query: object):
        return client.get(reverse("document-body", args=["small"]), {"docno": docno, **query})

    page = read_page(client.get(reverse("document", args=["small"]), {"docno": "fa1"}))
    assert "Machine translation by MT 3" in page
    assert page.count('class="language-row"') == 3
    assert page.count('lang="fa" dir="rtl"') == 3
    assert '<p dir="ltr" data-start="13"' in page
    rest = read_page(body("fa1", rows=1, **{"from": 1}))
    assert (rest.count("data-row="), "خداحافظ." in rest, "Hello" in rest) == (1, True, False)
    page = read_page(client.get(reverse("document", args=["small"]), {"docno": "plain"}))
    assert "from=200000&translation=1" in page.replace("&amp;", "&")
    rest = read_page(body("plain", translation=1, **{"from": 200_000}))
    assert 'data-start="200000"' in rest
    frame = body("page", translation=1)
    assert '<html lang="ar"' in read_page(frame)
    assert 'dir="rtl"' in frame.content.decode()
    assert "sandbox" in frame["Content-Security-Policy"]
    assert body("page", rows=1).status_code == body("d1", translation=1).status_code == 404
    client = as_user(stranger)
    assert body("page", translation=1).status_code == 404


def test_copies_have_the_translations_and_deletion_counts_documents(bring, campaign, organizer):
    bring(PERSIAN | {"translation": ENGLISH, "segments": SEGMENTS})
    copy = copy_campaign(
        actor=organizer, campaign=campaign, title="Copy", choice=CopyChoice(documents=True)
    )
    assert copy.documents.get(docno="fa1").translation.body == ENGLISH["text"]
    total = campaign.documents.count()
    assert delete_all(actor=organizer, campaign=campaign, noun="documents") == total
    assert Translation.objects.count() == 1


def test_a_registered_collection_has_translations_of_what_is_pooled(
    campaign, organizer, team, tmp_path
):
    campaign.documents.all().delete()
    records = [
        PERSIAN | {"_id": "d1", "translation": ENGLISH, "segments": SEGMENTS},
        {"_id": "d2", "text": "x", "translation": ENGLISH, "segments": [["no", "no"]]},
        {"_id": "d3", "text": "x", "translation": "none"},
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(*records))
    register_collection(actor=organizer, campaign=campaign, paths=[path])
    run = ranked_run(team, "r", {"1": "d1 d2 d3"})
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=[run])
    rows = campaign.documents.order_by("docno").values_list("docno", "translation__segments")
    assert list(rows) == [("d1", [[0, 0], [11, 13]]), ("d2", []), ("d3", None)]
