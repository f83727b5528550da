"""Measure how soon a judgment is in the ranking on the organizer's screen.

    python benchmarks/interim.py SLUG [--judgments N]

``SLUG`` is a campaign of the installation that ``POOLBENCH_VAR`` or ``DATABASE_URL`` names, for
example by benchmarks/trec8.py. Each time one grade is changed and the interim page asks again, as
the browser does; all of it is rolled back. Prints the CPU time of the answer, and that of one
without a new judgment, each with what PostgreSQL needs for it.
"""

import argparse
import os
import re
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
    judgment.revision += 1000
    judgment.grade = int(not judgment.grade)
    type(judgment).objects.bulk_create([judgment])


def time_answer(client: Any, address: str, status: int) -> tuple[tuple[float, float], Any]:
    """Milliseconds of this process and of PostgreSQL's that serves it, and the answer."""
    from benchmarks.imports import count_server_seconds

    server, own = count_server_seconds(), time.process_time()
    answer = client.get(address, headers={"HX-Request": "true"})
    own = time.process_time() - own
    if answer.status_code != status:
        sys.exit(f"{address} returned {answer.status_code}")
    return (1000 * own, 1000 * (count_server_seconds() - server)), answer


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
    from workbench.memory import set_aside_loaded

    set_aside_loaded()
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
            spent, answer = time_answer(client, address, OK)
            changed.append(spent)
            (seen,) = re.findall(r"seen=(\w+)", answer.content.decode())
            again = f"{address}?seen={seen}"
            unchanged.append(time_answer(client, again, UNCHANGED)[0])
        transaction.set_rollback(True)
    for name, spent in (("after one judgment", changed), ("nothing new", unchanged)):
        own, server = zip(*spent, strict=True)
        print(
            f"{name}: {median(own):.0f} ms ({min(own):.0f} to {max(own):.0f}), PostgreSQL"
            f" {median(server):.0f} ms; CPU, median of {len(own)}"
        )


if __name__ == "__main__":
    main()
