"""How tests read pages."""

from tests.pages import tidy_html


def test_a_page_is_read_without_its_layout():
    page = """<p
      class="notice
        late"
    >
      One <b
      >two</b>
      three </p>
    <input value=" a
  b" >  <pre> x
 y </pre>"""
    tidy = '<p class="notice late">One <b>two</b> three</p><input value=" a\n  b">'
    assert tidy_html(page) == tidy + "<pre> x\n y </pre>"
