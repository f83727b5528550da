"""A campaign in two rounds: pools, 24 runs' worth of topics, judgments and scores."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from campaigns.models import Campaign, CampaignTask, Role, Run, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.people import get_or_create_team
from campaigns.services.runs import submit_and_check_run
from campaigns.services.tasks import create_task
from evaluation.models import ScoreSet
from evaluation.services.scoring import score_campaign
from judging.models import Qrels
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from poolbench.judging.scale import GradeSpec
from poolbench.pooling.spec import depth_spec
from pooling.models import Pool
from pooling.services.freeze import freeze_pool
from tests.world.people import joined

TOPICS, DOCS, DEPTH = 6, 40, 6
SCALE = [GradeSpec(g, f"grade {g}", "ymi"[g], g) for g in range(3)]
MEASURES = ("map", "ndcg_cut_10", "P_5", "bpref", "recall_10", "num_rel")


def write_lines(dice: random.Random, tag: str, topics: range) -> bytes:
    rows = ((t, d) for t in topics for d in dice.sample(range(DOCS), 20))
    return "".join(f"{t} Q0 d{d} 1 {dice.random()} {tag}\n" for t, d in rows).encode()


@dataclass
class Rounds:
    """Two rounds: the second has two more topics, and what the first judged leaves it."""

    campaign: Campaign
    organizer: User
    assessor: User
    first: CampaignTask
    second: CampaignTask
    runs: dict[str, Run]
    pools: list[Pool]
    qrels: list[Qrels]
    sets: list[ScoreSet]


def submit(campaign: Campaign, actor: User, data: bytes, **fields: Any) -> Run:
    team = get_or_create_team(actor=actor, campaign=campaign, name=fields.pop("team", "Team"))
    return submit_and_check_run(
        actor=actor, campaign=campaign, team=team, data=data, file_name="run", **fields
    )


def judge_pool(pool: Pool, assessor: User, dice: random.Random) -> None:
    topics = set(pool.items.values_list("topic__number", flat=True))
    create_plan(
        actor=pool.frozen_by, pool=pool, overlap=1, assessors={t: [assessor] for t in topics}
    )
    pairs = list(pool.items.order_by("pk").values_list("topic__number", "docno"))
    rows = [(*pair, dice.choice((0, 0, 1, 2))) for pair in pairs]
    import_judgments(actor=pool.frozen_by, campaign=pool.campaign, assessor=assessor, rows=rows)


def play_rounds(organizer: User) -> Rounds:
    dice = random.Random(24)  # noqa: S311 (the same each time)
    campaign = create_campaign(
        actor=organizer, title="Rounds", slug="rounds", scale=SCALE, measures=list(MEASURES)
    )
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"topic {n}", position=n)
        for n in range(1, TOPICS + 1)
    )
    assessor = joined(campaign, "ann", Role.ASSESSOR)
    runs, pools, qrels, sets = {}, [], [], []
    early = [str(n) for n in range(1, TOPICS - 1)]
    tasks: list[CampaignTask] = []
    for number, topics in enumerate((early, []), 1):
        before = qrels[-1].version if qrels else None
        task = create_task(
            actor=organizer, campaign=campaign, name=f"Round {number}", topics=topics,
            judged_before=before,
        )  # fmt: skip
        tasks.append(task)
        count = len(topics) or TOPICS
        own = [
            submit(
                campaign, organizer, write_lines(dice, f"r{number}-{n}", range(1, count + 1)),
                task=task, team=f"Team {n}",
            )
            for n in range(3)
        ]  # fmt: skip
        assert [run.state for run in own] == ["accepted"] * 3
        runs |= {run.tag: run for run in own}
        pools.append(
            freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(DEPTH), runs=own)
        )
        judge_pool(pools[-1], assessor, dice)
        qrels.append(freeze_qrels(actor=organizer, campaign=campaign, policy="maximum"))
        sets.append(score_campaign(actor=organizer, campaign=campaign, qrels=qrels[-1], task=task))
    return Rounds(campaign, organizer, assessor, *tasks, runs, pools, qrels, sets)
