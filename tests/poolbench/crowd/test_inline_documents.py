"""Sanitized documents as parts of another page."""

import pytest

from poolbench.crowd.inline_documents import make_inline_html
from poolbench.texts.html_sanitizer import sanitize


@pytest.mark.parametrize(
    ("html", "inline"),
    [
        ('<p id="x" title="docno-7">one</p>', "<p>one</p>"),
        ('<a href="https://example.org/docno-7">a link</a>', "a link"),
        ("<h1>one</h1><h3>three</h3><h6>six</h6>", "<h3>one</h3><h5>three</h5><h6>six</h6>"),
        ("<main><nav>here</nav><p>text</p></main>", "here<p>text</p>"),
        ("<details open><summary>more</summary>text</details>", "moretext"),
        ('<table><tr><td colspan="2">x</td></tr></table>',
         '<table><tbody><tr><td colspan="2">x</td></tr></tbody></table>'),
        ('<img src="data:image/png;base64,AAAA" alt="a cat" id="i">',
         '<img src="data:image/png;base64,AAAA" alt="a cat">'),
        ('<img src="https://example.org/x.png">', "<img>"),
        ("<button name=grade value=3>3</button><form action=/x><input></form>", "3"),
        ("<script>alert(1)</script>", ""),
    ],
)  # fmt: skip
def test_nothing_leads_or_points_elsewhere(html, inline):
    assert make_inline_html(sanitize(html).html) == inline
