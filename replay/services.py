"""Replay a campaign folder through all phases of a campaign, with the services that the pages
use: topics, documents, runs, pool, judgments, qrels, scores, release.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.core.qrels import read_qrels
from campaigns.core.streams import read_bytes
from campaigns.core.tables import QrelsTable
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Role, Run, User
from campaigns.services import campaigns, collection, people, runs
from campaigns.services.jobs import run_jobs_inline
from evaluation.models import ScoreSet
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services import imports, plans, qrels
from pooling.core.spec import depth_spec
from pooling.models import Pool
from pooling.services.freeze import freeze_pool
from replay.core.manifest import ReplayManifest, RunEntry

Write = Callable[[str], None]


@dataclass
class ReplayResult:
    """The replayed campaign and its scores. ``seconds`` is wall time by step."""

    campaign: Campaign
    score_set: ScoreSet
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass
class StepTimer:
    """Prints each step and its duration."""

    write: Write
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[list[str]]:
        """Yields a list to which the block appends its results, printed at the end."""
        start, results = time.perf_counter(), list[str]()
        yield results
        self.seconds[name] = time.perf_counter() - start
        self.write(f"{name:<12} {self.seconds[name]:6.1f} s  {'; '.join(results)}")


def replay_campaign(*, actor: User, manifest: ReplayManifest, write: Write) -> ReplayResult:
    """Create the campaign of ``manifest`` and replay it as far as the manifest says.

    A rejected run stops the replay with its faults: a manifest is a complete record.
    """
    clock = StepTimer(write)
    judged = {entry.assessor: read_grades(entry.file) for entry in manifest.qrels}
    with run_jobs_inline():
        campaign = create_replayed_campaign(actor, manifest, clock)
        submitted = submit_replayed_runs(actor, campaign, manifest, clock)
        pool = freeze_replayed_pool(actor, campaign, manifest, submitted, clock)
        replay_judgments(actor, pool, judged, clock)
        score_set = score_replayed_campaign(actor, campaign, manifest, clock)
    return ReplayResult(campaign, score_set, clock.seconds)


def read_grades(path: Path) -> QrelsTable:
    return read_qrels(read_bytes(path), file=str(path))


SETTINGS = ("description", "guidelines", "relevance_level", "board", "test", "correction", "alpha")


def create_replayed_campaign(actor: User, manifest: ReplayManifest, clock: StepTimer) -> Campaign:
    settings = {name: getattr(manifest, name) for name in SETTINGS}
    with clock.step("setup") as results:
        campaign = campaigns.create_campaign(
            actor=actor,
            title=manifest.title,
            slug=manifest.slug,
            scale=manifest.scale,
            max_runs_per_team=None,
            measures=list(manifest.measures),
            **settings,
        )
        data = read_bytes(manifest.topics)
        count = collection.import_topics(
            actor=actor, campaign=campaign, data=data, file=manifest.topics.name
        )
        results.append(f"{count} topics")
        if manifest.documents:
            data = read_bytes(manifest.documents)
            count = collection.import_documents(
                actor=actor, campaign=campaign, data=data, file=manifest.documents.name
            )
            results.append(f"{count} documents")
    return campaign


def submit_replayed_runs(
    actor: User, campaign: Campaign, manifest: ReplayManifest, clock: StepTimer
) -> list[tuple[RunEntry, Run]]:
    submitted = []
    with clock.step("runs") as results:
        for entry in manifest.runs:
            team = people.get_or_create_team(actor=actor, campaign=campaign, name=entry.team)
            run = runs.submit_run(
                actor=actor,
                campaign=campaign,
                team=team,
                data=entry.file.read_bytes(),
                file_name=entry.file.name,
                tag=entry.tag,
                description=entry.description,
                kind=entry.kind,
                priority=entry.priority,
            )
            run.refresh_from_db()
            if run.state != Run.State.ACCEPTED:
                raise InvalidFile(name_file_in_faults(run.fault_report, str(entry.file)))
            submitted.append((entry, run))
        lines = sum(run.lines for _, run in submitted)
        teams = len({entry.team for entry in manifest.runs})
        results.append(f"{len(submitted)} runs of {teams} teams, {lines:,} lines")
    return submitted


def name_file_in_faults(report: FaultReport, file: str) -> FaultReport:
    """``report`` with ``file`` as the name in every fault."""
    data = report.as_dict()
    return FaultReport.from_dict(
        {**data, "file": file, "faults": [{**fault, "file": file} for fault in data["faults"]]}
    )


def freeze_replayed_pool(
    actor: User,
    campaign: Campaign,
    manifest: ReplayManifest,
    submitted: list[tuple[RunEntry, Run]],
    clock: StepTimer,
) -> Pool:
    pooled = [run for entry, run in submitted if entry.pooled]
    with clock.step("pool") as results:
        pool = freeze_pool(
            actor=actor, campaign=campaign, spec=depth_spec(manifest.depth), runs=pooled
        )
        results.append(f"{pool.size:,} pairs of {len(pooled)} runs at depth {manifest.depth}")
    return pool


def replay_judgments(
    actor: User, pool: Pool, judged: dict[str, QrelsTable], clock: StepTimer
) -> None:
    """Create plans for the assessors who judged the pool, and import their judgments."""
    campaign = pool.campaign
    with clock.step("judgments") as results:
        users = {name: get_or_create_assessor(actor, campaign, name) for name in judged}
        create_replay_plans(actor, pool, judged, users)
        for name, table in judged.items():
            count = imports.import_judgments(
                actor=actor, campaign=campaign, assessor=users[name], rows=iter_qrels_rows(table)
            )
            results.append(f"{name} {count:,}")


def iter_qrels_rows(table: QrelsTable) -> Iterator[tuple[str, str, int]]:
    for index, topic in enumerate(table.topics):
        rows = table.rows(index)
        for docno, grade in zip(table.docnos[rows], table.grades[rows].tolist(), strict=True):
            yield topic, docno, grade


def get_or_create_assessor(actor: User, campaign: Campaign, name: str) -> User:
    """The account ``name``, created without a usable password if there is none."""
    user, created = User.objects.get_or_create(username=name)
    if created:
        user.set_unusable_password()
        user.save()
    people.add_member(actor=actor, campaign=campaign, user=user, role=Role.ASSESSOR)
    return user


def create_replay_plans(
    actor: User, pool: Pool, judged: dict[str, QrelsTable], users: dict[str, User]
) -> None:
    """One plan per number of assessors of a topic; all who judged a topic are its assessors."""
    by_topic: dict[str, list[User]] = defaultdict(list)
    for name, table in judged.items():
        for topic in table.topics:
            by_topic[topic].append(users[name])
    pooled = set(pool.items.values_list("topic__number", flat=True).distinct())
    by_overlap: dict[int, dict[str, list[User]]] = defaultdict(dict)
    for topic in sorted(pooled & by_topic.keys()):
        by_overlap[len(by_topic[topic])][topic] = by_topic[topic]
    for overlap, assessors in sorted(by_overlap.items()):
        plans.create_plan(
            actor=actor, pool=pool, overlap=overlap, assessors=assessors, topics=assessors.keys()
        )


def score_replayed_campaign(
    actor: User, campaign: Campaign, manifest: ReplayManifest, clock: StepTimer
) -> ScoreSet:
    with clock.step("qrels") as results:
        version = qrels.freeze_qrels(actor=actor, campaign=campaign, policy=manifest.policy)
        results.append(f"{version.pairs:,} pairs by policy {version.policy}")
    with clock.step("scores") as results:
        score_set = score_campaign(actor=actor, campaign=campaign, qrels=version)
        results.append(f"{score_set.runs.count()} runs, {len(score_set.measures)} measures")
        if manifest.release:
            release_scores(actor=actor, score_set=score_set)
            results.append("released to participants")
    return score_set


def get_or_create_organizer(name: str) -> User:
    """The account ``name`` with permission to create campaigns, created if there is none."""
    user, created = User.objects.get_or_create(username=name)
    if created:
        user.set_unusable_password()
    user.can_create_campaigns = True
    user.save()
    return user


def check_slug_free(slug: str) -> None:
    if Campaign.objects.filter(slug=slug).exists():
        raise ActionRefused("taken", f"Campaign {slug} already exists.", "Choose a different slug.")
