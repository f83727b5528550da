"""Small PDF files, written here."""

from __future__ import annotations

from collections.abc import Sequence

HEBREW = dict(zip("abcdefghij", "אבגדהוזחטי", strict=True))


def write_pdf(
    *contents: str, page: str = "", font: str = "Courier", meaning: dict[str, str] | None = None
) -> bytes:
    """Pages of 400 by 300 points with these contents; ``page`` is more of each page's own.
    ``meaning``: of letters that are drawn, those that they stand for.
    """
    first = 4
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(contents)))
    to_unicode = f"/ToUnicode {first + 2 * len(contents)} 0 R" if meaning else ""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>".encode(),
        f"<</Type/Font/Subtype/Type1/BaseFont/{font}{to_unicode}>>".encode(),
    ]
    for at, content in enumerate(contents):
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents {first + 2 * at + 1} 0 R"
            f"/Resources<</Font<</F1 3 0 R>>>>{page}>>".encode()
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream".encode())
    if meaning:
        pairs = "".join(f"<{ord(a):02x}> <{ord(b):04x}>" for a, b in meaning.items())
        table = (
            "/CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange"
            f" {len(meaning)} beginbfchar {pairs} endbfchar endcmap"
        )
        objects.append(f"<</Length {len(table)}>>stream\n{table}\nendstream".encode())
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%sendobj\n" % (number, body)
    entries = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, entries, len(objects) + 1, len(data))
    )


def show(text: str, x: int, y: int, size: int = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET"


def show_column(lines: Sequence[str], x: int, y: int = 250, size: int = 10) -> str:
    return "\n".join(show(line, x, y - 12 * at, size) for at, line in enumerate(lines))


def pdf(*texts: str) -> bytes:
    """A PDF of a page for each of ``texts``."""
    return write_pdf(*(show(text, 40, 200, 24) for text in texts), font="Helvetica")
