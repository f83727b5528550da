"""Numbers as sentences, figures and tables print them."""

from __future__ import annotations

UNDEFINED = "–"


def format_decimals(value: float | None, decimals: int, *, signed: bool = False) -> str:
    """With a true minus, which LaTeX sets as one, and with commas; an en dash if undefined."""
    if value is None:
        return UNDEFINED
    text = f"{value:+,.{decimals}f}" if signed else f"{value:,.{decimals}f}"
    return text.replace("-", "−")


def format_percent(share: float | None, decimals: int = 0) -> str:
    """``28 %``, with a space that does not break."""
    return UNDEFINED if share is None else f"{share:.{decimals}%}".replace("%", "\u00a0%")
