"""Render members' Markdown and HTML documents as safe HTML."""

import nh3
from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from poolbench.cache import Cache

_rendered: Cache[str, SafeString] = Cache(32, lasting=True)
register = template.Library()
# Headings in Markdown start below the page's own h1 and h2.
TAGS = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@register.filter
def render_prose(text: str) -> SafeString:
    """``text`` as HTML: raw HTML is shown as text, images and scripts are removed."""
    return _rendered.get_or_compute(text, lambda: _render_prose(text))


def _render_prose(text: str) -> SafeString:
    tokens = _markdown.parse(text or "")
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener",
    )
    return mark_safe(clean)  # noqa: S308 (nh3 has cleaned it)


@register.filter
def inline_code(text: str) -> SafeString:
    """Plain text as HTML; backticks mark code."""
    parts = enumerate(text.split("`"))
    coded_parts = (format_html("<code>{}</code>", part) if at % 2 else part for at, part in parts)
    return format_html_join("", "{}", ((part,) for part in coded_parts))


@register.filter
def sanitized_html(body: str) -> SafeString:
    """The body of an HTML document, which was sanitized before it was stored, or a page of the
    help, which ``campaigns.help.pages`` sanitizes."""
    return mark_safe(body)  # noqa: S308 (see above; documents are also in a sandboxed frame)
