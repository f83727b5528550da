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


def format_score(value: float | None, whole: bool = False) -> str:
    """Four decimals, counts as integers, an en dash if undefined."""
    if value is None:
        return UNDEFINED
    # −0.00001 reads 0.0000: adding 0.0 takes the sign from a zero.
    return f"{value:,.0f}" if whole else f"{round(value, 4) + 0.0:.4f}"


def format_signed(value: float | None) -> str:
    """Four decimals with their sign; without a sign if the value rounds to 0."""
    text = format_decimals(value, 4, signed=True)
    return text if value is None or round(value, 4) else text[1:]


def format_p(value: float | None) -> str:
    """A p value; below 0.0001 only as that."""
    return "< 0.0001" if value is not None and 0 < value < 0.0001 else format_score(value)
