"""Measure ``next`` and ``submit`` with many concurrent assessors, and check the invariants.

    python benchmarks/judging.py                        50 assessors, 100,000 pairs x 3
    python benchmarks/judging.py --assessors 200 --minutes 10 --think 15
                  a judgment each 15 s by 200 people; p95 of next and submit at most 150 ms
    python benchmarks/judging.py --sqlite --assessors 20 --pairs 5000
    python benchmarks/judging.py --kill 5               a web worker is killed every 5 s
    python benchmarks/judging.py --plan 100000
                  while they judge, a plan of as many other documents is created
    python benchmarks/judging.py --home --assessors 3 --pairs 10000
                  the home page and *My topics* of one of them, without autovacuum

Builds a campaign in a separate database (PostgreSQL: the server of ``DATABASE_URL``, default
postgres://poolbench:poolbench@127.0.0.1/), serves it with gunicorn and judges over HTTP as the
browser does: documents are fetched ahead, judgments carry a uuid, a few are submitted twice
within 20 ms, and a few are undone. Every acknowledged uuid must be in the log afterwards. CPU time
is that of the web processes and of PostgreSQL's that serve them, for each judgment with the request
of the next document.
"""

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SERVER = "postgres://poolbench:poolbench@127.0.0.1:5432/poolbench"
SLUG, OVERLAP, TEXT = "load", 3, "It was a dark and stormy night in the archive. " * 40


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assessors", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds of reading")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--kill", type=float, default=0.0, help="seconds between killed workers")
    parser.add_argument(
        "--crowded", action="store_true", help="all assessors begin with the same topic"
    )
    parser.add_argument("--home", action="store_true", help="time an assessor's first pages")
    parser.add_argument("--plan", type=int, default=0, help="documents to plan while they judge")
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--port", type=int, default=8190)
    return parser.parse_args()


@contextmanager
def make_database(options: argparse.Namespace, folder: str) -> Iterator[str]:
    """The URL of an empty database; on PostgreSQL of a name of its own, dropped at the end."""
    if options.sqlite:
        yield f"sqlite:///{folder}/load.sqlite3"
        return
    import psycopg

    server, name = os.environ.get("DATABASE_URL", SERVER), f"poolbench_load_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def build(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The campaign, and a signed-in session for each assessor."""
    from django.db import transaction

    from campaigns.models import Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.people import add_member
    from judging.services.plans import create_plan
    from poolbench.judging.scale import GradeSpec

    with transaction.atomic():
        owner = User.objects.create(username="owner", can_create_campaigns=True)
        scale = [GradeSpec(n, word, str(n), float(n)) for n, word in enumerate(("no", "so", "yes"))]
        campaign = create_campaign(actor=owner, title="Load", slug=SLUG, scale=scale)
        users = [User.objects.create(username=f"a{n:03}") for n in range(options.assessors)]
        for user in users:
            add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
        numbers = [str(n) for n in range(1, options.topics + 1)]
        Topic.objects.bulk_create(
            Topic(campaign=campaign, number=n, title=f"stormy archive {n}", position=int(n))
            for n in numbers
        )
        pool = make_pool(campaign, owner, options.pairs // options.topics)
    start = time.perf_counter()
    people = dict.fromkeys(numbers, users)
    create_plan(actor=owner, pool=pool, overlap=OVERLAP, assessors=people)
    print(f"plan of {pool.size * OVERLAP:,} slots: {time.perf_counter() - start:.1f} s", flush=True)
    return [create_session(user) for user in users]


def make_pool(campaign: Any, owner: Any, each: int, name: str = "doc", version: int = 1) -> Any:
    from campaigns.models import Document
    from campaigns.services.rows import insert_rows
    from pooling.models import Pool, PoolItem

    topics = list(campaign.topics.all())
    docnos = [f"{name}-{n:06}" for n in range(each)]
    Document.objects.bulk_create(
        (Document(campaign=campaign, docno=d, title=d, body=TEXT, sha256=d) for d in docnos),
        batch_size=2_000,
    )
    numbers = [topic.number for topic in topics]
    spec = {"method": "depth", "depth": 1, "runs": [], "topics": numbers}
    pool = Pool.objects.create(
        campaign=campaign, version=version, spec=spec,
        inputs_hash="0" * 64, size=each * len(topics), frozen_by=owner,
    )  # fmt: skip
    columns = ("pool_id", "topic_id", "docno", "min_rank", "contributors", "position", "stratum",
               "probability")  # fmt: skip
    insert_rows(
        PoolItem,
        columns,
        (
            (pool.pk, topic.pk, docno, 1, b"", at, 0, 1.0)
            for topic in topics
            for at, docno in enumerate(docnos)
        ),
    )
    return pool


def create_session(user: Any) -> dict[str, Any]:
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return {"name": user.username, "session": session.session_key}


@contextmanager
def prepare_site(options: argparse.Namespace) -> Iterator[list[str]]:
    """Django on an empty, migrated database in a folder of its own; the call of manage.py."""
    with tempfile.TemporaryDirectory() as folder, make_database(options, folder) as url:
        os.environ |= {"POOLBENCH_VAR": folder, "DATABASE_URL": url}
        os.environ["DJANGO_SETTINGS_MODULE"] = "workbench.settings"
        manage = [sys.executable, str(ROOT / "manage.py")]
        subprocess.run([*manage, "migrate", "-v", "0"], check=True)
        import django

        from workbench.memory import set_collector_thresholds

        django.setup()
        set_collector_thresholds()  # as a command does
        yield manage


def serve(port: int, processes: int, threads: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "gunicorn", "workbench.wsgi", "--bind", f"127.0.0.1:{port}",
        "--workers", str(processes), "--threads", str(threads), "--log-level", "critical",
        "--no-control-socket", "--chdir", str(ROOT),
    ]  # fmt: skip
    return subprocess.Popen(command)


def count_load_seconds(server: int) -> float:
    """CPU seconds so far of the web processes and of the database's that serve this database."""
    from django.db import connection

    pids = list(map(int, Path(f"/proc/{server}/task/{server}/children").read_text().split()))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            pids += [pid for (pid,) in cursor.fetchall()]
    ticks = 0
    for pid in pids:
        with suppress(FileNotFoundError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def kill_workers(server: int, every: float, over: Event) -> int:
    """Kill web workers one after another with SIGKILL; return how many."""
    killed = 0
    while not over.wait(every):
        children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        if children:
            os.kill(int(random.choice(children)), signal.SIGKILL)  # noqa: S311
            killed += 1
    return killed


def plan_second_pool(documents: int, during: list[float]) -> None:
    """After a while, a plan of a second pool; ``during`` gets the times of begin and end."""
    from django.db import connection

    from campaigns.models import Campaign
    from judging.services.plans import create_plan

    campaign = Campaign.objects.get(slug=SLUG)
    pool = make_pool(campaign, campaign.created_by, documents // campaign.topics.count(), "new", 2)
    users = [member.user for member in campaign.members.filter(role="assessor")]
    people = dict.fromkeys(campaign.topics.values_list("number", flat=True), users)
    time.sleep(10)
    during.append(time.perf_counter())
    create_plan(actor=campaign.created_by, pool=pool, overlap=OVERLAP, assessors=people)
    during.append(time.perf_counter())
    print(f"planned in {during[1] - during[0]:.1f} s", flush=True)
    connection.close()


def list_times(workers: list[Any], name: str, during: list[float]) -> list[float]:
    """Seconds of the requests, of those alone that overlap with ``during`` if it has two times."""
    first, last = during if len(during) == 2 else (0.0, float("inf"))
    return [
        seconds
        for each in workers
        for begun, seconds in zip(each.begun[name], each.times[name], strict=True)
        if begun < last and begun + seconds > first
    ]


def work(options: argparse.Namespace, people: list[dict[str, Any]]) -> list[Any]:
    from benchmarks.assessor import Assessor

    until = time.monotonic() + 60 * options.minutes
    topics = [str(n) for n in range(1, options.topics + 1)]
    workers = [
        Assessor(
            port=options.port, slug=SLUG, session=person["session"], think=options.think,
            topics=topics if options.crowded else topics[n % len(topics) :] + topics, seed=n,
        )
        for n, person in enumerate(people)
    ]  # fmt: skip
    with ThreadPoolExecutor(len(workers)) as threads:
        list(threads.map(lambda each: each.work(until), workers))
    return workers


def format_times(name: str, seconds: list[float]) -> str:
    if len(seconds) < 2:
        return f"{name:<8} {len(seconds)} requests"
    cuts = quantiles((1000 * s for s in seconds), n=100, method="inclusive")
    return (
        f"{name:<8} {len(seconds):>7,} requests   p50 {cuts[49]:6.1f}   p95 {cuts[94]:6.1f}   "
        f"p99 {cuts[98]:6.1f}   max {1000 * max(seconds):7.1f} ms"
    )


def count_violations(workers: list[Any]) -> dict[str, int]:
    """Counts from the database that must all be 0."""
    from django.db import connection

    from judging.models import Judgment

    queries = {
        "pairs above overlap": f"""SELECT count(*) FROM (SELECT item_id FROM judging_slot
            WHERE state = 'judged' GROUP BY item_id HAVING count(*) > {OVERLAP}) AS x""",  # noqa: S608
        "slots with two assessors": """SELECT count(*) FROM (SELECT slot_id FROM judging_judgment
            WHERE slot_id IS NOT NULL GROUP BY slot_id HAVING count(DISTINCT assessor_id) > 1)
            AS x""",
        "pairs assigned twice to an assessor": """SELECT count(*) FROM (SELECT item_id, assessor_id
            FROM judging_slot WHERE assessor_id IS NOT NULL GROUP BY item_id, assessor_id
            HAVING count(*) > 1) AS x""",
        "duplicate revisions": """SELECT count(*) FROM (SELECT 1 FROM judging_judgment
            GROUP BY topic_id, docno, assessor_id, purpose, revision HAVING count(*) > 1) AS x""",
        "judged slots without judgment": """SELECT count(*) FROM judging_slot s WHERE
            s.state = 'judged' AND NOT EXISTS (SELECT 1 FROM judging_judgment j
            WHERE j.slot_id = s.id AND j.assessor_id = s.assessor_id)""",
    }
    counts = {}
    with connection.cursor() as cursor:
        for name, query in queries.items():
            cursor.execute(query)
            counts[name] = cursor.fetchone()[0]
    logged = {str(uuid) for uuid in Judgment.objects.values_list("client_uuid", flat=True)}
    acknowledged = {uuid for each in workers for uuid in each.acknowledged}
    counts["acknowledged but not in the log"] = len(acknowledged - logged)
    counts["in the log but not acknowledged"] = len(logged - acknowledged)
    counts["errors"] = sum(len(each.errors) for each in workers)
    return counts


def turn_autovacuum_off() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names():
            cursor.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")


def measure_home(people: list[dict[str, Any]]) -> None:
    """After imports of a few judgments, of four fifths, and of all: wall time, and CPU time of
    this process and of PostgreSQL's, which other programs on the machine do not change.
    """
    from django.conf import settings
    from django.test import Client

    from campaigns.models import Campaign, User
    from judging.services.imports import import_judgments

    campaign, visitor = Campaign.objects.get(slug=SLUG), Client(headers={"host": "localhost"})
    visitor.cookies[settings.SESSION_COOKIE_NAME] = people[0]["session"]
    assessor = User.objects.get(username=people[0]["name"])
    pairs = list(campaign.pools.get().items.values_list("topic__number", "docno"))
    for count in (20, 4 * len(pairs) // 5, len(pairs)):
        rows = [(number, docno, 1) for number, docno in pairs[:count]]
        import_judgments(actor=campaign.created_by, campaign=campaign, assessor=assessor, rows=rows)
        for address in ("/?all", f"/c/{SLUG}/judge/"):
            if visitor.get(address).status_code != 200:
                raise SystemExit(f"{address} does not answer")
            times, before = [], count_cpu_seconds()
            for _ in range(20):
                start = time.perf_counter()
                visitor.get(address)
                times.append(time.perf_counter() - start)
            cpu = 1000 * (count_cpu_seconds() - before) / len(times)
            print(
                f"{count:>6,} judged  {format_times(address, times)}  CPU {cpu:.0f} ms", flush=True
            )


def count_cpu_seconds() -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    from benchmarks.assessor import wait_for

    options = parse_options()
    with prepare_site(options) as manage:
        if options.home:
            turn_autovacuum_off()
            measure_home(build(options))
            return 0
        people = build(options)
        server, over = serve(options.port, options.workers, options.threads), Event()
        killer = Thread(target=kill_workers, args=(server.pid, options.kill, over))
        during: list[float] = []
        planner = Thread(target=plan_second_pool, args=(options.plan, during))
        try:
            if options.plan:
                planner.start()
            if options.kill:
                killer.start()
            wait_for(options.port)
            seconds = -count_load_seconds(server.pid)
            workers = work(options, people)
            seconds += count_load_seconds(server.pid)
            if options.plan:
                planner.join()
        finally:
            over.set()
            server.terminate()
            server.wait(30)
        for name in ("next", "submit"):
            print(format_times(name, list_times(workers, name, [])))
            if during:
                print(format_times(" planned", list_times(workers, name, during)))
        submitted = sum(len(each.times["submit"]) for each in workers)
        print(f"CPU      {1000 * seconds / max(submitted, 1):.1f} ms for each judgment and next")
        print(json.dumps({"retried": sum(each.retried for each in workers)}))
        counts = count_violations(workers)
        print(json.dumps(counts, indent=1))
        for error in sorted({error for each in workers for error in each.errors})[:5]:
            print(error)
        checked = subprocess.run([*manage, "check_judging", SLUG], check=False)
        wrong = any(counts.values()) or checked.returncode
        print("some invariant is not 0" if wrong else "every invariant is 0")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
