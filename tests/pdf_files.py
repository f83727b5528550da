"""Small PDF files, written here."""

from __future__ import annotations


def write_pdf(*contents: str, page: str = "", font: str = "Courier") -> bytes:
    """Pages of 400 by 300 points with these contents; ``page`` is more of each page's own."""
    first = 4
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>".encode(),
        f"<</Type/Font/Subtype/Type1/BaseFont/{font}>>".encode(),
    ]
    for at, content in enumerate(contents):
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents {first + 2 * at + 1} 0 R"
            f"/Resources<</Font<</F1 3 0 R>>>>{page}>>".encode()
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream".encode())
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%sendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, table, len(objects) + 1, len(data))
    )


def show(text: str, x: int, y: int, size: int = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET"


def pdf(*texts: str) -> bytes:
    """A PDF of a page for each of ``texts``."""
    return write_pdf(*(show(text, 40, 200, 24) for text in texts), font="Helvetica")
