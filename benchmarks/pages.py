"""Measure the pages of a campaign at the server: every GET page of the access table, by role.

    python benchmarks/pages.py SLUG [--only NAME...] [--roles ROLE...] [--firsts N] [--repeats N]
        [--jobs] [--save FOLDER]

``SLUG`` is a campaign of the installation that ``POOLBENCH_VAR`` (SQLite) or ``DATABASE_URL``
(PostgreSQL) names, loaded for example by benchmarks/trec8.py or benchmarks/trec_covid.py; its
organizer is ``organizer``. Members for the other roles are created if there are none; a visitor
has not signed in. Requests pass all middleware, without a network. ``--only`` also finds pages that
are measured by name alone: downloads of whole tables and archives.

First view: all caches and compiled templates are emptied before, and the connection to the
database is closed; with ``--firsts`` the median of several. Warm: the median of the views after it.
``--jobs`` computes what jobs compute for the pages, and prints how long each takes. Times are of
wall and, as other programs may share the machine, CPU: of this process, and of the process of
PostgreSQL that serves it, which must run on this machine (Linux). Pages over 300 ms warm or 1 s at
first view, CPU of both together, are bold, and the last line names them. ``--save`` writes each
page there, without what differs by request, so that the pages of two versions can be compared with
diff.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
ROLES = ("visitor", "viewer", "owner", "assessor", "adjudicator", "organizer")
COLUMNS = {"visitor": "anonymous", "viewer": "viewer", "owner": "owner", "assessor": "assessor",
           "adjudicator": "assessor", "organizer": "organizer"}  # fmt: skip
"""By role that of the access table whose pages it has; one that is refused is left out."""
OTHERS = {
    "visitor": ("home", "help", "measures", "login", "health", "account_signup"),
    "organizer": ("home@all", "help@search", "help-page", "mails", "campaign-new", "account"),
    "adjudicator": ("adjudicate",),
}
"""Pages of no campaign, or that only one of its members has."""
FILES = ("-download", "judgments-export", "run-file", "archive-download", "my-judgments-file",
         "-checksums")  # fmt: skip
"""Ends of names of files, which are written as they are read; measured only by name."""
OK = 200
FIRST, WARM = 1.0, 0.3
"""Seconds within which a page answers at first view and after that."""
CHANGING = re.compile(
    rb'csrf\w*"?[^>]*value="[^"]*"|data-csrf="[^"]*"|name="(?:digest|display|facts|seen|token|'
    rb'client_uuid)"[^>]*value="[^"]*"|value="[^"]*"[^>]*name="(?:digest|token|client_uuid)"'
)
"""What differs between two answers of one version."""


class Seconds(NamedTuple):
    """Of CPU in this process and in that of the database, and of wall time."""

    cpu: float
    database: float
    wall: float


@dataclass(frozen=True)
class PageTime:
    """``size`` in bytes."""

    name: str
    role: str
    status: int
    size: int
    queries: int
    first: Seconds
    warm: Seconds

    @property
    def rank(self) -> float:
        return (self.warm.cpu + self.warm.database) / WARM + self.first.cpu + self.first.database

    @property
    def is_slow(self) -> bool:
        first, warm = self.first, self.warm
        return first.cpu + first.database > FIRST or warm.cpu + warm.database > WARM


def list_actors(campaign: Any) -> dict[str, Any]:
    """One member of each role; the owner is of the first run's team, if there is a run."""
    from campaigns.models import Member, Role, User

    organizer = User.objects.get(username="organizer")
    run = campaign.runs.accepted().order_by("pk").first()
    judged = campaign.judgments.filter(purpose="judge").first()
    actors = {"organizer": organizer}
    if judged:
        actors["assessor"] = judged.assessor
    others = [("viewer", Role.VIEWER, None), ("adjudicator", Role.ADJUDICATOR, None)]
    if run:
        others.append(("owner", Role.PARTICIPANT, run.team))
    for name, role, team in others:
        user, _ = User.objects.get_or_create(username=f"{campaign.slug}-{name}")
        Member.objects.get_or_create(campaign=campaign, user=user, role=role, team=team)
        actors[name] = user
    return actors


def compute_snapshots(campaign: Any) -> None:
    """The figures that jobs compute for the pages, with the CPU time of each job."""
    from campaigns.errors import ActionRefused
    from campaigns.services.snapshots import list_snapshot_names, refresh_snapshot

    print("| figures of a job | CPU |\n|---|---|")
    for name in list_snapshot_names():
        forget_everything()
        cpu = time.process_time()
        with suppress(ActionRefused):
            refresh_snapshot(campaign, name)
        print(f"| {name} | {1000 * (time.process_time() - cpu):.0f} |")
    print()


def forget_everything() -> None:
    """As after a restart: no cached results, no compiled templates, no connection."""
    from django.db import connection
    from django.template import engines

    from poolbench.cache import clear_caches

    clear_caches()
    for engine in engines.all():
        for loader in engine.engine.template_loaders:  # type: ignore[attr-defined]
            loader.reset()
    connection.close()


def time_request(client: Any, address: str) -> tuple[Any, bytes, Seconds]:
    before, started = read_database_cpu(), (time.process_time(), time.perf_counter())
    response = client.get(address)
    body = response.getvalue()
    ended, after = (time.process_time(), time.perf_counter()), read_database_cpu()
    database = sum(after.values()) - sum(before.get(pid, 0.0) for pid in after)
    return response, body, Seconds(ended[0] - started[0], database, ended[1] - started[1])


def read_database_cpu() -> dict[int, float]:
    """CPU seconds so far of the process of PostgreSQL behind the connection, by its ID."""
    from django.db import connection

    if connection.vendor != "postgresql" or connection.connection is None:
        return {}
    pid = connection.connection.info.backend_pid
    # The clock of another process, as clock_getcpuclockid(3) gives it on Linux.
    return {pid: time.clock_gettime((~pid << 3) | 2)}


def serve_by_one_process() -> None:
    """Without parallel workers of PostgreSQL, whose CPU would not be counted."""
    from django.db import connection

    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"]["options"] += " -c max_parallel_workers_per_gather=0"


def measure_page(
    client: Any, name: str, role: str, address: str, firsts: int, repeats: int
) -> tuple[PageTime, bytes] | None:
    """None where the role has no such page."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    cold = []
    for _ in range(firsts):
        forget_everything()
        response, body, seconds = time_request(client, address)
        if response.status_code != OK:
            return None
        cold.append(seconds)
    times = [time_request(client, address)[2] for _ in range(repeats)] or cold
    with CaptureQueriesContext(connection) as queries:
        time_request(client, address)
    first, warm = take_median(cold), take_median(times)
    return PageTime(name, role, response.status_code, len(body), len(queries), first, warm), body


def list_requests(campaign: Any, names: list[str]) -> Iterator[tuple[str, str, str]]:
    """Name, role and address of each page once for each role; files only by ``names``."""
    from tests.page_addresses import list_pages, locate_row

    seen = set[tuple[str, str]]()
    for role, column in COLUMNS.items():
        pages = [(name, address) for name, _, address in list_pages(campaign, [column])]
        rows = {
            row: locate_row(row, {}, {"slug": campaign.slug}, {}) for row in OTHERS.get(role, ())
        }
        pages += [(row, address) for row, address in rows.items() if address]
        for name, address in pages:
            wanted = name in names if names else not name.partition("@")[0].endswith(FILES)
            if wanted and (name, role) not in seen:
                seen.add((name, role))
                yield name, role, address


def take_median(times: list[Seconds]) -> Seconds:
    return Seconds(*map(median, zip(*times, strict=True)))


def print_table(pages: list[PageTime]) -> None:
    heads = ("page", "role", "status", "kB", "queries", "first, CPU", "of the database", "wall",
             "warm, CPU", "of the database", "wall")  # fmt: skip
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for page in sorted(pages, key=lambda page: (-page.rank, page.name)):
        name = f"**{page.name}**" if page.is_slow else page.name
        times = " | ".join(f"{1000 * each:.0f}" for each in (*page.first, *page.warm))
        print(
            f"| {name} | {page.role} | {page.status} | {page.size / 1000:.0f} | {page.queries} |"
            f" {times} |"
        )
    slow = sorted({f"{page.name} ({page.role})" for page in pages if page.is_slow})
    print(f"\n{len(slow)} of {len(pages)} pages over the bounds (times in ms): {', '.join(slow)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("slug")
    parser.add_argument("--only", nargs="*", default=[], help="names of pages")
    parser.add_argument("--roles", nargs="*", default=list(ROLES))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--firsts", type=int, default=1, help="first views, of which the median")
    parser.add_argument("--jobs", action="store_true", help="do the jobs of pages before")
    options = parser.parse_args()

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    from django.conf import settings
    from django.test import Client

    from campaigns.models import Campaign
    from workbench.memory import set_aside_loaded

    set_aside_loaded()
    serve_by_one_process()
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "localhost"]
    campaign = Campaign.objects.get(slug=options.slug)
    actors = list_actors(campaign)
    if options.jobs:
        compute_snapshots(campaign)
    clients = {
        role: Client(HTTP_HOST="localhost") for role in ROLES if role == "visitor" or role in actors
    }
    for role, user in actors.items():
        clients[role].force_login(user, "django.contrib.auth.backends.ModelBackend")
        clients[role].get("/")
    pages = []
    for name, role, address in list_requests(campaign, options.only):
        if role not in options.roles or role not in clients:
            continue
        measured = measure_page(clients[role], name, role, address, options.firsts, options.repeats)
        if measured is None:
            continue
        page, body = measured
        pages.append(page)
        print(f"{page.name} {page.role} {page.first} {page.warm}", file=sys.stderr)
        if options.save:
            options.save.mkdir(parents=True, exist_ok=True)
            text = CHANGING.sub(b"", body)
            (options.save / f"{name}.{role}.txt").write_bytes(text)
    print_table(pages)


if __name__ == "__main__":
    main()
