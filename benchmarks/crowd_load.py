"""A crowd at work through the fake provider, and what must hold afterwards.

    python benchmarks/crowd_load.py                      100 workers, 300 s, PostgreSQL
    python benchmarks/crowd_load.py --seconds 60 --workers 40

Builds a study in a separate database (PostgreSQL: the server of ``DATABASE_URL``, default
postgres://poolbench:poolbench@127.0.0.1/), serves it with gunicorn, and sends honest, sloppy,
spamming, leaving, double-clicking and forging workers over HTTP. Prints times of ``next`` (GET of
a document) and ``submit`` (POST of an answer) beside their targets, and the counts that must be 0.
A document of 720 words takes a worker 15 seconds on average, half of what a study assumes.
All workers have one address here, so ``POOLBENCH_CROWD_RATE`` is off.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SLUG, OVERLAP, LINKS = "crowd-load", 3, 40
SHARES = {"honest": 50, "sloppy": 12, "spammer": 14, "abandoner": 8, "double-clicker": 10,
          "forger": 6}  # fmt: skip
"""Workers of each kind in a hundred."""
TARGETS = {"next": 150, "submit": 250}
"""Milliseconds at p95, with 100 workers on two cores that do nothing else."""
MOST_DOCUMENTS = 20
"""Documents after which half of the spammers are to be set aside."""
WORDS = "It was a dark and stormy night in the archive of the harbour. " * 30


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--think", type=float, default=15.0, help="mean seconds of a document")
    parser.add_argument("--arrival", type=float, default=60.0, help="seconds until all have come")
    parser.add_argument("--pairs", type=int, default=4_000)
    parser.add_argument("--gold", type=int, default=400)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--port", type=int, default=8193)
    return parser.parse_args()


def build_study(options: argparse.Namespace) -> Any:
    """The study: running, with its provider the fake one."""
    from campaigns.models import Topic, User
    from campaigns.services.campaigns import create_campaign
    from crowd.models import ConsentText, GoldPair, Study
    from judging.models import Audience
    from judging.services.plans import create_plan
    from poolbench.judging.scale import GradeSpec

    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(n, f"grade {n}", str(n), float(n)) for n in range(4)]
    campaign = create_campaign(actor=owner, title="Crowd load", slug=SLUG, scale=scale)
    topics = [
        Topic.objects.create(campaign=campaign, number=str(n), title=f"storm {n}", position=n)
        for n in range(1, 11)
    ]
    pool = make_pool(campaign, owner, topics, options.pairs)
    rng = random.Random(7)  # noqa: S311
    docnos = make_documents(campaign, "gold", options.gold, rng)
    GoldPair.objects.bulk_create(
        GoldPair(
            campaign=campaign, topic=rng.choice(topics), docno=docno, grade=grade, created_by=owner
        )
        for docno, grade in docnos
    )
    plan = create_plan(
        actor=owner, pool=pool, overlap=OVERLAP, assessors={}, audience=Audience.CROWD
    )
    study = Study.objects.create(
        plan=plan, campaign=campaign, title="Storms", provider="fake", state=Study.State.RUNNING,
        unit_size=8, gold_per_unit=4, unit_minutes=10, units_per_worker=100, stop_after=4,
        stop_below=0.6, pay_per_unit=1, currency="EUR", created_by=owner,
    )  # fmt: skip
    ConsentText.objects.create(study=study, version=1, text="We ask you to read.", created_by=owner)
    return study


def make_documents(
    campaign: Any, name: str, count: int, rng: random.Random
) -> list[tuple[str, int]]:
    """Docnos with their true grades, which the texts state for the simulated readers."""
    from campaigns.models import Document

    made = [(f"{name}-{n:05}", rng.randrange(4)) for n in range(count)]
    Document.objects.bulk_create(
        (
            Document(
                campaign=campaign, docno=docno, title="Storms", sha256=docno,
                body=f"{WORDS} truth-{grade} {WORDS}",
            )
            for docno, grade in made
        ),
        batch_size=1_000,
    )  # fmt: skip
    return made


def make_pool(campaign: Any, owner: Any, topics: list[Any], pairs: int) -> Any:
    from pooling.models import Pool, PoolItem

    docnos = make_documents(campaign, "doc", pairs, random.Random(1))  # noqa: S311
    pool = Pool.objects.create(
        campaign=campaign, version=1, spec={"method": "depth", "depth": 1, "runs": []},
        inputs_hash="0" * 64, size=pairs, frozen_by=owner,
    )  # fmt: skip
    PoolItem.objects.bulk_create(
        (
            PoolItem(
                pool=pool, topic=topics[at % len(topics)], docno=docno, min_rank=1,
                contributors=b"", position=at,
            )
            for at, (docno, _) in enumerate(docnos)
        ),
        batch_size=1_000,
    )  # fmt: skip
    return pool


def make_workers(options: argparse.Namespace, study: Any) -> list[Any]:
    from django.utils import timezone

    from benchmarks.crowd_worker import SimulatedWorker
    from crowd.queries.keys import get_fake_secret
    from crowd.services.keys import get_or_create_key, sign_query
    from poolbench.crowd.providers.fake import FAKE_KID

    get_or_create_key(study.campaign)
    secret, expires = get_fake_secret(study), timezone.now() + timedelta(hours=6)
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    random.Random(3).shuffle(kinds)  # noqa: S311

    def link(worker: int, unit: int) -> str:
        return sign_query(
            study, FAKE_KID, secret, f"w{worker}", f"u{worker}-{unit}", expires, preview=False
        )

    return [
        SimulatedWorker(
            port=options.port, kind=kinds[n % len(kinds)], think=options.think,
            arrival=options.arrival, seed=n, links=[link(n, unit) for unit in range(LINKS)],
            stolen=link((n + 1) % options.workers, LINKS + 1),
        )
        for n in range(options.workers)
    ]  # fmt: skip


def count_violations(study: Any, workers: list[Any]) -> dict[str, int]:
    """Counts from the database that must all be 0."""
    from django.db.models import Count, Exists, F, OuterRef

    from crowd.models import Payment, WorkUnit
    from judging.models import Judgment, Purpose, Slot
    from judging.queries.exclusions import counting_judgments

    judged = Slot.objects.filter(
        plan=study.plan_id, purpose=Purpose.JUDGE, state=Slot.State.JUDGED
    ).order_by()
    counting = Judgment.objects.filter(
        counting_judgments(), unit__plan=study.plan_id, purpose=Purpose.JUDGE, revision=1
    ).order_by()
    pays = Payment.objects.filter(unit=OuterRef("pk"))
    complete = WorkUnit.objects.filter(plan=study.plan_id, state=WorkUnit.State.COMPLETE)
    logged = {str(uuid) for uuid in Judgment.objects.values_list("client_uuid", flat=True)}
    answers = counting.values("topic", "docno").annotate(n=Count("assessor", distinct=True))
    slots = judged.values("item").annotate(n=Count("pk"))
    twice = counting.values("topic", "docno", "assessor").annotate(n=Count("pk"))
    return {
        "pairs with judged slots above redundancy": slots.filter(n__gt=OVERLAP).count(),
        "pairs with counting judgments above redundancy": answers.filter(n__gt=OVERLAP).count(),
        "pairs twice to a worker": twice.filter(n__gt=1).count(),
        "units paid twice": Payment.objects.values("unit").annotate(n=Count("pk"))
        .filter(n__gt=1).count(),
        "complete units without payment": complete.filter(~Exists(pays)).count(),
        "complete units without all answers": complete.annotate(
            n=Count("judgments__slot", distinct=True)
        ).filter(n__lt=F("size")).count(),
        "acknowledged answers not in the log": len(
            {uuid for each in workers for uuid in each.acknowledged} - logged
        ),
        "replayed answers in the log": len(
            {uuid for each in workers for uuid in each.replayed_uuids} & logged
        ),
        "forged or replayed requests admitted": sum(len(each.admitted) for each in workers),
        "errors": sum(len(each.errors) for each in workers),
    }  # fmt: skip


def report_spammers(study: Any, workers: list[Any]) -> dict[str, Any]:
    """How many documents spammers judged before they were set aside, and who else was."""
    from crowd.models import CrowdWorker
    from crowd.services.keys import hash_external
    from judging.models import Exclusion, Judgment

    stopped: Counter[str] = Counter()
    items = []
    for number, each in enumerate(workers):
        known = hash_external(study.campaign, f"worker fake w{number}")
        worker = CrowdWorker.objects.filter(external_hash=known).first()
        aside = Exclusion.objects.filter(worker=worker).first() if worker else None
        if aside is not None:
            stopped[each.kind] += 1
        if each.kind == "spammer" and aside is not None:
            judgments = Judgment.objects.filter(assessor=worker.user, judged_at__lte=aside.set_at)
            items.append(judgments.filter(revision=1).count())
    return {
        "spammers": sum(each.kind == "spammer" for each in workers),
        "set aside by kind": dict(stopped),
        "median documents until a spammer is set aside": median(items) if items else None,
        "most": max(items, default=None),
    }


def print_outcome(study: Any, workers: list[Any]) -> bool:
    """Everything that was measured; whether a count that must be 0 is not."""
    from benchmarks.judging import format_times
    from crowd.models import Payment, WorkUnit
    from judging.models import Judgment

    for name, target in TARGETS.items():
        times = [s for each in workers for s in each.times[name]]
        print(f"{format_times(name, times)}   p95 wanted {target}")
    spammers = report_spammers(study, workers)
    states = Counter(WorkUnit.objects.values_list("state", flat=True))
    forged = sum((each.forged for each in workers), Counter())
    admitted = sum(len(each.admitted) for each in workers)
    print(json.dumps({
        "judgments": Judgment.objects.count(), "units": dict(states),
        "payments": Payment.objects.count(),
        "forged and replayed": f"{forged.total() - admitted} refused of {forged.total()}",
        "refusals": dict(sum((each.refusals for each in workers), Counter()).most_common(5)),
    } | spammers, indent=1))  # fmt: skip
    counts = count_violations(study, workers)
    stopped = spammers["median documents until a spammer is set aside"]
    counts["spammers set aside late or never"] = int(stopped is None or stopped > MOST_DOCUMENTS)
    print(json.dumps(counts, indent=1))
    for error, times in Counter(e for each in workers for e in each.errors).most_common(5):
        print(f"{times} x {error}")
    return any(counts.values())


def main() -> int:
    from benchmarks.judging import prepare_site, serve

    options = parse_options()
    os.environ["POOLBENCH_CROWD_RATE"] = ""
    with prepare_site(options) as manage:
        from benchmarks.assessor import wait_for
        from crowd.services.units import abandon_expired_units

        study = build_study(options)
        workers = make_workers(options, study)
        server = serve(options.port, options.processes, options.threads)
        try:
            wait_for(options.port)
            until = time.monotonic() + options.seconds
            with ThreadPoolExecutor(len(workers)) as threads:
                list(threads.map(lambda each: each.run(until), workers))
        finally:
            server.terminate()
            server.wait(30)
        abandon_expired_units(study=study)
        is_broken = print_outcome(study, workers)
        checked = subprocess.run([*manage, "check_judging", SLUG], check=False)
    return int(is_broken or checked.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
