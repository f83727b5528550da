"""Reports as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from django.contrib.staticfiles import finders
from django.utils.html import escape

SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}</body>
</html>
"""


def build_standalone_html(title: str, body: str) -> str:
    """``body``, HTML, as a page with its style; light or dark as the reader prefers."""
    return SHELL.format(title=escape(title), style=style_text(), body=body)


def style_text() -> str:
    """The colors and fonts of all pages, and the styles of reports."""
    texts = [
        Path(str(finders.find(f"css/{name}.css"))).read_text(encoding="utf-8")
        for name in ("app", "report")
    ]
    first = texts[0].index(":root {")
    last = texts[0].index("\n}\n", first)
    return f"{texts[0][first:last]}\n}}\n{texts[1]}"
