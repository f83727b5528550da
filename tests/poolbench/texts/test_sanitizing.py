"""HTML of documents: what may be shown stays, what could do something goes."""

import time

import pytest

from poolbench.texts.html_sanitizer import UnreadablePage, sanitize

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def test_structure_tables_lists_and_own_pictures_stay():
    html = (
        "<h2>Depth</h2><p>A <b>pool</b> <em>of</em> runs<ul><li>one<li>two</ul>"
        '<table><caption>c</caption><tr><th scope="col">k<td colspan=2>10</table>'
        f'<img src="{PIXEL}" alt="x"><pre>a\n  b</pre><ol start="3"><li>c</ol>'
    )
    assert sanitize(html).html == (
        "<h2>Depth</h2><p>A <b>pool</b> <em>of</em> runs</p><ul><li>one</li><li>two</li></ul>"
        '<table><caption>c</caption><tbody><tr><th scope="col">k</th><td colspan="2">10</td></tr>'
        f'</tbody></table><img src="{PIXEL}" alt="x"><pre>a\n  b</pre><ol start="3"><li>c</li></ol>'
    )


ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<body onload=alert(1)>text</body>",
    "<svg onload=alert(1)><script>alert(1)</script><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    (
        "<math><mtext><table><mglyph><style><!--</style>"
        "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>"
    ),
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" &#106;avascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="vbscript:x">x</a>',
    '<meta http-equiv="refresh" content="0;url=//evil.example">',
    '<base href="//evil.example/">',
    (
        '<form action="//evil.example"><input name="q">'
        '<button formaction="javascript:alert(1)">go</button></form>'
    ),
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><iframe src=//evil.example></iframe>",
    "<object data=//evil.example></object><embed src=//evil.example>",
    '<p style="background:url(//evil.example/x.gif)">x</p>',
    "<style>@import '//evil.example/x.css';</style>",
    '<link rel="stylesheet" href="//evil.example/x.css">',
    '<img src="//evil.example/x.gif" srcset="//evil.example/y.gif 2x">',
    '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
    '<video poster="//evil.example/x.gif"><source src="//evil.example/v"></video>',
    '<table background="//evil.example/x.gif"><tr><td background="//evil.example/x.gif">x</table>',
    '<a href="#x" ping="//evil.example" onclick="alert(1)">x</a>',
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<textarea></textarea><img src=x onerror=alert(1)>",
    "<title></title><script>alert(1)</script>",
    "<!--><script>alert(1)</script>-->",
    "<xmp><p title='</xmp><script>alert(1)</script>'>",
]
NEVER = (
    "<script", "onerror", "onload", "onclick", "javascript:", "vbscript:", "evil.example",
    "<svg", "<iframe", "<form", "<input", "<style", "style=", "<base", "<meta", "<object",
    "<embed", "<link", "srcset", "data:text", "image/svg", "<template", "<video",
)  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_could_act_or_fetch_is_left(attack):
    html = sanitize(f"<p>before</p>{attack}<p>after</p>").html.lower()
    assert [sign for sign in NEVER if sign in html.replace("&lt;img src=1 onerror", "")] == []
    assert "<p>before</p>" in html


@pytest.mark.parametrize("attack", ATTACKS)
def test_sanitising_again_changes_nothing(attack):
    once = sanitize(attack).html
    assert sanitize(once).html.replace("doc-doc-", "doc-") == once


def test_links_inward_work_and_links_outward_open_nothing_here():
    html = sanitize('<h2 id="s">S</h2><a href="#s">in</a><a href="https://e.example/">out</a>').html
    assert '<h2 id="doc-s">' in html
    assert '<a href="#doc-s"' in html
    assert '<a target="_blank" href="https://e.example/"' in html


@pytest.mark.parametrize(("page", "around"), [
    ('<html lang="he" dir=RTL><p>x', '<div dir="rtl" lang="he"><p>x</p></div>'),
    ("<html lang=en-GB><body dir='auto'><p>x", '<div dir="auto" lang="en-gb"><p>x</p></div>'),
    ('<html dir="onload=x"><p>x', "<p>x</p>"), ('<html lang="&quot;><script>"><p>x', "<p>x</p>"),
    ("<html lang=he>", ""),
])  # fmt: skip
def test_the_language_and_direction_of_a_page_stay(page, around):
    assert sanitize(page).html.replace('"&gt;', "") == around


def test_what_was_taken_away_is_counted_and_the_title_found():
    clean = sanitize("<html><title> A &amp;\n B</title><script></script><form><script></form>x")
    assert clean.title == "A & B"
    assert clean.removed == {"script": 2, "form": 1}


def test_line_ends_are_those_that_a_browser_makes_of_them():
    assert sanitize("<pre>a\r\nb\rc\0</pre>").html == "<pre>a\nb\nc </pre>"


@pytest.mark.parametrize("html", [
    "<div>" * 200_000, "<span>" * 501 + "<b>x", "<div></b>" * 5_000,
    "".join(f"<b title={n}>" for n in range(400)) + "<p>x" * 100_000,
])  # fmt: skip
def test_pages_that_would_take_minutes_to_parse_are_refused_at_once(html):
    started = time.process_time()
    with pytest.raises(UnreadablePage, match="nested too deeply"):
        sanitize(html)
    assert time.process_time() - started < 2


def test_pages_without_end_tags_are_not_taken_for_deep_ones():
    html = "<ul>" + "<li>item <p>text<br>" * 5_000 + "</ul>" + "<table>" + "<tr><td>x" * 5_000
    assert sanitize(html).html.count("<li>") == 5_000
