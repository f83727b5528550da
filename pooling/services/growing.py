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
from pooling.core.building import Part, part_of
from pooling.core.candidates import Listing
from pooling.core.session import Diverged, Event, Session, replayed
from pooling.core.spec import Spec, depth_spec
from pooling.core.spec_file import build as spec_from
from pooling.models import Pool, PoolEvent, PoolItem, PoolTopic
from pooling.queries.pools import PACKED
from pooling.services import inputs, texts

CACHED_POOLS = 2
CACHED_CELLS = 20_000_000
"""Numbers of all sessions in memory: a method's tables have 8 to 17 bytes for each."""
Key = tuple[int, datetime, int]
"""Pool, when it was frozen (a database that was put back gives numbers out again), topic."""
_listings: OrderedDict[str, Listing] = OrderedDict()
_sessions: OrderedDict[Key, Folded] = OrderedDict()
_in_use: set[Key] = set()
"""Sessions that a transaction has taken out of memory, and puts back when it is committed."""
_memory, _making = Lock(), Lock()


@dataclass
class Folded:
    """A session after the first ``events`` of its topic, the ``last`` of which is known by docno
    and relevance; ``doc_of`` finds documents by docno.
    """

    session: Session
    doc_of: dict[str, int]
    events: int = 0
    last: tuple[str, bool | None] | None = None

    def note(self, events: Collection[Event]) -> None:
        """``events`` are in the log now, and have happened to the session."""
        self.events += len(events)
        for event in events:
            self.last = docno_of(self, event), event.relevant


def prepare(pool: Pool, topic: Topic) -> None:
    """Have the session in memory before anything is locked: to make it anew takes a while."""
    key = key_of(pool, topic)
    if is_made(key):
        return
    # One at a time: who waits for the same finds it.
    with _making:
        if not is_made(key):
            folded = followed(pool, topic)
            # A method that reads does so when it first chooses.
            folded.session.next()
            remember(key, folded)


def is_made(key: Key) -> bool:
    return key in _sessions or key in _in_use


def hold(topic: Topic) -> None:
    """Alone on ``topic`` to the end of the transaction, in whatever pool it grows.

    Else two pools that grow at once could both ask for one document.
    """
    list(PoolTopic.objects.select_for_update().filter(topic=topic).order_by("pk"))


def grow(
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
    folded = session_at(pool, topic)
    before, known = folded.events, len(folded.session.given)
    made = chosen(folded, outcomes, passed, wanted)
    write(pool, topic, folded.session, made, before, known)
    folded.note(made)
    if folded.session.is_complete:
        PoolTopic.objects.filter(pool=pool, topic=topic, ended=False).update(ended=True)
    return list(pool.items.filter(topic=topic, position__gt=known).order_by("position"))


def chosen(
    folded: Folded, outcomes: Mapping[str, bool], passed: Collection[str], wanted: int
) -> list[Event]:
    """What happens next: judgments are taken note of, then documents are given."""
    session, made = folded.session, list[Event]()
    for docno, relevant in outcomes.items():
        doc = folded.doc_of.get(docno, -1)
        if doc in session.step_of and doc not in session.outcomes:
            session.judge(doc, relevant)
            made.append(Event(doc, relevant))
    while wanted > 0 and (choice := session.next()) is not None:
        session.give(choice)
        made.append(Event(choice.doc))
        docno = session.candidates.docnos[choice.doc]
        if docno in outcomes:
            session.judge(choice.doc, outcomes[docno])
            made.append(Event(choice.doc, outcomes[docno]))
        wanted -= docno not in passed
    return made


def docno_of(folded: Folded, event: Event) -> str:
    return folded.session.candidates.docnos[event.doc]


def write(
    pool: Pool, topic: Topic, session: Session, made: list[Event], before: int, known: int
) -> None:
    docnos = session.candidates.docnos
    PoolEvent.objects.bulk_create(
        PoolEvent(
            pool=pool, topic=topic, number=number, docno=docnos[event.doc], relevant=event.relevant
        )
        for number, event in enumerate(made, before + 1)
    )
    part = part_of(session) if len(session.given) > known else None
    if part is not None:
        PoolItem.objects.bulk_create(items(pool, topic, part, known))


def items(pool: Pool, topic: Topic, part: Part, known: int) -> list[PoolItem]:
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


def session_at(pool: Pool, topic: Topic) -> Folded:
    """The session of ``topic`` after all events of its log.

    It is the caller's alone, and is remembered when the caller's transaction is committed.
    Raises ``Diverged`` where the log is not that of the pool's spec, runs and texts.
    """
    key = key_of(pool, topic)
    _in_use.add(key)
    folded = followed(pool, topic)
    transaction.on_commit(partial(remember, key, folded))
    return folded


def followed(pool: Pool, topic: Topic) -> Folded:
    """The same, and nobody remembers it."""
    key = key_of(pool, topic)
    with _memory:
        folded = _sessions.pop(key, None)
    late = log_of(pool, topic, folded.events if folded else 0)
    # A database that was put back has another log than the one that is remembered.
    if folded is not None and folded.events and late[:1] != [folded.last]:
        folded, late = None, log_of(pool, topic, 0)
    if folded is None:
        folded = begun(pool, topic)
    elif folded.events:
        late = late[1:]
    log = [Event(folded.doc_of.get(docno, -1), relevant) for docno, relevant in late]
    try:
        replayed(folded.session, log)
    except ValueError as wrong:
        raise Diverged(f"{pool} has left its log in topic {topic.number}: {wrong}") from wrong
    folded.note(log)
    return folded


def key_of(pool: Pool, topic: Topic) -> Key:
    return pool.pk, pool.frozen_at, topic.pk


def log_of(pool: Pool, topic: Topic, number: int) -> list[tuple[str, bool | None]]:
    """The events from ``number`` on."""
    events = PoolEvent.objects.filter(pool=pool, topic=topic, number__gte=number)
    return list(events.order_by("number").values_list("docno", "relevant"))


def remember(key: Key, folded: Folded) -> None:
    with _memory:
        _sessions[key] = folded
        _in_use.discard(key)
        while len(_sessions) > 1 and cells() > CACHED_CELLS:
            _sessions.popitem(last=False)


def cells() -> int:
    return sum(folded.session.cells for folded in _sessions.values())


def begun(pool: Pool, topic: Topic) -> Folded:
    """The session as it was when the pool was frozen."""
    spec = spec_of(pool)
    budget = PoolTopic.objects.values_list("budget", flat=True).get(pool=pool, topic=topic)
    listing = listing_of(pool)
    candidates = listing.topic(listing.topics.index(topic.number))
    if spec.reader:
        texts.check_reader(spec)
        candidates = texts.to_be_read(pool, topic, candidates)
    session = Session(candidates, spec.steps, budget)
    session.give_listed()
    docnos = session.candidates.docnos
    return Folded(session, {docno: at for at, docno in enumerate(docnos)})


def spec_of(pool: Pool) -> Spec:
    """The spec by which ``pool`` was frozen, without its choice of runs."""
    if "steps" not in pool.spec:
        # Of version 1.
        return depth_spec(pool.spec["depth"], pool.spec.get("seed"))
    kept = ("steps", "cutoff", "budget", "seed")
    return spec_from({key: pool.spec[key] for key in kept if key in pool.spec})


def listing_of(pool: Pool) -> Listing:
    """What the pooled runs retrieved, also those withdrawn since."""
    with _memory:
        known = _listings.get(pool.inputs_hash)
    if known is None:
        runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
        known = inputs.listing_of(pool.campaign, runs, pool.spec)
    with _memory:
        _listings[pool.inputs_hash] = known
        _listings.move_to_end(pool.inputs_hash)
        while len(_listings) > CACHED_POOLS:
            _listings.popitem(last=False)
    return known


def check_log(pool: Pool) -> int:
    """Play the whole log of ``pool`` again; return how many documents came out the same.

    Raises ``Diverged`` at one that did not, or where the pool holds others than its log.
    """
    same = 0
    for row in pool.growing.select_related("topic"):
        with _memory:
            _sessions.pop(key_of(pool, row.topic), None)
        with transaction.atomic():
            # Held: what comes between log and items is in one of them only.
            hold(row.topic)
            folded = session_at(pool, row.topic)
            if "texts" in pool.spec:
                texts.texts_as_frozen(pool, row.topic, list(folded.doc_of))
            held = set(pool.items.filter(topic=row.topic).values_list("docno", flat=True))
        given = {folded.session.candidates.docnos[choice.doc] for choice in folded.session.given}
        if given != held:
            raise Diverged(f"topic {row.topic.number} holds other documents than its log gives")
        same += len(given)
    return same
