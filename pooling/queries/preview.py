"""Preview of a pool: size, judging effort, and which runs and teams it favors."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, get_type_hints

from campaigns.models import Campaign, Duplicate, Run, User
from campaigns.queries.duplicates import load_text_groups
from campaigns.services import matrices
from poolbench.plain_data import read_plain, to_plain
from poolbench.pooling.run_listing import cut_run
from poolbench.pooling.spec import PoolSpec, method_in_words
from poolbench.pooling.tables import PoolTable
from poolbench.runs.run_matrix import PairArray
from pooling.queries.composition import Composition, TopicShare, compute_composition
from pooling.queries.inputs import FreezeFacts, describe_inputs, draft_pool, list_poolable_runs
from pooling.queries.pools import count_pooled_by_topic, judged_pair_set
from pooling.queries.sample_plans import SamplePlan, plan_spec_sample

SHARE_DEPTH = 10


class PooledShare(NamedTuple):
    """The pooled share of a run: of its top 10 documents per topic, those in the pool, 0 to 1.

    None for a run without documents for the pool's topics.
    """

    run: Run
    pooled: bool
    share: float | None


@dataclass(frozen=True)
class PoolPreview:
    """The pool that freezing would create. ``pooled_shares`` are of all accepted runs, lowest
    first; ``future_documents`` is the maximum number of documents to come, by topic. No selected
    run answers ``unanswered_topics``; the spec selects nothing of ``skipped_topics``. Each group
    of ``identical_runs`` lists tags; ``duplicate_texts`` counts documents.
    """

    spec: PoolSpec
    runs: tuple[Run, ...]
    parts: Composition
    pooled_shares: tuple[PooledShare, ...]
    inputs_hash: str
    future_documents: Mapping[str, int]
    unanswered_topics: tuple[str, ...]
    skipped_topics: tuple[str, ...]
    identical_runs: tuple[tuple[str, ...], ...]
    duplicate_texts: int
    sample: SamplePlan | None

    @property
    def facts(self) -> FreezeFacts:
        """What the page before freezing says."""
        runs, campaign = list(self.runs), self.runs[0].campaign
        inputs = describe_inputs(campaign, self.spec, runs)
        return FreezeFacts(campaign, runs, inputs, self.inputs_hash, self.parts.size, self.most)

    @property
    def more(self) -> int:
        """Maximum number of documents added during judging."""
        return sum(self.future_documents.values())

    @property
    def most(self) -> int:
        """Maximum final size of the pool."""
        return self.parts.size + self.more

    @property
    def method(self) -> str:
        """A short description of the spec."""
        return method_in_words(self.spec.as_dict())

    @property
    def excluded_runs(self) -> tuple[PooledShare, ...]:
        return tuple(row for row in self.pooled_shares if not row.pooled)

    @property
    def low_excluded(self) -> int:
        """Runs not in the pool with a pooled share below one half."""
        return sum(row.share is not None and row.share < 0.5 for row in self.excluded_runs)

    def hours(self, seconds: float) -> float:
        """Hours that one assessor needs for the unjudged documents, at ``seconds`` each."""
        return sum(self.topic_hours(topic, seconds) for topic in self.parts.topics)

    def topic_hours(self, topic: TopicShare, seconds: float) -> float:
        """The same for one topic."""
        coming = self.future_documents.get(topic.number, 0)
        return (topic.documents - topic.judged + coming) * seconds / 3600


def preview_pool(
    *, actor: User, campaign: Campaign, spec: PoolSpec, runs: Iterable[Run]
) -> PoolPreview:
    """The pool of ``runs`` by ``spec``, without saving anything."""
    draft = draft_pool(actor=actor, campaign=campaign, spec=spec, runs=runs)
    parts = compute_composition(
        draft.table,
        [run.team.name for run in draft.runs],
        draft.inputs["topics"],
        judged=judged_pair_set(campaign),
        pooled=count_pooled_by_topic(campaign, draft.table),
    )
    by_topic = {topic.number: topic for topic in draft.topics}
    return PoolPreview(
        spec=spec,
        runs=tuple(draft.runs),
        parts=parts,
        pooled_shares=pooled_shares(campaign, draft.table, draft.runs),
        inputs_hash=draft.inputs_hash,
        future_documents={
            topic.number: topic.budget - topic.size for topic in draft.topics if spec.is_adaptive
        },
        unanswered_topics=tuple(topic for topic in draft.inputs["topics"] if topic not in by_topic),
        skipped_topics=tuple(
            topic
            for topic in draft.inputs["topics"]
            if topic in by_topic and by_topic[topic].is_skipped
        ),
        identical_runs=find_identical_runs(draft.runs),
        duplicate_texts=count_duplicate_texts(campaign, draft.table),
        sample=plan_spec_sample(draft.listing, spec),
    )


def store_preview(preview: PoolPreview) -> dict[str, Any]:
    """The preview as plain JSON, without its spec; runs are keys."""
    values = vars(preview) | {"runs": [run.pk for run in preview.runs]}
    values["pooled_shares"] = [(row.run.pk, *row[1:]) for row in preview.pooled_shares]
    del values["spec"]
    return {name: to_plain(value) for name, value in values.items()}


def read_preview(
    campaign: Campaign, spec: PoolSpec, stored: Mapping[str, Any]
) -> PoolPreview | None:
    """The preview that was stored; None if one of its runs is no longer accepted."""
    runs = {run.pk: run for run in list_poolable_runs(campaign)}
    shares = stored["pooled_shares"]
    if not runs.keys() >= {*stored["runs"], *(pk for pk, *_ in shares)}:
        return None
    hints = get_type_hints(PoolPreview)
    plain = stored.keys() - {"runs", "pooled_shares"}
    values: dict[str, Any] = {name: read_plain(hints[name], stored[name]) for name in plain}
    values |= {
        "spec": spec,
        "runs": tuple(runs[pk] for pk in stored["runs"]),
        "pooled_shares": tuple(PooledShare(runs[pk], *rest) for pk, *rest in shares),
    }
    return PoolPreview(**values)


def find_identical_runs(runs: Sequence[Run]) -> tuple[tuple[str, ...], ...]:
    """Groups of tags of runs that list the same documents in the same order, whatever their
    scores.
    """
    alike: dict[bytes, list[str]] = defaultdict(list)
    for run in runs:
        alike[sha256(matrices.load_run_matrix(run).pairs.tobytes()).digest()].append(run.tag)
    return tuple(tuple(tags) for tags in alike.values() if len(tags) > 1)


def count_duplicate_texts(campaign: Campaign, table: PoolTable) -> int:
    """The number of pooled documents with the same text as another one of their topic, as far as
    the documents have been grouped: those of a registered collection are when they are pooled.
    """
    if not Duplicate.objects.filter(campaign=campaign).exists():
        return 0
    groups = load_text_groups(campaign, sorted(set(table.docnos)))
    rows = [(topic, table.docnos[table.rows(at)]) for at, topic in enumerate(table.topics)]
    text_counts = Counter(
        (topic, groups[docno].text) for topic, docnos in rows for docno in docnos if docno in groups
    )
    return sum(count for count in text_counts.values() if count > 1)


def pooled_shares(
    campaign: Campaign, table: PoolTable, runs: Sequence[Run]
) -> tuple[PooledShare, ...]:
    listed = PairArray(table.topics, table.starts, table.docnos)
    pooled = matrices.get_pair_dictionary(campaign).places(listed)
    pooled_ids = {run.pk for run in runs}
    shares = []
    for run in list_poolable_runs(campaign).filter(task=runs[0].task):
        matrix = matrices.load_run_matrix(run)
        top = cut_run(matrix.topics, matrix.starts, table.topics, SHARE_DEPTH).row
        in_pool = pooled.contains(matrix.pairs[top])
        shares.append(
            PooledShare(run, run.pk in pooled_ids, float(in_pool.mean()) if len(in_pool) else None)
        )
    return tuple(sorted(shares, key=lambda row: (row.share or 0.0, row.run.tag)))
