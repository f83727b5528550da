"""A chart as a PNG file for papers and slides: its SVG file, drawn by resvg at 300 dpi on white.

Letters come from Source Sans Pro, which the package ``font-source-sans-pro`` installs, so that a
server without fonts writes the same file as any other. The fonts of the machine are loaded only for
scripts that it lacks; a machine without them draws boxes there.

The size comes from the chart alone. Where 300 dpi would take more than ``MOST_PIXELS``, the file
has as many as fit, and says so in its header.
"""

import re
import struct
import unicodedata
import zlib
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from math import sqrt

from poolbench.cache import Cache
from poolbench.charts.chart import Chart
from poolbench.charts.file import measure_chart_file, write_chart_file

DPI = 300
SVG_DPI = 96.0
"""What a unit of SVG is by definition: 1/96 inch."""
MOST_PIXELS = 24_000_000
"""About 100 MB while it is drawn."""
MOST_LETTERS = 8_000_000
"""Of the SVG: more than any chart of a page, and a bound on the time."""
METERS_PER_INCH = 0.0254
FAMILY = "Source Sans Pro"
HEADER_END = 33
"""Signature, and the chunk IHDR: a length, a name, 13 bytes and a checksum."""
LAST_OF_FONT = 0x052F
"""Source Sans Pro has Latin, Greek and Cyrillic, up to here, and signs."""
_drawn: Cache[str, bytes] = Cache(16_000_000, len)
"""By the SHA-256 of the SVG: drawing six million pixels takes longer than most pages."""


class ChartTooLargeError(ValueError):
    """The chart has too many marks for a PNG; SVG and CSV have them."""


def write_chart_png(chart: Chart, conditions: Sequence[str] = ()) -> bytes:
    """The whole file, with title, legend, caption and ``conditions``, which are in its header too.

    The same chart gives the same bytes. Raises ``ChartTooLargeError``, and ``ImportError`` without
    resvg-py, which the extra ``server`` installs.
    """
    svg = write_chart_file(chart, conditions)
    if len(svg) > MOST_LETTERS:
        raise ChartTooLargeError(f"{chart.title} has too many marks for a PNG")
    dpi = fit_dpi(measure_chart_file(chart, conditions))
    key = sha256(svg.encode()).hexdigest()
    drawn = _drawn.get_or_compute(key, lambda: draw_png(svg, dpi))
    texts = {"Title": chart.title, "Description": "\n".join([chart.caption, *conditions])}
    return add_header_chunks(drawn, dpi, texts)


def draw_png(svg: str, dpi: int) -> bytes:
    """The pixels of an SVG file on white."""
    from resvg_py import svg_to_bytes

    font = files("font_source_sans_pro") / "files" / "SourceSansPro-Regular.ttf"
    drawn = svg_to_bytes(
        svg_string=re.sub(r"^<\?xml[^>]*\?>\s*", "", svg),
        background="#fff",
        zoom=dpi / SVG_DPI,
        font_files=[str(font)],
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        serif_family=FAMILY,
        monospace_family=FAMILY,
        skip_system_fonts=not has_other_scripts(svg),
    )
    return bytes(drawn)


def fit_dpi(size: tuple[float, float]) -> int:
    """300, or what ``MOST_PIXELS`` allow for a chart of ``size`` in units of SVG."""
    inches = size[0] * size[1] / SVG_DPI**2
    return min(DPI, int(sqrt(MOST_PIXELS / inches)))


def has_other_scripts(text: str) -> bool:
    """Whether ``text`` has letters of scripts that Source Sans Pro lacks."""
    further = {sign for sign in text if ord(sign) > LAST_OF_FONT}
    return any(unicodedata.category(sign)[0] in "LM" for sign in further)


def add_header_chunks(png: bytes, dpi: int, texts: dict[str, str]) -> bytes:
    """``png`` with its resolution and with ``texts`` by keyword, after its header."""
    per_meter = round(dpi / METERS_PER_INCH)
    chunks = [format_chunk(b"pHYs", struct.pack(">IIB", per_meter, per_meter, 1))]
    chunks += [format_text_chunk(name, text) for name, text in texts.items() if text.strip()]
    return b"".join([png[:HEADER_END], *chunks, png[HEADER_END:]])


def format_text_chunk(name: str, text: str) -> bytes:
    """An international text of PNG: UTF-8, not compressed, of no language."""
    content = text.strip().replace("\0", "").encode("utf-8", "replace")
    return format_chunk(b"iTXt", name.encode("latin-1") + b"\0\0\0\0\0" + content)


def format_chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
