"""Numbers as sentences, figures and tables print them."""

UNDEFINED = "–"
MOST_DECIMALS = 9
"""Numbers that are nearer to each other are equal but for noise."""


def format_decimals(
    value: float | None, decimals: int, *, signed: bool = False, limit: float | None = None
) -> str:
    """With a true minus, which LaTeX sets as one, and with commas; an en dash if undefined. Beside
    a ``limit`` that it does not reach with as many more decimals as say so.
    """
    if value is None:
        return UNDEFINED
    decimals = _count_decimals(value, decimals, limit)
    text = f"{value:+,.{decimals}f}" if signed else f"{value:,.{decimals}f}"
    return text.replace("-", "−")


def format_percent(share: float | None, decimals: int = 0, *, limit: float | None = None) -> str:
    """``28 %``, with a space that does not break; beside a ``limit`` of .9 not ``90 %`` but
    ``89.9 %`` for .899, as ``format_decimals``.
    """
    if share is None:
        return UNDEFINED
    decimals = _count_decimals(share, decimals + 2, limit) - 2
    return f"{share:.{decimals}%}".replace("%", "\u00a0%")


def _count_decimals(value: float, decimals: int, limit: float | None) -> int:
    """The fewest, from ``decimals`` on, with which ``value`` stays on its side of ``limit``."""
    if limit is None or is_reached(limit, value):
        return decimals
    enough = (n for n in range(decimals, MOST_DECIMALS) if round(value, n) < limit)
    return next(enough, MOST_DECIMALS)


def is_reached(limit: float, value: float) -> bool:
    """Whether ``value`` is at least ``limit``, but for the noise of a mean of shares."""
    return value >= limit - 0.1**MOST_DECIMALS


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
