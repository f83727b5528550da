"""Adaptive pools: the next document by the judgments so far, with a log; sampling frames.

Selections and processed judgments are appended to ``PoolEvent`` under the lock of the topic.
Sessions in memory are only a cache: each is brought up to date from the log or rebuilt from it,
and is shared only after its events are committed. The frame of a pool is rebuilt from them too:
the pool stores only the documents to judge.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np
from django.db import transaction

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Topic
from poolbench.cache import Cache
from poolbench.pooling.formats import (
    FRAME_FORMATS,
    SamplingFrame,
    build_frame,
    fill_frame_grades,
    restrict_frame_to_pool,
)
from poolbench.pooling.pool_builder import build_pool_table
from poolbench.pooling.session import LogMismatch, PoolSession, SessionEvent, replay_events
from poolbench.pooling.tables import PoolTable
from poolbench.runs.qrels import read_qrels
from pooling.models import Pool, PoolEvent, PoolItem, PoolTopic
from pooling.queries import document_texts
from pooling.queries.frozen_pools import (
    check_rebuilt,
    frozen_listing,
    frozen_spec,
    rebuild_sessions,
)
from pooling.queries.pools import load_pool_table
from pooling.services.freeze import COLUMNS, build_pool_rows

Key = tuple[int, datetime, int]
"""Pool, its time of freezing (a restored database reuses ids), and topic."""


@dataclass
class CachedSession:
    """A session after the first ``events`` of its topic; ``last`` is the latest of them, as docno
    and relevance.
    """

    session: PoolSession
    doc_by_docno: dict[str, int]
    events: int = 0
    last: tuple[str, bool | None] | None = None

    def note(self, events: Collection[SessionEvent]) -> None:
        """Count ``events``, which are in the log and applied to the session."""
        self.events += len(events)
        for event in events:
            self.last = self.session.candidates.docnos[event.doc], event.relevant


SESSIONS: Cache[Key, CachedSession] = Cache(20_000_000, lambda cached: cached.session.cells)
"""Bounded by the numbers in memory: a method's tables use 8 to 17 bytes for each. A transaction
takes the session that it extends and returns it on commit."""


def prepare_session(pool: Pool, topic: Topic) -> None:
    """Cache the session before anything is locked, because rebuilding it takes a while."""
    key = session_key(pool, topic)

    def rebuild() -> CachedSession:
        cached = rebuild_session(pool, topic, None)
        # A method that needs texts reads them at its first choice.
        cached.session.next()
        return cached

    if key not in SESSIONS:
        SESSIONS.get_or_compute(key, rebuild)


def lock_topic(topic: Topic) -> None:
    """Lock ``topic`` in all adaptive pools to the end of the transaction.

    Otherwise two pools extended at once could both select the same document.
    """
    list(PoolTopic.objects.select_for_update().filter(topic=topic).order_by("pk"))


def extend_pool_topic(
    *, pool: Pool, topic: Topic, outcomes: Mapping[str, bool], passed: Collection[str], limit: int
) -> list[PoolItem]:
    """Add the next documents of ``topic`` to the pool, in a transaction that has locked it.

    ``outcomes``: by judged docno, whether its first judgment is relevant, in the order of the
    log. At most ``limit`` documents are added, not counting those in ``passed``. Both must have
    been read after ``lock_topic``.
    """
    cached = get_session(pool, topic)
    before, selected_before = cached.events, len(cached.session.selected)
    events = choose_next_events(cached, outcomes, passed, limit)
    write_pool_events(pool, topic, cached.session, events, before, selected_before)
    cached.note(events)
    if cached.session.is_complete:
        PoolTopic.objects.filter(pool=pool, topic=topic, ended=False).update(ended=True)
    return list(pool.items.filter(topic=topic, position__gt=selected_before).order_by("position"))


def choose_next_events(
    cached: CachedSession, outcomes: Mapping[str, bool], passed: Collection[str], limit: int
) -> list[SessionEvent]:
    """The next events: new judgments are processed, then documents are selected."""
    session, events = cached.session, list[SessionEvent]()
    for docno, relevant in outcomes.items():
        doc = cached.doc_by_docno.get(docno, -1)
        if doc in session.step_by_doc and doc not in session.outcomes:
            session.judge(doc, relevant)
            events.append(SessionEvent(doc, relevant))
    while limit > 0 and (choice := session.next()) is not None:
        session.select(choice)
        events.append(SessionEvent(choice.doc))
        docno = session.candidates.docnos[choice.doc]
        if docno in outcomes:
            session.judge(choice.doc, outcomes[docno])
            events.append(SessionEvent(choice.doc, outcomes[docno]))
        limit -= docno not in passed
    return events


def write_pool_events(
    pool: Pool,
    topic: Topic,
    session: PoolSession,
    events: list[SessionEvent],
    before: int,
    selected_before: int,
) -> None:
    docnos = session.candidates.docnos
    PoolEvent.objects.bulk_create(
        PoolEvent(
            pool=pool, topic=topic, number=number, docno=docnos[event.doc], relevant=event.relevant
        )
        for number, event in enumerate(events, before + 1)
    )
    if len(session.selected) > selected_before:
        table = build_pool_table([session])
        # After the documents selected before, in the order of selection.
        rows = np.argsort(table.priority)[selected_before:]
        items = build_pool_rows(pool, topic.pk, table, rows, table.priority[rows])
        PoolItem.objects.bulk_create(
            PoolItem(**dict(zip(COLUMNS, item, strict=True))) for item in items
        )


def get_session(pool: Pool, topic: Topic) -> CachedSession:
    """The session of ``topic`` after all events of its log.

    It belongs to the caller and is cached when the caller's transaction commits. Raises
    ``LogMismatch`` if the log does not follow from the pool's spec, runs and texts.
    """
    key = session_key(pool, topic)
    cached = rebuild_session(pool, topic, SESSIONS.take(key))
    transaction.on_commit(partial(SESSIONS.put, key, cached))
    return cached


def rebuild_session(pool: Pool, topic: Topic, cached: CachedSession | None) -> CachedSession:
    """``cached`` after all events of its log, or a new session if there is none."""
    late = load_events(pool, topic, cached.events if cached else 0)
    # A restored database has another log than the cached session.
    if cached is not None and cached.events and late[:1] != [cached.last]:
        cached, late = None, load_events(pool, topic, 0)
    if cached is None:
        cached = start_session(pool, topic)
    elif cached.events:
        late = late[1:]
    log = [SessionEvent(cached.doc_by_docno.get(docno, -1), relevant) for docno, relevant in late]
    try:
        replay_events(cached.session, log)
    except ValueError as wrong:
        raise LogMismatch(
            f"{pool} differs from its log in topic {topic.number}: {wrong}"
        ) from wrong
    cached.note(log)
    return cached


def session_key(pool: Pool, topic: Topic) -> Key:
    return pool.pk, pool.frozen_at, topic.pk


def load_events(pool: Pool, topic: Topic, number: int) -> list[tuple[str, bool | None]]:
    """The events from ``number`` onwards."""
    events = PoolEvent.objects.filter(pool=pool, topic=topic, number__gte=number)
    return list(events.order_by("number").values_list("docno", "relevant"))


def start_session(pool: Pool, topic: Topic) -> CachedSession:
    """The session as of freezing the pool."""
    spec = frozen_spec(pool)
    budget = PoolTopic.objects.values_list("budget", flat=True).get(pool=pool, topic=topic)
    listing = frozen_listing(pool)
    candidates = listing.topic(listing.topics.index(topic.number))
    if spec.reader:
        document_texts.check_reader(spec)
        read = partial(document_texts.load_frozen_texts, pool, topic)
        candidates = replace(candidates, read=read, query=document_texts.topic_query(topic))
    session = PoolSession(candidates, spec.steps, budget)
    session.select_static()
    return CachedSession(session, {docno: at for at, docno in enumerate(candidates.docnos)})


def verify_pool_log(pool: Pool) -> int:
    """Replay the whole log of ``pool``; return the number of verified documents.

    Raises ``LogMismatch`` if the log does not follow from the spec, or the pool has other
    documents than its log.
    """
    same = 0
    for row in pool.growing.select_related("topic"):
        SESSIONS.discard(session_key(pool, row.topic))
        with transaction.atomic():
            # Locked: an event written in between would be in only one of log and items.
            lock_topic(row.topic)
            cached = get_session(pool, row.topic)
            if "texts" in pool.spec:
                document_texts.load_frozen_texts(pool, row.topic, list(cached.doc_by_docno))
            stored = set(pool.items.filter(topic=row.topic).values_list("docno", flat=True))
        session = cached.session
        selected = {session.candidates.docnos[choice.doc] for choice in session.selected}
        if selected != stored:
            raise LogMismatch(f"topic {row.topic.number} has other documents than its log")
        same += len(selected)
    return same


def frame_text(pool: Pool, fmt: str, qrels: int | None = None) -> str:
    """The sampling frame of ``pool`` in one of ``FRAME_FORMATS``, with grades of a qrels version.

    Raises ``ActionRefused`` for an unknown version, for a format that cannot represent the
    sample, for an adaptive pool that is not complete, and if the frame cannot be rebuilt.
    """
    table = load_pool_table(pool)
    frame = (
        rebuild_frame(pool, table)
        if pool.is_adaptive or table.is_sampled
        else restrict_frame_to_pool(table)
    )
    if fmt == "strata" and not frame.has_strata:
        fix = "Download the sample with inclusion probabilities (prels) instead."
        raise ActionRefused("no-strata", "This sample has probabilities but no strata.", fix)
    if qrels is not None:
        version = pool.campaign.qrels.filter(version=qrels).first()
        if version is None:
            message = f"Unknown qrels version of {pool.campaign.slug}: {qrels}."
            raise ActionRefused("no-qrels", message)
        frame = fill_frame_grades(frame, read_qrels(store.get_blob(version.path)))
    return FRAME_FORMATS[fmt](frame)


def rebuild_frame(pool: Pool, table: PoolTable) -> SamplingFrame:
    """The frame from the pool's spec, runs and log, which never change."""
    if not pool.is_adaptive:
        return build_frame(rebuild_sessions(pool, table))
    sessions = finished_sessions(pool)
    check_rebuilt(pool, sessions, table)
    return build_frame(sessions)


def finished_sessions(pool: Pool) -> list[PoolSession]:
    """The sessions of an adaptive pool that is complete."""
    if pool.growing.filter(ended=False).exists():
        fix = "Wait until the pool is complete; a partial sample cannot be used."
        message = f"{str(pool).capitalize()} is adaptive and not complete."
        raise ActionRefused("still-growing", message, fix)
    topics = [row.topic for row in pool.growing.select_related("topic")]
    return [get_session(pool, topic).session for topic in sorted(topics, key=lambda t: t.number)]
