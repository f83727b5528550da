"""What people and workers are busy with while something fails: two campaigns."""

import tempfile
from pathlib import Path
from typing import Any

TEXT = "It was a dark and stormy night in the archive. " * 20
GROWING = "{seed: 1, budget: {per_topic: 400}, steps: [{method: depth, k: 2}, {method: maxmean}]}"
TOPICS, EACH, RUNS, LINES = 10, 1_499, 6, 300
STORM, GROW, LARGE = "storm", "growing", "large"
LARGE_RUNS, LARGE_TOPICS = 60, 100


def build_campaigns() -> dict[str, Any]:
    """The token of the team's member, and a session for each assessor."""
    from benchmarks.judging import create_session
    from campaigns.services.tokens import create_token
    from judging.services.plans import create_plan
    from poolbench.pooling.spec_file import read_spec
    from pooling.services.freeze import freeze_pool
    from tests.world.files import make_pool, ranked_run

    owner, storm, team, judges = begin(STORM, 3)
    docnos = [f"d{n:05}" for n in range(EACH)]
    numbers = [str(n) for n in range(1, TOPICS + 1)]
    pool = make_pool(storm, dict.fromkeys(numbers, docnos))
    create_plan(actor=owner, pool=pool, overlap=2, assessors=dict.fromkeys(numbers, judges))
    token = create_token(owner, name="uploads")
    owner, growing, team, growers = begin(GROW, 1)
    for run in range(RUNS):
        ranked = " ".join(f"d{(rank * (run + 2)) % EACH:05}" for rank in range(LINES))
        ranked_run(team, f"base{run}", dict.fromkeys(numbers, ranked))
    runs = growing.runs.accepted()
    pool = freeze_pool(actor=owner, campaign=growing, spec=read_spec(GROWING), runs=runs)
    create_plan(actor=owner, pool=pool, overlap=1, assessors=dict.fromkeys(numbers, growers))
    people = [create_session(user) | {"slug": STORM} for user in judges]
    people += [create_session(user) | {"slug": GROW} for user in growers]
    return {"token": token, "people": people}


def begin(slug: str, assessors: int) -> tuple[Any, Any, Any, list[Any]]:
    """Owner, campaign, team and assessors."""
    from campaigns.models import Document, Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.people import add_member, get_or_create_team
    from poolbench.judging.scale import GradeSpec

    owner, _ = User.objects.get_or_create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(n, word, str(n), float(n)) for n, word in enumerate(("no", "so", "yes"))]
    fields = {"title": slug.title(), "slug": slug, "max_runs_per_team": None}
    campaign = create_campaign(actor=owner, scale=scale, **fields)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"stormy {n}", position=n)
        for n in range(1, TOPICS + 1)
    )
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=f"d{n:05}", title="Storm", body=TEXT, sha256=f"d{n}")
        for n in range(EACH)
    )
    users = [User.objects.create(username=f"{slug}-{n}") for n in range(assessors)]
    for user in users:
        add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
    return owner, campaign, get_or_create_team(actor=owner, campaign=campaign, name="T"), users


def build_large() -> None:
    """A campaign whose evaluation is divided: 60 runs of 100,000 lines, and qrels of which one
    assessor has judged all.
    """
    import numpy as np

    from benchmarks.workers import create_runs
    from campaigns.models import Campaign, Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.people import add_member, get_or_create_team
    from judging.services.imports import import_judgments
    from judging.services.qrels import freeze_qrels
    from poolbench.judging.scale import GradeSpec

    if Campaign.objects.filter(slug=LARGE).exists():
        return
    rng, owner = np.random.default_rng(1), User.objects.get(username="owner")
    scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
    campaign = create_campaign(actor=owner, title="Large", slug=LARGE, scale=scale)
    numbers = range(1, LARGE_TOPICS + 1)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"large {n}", position=n) for n in numbers
    )
    team = get_or_create_team(actor=owner, campaign=campaign, name="T")
    judges = User.objects.filter(username__in=(f"{STORM}-0", f"{STORM}-1")).order_by("username")
    for judge in judges:
        add_member(actor=owner, campaign=campaign, user=judge, role=Role.ASSESSOR)
    create_runs(campaign, team, LARGE_RUNS, LARGE_TOPICS)
    judged = [(str(t), f"D{n:05}", int(rng.random() < 0.1)) for t in numbers for n in range(300)]
    import_judgments(actor=owner, campaign=campaign, assessor=judges[1], rows=judged)
    freeze_qrels(actor=owner, campaign=campaign, policy="majority")


def write_judgments(rows: int) -> Path:
    """A file of one assessor's judgments of the large campaign."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.writelines(f"{1 + n % TOPICS} 0 x{n // TOPICS} {n % 2}\n" for n in range(rows))
    return Path(file.name)
