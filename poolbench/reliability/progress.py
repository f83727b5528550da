"""How long computations tell of their progress."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""``(activity, done, total)``, called after each unit of work."""


def ignore_progress(activity: str, done: int, total: int) -> None:
    """Discard the progress."""
