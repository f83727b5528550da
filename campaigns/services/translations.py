"""Translations of documents, stored beside them: from their file or from another."""

from collections.abc import Mapping, Sequence

from campaigns.models import Campaign, Document, Translation
from campaigns.services.rows import iter_batches
from poolbench.files.faults import FaultReport, format_count
from poolbench.texts.documents import BAD_SEGMENTS, DocumentText, TranslationText
from poolbench.texts.translations import AlignmentError, align_segments


def store_translations(
    campaign: Campaign, texts: Mapping[str, DocumentText], report: FaultReport
) -> int:
    """Store the translation of each of ``texts``, by docno, that has none yet; return how many.

    The campaign has the documents. Faults, which are for the caller to raise, go to ``report``:
    segments that are not in their texts, and another translation than the one there is.
    """
    docnos = [docno for docno, text in texts.items() if text.translation]
    count = 0
    for part in iter_batches(docnos):
        documents = campaign.documents.filter(docno__in=part).select_related("translation")
        new = []
        for document in documents:
            text = texts[document.docno]
            assert text.translation is not None  # noqa: S101 (docnos)
            if has_translation(document, text.translation, report):
                continue
            new.append(build_translation(document, text.translation, report))
            if text.language and not document.language:
                Document.objects.filter(pk=document.pk).update(language=text.language)
        count += len(Translation.objects.bulk_create(new))
    if count:
        message = f"Translations were added to {format_count(count, 'document')}."
        report.add("WD07", message, "No action needed.")
    return count


def has_translation(document: Document, read: TranslationText, report: FaultReport) -> bool:
    """Whether it has one; a fault if that is another one."""
    known: Translation | None = getattr(document, "translation", None)
    if known is None:
        return False
    if not {read.text.sha256, read.text.source_sha256} & {known.sha256, known.source_sha256} - {""}:
        message = f"Document {document.docno} already has another translation."
        fix = "Delete all documents to import others; translations are never changed."
        report.add("ED34", message, fix, line=read.line, excerpt=read.text.body or read.text.title)
    return True


def build_translation(
    document: Document, read: TranslationText, report: FaultReport
) -> Translation:
    return Translation(
        document=document,
        language=read.text.language,
        by=read.by,
        title=read.text.title,
        body=read.text.body,
        format=read.text.format,
        sha256=read.text.sha256,
        source_sha256=read.text.source_sha256,
        segments=align_document(document, read, report),
    )


def align_document(
    document: Document, read: TranslationText, report: FaultReport
) -> Sequence[tuple[int, int]]:
    """The rows of ``Translation.segments``; none, and a fault, if the segments do not fit."""
    if not read.segments:
        return ()
    message = "Only plain texts are aligned by segments."
    if document.format == read.text.format == Document.Format.TEXT:
        try:
            return align_segments(document.body, read.text.body, read.segments)
        except AlignmentError as error:
            message = str(error)
    fix = "Give the segments in the order and the words of the two texts."
    report.add(
        BAD_SEGMENTS, message, fix, line=read.line, column=read.column, excerpt=document.docno
    )
    return ()


def check_originals(
    texts: Mapping[str, DocumentText], existing: Mapping[str, object], report: FaultReport
) -> None:
    """A fault for each translation alone of a document that is not ``existing``."""
    for docno, text in texts.items():
        if docno in existing or text.translation is None or not text.is_empty:
            continue
        message = f"Document {docno} is not in the campaign, and has no text here."
        fix = "Import the original first, or give its text with the translation."
        report.add("ED33", message, fix, line=text.translation.line, excerpt=docno)
