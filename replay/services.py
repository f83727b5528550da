"""Replay a campaign folder through all phases of a campaign, with the services that the pages
use: topics, documents, runs, pool, judgments, qrels, scores, release.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial

from django.db import connection, connections

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Role, Run, Team, User
from campaigns.services import campaigns, collection, people, runs, tasks
from campaigns.services.jobs import load_tasks, run_here, run_jobs_inline
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services import imports, plans, qrels
from poolbench.commands.processes import choose_process_count, map_while_made
from poolbench.commands.progress import ProgressBar
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.pooling.spec import depth_spec
from poolbench.replay.manifest import ReplayManifest, RunEntry, TaskEntry
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable
from pooling.models import Pool
from pooling.services.freeze import freeze_pool

Write = Callable[[str], None]
Step = Callable[[str], AbstractContextManager[list[str]]]


@contextmanager
def time_step(write: Write, name: str) -> Iterator[list[str]]:
    """Prints a step, its duration, and the results that the block appends to the list."""
    start, results = time.perf_counter(), list[str]()
    yield results
    write(f"{name:<12} {time.perf_counter() - start:6.1f} s  {'; '.join(results)}")


def replay_campaign(*, actor: User, manifest: ReplayManifest, write: Write) -> Campaign:
    """Create the campaign of ``manifest`` and replay it as far as the manifest says.

    A rejected run stops the replay with its faults: a manifest is a complete record.
    """
    step = partial(time_step, write)
    judged = [
        (entry, read_qrels(read_bytes(entry.file), file=str(entry.file)))
        for entry in manifest.qrels
    ]
    with run_jobs_inline():
        campaign = create_replayed_campaign(actor, manifest, step)
        for entry in manifest.tasks or (None,):
            task = None if entry is None else create_replayed_task(actor, campaign, entry)
            slug = "" if task is None else task.slug
            own = {each.assessor: table for each, table in judged if each.task == slug}
            replay_task(actor, campaign, manifest, own, task, step)
    return campaign


def create_replayed_task(actor: User, campaign: Campaign, entry: TaskEntry) -> CampaignTask:
    """A residual one leaves out what all tasks before it have judged."""
    latest = campaign.qrels.first() if entry.residual else None
    return tasks.create_task(
        actor=actor,
        campaign=campaign,
        name=entry.name,
        slug=entry.slug,
        topics=entry.topics,
        measures=list(entry.measures),
        judged_before=latest.version if latest else None,
    )


def replay_task(
    actor: User,
    campaign: Campaign,
    manifest: ReplayManifest,
    judged: dict[str, QrelsTable],
    task: CampaignTask | None,
    step: Step,
) -> None:
    """From the runs of ``task``, or of the campaign, to their scores."""
    submitted = submit_replayed_runs(actor, campaign, manifest, step, task)
    pooled = [run for entry, run in submitted if entry.pooled]
    with step("pool") as results:
        spec = depth_spec(manifest.depth)
        pool = freeze_pool(actor=actor, campaign=campaign, spec=spec, runs=pooled)
        results.append(f"{pool.size:,} pairs of {len(pooled)} runs at depth {manifest.depth}")
    replay_judgments(actor, pool, judged, step)
    score_replayed_campaign(actor, campaign, manifest, step, task)


SETTINGS = ("description", "guidelines", "relevance_level", "board", "test", "correction", "alpha")


def create_replayed_campaign(actor: User, manifest: ReplayManifest, step: Step) -> Campaign:
    settings = {name: getattr(manifest, name) for name in SETTINGS}
    with step("setup") as results:
        campaign = campaigns.create_campaign(
            actor=actor,
            title=manifest.title,
            slug=manifest.slug,
            scale=manifest.scale,
            max_runs_per_team=None,
            measures=list(manifest.measures),
            **settings,
        )
        for noun, path, import_file in (
            ("topics", manifest.topics, collection.import_topics),
            ("documents", manifest.documents, collection.import_documents),
        ):
            if path:
                data = read_bytes(path)
                count = import_file(actor=actor, campaign=campaign, data=data, file=path.name)
                results.append(f"{count} {noun}")
    return campaign


def submit_replayed_runs(
    actor: User,
    campaign: Campaign,
    manifest: ReplayManifest,
    step: Step,
    task: CampaignTask | None = None,
) -> list[tuple[RunEntry, Run]]:
    own = [entry for entry in manifest.runs if entry.task == ("" if task is None else task.slug)]
    submitted: list[tuple[RunEntry, Run]] = []
    # Forks see only what is committed.
    processes = 1
    if not connection.in_atomic_block:
        processes = choose_process_count([str(entry.file) for entry in own])
    with step("runs") as results:
        load_tasks()
        if processes > 1:
            # No two processes may use the same connection.
            connections.close_all()
        sent = iter_teams_sent(actor, campaign, own, task, submitted)
        teams = len({entry.team for entry in own})
        checked = map_while_made(check_team_runs, sent, processes)
        for _ in ProgressBar().track(checked, "runs", teams):
            pass
        for entry, run in submitted:
            run.refresh_from_db()
            if run.state != Run.State.ACCEPTED:
                raise InvalidFile(name_file_in_faults(run.fault_report, str(entry.file)))
        lines = sum(run.lines for _, run in submitted)
        results.append(f"{len(submitted)} runs of {teams} teams, {lines:,} lines")
    return submitted


def iter_teams_sent(
    actor: User,
    campaign: Campaign,
    entries: Sequence[RunEntry],
    task: CampaignTask | None,
    submitted: list[tuple[RunEntry, Run]],
) -> Iterator[list[int]]:
    """Submit the runs of ``entries`` in their order; the keys of all runs of a team, which wait for
    their checks, once it has sent its last one.
    """
    left = Counter(entry.team for entry in entries)
    waiting: dict[str, list[int]] = defaultdict(list)
    teams: dict[str, Team] = {}
    for entry in entries:
        if entry.team not in teams:
            teams[entry.team] = people.get_or_create_team(
                actor=actor, campaign=campaign, name=entry.team
            )
        run = runs.submit_run(
            actor=actor,
            campaign=campaign,
            team=teams[entry.team],
            data=entry.file.read_bytes(),
            file_name=entry.file.name,
            tag=entry.tag,
            description=entry.description,
            kind=entry.kind,
            priority=entry.priority,
            task=task,
            check_here=True,
        )
        submitted.append((entry, run))
        waiting[entry.team].append(run.pk)
        left[entry.team] -= 1
        if not left[entry.team]:
            yield waiting.pop(entry.team)


def check_team_runs(sent: Sequence[int]) -> None:
    """Check the runs of a team (keys) in turn: each is compared with those before."""
    for run in Run.objects.filter(pk__in=sent).order_by("pk"):
        if job := runs.latest_check_job(run):
            run_here(job)


def name_file_in_faults(report: FaultReport, file: str) -> FaultReport:
    """``report`` with ``file`` as the name in every fault."""
    faults = [replace(fault, file=file) for fault in report.faults]
    return FaultReport(file, faults, report.counts)


def replay_judgments(actor: User, pool: Pool, judged: dict[str, QrelsTable], step: Step) -> None:
    """Create plans for the assessors who judged the pool, and import their judgments."""
    campaign = pool.campaign
    with step("judgments") as results:
        users = {name: get_or_create_account(name) for name in judged}
        for user in users.values():
            if not campaign.members.filter(user=user, role=Role.ASSESSOR).exists():
                people.add_member(actor=actor, campaign=campaign, user=user, role=Role.ASSESSOR)
        create_replay_plans(actor, pool, judged, users)
        rows = {
            users[name]: [(*pair, grade) for pair, grade in table.by_pair().items()]
            for name, table in judged.items()
        }
        if rows:
            imports.import_all_judgments(actor=actor, campaign=campaign, rows=rows)
        results += [f"{user.username} {len(own):,}" for user, own in rows.items()]


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
    actor: User,
    campaign: Campaign,
    manifest: ReplayManifest,
    step: Step,
    task: CampaignTask | None = None,
) -> None:
    with step("qrels") as results:
        version = qrels.freeze_qrels(actor=actor, campaign=campaign, policy=manifest.policy)
        results.append(f"{version.pairs:,} pairs by policy {version.policy}")
    with step("scores") as results:
        score_set = score_campaign(actor=actor, campaign=campaign, qrels=version, task=task)
        results.append(f"{score_set.runs.count()} runs, {len(score_set.measures)} measures")
        if manifest.release:
            release_scores(actor=actor, score_set=score_set)
            results.append("released to participants")


def get_or_create_organizer(name: str) -> User:
    """The account ``name`` with permission to create campaigns, created if there is none."""
    user = get_or_create_account(name)
    user.can_create_campaigns = True
    user.save()
    return user


def get_or_create_account(name: str) -> User:
    """Created without a usable password if there is none."""
    user, created = User.objects.get_or_create(username=name)
    if created:
        user.set_unusable_password()
        user.save()
    return user


def check_slug_free(slug: str) -> None:
    if Campaign.objects.filter(slug=slug).exists():
        raise ActionRefused("taken", f"Campaign {slug} already exists.", "Choose a different slug.")
