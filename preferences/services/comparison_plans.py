"""Plans of comparisons: preview, create, pause, close, offer skipped comparisons again."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from django.db import transaction
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, Topic, User
from campaigns.rules import require_permission
from campaigns.services.decisions import check_decision
from campaigns.services.events import log_event
from campaigns.services.matrices import load_run_table
from campaigns.services.registration import prepare_documents
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from judging.services.leases import return_slots_by_token
from poolbench.files.faults import format_count
from poolbench.files.natural_sort import natural_sort_key
from poolbench.judging.policies import NOT_JUDGED
from poolbench.preferences.interleaving import interleave_by_method, topic_rng
from poolbench.preferences.pair_designs import (
    LEAST_PARTNERS,
    count_document_pairs,
    draw_document_pairs,
)
from pooling.models import Pool
from preferences.models import Comparison, ComparisonPlan, ComparisonSlot
from preferences.queries.comparisons import current_preferences, describe_comparison_closing

Kind, State = ComparisonPlan.Kind, ComparisonPlan.State
MOST_COMPARISONS = 50_000
MOST_JUDGES = 20
MOST_DEPTH = 100
BATCH = 2_000
ASSUMED_SECONDS, LEAST_MEASURED = 30.0, 10
"""Of a comparison, until so many are measured in the campaign."""


@dataclass(frozen=True)
class ComparisonOptions:
    """What a plan compares, before it is saved.

    ``per_document``: comparisons of each document (None: all pairs). ``pool`` is of documents,
    ``run_a`` and ``run_b`` of rankings and lists, and ``method`` of lists. Only ``topics``, by
    number, are compared (none: all); of documents those with rank ``top`` in the pool or better,
    and those with ``grade`` or higher in ``qrels`` (None: any).
    """

    kind: str
    title: str
    question: str = ""
    pool: Pool | None = None
    per_document: int | None = None
    run_a: Run | None = None
    run_b: Run | None = None
    depth: int = 10
    method: str = ComparisonPlan.Method.TEAM_DRAFT.value
    judges: int = 1
    ties: bool = True
    seed: int = 1
    topics: Collection[str] = ()
    top: int | None = None
    grade: int | None = None
    qrels: Qrels | None = None

    @property
    def narrowed(self) -> dict[str, Any]:
        """As ``ComparisonPlan`` keeps it."""
        limits: dict[str, Any] = {"topics": sorted(self.topics, key=natural_sort_key)}
        if self.kind == Kind.DOCUMENTS:
            limits |= {"top": self.top, "grade": self.grade}
            limits["qrels"] = self.qrels.version if self.qrels and self.grade is not None else None
        return {name: value for name, value in limits.items() if value not in (None, [])}


@dataclass(frozen=True)
class ComparisonPreview:
    """What a plan would contain: ``drafts``, not saved. ``left_out``: topics with nothing to
    compare. A comparison takes ``seconds``, the median of ``measured`` ones; 0: an assumption.
    """

    options: ComparisonOptions
    drafts: Sequence[Comparison]
    left_out: int
    seconds: float
    measured: int

    @property
    def comparisons(self) -> int:
        return len(self.drafts)

    @property
    def judgments(self) -> int:
        return len(self.drafts) * self.options.judges

    @property
    def topics(self) -> int:
        return len({draft.topic_id for draft in self.drafts})

    @property
    def documents(self) -> int:
        """Those compared with each other; 0 for rankings and lists."""
        sides = ((each.topic_id, d) for each in self.drafts for d in (each.docno_a, each.docno_b))
        return len({side for side in sides if side[1]})

    @property
    def hours(self) -> float:
        return self.judgments * self.seconds / 3600


def preview_comparisons(
    *, actor: User, campaign: Campaign, options: ComparisonOptions
) -> ComparisonPreview:
    """The comparisons of a plan with these options; nothing is saved."""
    require_permission(actor, "campaigns.manage", campaign)
    check_comparison_options(campaign, options)
    topics = list(campaign.topics.filter(withheld=False).order_by("position", "number"))
    if options.topics:
        topics = [topic for topic in topics if topic.number in options.topics]
    build = draft_documents if options.kind == Kind.DOCUMENTS else draft_rankings
    drafts = list(build(options, topics))
    if not drafts:
        raise ActionRefused(
            "nothing-to-compare",
            "No topic has two things to compare.",
            "Choose a pool with at least two documents per topic, or runs with common topics; or"
            " narrow the plan less.",
        )
    left_out = len(topics) - len({draft.topic_id for draft in drafts})
    return ComparisonPreview(options, drafts, left_out, *measure_seconds(campaign, options.kind))


def measure_seconds(campaign: Campaign, kind: str) -> tuple[float, int]:
    """The median seconds of choices in plans of this kind, and their number; with fewer than
    ``LEAST_MEASURED`` an assumption, and 0.
    """
    log = current_preferences(campaign).filter(kind="choice", active_seconds__gt=0)
    log = log.filter(comparison__plan__kind=kind)
    seconds = [row or 0.0 for row in log.values_list("active_seconds", flat=True)]
    if len(seconds) < LEAST_MEASURED:
        return ASSUMED_SECONDS, 0
    return median(seconds), len(seconds)


def create_comparison_plan(
    *, actor: User, campaign: Campaign, options: ComparisonOptions
) -> ComparisonPlan:
    """Create a plan with its comparisons and slots. The same options give the same plan."""
    preview = preview_comparisons(actor=actor, campaign=campaign, options=options)
    documents = options.kind == Kind.DOCUMENTS
    docnos = sorted({docno for draft in preview.drafts for docno in list_side_docnos(draft)})
    with prepare_documents(campaign, docnos) as add_documents, transaction.atomic():
        add_documents()
        fields = vars(options) | {
            "pool": options.pool if documents else None,
            "run_a": None if documents else options.run_a,
            "run_b": None if documents else options.run_b,
            "method": options.method if options.kind == Kind.INTERLEAVED else "",
        }
        for name in ("per_document", "topics", "top", "grade", "qrels"):
            del fields[name]
        fields["narrowed"] = options.narrowed
        plan = ComparisonPlan.objects.create(campaign=campaign, created_by=actor, **fields)
        for position, draft in enumerate(preview.drafts):
            draft.plan, draft.position = plan, position
        rows = Comparison.objects.bulk_create(preview.drafts, batch_size=BATCH)
        ComparisonSlot.objects.bulk_create(iter_comparison_slots(plan, rows), batch_size=BATCH)
        data = {"kind": plan.kind, "judges": plan.judges, "seed": plan.seed}
        log_plan_event(actor, plan, "comparisons.created", len(rows), **data)
    return plan


def list_side_docnos(comparison: Comparison) -> list[str]:
    """The documents that its judge sees."""
    content = comparison.content or {}
    listed = content.get("documents") or [*content.get("a", ()), *content.get("b", ())]
    return listed or [comparison.docno_a, comparison.docno_b]


def iter_comparison_slots(
    plan: ComparisonPlan, comparisons: Sequence[Comparison]
) -> Iterator[ComparisonSlot]:
    """The slots of a plan. A stands on the right in one of every two slots of a comparison; in
    which of them is drawn from the seed.
    """
    sides = topic_rng(plan.seed, "sides").integers(2, size=len(comparisons))
    for comparison, side in zip(comparisons, sides.tolist(), strict=True):
        for k in range(plan.judges):
            swapped = plan.kind != Kind.INTERLEAVED and bool((side + k) % 2)
            yield ComparisonSlot(
                comparison=comparison, k=k, position=comparison.position, swapped=swapped
            )


def draft_documents(options: ComparisonOptions, topics: Sequence[Topic]) -> Iterator[Comparison]:
    """Pairs of documents of the pool, topic by topic."""
    by_topic = list_documents_to_compare(options)
    for topic in topics:
        rng = topic_rng(options.seed, topic.number)
        for a, b in draw_document_pairs(by_topic[topic.number], options.per_document, rng):
            yield Comparison(topic=topic, docno_a=a, docno_b=b)


def list_documents_to_compare(options: ComparisonOptions) -> dict[str, list[str]]:
    """By topic number, the documents of the pool that the options leave."""
    assert options.pool is not None  # noqa: S101 (check_comparison_options)
    items = options.pool.items.order_by()
    if options.topics:
        items = items.filter(topic__number__in=options.topics)
    if options.top is not None:
        items = items.filter(min_rank__lte=options.top)
    grades = None
    if options.grade is not None and options.qrels is not None:
        grades = qrels_table(options.qrels).by_pair()
    by_topic: dict[str, list[str]] = defaultdict(list)
    for pair in items.values_list("topic__number", "docno"):
        if grades is None or grades.get(pair, NOT_JUDGED) >= (options.grade or 0):
            by_topic[pair[0]].append(pair[1])
    return by_topic


def draft_rankings(options: ComparisonOptions, topics: Sequence[Topic]) -> Iterator[Comparison]:
    """The rankings of both runs, or one list of both, for each topic that both have."""
    runs = [list_top_documents(run, options.depth) for run in (options.run_a, options.run_b) if run]
    for topic in topics:
        a, b = (ranking.get(topic.number, []) for ranking in runs)
        if not a or not b:
            continue
        content: dict[str, Any] = {"a": a, "b": b}
        if options.kind == Kind.INTERLEAVED:
            rng = topic_rng(options.seed, topic.number)
            interleaved = interleave_by_method(options.method, a, b, rng, options.depth)
            content |= {
                "documents": interleaved.documents,
                "by": interleaved.by,
                "first": interleaved.by[0],
            }
        yield Comparison(topic=topic, content=content)


def list_top_documents(run: Run, depth: int) -> dict[str, list[str]]:
    """By topic number, the first ``depth`` docnos of an accepted run, in trec_eval order."""
    table = load_run_table(run)
    docnos = list(table.docnos)
    rows = {topic: table.rows(at) for at, topic in enumerate(table.topics)}
    return {topic: docnos[part][:depth] for topic, part in rows.items()}


def check_comparison_options(campaign: Campaign, options: ComparisonOptions) -> None:
    """Raise ``ActionRefused`` for options that no plan can have."""
    if not 1 <= options.judges <= MOST_JUDGES:
        raise ActionRefused("judges", f"Judges per comparison must be 1 to {MOST_JUDGES}.")
    if options.kind == Kind.DOCUMENTS:
        check_pool_options(campaign, options)
        return
    runs = (options.run_a, options.run_b)
    if any(run is None or run.campaign_id != campaign.pk for run in runs):
        raise ActionRefused("runs-missing", "Two runs are needed.", "Choose run A and run B.")
    if options.run_a == options.run_b:
        raise ActionRefused("same-run", "A run cannot be compared with itself.", "Choose another.")
    if not 1 <= options.depth <= MOST_DEPTH:
        raise ActionRefused("depth", f"The depth must be 1 to {MOST_DEPTH}.")


def check_pool_options(campaign: Campaign, options: ComparisonOptions) -> None:
    pool, wanted = options.pool, options.per_document
    if pool is None or pool.campaign_id != campaign.pk:
        raise ActionRefused("pool-missing", "A pool is needed.", "Choose a pool.")
    if wanted is not None and wanted < LEAST_PARTNERS:
        raise ActionRefused(
            "too-few-comparisons",
            f"Each document needs at least {LEAST_PARTNERS} comparisons to be connected.",
            f"Enter {LEAST_PARTNERS} or more, or leave the field empty for all pairs.",
        )
    if options.grade is not None and (
        options.qrels is None or options.qrels.campaign_id != campaign.pk
    ):
        fix = "Freeze qrels, or compare documents of any grade."
        raise ActionRefused("no-qrels", "Documents have no grades without qrels.", fix)
    documents = list_documents_to_compare(options)
    total = sum(count_document_pairs(len(each), wanted) for each in documents.values())
    if total > MOST_COMPARISONS:
        raise ActionRefused(
            "too-many-comparisons",
            f"{total:,} comparisons exceed the limit of {MOST_COMPARISONS:,}.",
            "Set a number of comparisons per document, or narrow the plan.",
        )


def pause_comparisons(*, actor: User, plan: ComparisonPlan, paused: bool = True) -> None:
    """Stop handing out comparisons, or go on; refused for a closed plan."""
    require_permission(actor, "campaigns.manage", plan.campaign)
    before, after = (State.OPEN, State.PAUSED) if paused else (State.PAUSED, State.OPEN)
    with transaction.atomic():
        if ComparisonPlan.objects.filter(pk=plan.pk, state=before).update(state=after):
            code = "comparisons.paused" if paused else "comparisons.resumed"
            log_plan_event(actor, plan, code)
        plan.refresh_from_db(fields=["state", "closed_at"])
    if plan.state == State.CLOSED:
        raise ActionRefused("plan-closed", "This plan is closed.", "Create another plan.")


def close_comparisons(
    *, actor: User, plan: ComparisonPlan, decision: Decision | None = None
) -> None:
    """Close ``plan`` for good. Comparisons that are checked out may still be answered, and
    answers changed, until the judging deadline.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        plan.refresh_from_db(fields=["state", "closed_at"])
        if plan.state == State.CLOSED:
            return
        confirmed = check_decision(partial(describe_comparison_closing, plan), decision)
        ComparisonPlan.objects.filter(pk=plan.pk).update(
            state=State.CLOSED, closed_at=timezone.now()
        )
        log_plan_event(actor, plan, "comparisons.closed", **confirmed)
        plan.refresh_from_db(fields=["state", "closed_at"])


def reopen_skipped_comparisons(*, actor: User, plan: ComparisonPlan) -> int:
    """Offer skipped comparisons to the other assessors; return their number."""
    require_permission(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        skipped = ComparisonSlot.objects.filter(
            comparison__plan=plan, state=ComparisonSlot.State.SKIPPED
        )
        count = return_slots_by_token(skipped)
        if count:
            log_plan_event(actor, plan, "comparisons.reopened", count)
    return count


def log_plan_event(
    actor: User, plan: ComparisonPlan, code: str, count: int | None = None, **data: Any
) -> None:
    """``count``: of the comparisons that the act is about."""
    subject = plan.title if count is None else f"{plan.title}, {format_count(count, 'comparison')}"
    log_event(plan.campaign, actor, code, subject, plan=plan.pk, **data)
