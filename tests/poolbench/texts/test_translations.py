"""Language tags, translations in JSON lines, and rows of two aligned texts."""

import json

import pytest

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.texts.documents import DocumentText, TranslationText, read_documents
from poolbench.texts.languages import get_direction, is_language_tag
from poolbench.texts.translations import AlignmentError, align_segments, slice_aligned_rows

FIX = "Give `language` a tag such as fa, zh-Hant or zho."


@pytest.mark.parametrize(
    ("tag", "valid"),
    [
        ("fa", True), ("zho", True), ("zh-Hant-TW", True), ("de-CH-1996", True), ("en-x-mt", True),
        ("es-419", True), ("", False), ("English", False), ("e", False), ("en_US", False),
        ("en-", False), ("en" + "-abcdefgh" * 4, False),
    ],
)  # fmt: skip
def test_tags_have_the_form_of_bcp_47(tag, valid):
    assert is_language_tag(tag) is valid


@pytest.mark.parametrize(
    ("tag", "direction"),
    [
        ("", "auto"), ("en", "ltr"), ("fa", "rtl"), ("FAS", "rtl"), ("ar-EG", "rtl"),
        ("az-Arab", "rtl"), ("ur-Latn", "ltr"), ("uz-Arab-AF", "rtl"), ("he-x-Latn", "ltr"),
    ],
)  # fmt: skip
def test_the_script_of_a_tag_decides_its_direction(tag, direction):
    assert get_direction(tag) == direction


def read(*records: dict[str, object]) -> tuple[list[DocumentText], FaultReport]:
    report = FaultReport("set.jsonl")
    data = "\n".join(json.dumps(record) for record in records).encode()
    return list(read_documents(data, file="set.jsonl", report=report)), report


def test_a_translation_has_language_title_text_and_system():
    translation = {"language": "en", "Title": "A  title", "body": "Hello\n world.", "by": "MT 3"}
    segments = [["Salam", "Hello"], ["donya.", "world."]]
    record = {"_id": "a", "text": "Salam donya.", "language": "fa", "kind": "news"}
    [document], report = read(record | {"translation": translation, "segments": segments})
    assert report.faults == []
    text = DocumentText("a", "A title", "Hello\nworld.", language="en")
    assert document == DocumentText(
        "a", body="Salam donya.", language="fa", extra={"kind": "news"},
        translation=TranslationText(text, "MT 3", segments, 1, document.translation.column),
    )  # fmt: skip
    line = json.dumps(record | {"translation": translation, "segments": segments})
    assert line[document.translation.column - 1 :].startswith('"segments": ')
    # What assessors see of the original is the same with a translation and without.
    [bare], _ = read(record)
    assert bare.sha256 == document.sha256


def test_a_translated_page_is_sanitized():
    html = '<title>Page</title><p onclick="x()">Hello</p><script>evil()</script>'
    [document], report = read(
        {"_id": "a", "text": "x", "translation": {"language": "en", "html": html}}
    )
    text = document.translation.text
    assert (text.format, text.title, text.body) == ("html", "Page", "<p>Hello</p>")
    assert [(fault.code, fault.line) for fault in report.faults] == [("WD03", 1)]


def test_without_a_translation_a_strange_language_is_a_warning():
    [document], report = read({"_id": "a", "text": "x", "language": "English", "segments": "y"})
    assert (document.language, document.extra) == ("", {"language": "English", "segments": "y"})
    [fault] = report.faults
    assert (fault.code, fault.line, fault.column, fault.excerpt) == ("WD06", 1, 27, "English")
    assert fault.fix == f"{FIX} The document is imported without a language."


GOOD = {"language": "en", "text": "Hello"}


@pytest.mark.parametrize(
    ("more", "code", "field", "message"),
    [
        ({"translation": "Hello"}, "ED31", "translation", "No JSON object."),
        ({"translation": ["Hello"]}, "ED31", "translation", "No JSON object."),
        ({"translation": {"language": "en"}}, "ED31", "translation",
         "The translation has no text."),
        ({"translation": GOOD | {"by": "x" * 201}}, "ED31", "translation",
         "`by` has more than 200 characters."),
        ({"translation": {"text": "Hello"}}, "ED30", "translation", "The language is missing."),
        ({"translation": GOOD | {"language": "Englisch"}}, "ED30", "translation",
         "Not a language tag (BCP 47): Englisch."),
        ({"language": "Persian", "translation": GOOD}, "ED30", "language",
         "Not a language tag (BCP 47): Persian."),
        ({"language": "EN", "translation": GOOD}, "ED30", "translation",
         "The translation has the language of the original, en."),
        ({"translation": GOOD, "segments": {"a": "b"}}, "ED32", "segments",
         "Segment 1 is not a pair of texts."),
        ({"translation": GOOD, "segments": [["x", "Hello"], ["x"]]}, "ED32", "segments",
         "Segment 2 is not a pair of texts."),
        ({"translation": GOOD, "segments": [["x", 1]]}, "ED32", "segments",
         "Segment 1 is not a pair of texts."),
        ({"translation": GOOD | {"html": "<p " + "a " * 1_001}}, "ED07", "", ""),
    ],
)  # fmt: skip
def test_a_malformed_translation_is_a_fault_with_its_place(more, code, field, message):
    record = {"_id": "a", "text": "x"} | more
    _, report = read({"_id": "b", "text": "y"}, record)
    [fault] = report.faults
    assert (fault.code, fault.line) == (code, 2)
    assert message in fault.message
    assert fault.fix
    if field:
        assert fault.column == json.dumps(record).index(f'"{field}":') + 1
    with pytest.raises(InvalidFile):
        list(read_documents(json.dumps(record).encode()))


def test_rows_have_all_of_both_texts():
    original, translation = "Head\nEins zwei.  Drei.\n\nVier.", "One\ntwo. Three. And more. Four."
    pairs = [
        ["Eins  zwei.", "One two."],
        ["Drei.", "Three."],
        ["", "And more."],
        ["Vier.", "Four."],
    ]
    starts = align_segments(original, translation, pairs)
    assert starts == [(0, 0), (17, 9), (22, 16), (24, 26)]
    rows = slice_aligned_rows(original, translation, starts)
    cells = [
        tuple(
            "|".join(block.text for chunk in page.chunks for block in chunk.blocks)
            for page in (row.original, row.translation)
        )
        for row in rows.rows
    ]
    assert cells == [
        ("Head\nEins zwei.  ", "One\ntwo. "), ("Drei.", "Three. "), ("", "And more. "),
        ("Vier.", "Four."),
    ]  # fmt: skip
    for row in rows.rows:
        for page, body in ((row.original, original), (row.translation, translation)):
            for chunk in page.chunks:
                for block in chunk.blocks:
                    assert body[block.start : block.end] == block.text


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            [["a", "x"], ["z", "y"]],
            "Segment 2 is not in the text of the original, or stands before",
        ),
        ([["a", "x"], ["b", "x"]], "Segment 2 is not in the text of the translation"),
        ([["b", "x"], ["a", "y"]], "Segment 2 is not in the text of the original"),
    ],
)
def test_segments_must_be_in_their_texts_in_order(pairs, message):
    with pytest.raises(AlignmentError, match=message):
        align_segments("a b", "x y", pairs)


def test_long_texts_come_in_parts_of_rows():
    pairs = [[f"w{n}", f"t{n}"] for n in range(10)]
    texts = ["\n".join(side) for side in zip(*pairs, strict=True)]
    starts = align_segments(*texts, pairs)
    seen, at = [], 0
    while at is not None:
        part = slice_aligned_rows(*texts, starts, at, size=10)
        seen.append([row.number for row in part.rows])
        at = part.next
    assert seen == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert slice_aligned_rows(*texts, starts, 99).rows == []
