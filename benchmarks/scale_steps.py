"""The steps of ``scale.py``: those that wait for the site, and those of a process of their own."""

import argparse
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

from benchmarks import scale_runs
from benchmarks.scale_site import ScaleSite

SLUG, TEAM_RUNS, BOUNDARY = "scale", 3, "poolbench-scale"
PAGES = ("", "runs/", "pool/1/", "judging/", "results/qrels/1/", "results/scores/")
WAIT_SECONDS = 3_600


def generate(options: argparse.Namespace) -> str:
    folder = options.folder / "runs"
    folder.mkdir(exist_ok=True)
    size = 0
    for number in range(options.runs):
        path = folder / scale_runs.make_tag(number)
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(scale_runs.build_run(number, options.topics, options.depth))
            part.rename(path)
        size += path.stat().st_size
    return f"{size / 1e6:,.0f} MB of runs"


def begin(options: argparse.Namespace) -> str:
    """The campaign, its topics, teams and assessors; the token goes into the folder."""
    from benchmarks.judging import create_session
    from campaigns.models import Role, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.collection import import_topics
    from campaigns.services.people import add_member, get_or_create_team
    from campaigns.services.tokens import create_token
    from poolbench.judging.scale import GradeSpec

    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(n, word, str(n), float(n)) for n, word in enumerate(("no", "so", "yes"))]
    campaign = create_campaign(
        actor=owner, title="Scale", slug=SLUG, scale=scale, max_runs_per_team=None
    )
    numbers = scale_runs.topic_numbers(options.topics)
    text = "".join(f"{number}\ttopic {number}\n" for number in numbers)
    import_topics(actor=owner, campaign=campaign, data=text.encode())
    for number in range((options.runs - 1) // TEAM_RUNS + 1):
        get_or_create_team(actor=owner, campaign=campaign, name=f"T{number:02d}")
    for number in range(20):
        user = User.objects.create(username=f"a{number:02d}")
        add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
    keys = {"token": create_token(owner), "session": create_session(owner)["session"]}
    (options.folder / "keys.json").write_text(json.dumps(keys))
    return f"{len(numbers)} topics"


def upload(site: ScaleSite, options: argparse.Namespace) -> str:
    """Each run is one request, ``--uploads`` at the same time; ends when all are answered."""
    token = read_key(options, "token")

    def send(number: int) -> float:
        tag = scale_runs.make_tag(number)
        data = (options.folder / "runs" / tag).read_bytes()
        team = f"T{number // TEAM_RUNS:02d}"
        started = time.perf_counter()
        status, answer = post_run(site.port, token, team, tag, data)
        if status != 201:
            raise SystemExit(f"{tag} was answered {status}: {answer[:300]!r}")
        return time.perf_counter() - started

    with ThreadPoolExecutor(options.uploads) as people:
        seconds = sorted(people.map(send, range(options.runs)))
    return f"{len(seconds)} uploads, median {seconds[len(seconds) // 2]:.2f} s each"


def post_run(port: int, token: str, team: str, tag: str, data: bytes) -> tuple[int, bytes]:
    head = "".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in {"campaign": SLUG, "team": team}.items()
    )
    head += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{tag}"\r\n\r\n'
    headers = {
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Authorization": f"Token {token}", "Idempotency-Key": tag,
    }  # fmt: skip
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        body = head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        connection.request("POST", "/api/runs/", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def read_key(options: argparse.Namespace, name: str) -> str:
    return str(json.loads((options.folder / "keys.json").read_text())[name])


def get_json(site: ScaleSite, options: argparse.Namespace, path: str) -> Any:
    connection = HTTPConnection("127.0.0.1", site.port, timeout=600)
    headers = {"Authorization": f"Token {read_key(options, 'token')}"}
    try:
        connection.request("GET", path, headers=headers)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def check(site: ScaleSite, options: argparse.Namespace) -> str:
    """Until workers have decided on every run; most is done while runs still come."""
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        answer = get_json(site, options, f"/api/runs/?campaign={SLUG}&limit=1000")
        states = [each["state"] for each in answer["results"]]
        if "received" not in states:
            if set(states) != {"accepted"} or len(states) != options.runs:
                raise SystemExit(f"{len(states)} runs: {set(states)}")
            return f"{len(states)} runs accepted"
        time.sleep(0.5)
    raise SystemExit("the runs are not checked in an hour")


def freeze(options: argparse.Namespace) -> str:
    from poolbench.pooling.spec import depth_spec
    from pooling.services.freeze import freeze_pool

    campaign, owner = find_campaign()
    spec, runs = depth_spec(options.pool_depth), campaign.runs.accepted()
    pool = freeze_pool(actor=owner, campaign=campaign, spec=spec, runs=runs)
    return f"{pool.size:,} pairs at depth {options.pool_depth}"


def find_campaign() -> tuple[Any, Any]:
    from campaigns.models import Campaign

    campaign = Campaign.objects.select_related("created_by").get(slug=SLUG)
    return campaign, campaign.created_by


def plan(options: argparse.Namespace) -> str:
    """As many topics as have together ``--slots`` pairs, judged once, by 20 people in turn."""
    from django.db.models import Count

    from judging.services.plans import create_plan

    campaign, owner = find_campaign()
    pool = campaign.pools.get()
    sizes = pool.items.order_by().values("topic__number").annotate(n=Count("pk"))
    numbers, slots = list[str](), 0
    for row in sizes.order_by("topic__position"):
        if numbers and slots + row["n"] > options.slots:
            break
        numbers.append(row["topic__number"])
        slots += row["n"]
    people = [member.user for member in campaign.members.filter(role="assessor")]
    assessors = {n: [people[at % len(people)]] for at, n in enumerate(numbers)}
    create_plan(actor=owner, pool=pool, overlap=1, assessors=assessors, topics=numbers)
    return f"{slots:,} slots of {len(numbers)} topics"


def judge(options: argparse.Namespace) -> str:  # noqa: ARG001
    """One file with a judgment for every slot, imported as an assessor's."""
    from campaigns.models import User
    from judging.models import Slot
    from judging.services.imports import ImportOptions, import_file

    campaign, owner = find_campaign()
    rows = Slot.objects.filter(plan__campaign=campaign).order_by("pk")
    pairs = rows.values_list("topic__number", "item__docno").iterator(chunk_size=20_000)
    data = "".join(scale_runs.iter_judgments(pairs)).encode()
    by = ImportOptions(assessor=User.objects.get(username="a00"))
    counts = import_file(actor=owner, campaign=campaign, data=data, file="judgments", options=by)
    return f"{counts.appended:,} judgments"


def freeze_judgments(options: argparse.Namespace) -> str:  # noqa: ARG001
    from judging.services.qrels import freeze_qrels

    campaign, owner = find_campaign()
    qrels = freeze_qrels(actor=owner, campaign=campaign, policy="majority")
    return f"{qrels.pairs:,} pairs in the qrels"


def ask_evaluation(options: argparse.Namespace) -> str:  # noqa: ARG001
    from evaluation.services.scoring import request_evaluation

    campaign, owner = find_campaign()
    request_evaluation(actor=owner, campaign=campaign, qrels=campaign.qrels.get())
    return wait_for_jobs()


def ask_reusability(options: argparse.Namespace) -> str:  # noqa: ARG001
    from reliability.services.reusability import request_reusability_report

    campaign, owner = find_campaign()
    request_reusability_report(actor=owner, campaign=campaign, qrels=campaign.qrels.get())
    return wait_for_jobs()


def ask_snapshots(options: argparse.Namespace) -> str:  # noqa: ARG001
    """Stopping, agreement, today and whatever else is computed when its inputs change."""
    from campaigns.services.snapshots import get_report, list_verdict_subjects

    campaign, _ = find_campaign()
    for subject in list_verdict_subjects():
        get_report(campaign, subject.name)
    return wait_for_jobs()


def wait_for_jobs() -> str:
    """Until no job waits or runs; raises ``SystemExit`` if one has failed."""
    from campaigns.models import Job

    open_jobs = Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))
    end = time.monotonic() + WAIT_SECONDS
    while open_jobs.exists():
        if time.monotonic() > end:
            raise SystemExit(f"not done in an hour: {list(open_jobs.values_list('kind'))}")
        time.sleep(0.5)
    failed = Job.objects.filter(state=Job.State.FAILED)
    if failed.exists():
        raise SystemExit(f"failed: {list(failed.values_list('kind', 'error'))}")
    return f"{Job.objects.count()} jobs done in all"


def read_pages(site: ScaleSite, options: argparse.Namespace) -> str:
    """First views of the organizer, one after the other."""
    headers = {"Cookie": f"sessionid={read_key(options, 'session')}"}
    told = []
    for page in PAGES:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=600)
        started = time.perf_counter()
        connection.request("GET", f"/c/{SLUG}/{page}", headers=headers)
        answer = connection.getresponse()
        size = len(answer.read())
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"{page} is answered {answer.status}")
        told.append(f"{page or 'home'} {time.perf_counter() - started:.1f} s {size / 1e3:,.0f} kB")
    return "; ".join(told)


def verify(options: argparse.Namespace) -> str:
    """The product's own checks; raises if one finds anything."""
    from django.core.management import call_command

    with (options.folder / "checks.txt").open("w") as out:
        for command in (["check_judging"], ["check_store"], ["qrels", "verify"]):
            call_command(*command, stdout=out)
    return "check_judging, check_store, qrels verify"


Step = Callable[[argparse.Namespace], str]
APART: dict[str, Step] = {
    "generate": generate, "begin": begin, "freeze pool": freeze, "plan": plan, "judge": judge,
    "freeze qrels": freeze_judgments, "evaluate": ask_evaluation, "reusability": ask_reusability,
    "snapshots": ask_snapshots, "verify": verify,
}  # fmt: skip
WAITING: dict[str, Callable[[ScaleSite, argparse.Namespace], str]] = {
    "upload": upload, "check": check, "pages": read_pages,
}  # fmt: skip
STEPS = (
    "generate", "begin", "upload", "check", "freeze pool", "plan", "judge", "freeze qrels",
    "evaluate", "snapshots", "reusability", "pages", "verify",
)  # fmt: skip
