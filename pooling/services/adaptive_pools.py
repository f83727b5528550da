"""Pools that grow while people judge: the next document by the judgments so far, and a log of it.

What was given and what was noted is appended to ``PoolEvent`` under the lock of the topic.
A session in memory is only a short cut: it is folded on from the log, or made anew from it, and
nobody finds it there before what it knows is committed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import Lock

from django.db import transaction

from campaigns.models import Run, Topic
from pooling.core.candidates import RunListing
from pooling.core.pool_builder import TopicPart, topic_part
from pooling.core.session import LogMismatch, PoolSession, SessionEvent, replay_events
from pooling.core.spec import PoolSpec, depth_spec
from pooling.core.spec_file import build_spec as spec_from
from pooling.models import Pool, PoolEvent, PoolItem, PoolTopic
from pooling.queries.pools import PACKED
from pooling.services import inputs, texts

CACHED_POOLS = 2
CACHED_CELLS = 20_000_000
"""Numbers of all sessions in memory: a method's tables have 8 to 17 bytes for each."""
Key = tuple[int, datetime, int]
"""Pool, when it was frozen (a database that was put back gives numbers out again), topic."""
_listings: OrderedDict[str, RunListing] = OrderedDict()
_sessions: OrderedDict[Key, CachedSession] = OrderedDict()
_in_use: set[Key] = set()
"""Sessions that a transaction has taken out of memory, and puts back when it is committed."""
_memory, _making = Lock(), Lock()


@dataclass
class CachedSession:
    """A session after the first ``events`` of its topic, the ``last`` of which is known by docno
    and relevance; ``doc_of`` finds documents by docno.
    """

    session: PoolSession
    doc_of: dict[str, int]
    events: int = 0
    last: tuple[str, bool | None] | None = None

    def note(self, events: Collection[SessionEvent]) -> None:
        """``events`` are in the log now, and have happened to the session."""
        self.events += len(events)
        for event in events:
            self.last = event_docno(self, event), event.relevant


def prepare_session(pool: Pool, topic: Topic) -> None:
    """Have the session in memory before anything is locked: to make it anew takes a while."""
    key = session_key(pool, topic)
    if is_session_cached(key):
        return
    # One at a time: who waits for the same finds it.
    with _making:
        if not is_session_cached(key):
            folded = rebuild_session(pool, topic)
            # A method that reads does so when it first chooses.
            folded.session.next()
            cache_session(key, folded)


def is_session_cached(key: Key) -> bool:
    return key in _sessions or key in _in_use


def lock_topic(topic: Topic) -> None:
    """Alone on ``topic`` to the end of the transaction, in whatever pool it grows.

    Else two pools that grow at once could both ask for one document.
    """
    list(PoolTopic.objects.select_for_update().filter(topic=topic).order_by("pk"))


def extend_pool_topic(
    *,
    pool: Pool,
    topic: Topic,
    outcomes: Mapping[str, bool],
    passed: Collection[str],
    wanted: int,
) -> list[PoolItem]:
    """What comes into the pool of ``topic`` next, in a transaction that has ``hold`` of it.

    ``outcomes`` says of each judged docno whether its first judgment found it relevant, in the
    order of the log. At most ``wanted`` documents come beside those in ``passed``, which do
    when it is their turn. Both must have been read after ``hold``.
    """
    folded = get_session(pool, topic)
    before, known = folded.events, len(folded.session.given)
    made = choose_next_events(folded, outcomes, passed, wanted)
    write_pool_events(pool, topic, folded.session, made, before, known)
    folded.note(made)
    if folded.session.is_complete:
        PoolTopic.objects.filter(pool=pool, topic=topic, ended=False).update(ended=True)
    return list(pool.items.filter(topic=topic, position__gt=known).order_by("position"))


def choose_next_events(
    folded: CachedSession, outcomes: Mapping[str, bool], passed: Collection[str], wanted: int
) -> list[SessionEvent]:
    """What happens next: judgments are taken note of, then documents are given."""
    session, made = folded.session, list[SessionEvent]()
    for docno, relevant in outcomes.items():
        doc = folded.doc_of.get(docno, -1)
        if doc in session.step_of and doc not in session.outcomes:
            session.judge(doc, relevant)
            made.append(SessionEvent(doc, relevant))
    while wanted > 0 and (choice := session.next()) is not None:
        session.give(choice)
        made.append(SessionEvent(choice.doc))
        docno = session.candidates.docnos[choice.doc]
        if docno in outcomes:
            session.judge(choice.doc, outcomes[docno])
            made.append(SessionEvent(choice.doc, outcomes[docno]))
        wanted -= docno not in passed
    return made


def event_docno(folded: CachedSession, event: SessionEvent) -> str:
    return folded.session.candidates.docnos[event.doc]


def write_pool_events(
    pool: Pool,
    topic: Topic,
    session: PoolSession,
    made: list[SessionEvent],
    before: int,
    known: int,
) -> None:
    docnos = session.candidates.docnos
    PoolEvent.objects.bulk_create(
        PoolEvent(
            pool=pool, topic=topic, number=number, docno=docnos[event.doc], relevant=event.relevant
        )
        for number, event in enumerate(made, before + 1)
    )
    part = topic_part(session) if len(session.given) > known else None
    if part is not None:
        PoolItem.objects.bulk_create(build_new_items(pool, topic, part, known))


def build_new_items(pool: Pool, topic: Topic, part: TopicPart, known: int) -> list[PoolItem]:
    """The rows of what came after the first ``known`` documents, in the order of giving."""
    bounds = part.brought.cumsum()
    fresh = [at for at, place in enumerate(part.priority.tolist()) if place > known]
    return [
        PoolItem(
            pool=pool,
            topic=topic,
            docno=part.docnos[at],
            min_rank=int(part.min_rank[at]),
            contributors=part.contributors[bounds[at] - part.brought[at] : bounds[at]]
            .astype(PACKED)
            .tobytes(),
            position=int(part.priority[at]),
            priority=int(part.priority[at]),
            stratum=int(part.stratum[at]),
            probability=float(part.probability[at]),
        )
        for at in sorted(fresh, key=lambda at: int(part.priority[at]))
    ]


def get_session(pool: Pool, topic: Topic) -> CachedSession:
    """The session of ``topic`` after all events of its log.

    It is the caller's alone, and is remembered when the caller's transaction is committed.
    Raises ``Diverged`` where the log is not that of the pool's spec, runs and texts.
    """
    key = session_key(pool, topic)
    _in_use.add(key)
    folded = rebuild_session(pool, topic)
    transaction.on_commit(partial(cache_session, key, folded))
    return folded


def rebuild_session(pool: Pool, topic: Topic) -> CachedSession:
    """The same, and nobody remembers it."""
    key = session_key(pool, topic)
    with _memory:
        folded = _sessions.pop(key, None)
    late = load_events(pool, topic, folded.events if folded else 0)
    # A database that was put back has another log than the one that is remembered.
    if folded is not None and folded.events and late[:1] != [folded.last]:
        folded, late = None, load_events(pool, topic, 0)
    if folded is None:
        folded = start_session(pool, topic)
    elif folded.events:
        late = late[1:]
    log = [SessionEvent(folded.doc_of.get(docno, -1), relevant) for docno, relevant in late]
    try:
        replay_events(folded.session, log)
    except ValueError as wrong:
        raise LogMismatch(f"{pool} has left its log in topic {topic.number}: {wrong}") from wrong
    folded.note(log)
    return folded


def session_key(pool: Pool, topic: Topic) -> Key:
    return pool.pk, pool.frozen_at, topic.pk


def load_events(pool: Pool, topic: Topic, number: int) -> list[tuple[str, bool | None]]:
    """The events from ``number`` on."""
    events = PoolEvent.objects.filter(pool=pool, topic=topic, number__gte=number)
    return list(events.order_by("number").values_list("docno", "relevant"))


def cache_session(key: Key, folded: CachedSession) -> None:
    with _memory:
        _sessions[key] = folded
        _in_use.discard(key)
        while len(_sessions) > 1 and count_cached_cells() > CACHED_CELLS:
            _sessions.popitem(last=False)


def count_cached_cells() -> int:
    return sum(folded.session.cells for folded in _sessions.values())


def start_session(pool: Pool, topic: Topic) -> CachedSession:
    """The session as it was when the pool was frozen."""
    spec = frozen_spec(pool)
    budget = PoolTopic.objects.values_list("budget", flat=True).get(pool=pool, topic=topic)
    listing = frozen_listing(pool)
    candidates = listing.topic(listing.topics.index(topic.number))
    if spec.reader:
        texts.check_reader(spec)
        candidates = texts.candidates_with_texts(pool, topic, candidates)
    session = PoolSession(candidates, spec.steps, budget)
    session.give_listed()
    docnos = session.candidates.docnos
    return CachedSession(session, {docno: at for at, docno in enumerate(docnos)})


def frozen_spec(pool: Pool) -> PoolSpec:
    """The spec by which ``pool`` was frozen, without its choice of runs."""
    if "steps" not in pool.spec:
        # Of version 1.
        return depth_spec(pool.spec["depth"], pool.spec.get("seed"))
    kept = ("steps", "cutoff", "budget", "seed")
    return spec_from({key: pool.spec[key] for key in kept if key in pool.spec})


def frozen_listing(pool: Pool) -> RunListing:
    """What the pooled runs retrieved, also those withdrawn since."""
    with _memory:
        known = _listings.get(pool.inputs_hash)
    if known is None:
        runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
        known = inputs.load_listing(pool.campaign, runs, pool.spec)
    with _memory:
        _listings[pool.inputs_hash] = known
        _listings.move_to_end(pool.inputs_hash)
        while len(_listings) > CACHED_POOLS:
            _listings.popitem(last=False)
    return known


def verify_pool_log(pool: Pool) -> int:
    """Play the whole log of ``pool`` again; return how many documents came out the same.

    Raises ``Diverged`` at one that did not, or where the pool holds others than its log.
    """
    same = 0
    for row in pool.growing.select_related("topic"):
        with _memory:
            _sessions.pop(session_key(pool, row.topic), None)
        with transaction.atomic():
            # Held: what comes between log and items is in one of them only.
            lock_topic(row.topic)
            folded = get_session(pool, row.topic)
            if "texts" in pool.spec:
                texts.load_frozen_texts(pool, row.topic, list(folded.doc_of))
            held = set(pool.items.filter(topic=row.topic).values_list("docno", flat=True))
        given = {folded.session.candidates.docnos[choice.doc] for choice in folded.session.given}
        if given != held:
            raise LogMismatch(f"topic {row.topic.number} holds other documents than its log gives")
        same += len(given)
    return same
