"""Documents as files: a folder or a zip of text, HTML, PDF and image files.

The docno is the file name without folders and extension. The bytes determine the kind of a
file: if its name says otherwise, it is rejected. Nothing is unpacked to a path chosen by the
archive, and never more bytes than allowed.
"""

import codecs
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO

from poolbench.files.faults import FaultReport, escape_excerpt
from poolbench.files.file_kinds import detect_foreign_kind
from poolbench.files.records import decode_text
from poolbench.texts.documents import CODES, DocumentText, set_sanitized_html, warn_if_empty
from poolbench.texts.pdf_pages import UnreadablePdfError, build_text_layer, can_read_pdf, read_pages

MAX_FILE_BYTES = 64 << 20
"""Per document."""
MAX_FILES = 1_000_000

FORMATS = {
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".gif": "image",
    ".webp": "image",
}
_MAGIC = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"\s*%PDF-\d"), "application/pdf"),
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), "application/zip"),
    (re.compile(rb"\x1f\x8b"), "application/gzip"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!|\xfd7zXZ\x00|BZh|\x28\xb5\x2f\xfd"), "an archive"),
)
_PICTURES = {
    ".jpg": "image/jpeg",
    **{f".{name}": f"image/{name}" for name in ("png", "jpeg", "gif", "webp")},
}
_PACKED = {"application/zip", "application/gzip", "an archive"}
_ARCHIVES = {".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst"}
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([a-z0-9_-]+)", re.IGNORECASE)

Named = Iterator[tuple[str, bytes]]


def is_zip(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read_files(files: Named, report: FaultReport) -> Iterator[DocumentText]:
    """The good documents of ``(name, bytes)``, in order; all faults go to ``report``."""
    seen: dict[str, str] = {}
    for name, data in files:
        file_report = FaultReport(report.file)
        docno = PurePosixPath(name).stem
        if _is_valid_docno(docno, name, seen, file_report):
            document = _document(docno, PurePosixPath(name).suffix.lower(), data, file_report)
            if document is not None:
                warn_if_empty(document, file_report)
                yield document
        file_report.faults = [
            replace(fault, excerpt=escape_excerpt(name)) for fault in file_report.faults
        ]
        report.take(file_report)
    if not seen and not report.has_errors:
        endings = " ".join(FORMATS)
        report.add(CODES.empty, "No documents found.", f"Upload files of these types: {endings}")


def folder_files(folder: Path, report: FaultReport) -> Named:
    """The files below ``folder`` by name; hidden files are skipped, links not followed."""
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            relative = path.relative_to(folder).as_posix()
            if name.startswith("."):
                continue
            count += 1
            if count > MAX_FILES:
                report.add("ED15", f"More than {MAX_FILES:,} files.", "Import them in parts.")
                return
            if path.is_symlink() or not path.is_file():
                _reject_path(relative, report)
            elif path.stat().st_size > MAX_FILE_BYTES:
                _reject_size(relative, report)
            else:
                yield relative, path.read_bytes()


def zip_files(source: IO[bytes], report: FaultReport, *, max_bytes: int) -> Named:
    """The files in a zip by name, at most ``max_bytes`` in total."""
    try:
        with zipfile.ZipFile(source) as archive:
            yield from _unpack_member(archive, report, max_bytes)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        message = f"The zip is damaged ({error})."
        report.add("ED16", message, "Compress the files again.")


def _unpack_member(archive: zipfile.ZipFile, report: FaultReport, max_bytes: int) -> Named:
    if len(archive.infolist()) > MAX_FILES:
        report.add("ED15", f"More than {MAX_FILES:,} files.", "Import them in parts.")
        return
    room = max_bytes
    for info in archive.infolist():
        path = PurePosixPath(info.filename.replace("\\", "/"))
        inside = [part for part in path.parts if part != ".."]
        if info.is_dir() or any(p.startswith(".") or p == "__MACOSX" for p in inside):
            continue
        if is_path_outside(path, info):
            _reject_path(info.filename, report)
            continue
        data = _read_member(archive, info, min(room, MAX_FILE_BYTES), report)
        if data is None:
            continue
        if len(data) > MAX_FILE_BYTES:
            _reject_size(info.filename, report)
        elif len(data) > room:
            message = f"The files exceed {max_bytes:,} bytes in total."
            fix = "Import them in parts, or unpack them and import the folder by command."
            report.add("ED15", message, fix, excerpt=info.filename)
            return
        else:
            room -= len(data)
            yield path.as_posix(), data


def is_path_outside(path: PurePosixPath, info: zipfile.ZipInfo) -> bool:
    drive = bool(path.parts) and path.parts[0].endswith(":")
    return (
        drive or path.is_absolute() or ".." in path.parts or stat.S_ISLNK(info.external_attr >> 16)
    )


def _read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: int, report: FaultReport
) -> bytes | None:
    """At most ``room`` + 1 bytes; None if the entry cannot be read."""
    if info.flag_bits & 1:
        fix = "Compress the files without a password."
        report.add("ED16", "The file is encrypted.", fix, excerpt=info.filename)
        return None
    try:
        with archive.open(info) as packed:
            return packed.read(room + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        message = f"The file cannot be unpacked ({error})."
        report.add("ED16", message, "Compress the files again.", excerpt=info.filename)
        return None


def _reject_path(name: str, report: FaultReport) -> None:
    message = "The path points outside the folder or archive, or is a symbolic link."
    report.add("ED12", message, "Use regular files below one folder.", excerpt=name)


def _reject_size(name: str, report: FaultReport) -> None:
    message = f"The file exceeds {MAX_FILE_BYTES:,} bytes."
    report.add("ED14", message, "Use a smaller file; assessors have to load it.", excerpt=name)


def _is_valid_docno(docno: str, name: str, seen: dict[str, str], report: FaultReport) -> bool:
    if len(docno.encode().split()) != 1 or len(docno) > CODES.max_id or not docno.isprintable():
        message = f"The file name contains whitespace or exceeds {CODES.max_id} characters."
        fix = "Rename the file; its name without extension is the docno."
        report.add(CODES.bad_id, message, fix)
        return False
    if docno in seen:
        message = f"Duplicate docno: already used by {escape_excerpt(seen[docno])}."
        report.add(
            CODES.duplicate_id, message, "Keep one file per docno; folder names are ignored."
        )
        return False
    seen[docno] = name
    return True


def detect_media_type(data: bytes) -> str:
    """What the first bytes say that a file is; empty for text."""
    return next((kind for magic, kind in _MAGIC if magic.match(data)), "")


def _document(docno: str, ending: str, data: bytes, report: FaultReport) -> DocumentText | None:
    media = detect_media_type(data)
    document_kind = FORMATS.get(ending, "")
    if media in _PACKED and ending in _ARCHIVES:
        report.add("ED13", "Nested archive.", "Unpack it and upload its files.")
    elif not document_kind:
        fix = f"Upload files of these types: {' '.join(FORMATS)}"
        problem = f"Unknown file type: {ending}." if ending else "The file has no extension."
        report.add("ED10", problem, fix)
    elif document_kind in ("pdf", "image"):
        return _binary_document(docno, ending, data, media, report)
    elif media or (document_kind == "text" and detect_foreign_kind(data) == "an HTML page"):
        _reject_kind(ending, media or "an HTML page", report)
    else:
        return _text_document(docno, document_kind, data, report)
    return None


def _binary_document(
    docno: str, ending: str, data: bytes, media: str, report: FaultReport
) -> DocumentText | None:
    kind = FORMATS[ending]
    if (media == "application/pdf") != (kind == "pdf") or media in _PACKED or not media:
        _reject_kind(ending, media or "something else", report)
        return None
    if kind == "image" and media != _PICTURES[ending]:
        message = f"The file has the extension {ending}, but is {media}."
        report.add("WD04", message, f"No action needed; it is shown as {media}.")
    document = DocumentText(docno, format=kind, data=data, media_type=media)
    return _read_pdf(document, report) if kind == "pdf" and can_read_pdf() else document


def _read_pdf(document: DocumentText, report: FaultReport) -> DocumentText:
    """With its text and the places of its lines, if the file can be read."""
    try:
        pages = read_pages(document.data)
    except UnreadablePdfError as error:
        fix = "Assessors see it in their browser's own viewer, which cannot be searched from here."
        report.add("WD05", f"The text of the PDF was not read: {error}", fix)
        return document
    return replace(document, body=build_text_layer(pages), pages=pages)


def _reject_kind(ending: str, media: str, report: FaultReport) -> None:
    fix = "Correct the extension, or remove the file."
    report.add("ED11", f"The file has the extension {ending}, but is {media}.", fix)


def _text_document(docno: str, kind: str, data: bytes, report: FaultReport) -> DocumentText | None:
    if kind == "html":
        data = _as_utf8(data)
    text = decode_text(data, CODES, report)
    if text is None:
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    document = DocumentText(docno)
    if kind == "html":
        return set_sanitized_html(document, text, report) if text.strip() else document
    return DocumentText(docno, body=text.strip("\n") if text.strip() else "")


def _as_utf8(data: bytes) -> bytes:
    """A page, recoded from the encoding that its head declares, if it decodes with it."""
    declared = _CHARSET.search(data[:4096])
    try:
        data.decode()
        return data
    except UnicodeDecodeError:
        pass
    try:
        name = codecs.lookup(declared[1].decode()).name if declared else ""
        # Browsers read Latin-1 as Windows-1252.
        return data.decode("cp1252" if name == "iso8859-1" else name).encode()
    except (LookupError, UnicodeDecodeError):
        return data
