"""Pages of a campaign with 1,000 topics and 200 assessors: CPU time at first view and warm.

    python benchmarks/large_judging.py                  on PostgreSQL, 50 documents a topic x 3
    python benchmarks/large_judging.py --sqlite --documents 20
    python benchmarks/large_judging.py --profile judging-today

Every topic has six assessors, so that an assessor has 30 topics; two thirds of the slots are
judged. Reports are computed before, as the jobs do after judgments. First view: all caches of this
process are empty, and Python looks for reference cycles as rarely as in a web process. CPU seconds
are those of this process and of PostgreSQL's that serves it.
"""

import argparse
import cProfile
import pstats
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
TOPICS, ASSESSORS, EACH, OVERLAP, SLUG = 1_000, 200, 6, 3, "load"
JUDGED = 2 / 3
PAGES = {
    "judging-today": f"/c/{SLUG}/judging/today/",
    "judging": f"/c/{SLUG}/judging/",
    "agreement": f"/c/{SLUG}/judging/agreement/",
    "stopping": f"/c/{SLUG}/judging/stopping/",
    "judging-assessor": f"/c/{SLUG}/judging/assessor/a000/",
    "agreement-variation": f"/c/{SLUG}/judging/agreement/variation/",
    "agreement-topics": f"/c/{SLUG}/judging/agreement/topics/",
    "assessor-quality": f"/c/{SLUG}/judging/agreement/assessors/",
    "adjudication": f"/c/{SLUG}/judging/adjudication/",
    "consensus": f"/c/{SLUG}/judging/adjudication/meeting/",
    "flagged-documents": f"/c/{SLUG}/judging/flags/",
    "training-sets": f"/c/{SLUG}/judging/training/",
    "disagreement-effect": f"/c/{SLUG}/judging/agreement/effect/",
}
OWN_PAGES = {"work": f"/c/{SLUG}/judge/", "home": "/"}


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=50, help="of each topic")
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], metavar="PAGE")
    parser.add_argument("--profile", nargs="*", default=[], metavar="PAGE")
    return parser.parse_args()


def build(options: argparse.Namespace) -> tuple[Any, Any]:
    """The campaign, judged by importing, and its first assessor."""
    from benchmarks.imports import measure
    from benchmarks.judging import make_pool
    from campaigns.models import Campaign, Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.people import add_member
    from judging.services.imports import ImportOptions, import_file
    from judging.services.plans import create_plan
    from poolbench.judging.scale import GradeSpec

    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(n, word, str(n), float(n)) for n, word in enumerate(("no", "so", "yes"))]
    campaign = create_campaign(actor=owner, title="Load", slug=SLUG, scale=scale)
    users = [User.objects.create(username=f"a{n:03}") for n in range(ASSESSORS)]
    for user in users:
        add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"topic {n}", position=n)
        for n in range(1, TOPICS + 1)
    )
    pool = make_pool(campaign, owner, options.documents)
    people = {
        str(n): [users[(n + 31 * place) % ASSESSORS] for place in range(EACH)]
        for n in range(1, TOPICS + 1)
    }
    with measure("plan"):
        create_plan(actor=owner, pool=pool, overlap=OVERLAP, assessors=people)
    lines = ["topic,docno,grade,assessor\n"]
    for number, listed in people.items():
        for at in range(int(options.documents * JUDGED)):
            for place in range(OVERLAP):
                user = listed[(at + place) % EACH]
                grade = (at * 7 + int(number)) % 3 if (at + place) % 5 else place
                lines.append(f"{number},doc-{at:06},{grade},{user.username}\n")
    data = "".join(lines).encode()
    given = {"actor": owner, "campaign": campaign, "data": data, "file": "judgments.csv"}
    with measure("import"):
        print(import_file(**given, options=ImportOptions()))
    return Campaign.objects.get(pk=campaign.pk), users[0]


def make_log_of_screen(campaign: Any) -> None:
    """As if the judgments came from the screen, over ten days: imports are no work of a day."""
    from django.db import connection

    days = "judged_at - (id %% 10) * interval '1 day'"
    if connection.vendor == "sqlite":
        days = "strftime('%%Y-%%m-%%d %%H:%%M:%%f', judged_at, '-' || (id %% 10) || ' days')"
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE judging_judgment SET source = 'screen', active_seconds = 5 + id %% 30,"  # noqa: S608
            f" judged_at = {days} WHERE campaign_id = %s",
            [campaign.pk],
        )
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE judging_judgment")


def compute_reports(campaign: Any) -> None:
    """The reports of pages, as jobs compute them after judgments."""
    from benchmarks.imports import measure
    from campaigns.errors import ActionRefused
    from campaigns.services.snapshots import list_snapshot_names, refresh_snapshot

    for name in list_snapshot_names():
        with measure(f"job {name}"), suppress(ActionRefused):
            refresh_snapshot(campaign, name)


def measure_page(client: Any, name: str, path: str, profiled: bool) -> None:
    """CPU seconds of the first view and of two more."""
    from benchmarks.imports import count_server_seconds
    from benchmarks.pages import forget_everything

    forget_everything()
    times = []
    for _ in range(3):
        profile = cProfile.Profile()
        start, server = time.process_time(), count_server_seconds()
        response = profile.runcall(client.get, path) if profiled else client.get(path)
        own, server = time.process_time() - start, count_server_seconds() - server
        times.append(f"{own + server:5.2f} ({server:.2f})")
        if profiled:
            pstats.Stats(profile).sort_stats("cumtime").print_stats(60)
    size = len(response.content) / 1000
    print(
        f"{name:<18} {response.status_code} {size:6.0f} kB  CPU s: {'  '.join(times)}", flush=True
    )


def main() -> int:
    options = parse_options()
    from benchmarks.judging import prepare_site

    with prepare_site(options):
        from django.test import Client

        from workbench.memory import set_aside_loaded

        set_aside_loaded()
        campaign, assessor = build(options)
        make_log_of_screen(campaign)
        compute_reports(campaign)
        for user, pages in ((campaign.created_by, PAGES), (assessor, OWN_PAGES)):
            client = Client(headers={"host": "localhost"})
            client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
            for name, path in pages.items():
                if not options.only or name in options.only:
                    measure_page(client, name, path, name in options.profile)
    return 0


if __name__ == "__main__":
    sys.exit(main())
