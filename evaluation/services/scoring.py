"""Scoring all accepted runs of a campaign under one qrels release."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from campaigns.core.runmatrix import RunMatrix
from campaigns.core.tables import UNJUDGED, QrelsTable, starts_of
from campaigns.errors import Refused
from campaigns.models import Campaign, Job, Run, User
from campaigns.rules import require
from campaigns.services import events, jobs, matrices
from evaluation.core.batch import Batch, Judged, batch_from_arrays
from evaluation.core.evaluate import ScoredRun, score_batch
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.options import Options
from evaluation.models import RunScores, ScoreSet
from judging.models import Qrels
from judging.queries.judgments import qrels_table

KIND = "evaluation.evaluate"
Progress = Callable[[int, int], None]
Ints = NDArray[np.int64]
OF_ONE_RUN = ("topics_not_retrieved",)


@dataclass(frozen=True)
class Sheet:
    """All scores, computed but not yet written. ``scored[i]`` is of ``runs[i]``."""

    runs: Sequence[Run]
    scored: Sequence[ScoredRun]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    conditions: dict[str, Any]


def request_evaluation(
    *, actor: User, campaign: Campaign, qrels: Qrels, measures: Sequence[str] = ()
) -> Job:
    """Queue the scoring of all accepted runs; what cannot work is refused at once."""
    require(actor, "campaigns.manage", campaign)
    check(campaign, qrels)
    names = [measure.name for measure in measures_for(campaign, measures)]
    with transaction.atomic():
        return jobs.enqueue(
            campaign=campaign, kind=KIND, actor=actor, qrels=qrels.pk, measures=names
        )


def evaluate_campaign(job: Job) -> None:
    """The handler of ``evaluation.evaluate``: a job that comes twice leaves one score set."""
    actor = job.created_by
    if actor is None:
        raise Refused("no-actor", "Nobody is known to have asked for this evaluation.")
    require(actor, "campaigns.manage", job.campaign)
    qrels = job.campaign.qrels.get(pk=job.args["qrels"])

    def progress(done: int, of: int) -> None:
        jobs.progress(job, done, of)

    sheet = score_runs(job.campaign, qrels, job.args["measures"], progress)
    with transaction.atomic():
        # Locked, so that a worker thought dead cannot write beside its successor.
        if Job.objects.select_for_update().get(pk=job.pk).state == Job.State.DONE:
            return
        score_set = keep(actor, job.campaign, qrels, sheet)
        url = score_set.get_absolute_url()
        jobs.finish(job, score_set=score_set.pk, runs=len(sheet.runs), url=url)


def score_campaign(
    *,
    actor: User,
    campaign: Campaign,
    qrels: Qrels,
    measures: Sequence[str] = (),
    progress: Progress | None = None,
) -> ScoreSet:
    """Score all accepted runs now. ``progress`` is told (runs done, of how many)."""
    require(actor, "campaigns.manage", campaign)
    sheet = score_runs(campaign, qrels, measures, progress)
    with transaction.atomic():
        return keep(actor, campaign, qrels, sheet)


def check(campaign: Campaign, qrels: Qrels) -> None:
    if qrels.campaign_id != campaign.pk:
        raise Refused("other-campaign", "These qrels belong to another campaign.")
    if not campaign.runs.accepted().exists():
        raise Refused("no-runs", "There is no accepted run to score.", "Wait for a run.")


def measures_for(campaign: Campaign, names: Sequence[str]) -> tuple[Measure, ...]:
    """The measures asked for, else the campaign's, else the usual ones."""
    try:
        return parse_measures(names or campaign.measures or DEFAULT_NAMES)
    except UnknownMeasureError as error:
        cure = "docs/measures.md lists all measures and their spellings."
        raise Refused("unknown-measure", str(error), cure) from error


def score_runs(
    campaign: Campaign, qrels: Qrels, names: Sequence[str], progress: Progress | None
) -> Sheet:
    """Every accepted run against the release, without writing anything."""
    check(campaign, qrels)
    measures, options = measures_for(campaign, names), options_of(campaign)
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    table = without(qrels_table(qrels), withheld_topics(campaign))
    if not table.topics:
        raise Refused("no-topics", "The qrels judge no topic that counts.", "Judge a topic.")
    judged = Judged.from_arrays(table.topics, table.starts, table.grades, qrels.sha256)
    grades = grade_of_pair(campaign, table)
    scored = []
    for done, run in enumerate(runs):
        if progress is not None and done % 10 == 0:
            progress(done, len(runs))
        batch = graded(matrices.matrix_of(run), judged, grades, options)
        scored.append(score_batch(batch, measures, run.tag))
    told = conditions_of(qrels, runs, scored[-1])
    return Sheet(runs, scored, judged.topics, measures, told)


def options_of(campaign: Campaign) -> Options:
    gains = dict(campaign.grades.values_list("value", "gain"))
    if campaign.relevance_level < 1:
        raise Refused(
            "bad-level",
            f"With relevance level {campaign.relevance_level} every judged document is relevant.",
            "Set a level of 1 or more in the settings.",
        )
    return Options(level=campaign.relevance_level, gains=gains)


def withheld_topics(campaign: Campaign) -> frozenset[str]:
    return frozenset(campaign.topics.filter(withheld=True).values_list("number", flat=True))


def without(table: QrelsTable, left_out: frozenset[str]) -> QrelsTable:
    """The qrels without some topics."""
    kept = [index for index, topic in enumerate(table.topics) if topic not in left_out]
    if len(kept) == len(table.topics):
        return table
    parts = [table.rows(index) for index in kept]
    sizes = [part.stop - part.start for part in parts]
    return QrelsTable(
        topics=tuple(table.topics[index] for index in kept),
        starts=starts_of(sizes),
        docnos=[docno for part in parts for docno in table.docnos[part]],
        grades=np.concatenate([table.grades[part] for part in parts] or [table.grades[:0]]),
    )


def grade_of_pair(campaign: Campaign, table: QrelsTable) -> NDArray[np.int32]:
    """The grade of each code of the campaign's pair dictionary."""
    topic_of = np.repeat(np.arange(len(table.topics)), np.diff(table.starts)).tolist()
    topics = (table.topics[index] for index in topic_of)
    rows = zip(topics, table.docnos, table.grades.tolist(), strict=True)
    return matrices.dictionary_of(campaign).gather(rows, int(UNJUDGED))


def graded(matrix: RunMatrix, judged: Judged, grades: NDArray[np.int32], options: Options) -> Batch:
    """The run's grades in rank order, over the judged topics: one gather."""
    place = {topic: index for index, topic in enumerate(matrix.topics)}
    found = [place.get(topic) for topic in judged.topics]
    rows = [slice(0, 0) if at is None else slice(*matrix.starts[at : at + 2]) for at in found]
    sizes = [row.stop - row.start for row in rows]
    starts = starts_of(sizes)
    pairs = np.concatenate([matrix.pairs[row] for row in rows])
    return batch_from_arrays(judged, starts, grades[pairs], options)


def conditions_of(qrels: Qrels, runs: Sequence[Run], scored: ScoredRun) -> dict[str, Any]:
    """Everything that the numbers depend on. It names no run: participants read it."""
    hashes = sorted(run.normalised_hash or run.sha256 for run in runs)
    shared = {k: v for k, v in scored.conditions.items() if k not in OF_ONE_RUN}
    return shared | {
        "qrels_version": qrels.version,
        "runs": len(runs),
        "runs_sha256": hashlib.sha256("\n".join(hashes).encode()).hexdigest(),
        "product": f"Poolbench {version('poolbench')}",
    }


def keep(actor: User, campaign: Campaign, qrels: Qrels, sheet: Sheet) -> ScoreSet:
    """Write the score set and its rows; call it in a transaction."""
    names = [measure.name for measure in sheet.measures]
    score_set = ScoreSet.objects.create(
        campaign=campaign,
        qrels=qrels,
        topics=list(sheet.topics),
        measures=names,
        conditions=sheet.conditions,
        created_by=actor,
    )
    RunScores.objects.bulk_create(
        RunScores(
            score_set=score_set,
            run=run,
            means=dict(zip(names, scored.means, strict=True)),
            packed=np.ascontiguousarray(scored.values, dtype="<f8").tobytes(),
        )
        for run, scored in zip(sheet.runs, sheet.scored, strict=True)
    )
    events.record(
        campaign=campaign,
        actor=actor,
        verb="evaluated the runs",
        subject=f"{len(sheet.runs)} runs, qrels {qrels.version}",
        score_set=score_set.pk,
    )
    return score_set
