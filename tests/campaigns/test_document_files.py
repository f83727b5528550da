"""Documents that are HTML, PDF and pictures: from JSON lines, a folder or a zip."""

import hashlib
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from campaigns import store
from campaigns.models import Campaign, Document, User
from campaigns.services.collection import import_document_files, import_documents
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.texts import document_files

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 20
WEBP = b"RIFF\x10\0\0\0WEBPVP8 " + b"\0" * 8
PAGE = b"<html><head><title>A page</title><script>x()</script></head><p onclick=y()>Text <b>b</b>"


def png(width: int = 2, height: int = 2) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", rows), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


GOOD = {
    "set/note.txt": "Zeile mit ü\r\n  und   Blanken\n".encode(),
    "set/page.html": PAGE,
    "set/deeper/paper.pdf": PDF,
    "photo.png": png(),
    "scan.JPG": JPEG,
    "pic.webp": WEBP,
}


def zipped(files: dict[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return kept.getvalue()


def faults(organizer: User, campaign: Campaign, data: bytes) -> dict[str, int]:
    before = campaign.documents.count()
    with pytest.raises(InvalidFile) as caught:
        import_documents(actor=organizer, campaign=campaign, data=data, file="set.zip")
    assert campaign.documents.count() == before
    return dict(caught.value.report.counts)


def test_a_zip_brings_each_file_as_a_document_of_its_kind(campaign, organizer):
    report = FaultReport("set.zip")
    data = zipped(GOOD | {"__MACOSX/._note.txt": b"junk", ".DS_Store": b"junk"})
    assert import_documents(actor=organizer, campaign=campaign, data=data, report=report) == 6
    found = {row.docno: row for row in campaign.documents.exclude(docno__startswith="d")}
    assert {docno: row.format for docno, row in found.items()} == {
        "note": "text", "page": "html", "paper": "pdf", "photo": "image", "scan": "image",
        "pic": "image",
    }  # fmt: skip
    assert found["note"].body == "Zeile mit ü\n  und   Blanken"
    paper = found["paper"]
    assert (paper.media_type, paper.size, paper.body) == ("application/pdf", len(PDF), "")
    assert store.get_blob(paper.file) == PDF
    assert paper.sha256 == hashlib.sha256(PDF).hexdigest()
    assert found["scan"].media_type == "image/jpeg"
    # A PDF that cannot be read is a document all the same.
    assert dict(report.counts) == {"WD03": 1, "WD05": 1}
    event = campaign.events.first()
    assert event.data == {"new": 6, "formats": {"text": 1, "html": 1, "pdf": 1, "image": 3}}


def test_a_zip_may_be_sent_to_the_api_which_tells_the_format(campaign, organizer, as_user):
    client = as_user(organizer)
    file = SimpleUploadedFile("set.zip", zipped(GOOD))
    asked = {"campaign": campaign.slug, "file": file}
    answer = client.post(reverse("api-document-import"), asked)
    assert (answer.status_code, answer.json()) == (201, {"new": 6})
    listed = client.get(reverse("api-document-list"), {"campaign": campaign.slug, "docno": "paper"})
    paper = listed.json()["results"][0]
    assert (paper["format"], paper["media_type"], paper["size"]) == (
        "pdf", "application/pdf", len(PDF),
    )  # fmt: skip
    assert "file" not in paper


def test_a_page_is_kept_as_it_was_sanitised_and_known_by_what_it_was(campaign, organizer):
    import_documents(actor=organizer, campaign=campaign, data=zipped({"page.html": PAGE}))
    page = campaign.documents.get(docno="page")
    assert (page.title, page.body) == ("A page", "<p>Text <b>b</b></p>")
    assert page.source_sha256 == hashlib.sha256(PAGE).hexdigest()
    assert page.sha256 == hashlib.sha256(f"html\n{page.title}\n{page.body}".encode()).hexdigest()


def test_html_in_json_lines_is_the_body_in_place_of_a_text(campaign, organizer):
    line = {"_id": "h", "title": "Own", "text": "dropped", "url": "u", "html": "<p>Kept<script>"}
    data = json.dumps(line).encode()
    assert import_documents(actor=organizer, campaign=campaign, data=data) == 1
    kept = campaign.documents.get(docno="h")
    assert (kept.format, kept.title, kept.body, kept.url) == ("html", "Own", "<p>Kept</p>", "u")


def test_a_page_left_otherwise_by_another_sanitiser_is_still_the_same(campaign, organizer):
    data = zipped({"page.html": PAGE})
    import_documents(actor=organizer, campaign=campaign, data=data)
    Document.objects.filter(docno="page").update(body="<p>Text</p>", sha256="0" * 64)
    assert import_documents(actor=organizer, campaign=campaign, data=data) == 0
    other = zipped({"page.html": PAGE.replace(b"Text", b"Other")})
    assert faults(organizer, campaign, other) == {"ED20": 1}


def test_another_file_under_a_known_docno_is_refused(campaign, organizer):
    import_documents(actor=organizer, campaign=campaign, data=zipped({"a.pdf": PDF}))
    assert faults(organizer, campaign, zipped({"a.pdf": PDF + b"\n"})) == {"ED20": 1}
    assert faults(organizer, campaign, zipped({"a.png": png()})) == {"ED20": 1}


def test_all_faults_are_told_at_once_with_the_file_and_the_cure(campaign, organizer):
    data = zipped(
        {
            "table.xlsx": b"PK\x03\x04rest",
            "photo.svg": b"<svg onload=alert(1)>",
            "README": b"text",
            "fake.pdf": b"<html>not a PDF</html>",
            "fake2.png": PDF,
            "fake3.txt": b"<!doctype html><p>page",
            "hidden.html": png(),
            "binary.txt": bytes(range(9)) * 100,
            "inner.zip": zipped({"x.txt": b"x"}),
            "inner.tar.gz": b"\x1f\x8b\x08",
            "two words.txt": b"x",
            "a/twice.txt": b"x",
            "b/twice.txt": b"y",
            "deep.html": b"<div>" * 9_000,
            "named.gif": png(),
        }
    )
    with pytest.raises(InvalidFile) as caught:
        import_documents(actor=organizer, campaign=campaign, data=data, file="set.zip")
    report = caught.value.report
    assert dict(report.counts) == {
        "ED10": 3, "ED11": 4, "ED01": 1, "ED13": 2, "ED05": 1, "ED06": 1, "ED07": 1, "WD04": 1,
    }  # fmt: skip
    named = {fault.excerpt for fault in report.faults}
    assert {"fake.pdf", "photo.svg", "b/twice.txt", "deep.html"} <= named
    assert all(fault.fix and fault.file == "set.zip" for fault in report.faults)


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "..\\out.txt", "C:\\out.txt"]
)
def test_a_path_that_leads_out_is_refused(campaign, organizer, name):
    assert faults(organizer, campaign, zipped({"good.txt": b"x", name: b"x"})) == {"ED12": 1}


def test_a_link_in_a_zip_is_refused(campaign, organizer):
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        info = zipfile.ZipInfo("link.txt")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert faults(organizer, campaign, kept.getvalue()) == {"ED12": 1}


def test_a_bomb_is_refused_before_it_goes_off(campaign, organizer, settings, monkeypatch):
    bomb = zipped({f"{n}.txt": b"\n" * 400_000 for n in range(5)})
    assert len(bomb) < 5_000
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 1_000_000
    assert faults(organizer, campaign, bomb)["ED15"] == 1
    monkeypatch.setattr(document_files, "MAX_FILE_BYTES", 1_000)
    assert faults(organizer, campaign, bomb) == {"ED14": 5}


def test_more_files_than_a_campaign_could_want_are_refused(campaign, organizer, monkeypatch):
    monkeypatch.setattr(document_files, "MAX_FILES", 2)
    assert faults(organizer, campaign, zipped(GOOD)) == {"ED15": 1}


def test_a_damaged_or_empty_zip_is_refused(campaign, organizer):
    whole = zipped(GOOD)
    assert faults(organizer, campaign, whole[: len(whole) // 2]) == {"ED16": 1}
    assert faults(organizer, campaign, zipped({})) == {"ED03": 1}
    # The first entry's bytes are changed, so its checksum is wrong.
    at = whole.index(b"note.txt") + len("note.txt") + 3
    assert "ED16" in faults(organizer, campaign, whole[:at] + b"\xff\xff" + whole[at + 2 :])


def test_a_page_in_the_encoding_it_declares_is_read_so(campaign, organizer):
    page = '<meta charset="windows-1251"><p>Привет'.encode("cp1251")
    odd = b'<meta charset="no-such"><p>caf\xe9'
    import_documents(
        actor=organizer, campaign=campaign, data=zipped({"ru.html": page, "fr.html": odd})
    )
    bodies = dict(campaign.documents.filter(format="html").values_list("docno", "body"))
    assert bodies == {"ru": "<p>Привет</p>", "fr": "<p>café</p>"}


def laid_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_folder_is_imported_by_the_command(campaign, tmp_path, capsys):
    folder = laid_out(tmp_path / "docs", GOOD | {".hidden/x.txt": b"x", "set/.y.txt": b"y"})
    call_command("import_documents", "small", "--files", str(folder))
    told = capsys.readouterr()
    assert "6 new documents" in told.out
    assert "WD03" in told.err
    (tmp_path / "again.zip").write_bytes(zipped(GOOD))
    call_command("import_documents", "small", "--files", str(tmp_path / "again.zip"))
    assert "0 new documents" in capsys.readouterr().out


def test_a_folder_with_faults_or_links_brings_nothing(campaign, tmp_path):
    folder = laid_out(tmp_path / "docs", {"good.txt": b"x", "bad.exe": b"MZ"})
    (folder / "link.txt").symlink_to(__file__)
    before = campaign.documents.count()
    with pytest.raises(CommandError, match="ED12") as caught:
        call_command("import_documents", "small", "--files", str(folder))
    assert "ED10" in str(caught.value)
    assert campaign.documents.count() == before


def test_the_command_wants_something_to_import(campaign):
    with pytest.raises(CommandError, match="--files"):
        call_command("import_documents", "small")


def test_only_organizers_import_folders(campaign, assessor, tmp_path):
    with pytest.raises(PermissionDenied):
        import_document_files(actor=assessor, campaign=campaign, folder=tmp_path)
