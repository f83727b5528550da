"""Import many judgments into a campaign whose plan wants them all; CPU time, memory, invariants.

    python benchmarks/imports.py                        2,000,000 judgments on PostgreSQL
    python benchmarks/imports.py --sqlite
    python benchmarks/imports.py --judgments 200000 --no-plan

The file is CSV (topic, docno, grade, assessor) of 20 assessors, four for each of the documents of
100 topics; every one of its judgments fills a slot. CPU seconds are those of this process and of
PostgreSQL's that serves it, which other programs on the machine do not change. The hash at the end
is of all judgments and slots without their UUIDs, times and primary keys of judgments: two
checkouts that print the same one have the same outcome.
"""

import argparse
import hashlib
import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.judging import make_pool, prepare_site

TOPICS, OVERLAP, ASSESSORS, SLUG = 100, 4, 20, "load"
TABLES = {
    "judging_judgment": (
        "topic_id, docno, assessor_id, purpose, revision, kind, grade, reason, comment, slot_id,"
        " source, third, active_seconds, duplicate_of"
    ),
    "judging_slot": "id, topic_id, item_id, k, state, assessor_id, reserved_for_id, position",
}


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judgments", type=int, default=2_000_000)
    parser.add_argument("--no-plan", action="store_true", help="no slots: all are beyond the plan")
    parser.add_argument("--preview", action="store_true", help="time the preview, too")
    parser.add_argument("--hash", action="store_true", help="print the hash of the outcome")
    parser.add_argument("--sqlite", action="store_true")
    return parser.parse_args()


@contextmanager
def measure(name: str) -> Iterator[None]:
    """Print wall time, CPU time of this process and of PostgreSQL's, and the peak of memory."""
    start, own, server = time.perf_counter(), time.process_time(), count_server_seconds()
    yield
    wall, own = time.perf_counter() - start, time.process_time() - own
    server = count_server_seconds() - server
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:<28} wall {wall:6.1f} s   CPU {own + server:6.1f} s"
        f" (Django {own:.1f}, server {server:.1f})   peak {peak:,.0f} MiB",
        flush=True,
    )


def count_server_seconds() -> float:
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        nanoseconds = Path(f"/proc/{cursor.fetchone()[0]}/schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9


def build(options: argparse.Namespace) -> tuple[Any, list[Any], int]:
    """The campaign, its assessors, and the number of documents of each topic."""
    from campaigns.models import Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.people import add_member
    from judging.services.plans import create_plan
    from poolbench.judging.scale import GradeSpec

    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(n, word, str(n), float(n)) for n, word in enumerate(("no", "so", "yes"))]
    campaign = create_campaign(actor=owner, title="Load", slug=SLUG, scale=scale)
    users = [User.objects.create(username=f"a{n:03}") for n in range(ASSESSORS)]
    for user in users:
        add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
    numbers = [str(n) for n in range(1, TOPICS + 1)]
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=n, title=f"topic {n}", position=int(n)) for n in numbers
    )
    each = options.judgments // TOPICS // OVERLAP
    pool = make_pool(campaign, owner, each)
    if not options.no_plan:
        people = {n: list_people(users, int(n)) for n in numbers}
        with measure(f"plan of {options.judgments:,} slots"):
            create_plan(actor=owner, pool=pool, overlap=OVERLAP, assessors=people)
    return campaign, users, each


def list_people(users: list[Any], topic: int) -> list[Any]:
    return [users[(topic + place) % ASSESSORS] for place in range(OVERLAP)]


def write_file(users: list[Any], each: int) -> bytes:
    draw = random.Random(1)  # noqa: S311
    lines = ["topic,docno,grade,assessor\n"]
    for topic in range(1, TOPICS + 1):
        for user in list_people(users, topic):
            grades = draw.choices((0, 1, 2), (8, 1, 1), k=each)
            lines += [
                f"{topic},doc-{at:06},{grade},{user.username}\n" for at, grade in enumerate(grades)
            ]
    return "".join(lines).encode()


def hash_tables() -> str:
    from django.db import connection

    found = hashlib.sha256()
    with connection.cursor() as cursor:
        for table, columns in TABLES.items():
            cursor.execute(f"SELECT {columns} FROM {table}")  # noqa: S608 (our own names)
            for row in sorted(map(repr, cursor.fetchall())):
                found.update(row.encode())
    return found.hexdigest()


def check_site(options: argparse.Namespace) -> None:
    from judging.queries.invariants import list_violations
    from judging.services.imports import ImportOptions, import_file, preview_file

    campaign, users, each = build(options)
    data = write_file(users, each)
    print(f"file of {len(data) / 1e6:.0f} MB", flush=True)
    given: dict[str, Any] = {"actor": campaign.created_by, "campaign": campaign, "data": data}
    given |= {"file": "judgments.csv", "options": ImportOptions()}
    if options.preview:
        with measure("preview"):
            preview_file(**given)
    with measure("import"):
        counts = import_file(**given)
    print(counts)
    if options.hash:
        print("hash", hash_tables())
    found = {check.name: count for check, count in list_violations(campaign) if count}
    print("violations of invariants:", found or 0)


def main() -> None:
    options = parse_options()
    with prepare_site(options):
        check_site(options)


if __name__ == "__main__":
    main()
