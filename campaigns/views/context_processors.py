"""Template variables of every page."""

from django.http import HttpRequest

import poolbench

THEMES = ("light", "dark")


def theme_context(request: HttpRequest) -> dict[str, str]:
    """``theme`` is the visitor's choice, or empty for the system default."""
    theme = request.COOKIES.get("theme", "")
    return {"theme": theme if theme in THEMES else "", "version": poolbench.__version__}
