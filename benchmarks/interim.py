"""Measure how soon a judgment is in the ranking on the organizer's screen.

    python benchmarks/interim.py SLUG [--judgments N]

``SLUG`` is a campaign of the installation that ``POOLBENCH_VAR`` or ``DATABASE_URL`` names, for
example by benchmarks/trec8.py. Each time one grade is changed and the interim page asks again, as
the browser does; all of it is rolled back. Prints the CPU time of the answer, and that of one
without a new judgment.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import uuid
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
STRIDE = 500
"""Between the judgments that are changed, so that they are of several topics."""
OK, UNCHANGED = 200, 204


def change_grade(judgment: Any) -> None:
    """A new revision, relevant if the former one was not, and the other way round."""
    judgment.pk, judgment.client_uuid = None, uuid.uuid4()
    judgment._state.adding = True  # noqa: SLF001 (a new row)
    judgment.revision += 1000
    judgment.grade = int(not judgment.grade)
    judgment.save(force_insert=True)


def time_answer(client: Any, address: str, status: int) -> tuple[float, Any]:
    started = time.process_time()
    answer = client.get(address, headers={"HX-Request": "true"})
    if answer.status_code != status:
        sys.exit(f"{address} returned {answer.status_code}")
    return time.process_time() - started, answer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("slug")
    parser.add_argument("--judgments", type=int, default=20)
    options = parser.parse_args()

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    from django.db import transaction
    from django.test import Client
    from django.urls import reverse

    from campaigns.models import Campaign, User
    from workbench.memory import set_collector_thresholds

    set_collector_thresholds()
    campaign = Campaign.objects.get(slug=options.slug)
    client = Client(HTTP_HOST="localhost")
    organizer = User.objects.get(username="organizer")
    client.force_login(organizer, "django.contrib.auth.backends.ModelBackend")
    address = reverse("interim-scores", args=[campaign.slug])
    time_answer(client, address, OK)
    graded = campaign.judgments.filter(purpose="judge", kind="grade").order_by("pk")
    changed, unchanged = [], []
    with transaction.atomic():
        for judgment in graded[: STRIDE * options.judgments : STRIDE]:
            change_grade(judgment)
            seconds, answer = time_answer(client, address, OK)
            changed.append(1000 * seconds)
            seen = f"{address}?seen={answer.context['state']}"
            unchanged.append(1000 * time_answer(client, seen, UNCHANGED)[0])
        transaction.set_rollback(True)
    print(
        f"ranking after one judgment: {median(changed):.0f} ms ({min(changed):.0f} to "
        f"{max(changed):.0f}), nothing new: {median(unchanged):.0f} ms; CPU, median of "
        f"{len(changed)}"
    )


if __name__ == "__main__":
    main()
