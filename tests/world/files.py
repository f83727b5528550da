"""Runs, pools and qrels as small as a test needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from campaigns import store
from campaigns.models import Campaign, Run, Team, User
from campaigns.services import jobs, matrices
from campaigns.services.runs import latest_check_job, submit_run
from judging.models import Qrels
from poolbench.runs.run_checks import ranking_hash
from poolbench.runs.runs import read_run
from pooling.models import Pool, PoolItem

# Small enough to score by hand. Level 1: topic 1 has d1=2 d2=1 d3=0 d4=0, topic 2 d1=1 d5=0,
# topic 3 only d6=0. ALPHA ranks topic 1 N R . R and topic 2 R, and leaves topic 3 out.
QRELS = """1 0 d1 2
1 0 d2 1
1 0 d3 0
1 0 d4 0
2 0 d1 1
2 0 d5 0
3 0 d6 0
"""
ALPHA = """1 Q0 d3 1 4 alpha-one
1 Q0 d1 2 3 alpha-one
1 Q0 d9 3 2 alpha-one
1 Q0 d2 4 1 alpha-one
2 Q0 d1 1 1 alpha-one
"""
BETA = """1 Q0 d1 1 4 beta-secret
1 Q0 d2 2 3 beta-secret
2 Q0 d5 1 4 beta-secret
2 Q0 d1 2 3 beta-secret
3 Q0 d6 1 1 beta-secret
"""
BETA2 = "1 Q0 d4 1 1 beta-other\n"
# Topic → docnos in rank order. "d5" is brought by beta2 alone at depth 2.
TOY = {
    "alpha1": ("Alpha", 1, {"1": "d1 d2 d3", "2": "d1"}),
    "alpha2": ("Alpha", 2, {"1": "d1 d4", "2": "d2 d1"}),
    "beta1": ("Beta", 1, {"1": "d2 d1 d9", "2": "d2 d3"}),
    "beta2": ("Beta", 2, {"1": "d5 d1"}),
}


def run_text(
    tag: str = "first",
    topics: Iterable[str] = ("1", "2", "3"),
    docnos: Iterable[str] = ("d1", "d2"),
) -> bytes:
    """A run that ranks ``docnos`` in their order for each of ``topics``."""
    ranked = list(enumerate(docnos, 1))
    lines = [f"{t} Q0 {d} {r} {100 - r} {tag}\n" for t in topics for r, d in ranked]
    return "".join(lines).encode()


def upload(data: bytes, name: str = "run.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def run_form(team: Team, data: bytes | None = None, **fields: object) -> dict[str, object]:
    """What the page of submission sends."""
    file = upload(run_text() if data is None else data)
    return {"file": file, "team": team.pk, "kind": "automatic", "priority": 1, **fields}


def checked_run(
    actor: User, campaign: Campaign, team: Team, data: bytes | None = None, **fields: object
) -> Run:
    """A submitted run after its check."""
    data = run_text() if data is None else data
    given = {"file_name": "run.txt", **fields}
    run = submit_run(actor=actor, campaign=campaign, team=team, data=data, **given)
    jobs.run_here(latest_check_job(run))
    run.refresh_from_db()
    return run


def accepted_run(team: Team, tag: str, text: str, **fields: object) -> Run:
    """A run as the check leaves it, without a check."""
    data, campaign = text.encode(), team.campaign
    table = read_run(data)
    return Run.objects.create(
        campaign=campaign,
        team=team,
        tag=tag,
        state=Run.State.ACCEPTED,
        file=store.put_blob(data),
        file_name=f"{tag}.txt",
        size=len(data),
        lines=len(table),
        sha256=store.sha256(data),
        normalised_hash=ranking_hash(table),
        matrix=matrices.store_run_matrix(campaign, table),
        submitted_by=campaign.created_by,
        **fields,
    )


def ranked_run(team: Team, tag: str, ranked: Mapping[str, str], priority: int = 1) -> Run:
    """An accepted run: ``ranked`` gives docnos by topic in rank order."""
    lines = [
        f"{topic} Q0 {docno} {rank} {-rank} {tag}\n"
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos.split())
    ]
    return accepted_run(team, tag, "".join(lines), priority=priority)


def make_pool(campaign: Campaign, pairs: dict[str, list[str]], version: int = 1) -> Pool:
    """A frozen pool with everything that must not leak: run tags, ranks, contributors."""
    pool = Pool.objects.create(
        campaign=campaign,
        version=version,
        spec={"method": "depth", "depth": 3, "runs": [{"tag": "SECRETRUN", "team": "SECRETTEAM"}]},
        inputs_hash=f"{version}".zfill(64),
        size=sum(map(len, pairs.values())),
        frozen_by=campaign.created_by,
    )
    topics = {topic.number: topic for topic in campaign.topics.all()}
    PoolItem.objects.bulk_create(
        PoolItem(
            pool=pool,
            topic=topics[number],
            docno=docno,
            min_rank=98765432,
            contributors=b"\x00\x00",
            position=at,
        )
        for number, docnos in pairs.items()
        for at, docno in enumerate(docnos)
    )
    return pool


def qrels_release(campaign: Campaign, text: str = QRELS, version: int = 1) -> Qrels:
    data = text.encode()
    return Qrels.objects.create(
        campaign=campaign,
        version=version,
        policy="latest",
        as_of=timezone.now(),
        path=store.put_blob(data),
        sha256=store.sha256(data),
        pairs=text.count("\n"),
        manifest={},
        frozen_by=campaign.created_by,
    )
