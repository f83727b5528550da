"""How many examples Hypothesis draws: two fifths on each change, all of them on request.

With ``ALL``, odd requests, fresh web processes and published judgments are not cut short either.
"""

from __future__ import annotations

import os

from hypothesis import settings

ALL = os.environ.get("POOLBENCH_TEST_EXAMPLES") == "all"
SHARE, FEWEST = 0.4, 8


def count_examples(most: int) -> int:
    """``most`` with POOLBENCH_TEST_EXAMPLES=all, else 40 % of it, but no fewer than eight."""
    return most if ALL else min(most, max(FEWEST, round(SHARE * most)))


def examples(most: int) -> settings:
    """Decorator: at most ``most`` examples, without a limit of time for each."""
    return settings(max_examples=count_examples(most), deadline=None)
