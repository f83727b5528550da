"""The inputs of a pool, checked, with their hashes; the draft, and what freezing it means."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.urls import reverse

from campaigns.confirmation import Confirmation, Consequence
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Run, User
from campaigns.queries.confirmations.runs import (
    list_check_matters,
    list_done_submission,
    list_submission_matters,
)
from campaigns.queries.tasks import describe_task
from campaigns.rules import require_access
from campaigns.services import matrices
from poolbench.files.faults import format_count, list_names
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.pool_builder import build_pool_table, is_shared, start_sessions
from poolbench.pooling.run_listing import build_listing_from_matrices, iter_listing_parts
from poolbench.pooling.session import PoolSession
from poolbench.pooling.spec import PoolSpec, hash_inputs
from poolbench.pooling.tables import PoolTable
from pooling.queries.document_texts import attach_listing_texts, check_reader
from pooling.queries.machine_grades import attach_current_grades
from pooling.queries.pools import latest_pool_version

T = TypeVar("T")
MAX_RUNS = 65_535  # contributors are packed as uint16


def get_poolable_runs(campaign: Campaign, runs: Iterable[Run]) -> list[Run]:
    """``runs`` as currently stored, by tag; each must be an accepted run of ``campaign``."""
    requested = {run.pk: run for run in runs}
    if not requested:
        raise ActionRefused("no-runs", "No runs selected.", "Select the runs to pool.")
    if len(requested) > MAX_RUNS:
        message = f"{len(requested):,} runs selected; the limit is {MAX_RUNS:,}."
        raise ActionRefused("too-many-runs", message)
    accepted = {run.pk: run for run in list_poolable_runs(campaign) if run.pk in requested}
    missing = sorted(str(run) for pk, run in requested.items() if pk not in accepted)
    if missing:
        raise ActionRefused(
            "not-accepted",
            f"Not among the accepted runs: {list_names(missing)}.",
            "Select accepted runs; a run may have been replaced or withdrawn in the meantime.",
        )
    if len({run.task_id for run in accepted.values()}) > 1:
        tasks = sorted({str(run.task or "none") for run in accepted.values()})
        message = f"Runs of several tasks: {list_names(tasks)}."
        raise ActionRefused("several-tasks", message, "Select the runs of one task.")
    return sorted(accepted.values(), key=lambda run: run.tag)


def check_spec(campaign: Campaign, spec: PoolSpec) -> None:
    most = campaign.max_docs_per_topic
    if not 1 <= spec.cutoff <= most:
        raise ActionRefused(
            "bad-depth",
            f"The depth or cut-off must be an integer between 1 and {most:,}, not {spec.cutoff:,}.",
            f"Runs of this campaign have at most {most:,} documents per topic.",
        )
    if is_shared(spec.steps, spec.budget):
        message = "A spec with a global queue and a total budget can only be simulated."
        fix = "Set `scope: local`, or run `poolbench simulate` on a finished campaign."
        raise ActionRefused("one-queue", message, fix)
    check_reader(spec)


def describe_inputs(campaign: Campaign, spec: PoolSpec, runs: Sequence[Run]) -> dict[str, Any]:
    """The spec, the topics, and the runs with their hashes."""
    adaptive = {"adaptive": True} if spec.is_adaptive else {}
    task = runs[0].task
    topics = campaign.topics.filter(withheld=False).values_list("number", flat=True)
    return (
        spec.as_dict()
        | adaptive
        | describe_task(task)
        | {
            "version": 2,
            "seed": campaign.seed if spec.seed is None else spec.seed,
            "topics": list(topics) if task is None else task.list_topic_numbers(),
            "runs": [
                {
                    "id": run.pk,
                    "tag": run.tag,
                    "team": run.team.name,
                    "sha256": run.sha256,
                    "normalised_hash": run.normalised_hash,
                }
                for run in runs
            ],
        }
    )


def list_runs_of_topics(
    campaign: Campaign, runs: Iterable[Run], inputs: dict[str, Any], list_runs: Callable[..., T]
) -> T:
    """What ``list_runs`` makes of ``runs`` for the topics of ``inputs``, down to the cut-off."""
    return list_runs(
        matrices.MatricesByTag({run.tag: run for run in runs}),
        matrices.get_pair_dictionary(campaign),
        inputs["cutoff"],
        inputs["seed"],
        frozenset(inputs["topics"]),
    )


def load_listing(campaign: Campaign, runs: Iterable[Run], inputs: dict[str, Any]) -> RunListing:
    return list_runs_of_topics(campaign, runs, inputs, build_listing_from_matrices)


def build_sessions(
    campaign: Campaign, runs: Sequence[Run], spec: PoolSpec
) -> tuple[dict[str, Any], RunListing | None, Iterator[PoolSession]]:
    """The pool's inputs, which determine its documents and their order, and a session per topic
    with everything selected that needs no judgments, each made as it is taken; and what the
    runs retrieve, if the spec needs it of all topics at once.
    """
    inputs, listing = describe_inputs(campaign, spec, runs), None
    parts: Iterable[RunListing]
    if spec.needs_all_topics:
        listing = load_listing(campaign, runs, inputs)
        if spec.reader:
            listing, inputs["texts"] = attach_listing_texts(campaign, listing, spec.reader)
        if spec.machine:
            listing, inputs["machine"] = attach_current_grades(campaign, listing, spec.machine)
        parts = [listing]
    else:
        parts = list_runs_of_topics(campaign, runs, inputs, iter_listing_parts)
    started = (start_sessions(part, spec.steps, spec.budget) for part in parts)
    return inputs, listing, chain.from_iterable(started)


def list_poolable_runs(campaign: Campaign) -> QuerySet[Run]:
    """The accepted runs by team and priority."""
    runs = campaign.runs.accepted().select_related("team", "campaign", "task__campaign")
    return runs.order_by("team__name", "priority", "tag")


def list_task_runs(campaign: Campaign, slug: str) -> QuerySet[Run]:
    """Those of the task ``slug``; of all runs without one."""
    runs = list_poolable_runs(campaign)
    return runs.filter(task__slug=slug) if slug else runs


def choose_runs(
    runs: Iterable[Run], *, up_to_priority: int | None = None, per_team: int | None = None
) -> list[Run]:
    """Runs with priority up to ``up_to_priority``, at most ``per_team`` per team."""
    selected, team_counts = [], Counter[int]()
    for run in sorted(runs, key=lambda run: (run.team_id, run.priority, run.tag)):
        is_eligible = up_to_priority is None or run.priority <= up_to_priority
        if is_eligible and (per_team is None or team_counts[run.team_id] < per_team):
            team_counts[run.team_id] += 1
            selected.append(run)
    return selected


def find_unknown_names(spec: PoolSpec, runs: Sequence[Run]) -> list[str]:
    """The tags and teams in ``spec`` that none of ``runs`` has."""
    return spec.runs.list_unknown({run.tag for run in runs}, {run.team.name for run in runs})


@dataclass(frozen=True, eq=False)
class FreezeFacts:
    """What a pool is confirmed by before it is frozen: ``size`` documents, ``most`` with those that
    judgments may add.
    """

    campaign: Campaign
    runs: list[Run]
    inputs: dict[str, Any]
    inputs_hash: str
    size: int
    most: int

    @property
    def task(self) -> CampaignTask | None:
        """That of the runs, which all have the same."""
        return self.runs[0].task

    def describe(self) -> Confirmation:
        """The confirmation before it is frozen, as of now."""
        campaign, version = self.campaign, latest_pool_version(self.campaign) + 1
        matters = list_submission_matters(
            campaign,
            "Freeze",
            "Runs that come in later are not in this pool: they are scored only on documents that"
            " the pooled runs contribute.",
            self.task,
        )
        matters += list_check_matters(campaign, "Freeze")
        pooled = {run.pk for run in self.runs}
        poolable = list_poolable_runs(campaign).filter(task=self.task)
        others = [run.tag for run in poolable if run.pk not in pooled]
        teams = len({run.team_id for run in self.runs})
        documents = format_count(self.size, "document")
        consequences = [
            Consequence("For good", f"Pool {version} never changes or loses a document, even if a"
                        " run is withdrawn. A larger pool is a new version."),
            Consequence("Assessors", "see nothing before a judging plan assigns the pool to them."),
            Consequence("Teams", "do not see the pool, nor which of their runs are in it."),
        ]  # fmt: skip
        if others:
            text = (
                f"{list_names(others)}: scored only on documents that the pooled runs contribute."
            )
            consequences.insert(
                1, Consequence(format_count(len(others), "run") + " not pooled", text)
            )
        if self.inputs.get("adaptive") and self.most > self.size:
            text = f"Judgments add documents, up to {self.most:,}. None is removed."
            consequences.insert(1, Consequence("Adaptive", text))
        return Confirmation(
            question=f"Freeze pool {version}{f' of {self.task}' if self.task else ''}?",
            summary=f"{documents} of {format_count(len(self.runs), 'run')} of"
            f" {format_count(teams, 'team')}. Inputs {self.inputs_hash[:12]}.",
            before="Before you freeze",
            open=tuple(matters),
            done=(*list_done_submission(campaign), *self.list_done(others)),
            consequences=tuple(consequences),
            button=f"Freeze {documents}",
            back=reverse("pools", args=[campaign.slug]),
        )

    def list_done(self, others: Sequence[str]) -> list[str]:
        """``others``: the runs that do not contribute."""
        done = [] if others else ["All accepted runs contribute to this pool."]
        if removed := self.inputs.get("removed"):
            judged = format_count(removed["judged_pairs"], "document")
            done.append(
                f"What qrels {removed['qrels_version']} have judged ({judged}) is left out."
            )
        return done


@dataclass(frozen=True)
class DraftTopic:
    """A topic of a draft: ``size`` documents now, and at most ``budget``; ``is_complete`` if
    judgments add none.
    """

    number: str
    size: int
    budget: int
    is_complete: bool

    @property
    def is_skipped(self) -> bool:
        """Whether the spec selects no documents of the topic, now or after judgments."""
        return not self.size and self.is_complete


@dataclass(frozen=True, eq=False)
class PoolDraft:
    """A pool before it is frozen: its runs, its inputs, its topics and documents; ``docnos`` are
    of those that it has or, if it is adaptive, can have. ``listing``: see ``build_sessions``.
    """

    campaign: Campaign
    runs: list[Run]
    inputs: dict[str, Any]
    listing: RunListing | None
    topics: list[DraftTopic]
    table: PoolTable
    docnos: Collection[str]

    @property
    def task(self) -> CampaignTask | None:
        """That of the runs, which all have the same."""
        return self.runs[0].task

    @cached_property
    def inputs_hash(self) -> str:
        """sha256 of the inputs as canonical JSON: sorted keys, no white space, UTF-8."""
        return hash_inputs(self.inputs)

    @cached_property
    def facts(self) -> FreezeFacts:
        most = sum(topic.budget for topic in self.topics)
        size = len(self.table)
        return FreezeFacts(self.campaign, self.runs, self.inputs, self.inputs_hash, size, most)


def draft_pool(
    *, actor: User, campaign: Campaign, spec: PoolSpec, runs: Iterable[Run]
) -> PoolDraft:
    """The pool that ``freeze_pool`` would freeze, with the same checks. Writes nothing."""
    require_access(actor, "campaigns.manage", campaign)
    check_spec(campaign, spec)
    runs_by_tag = get_poolable_runs(campaign, runs)
    inputs, listing, sessions = build_sessions(campaign, runs_by_tag, spec)
    topics, candidates = list[DraftTopic](), set[str]()

    def note_topics() -> Iterator[PoolSession]:
        # None of them is kept: a session of a large topic takes more than its documents.
        for session in sessions:
            size, number = len(session.selected), session.candidates.topic
            topics.append(DraftTopic(number, size, session.budget, session.is_complete))
            if inputs.get("adaptive"):
                candidates.update(session.candidates.docnos)
            yield session

    table = build_pool_table(note_topics())
    check_drafted(topics)
    docnos = candidates if inputs.get("adaptive") else table.docnos
    return PoolDraft(campaign, runs_by_tag, inputs, listing, topics, table, docnos)


def check_drafted(topics: Sequence[DraftTopic]) -> None:
    """Raise ``ActionRefused`` if the pool would stay empty."""
    if not topics:
        fix = "Import the topics that the runs answer, or select other runs."
        message = "The selected runs retrieve no documents for the campaign's topics."
        raise ActionRefused("empty-pool", message, fix)
    if all(topic.is_skipped for topic in topics):
        fix = "Check the depths, tags and windows of the spec against these runs."
        message = "This spec selects no documents from these runs."
        raise ActionRefused("empty-pool", message, fix)
