"""Measure the agreement panel: all coefficients, assessor pairs, topics, intervals.

agreement.py                   the panel on simulated judgments, processor and wall seconds
agreement.py --campaign SLUG   the same from the database: reading the log, panel, quality

100,000 pairs judged by 20 assessors are 2,000,000 judgments; the second row has 100,000.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from judging.core.agreement.labels import MISSING, LabelTable  # noqa: E402
from judging.core.agreement.panel import agreement_report  # noqa: E402
from judging.core.quality.report import quality_report, record_from_labels  # noqa: E402

TOPICS = 50
CASES = ((100_000, 20, 1.0), (50_000, 20, 0.1), (100_000, 3, 1.0), (5_000, 8, 1.0))
REPEATS = 3


def simulate_labels(pairs: int, assessors: int, share: float) -> LabelTable:
    """Grades 0 to 3, mostly correct; each assessor judged ``share`` of the pairs."""
    random = np.random.default_rng(1)
    truth = random.choice(4, size=pairs, p=[0.7, 0.15, 0.1, 0.05])
    is_random = random.random((assessors, pairs)) < 0.3
    grades = np.where(is_random, random.integers(0, 4, is_random.shape), truth).astype(np.int32)
    grades[random.random(grades.shape) >= share] = MISSING
    judged_pairs = np.flatnonzero((grades != MISSING).any(axis=0))
    names = tuple(f"assessor-{at:02}" for at in range(assessors))
    keys = tuple((f"{at * TOPICS // pairs:02}", f"d{at}") for at in judged_pairs.tolist())
    return LabelTable(names, keys, np.ascontiguousarray(grades[:, judged_pairs]), (0, 1, 2, 3))


def measure(work: Callable[[], Any]) -> tuple[float, float]:
    """The best of ``REPEATS`` repeats: wall and processor seconds."""
    times = []
    for _ in range(REPEATS):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - wall, time.process_time() - processor))
    return min(times)


def uncached(labels: LabelTable) -> LabelTable:
    """The same without cached properties."""
    return LabelTable(labels.assessors, labels.pairs, labels.grades, labels.scale)


def measure_simulated() -> None:
    print(f"{'judgments':>10} {'assessors':>9} {'panel s':>8} {'cpu s':>7} {'quality s':>13}")
    for pairs, assessors, share in CASES:
        labels = simulate_labels(pairs, assessors, share)
        wall, processor = measure(lambda: agreement_report(uncached(labels), 2))  # noqa: B023
        quality, _ = measure(lambda: quality_report(record_from_labels(uncached(labels)), 2))  # noqa: B023
        judgments = int(labels.judged.sum())
        print(f"{judgments:>10,} {assessors:>9} {wall:>8.2f} {processor:>7.2f} {quality:>13.2f}")


def measure_campaign(slug: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    import django

    django.setup()
    from campaigns.models import Campaign
    from judging.queries.agreement import load_labels
    from judging.queries.quality import load_judging_record

    campaign = Campaign.objects.get(slug=slug)
    labels, record = load_labels(campaign), load_judging_record(campaign)
    print(f"{int(labels.judged.sum()):,} judgments by {len(labels.assessors)} assessors")
    steps: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("read grades", lambda: load_labels(campaign)),
        ("panel", lambda: agreement_report(uncached(labels), campaign.relevance_level)),
        ("read log", lambda: load_judging_record(campaign)),
        ("quality", lambda: quality_report(record, campaign.relevance_level)),
    )
    for name, work in steps:
        wall, processor = measure(work)
        print(f"{name:<12} {wall:>6.2f} s wall {processor:>6.2f} s processor")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaign", metavar="SLUG")
    options = parser.parse_args()
    measure_campaign(options.campaign) if options.campaign else measure_simulated()
