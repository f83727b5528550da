"""What every page knows."""

from __future__ import annotations

from importlib.metadata import version

from django.http import HttpRequest

THEMES = ("light", "dark")


def theme_context(request: HttpRequest) -> dict[str, str]:
    """``theme`` is what the visitor chose, or empty for the system's choice."""
    theme = request.COOKIES.get("theme", "")
    return {"theme": theme if theme in THEMES else "", "version": version("poolbench")}
