"""Progress bars on a terminal, of what takes more than two seconds; none in a pipe."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")
DELAY = 2.0
"""Seconds of the command before the first bar."""


class ProgressBar:
    """A callback ``(activity, done, total)`` that draws a bar on standard error."""

    def __init__(self, *, verbose: bool = True) -> None:
        self.is_shown = verbose and sys.stderr.isatty()
        self.start = time.monotonic()
        self.bar: Any = None

    def __call__(self, activity: str, done: int, total: int) -> None:
        if not self.is_shown:
            return
        if self.bar is None or self.bar.total != total or self.bar.n >= done:
            from tqdm import tqdm

            left = max(0.0, self.start + DELAY - time.monotonic())
            self.bar = tqdm(total=total, desc=activity, delay=left, leave=False, file=sys.stderr)
        self.bar.set_description(activity, refresh=False)
        self.bar.update(done - self.bar.n)
        if done >= total:
            self.bar.close()
            self.bar = None

    def track(self, items: Iterable[Item], activity: str, total: int) -> Iterator[Item]:
        """``items``, with a step of the bar after each."""
        for done, item in enumerate(items, start=1):
            yield item
            self(activity, done, total)
