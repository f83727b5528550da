"""Pools that grow while people judge: the next document by the judgments so far, and a log of it.

What was given and what was noted is appended to ``PoolEvent`` under the lock of the topic's row.
A session in memory is only a short cut: it is folded on from the log, or made anew from it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from campaigns.models import Run, Topic
from campaigns.services import matrices
from pooling.core.building import Part, part_of
from pooling.core.candidates import Candidates
from pooling.core.gathering import listing_of_matrices
from pooling.core.session import Diverged, Event, Session, replayed
from pooling.core.spec import Spec
from pooling.core.spec_file import build as spec_from
from pooling.models import Pool, PoolEvent, PoolItem, PoolTopic
from pooling.queries.pools import PACKED

CACHED_POOLS, CACHED_TOPICS = 2, 400
# The moment too: a database that was put back gives numbers out again.
Mark = tuple[int, datetime]
_listings: OrderedDict[Mark, dict[str, Candidates]] = OrderedDict()
_sessions: OrderedDict[tuple[Mark, int], Folded] = OrderedDict()


@dataclass
class Folded:
    """A session after the first ``events`` of its topic; ``doc_of`` finds documents by docno."""

    session: Session
    doc_of: dict[str, int]
    events: int = 0


def mark(pool: Pool) -> Mark:
    return pool.pk, pool.frozen_at


def grow(
    *,
    pool: Pool,
    topic: Topic,
    outcomes: Mapping[str, bool],
    planned: Collection[str],
    wanted: int,
) -> list[PoolItem]:
    """At most ``wanted`` more documents of ``topic``, in a transaction of the caller's.

    ``outcomes`` says of each judged docno whether its first judgment found it relevant, in the
    order of the log. What is in ``outcomes`` or ``planned`` already comes into the pool when it
    is its turn, but is not returned: nobody needs to be asked for it.
    """
    row = PoolTopic.objects.select_for_update().get(pool=pool, topic=topic)
    folded = session_at(pool, topic)
    before, known = folded.events, len(folded.session.given)
    try:
        made = chosen(folded, outcomes, planned, wanted)
        write(pool, topic, folded.session, made, before, known)
    except BaseException:
        # In memory more has happened than in the log.
        _sessions.pop((mark(pool), topic.pk), None)
        raise
    folded.events += len(made)
    if folded.session.next() is None and not row.ended:
        PoolTopic.objects.filter(pk=row.pk).update(ended=True)
    fresh = [docno_of(folded, event) for event in made if event.relevant is None]
    asked = set(fresh) - set(outcomes) - set(planned)
    return list(pool.items.filter(topic=topic, docno__in=asked).order_by("position"))


def chosen(
    folded: Folded, outcomes: Mapping[str, bool], planned: Collection[str], wanted: int
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
        elif docno not in planned:
            wanted -= 1
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
    """The session of ``topic`` after all events of its log."""
    key = (mark(pool), topic.pk)
    folded = _sessions.pop(key, None)
    last = PoolEvent.objects.filter(pool=pool, topic=topic).count()
    if folded is None or folded.events > last:
        folded = begun(pool, topic)
    late = PoolEvent.objects.filter(pool=pool, topic=topic, number__gt=folded.events)
    found = list(late.order_by("number").values_list("docno", "relevant"))
    log = [Event(folded.doc_of[docno], relevant) for docno, relevant in found]
    replayed(folded.session, log)
    folded.events += len(log)
    while len(_sessions) >= CACHED_TOPICS:
        _sessions.popitem(last=False)
    _sessions[key] = folded
    return folded


def begun(pool: Pool, topic: Topic) -> Folded:
    """The session as it was when the pool was frozen."""
    spec = spec_of(pool)
    budget = PoolTopic.objects.values_list("budget", flat=True).get(pool=pool, topic=topic)
    session = Session(candidates_of(pool)[topic.number], spec.steps, budget)
    session.give_listed()
    docnos = session.candidates.docnos
    return Folded(session, {docno: at for at, docno in enumerate(docnos)})


def spec_of(pool: Pool) -> Spec:
    kept = ("steps", "cutoff", "budget", "seed")
    return spec_from({key: pool.spec[key] for key in kept if key in pool.spec})


def candidates_of(pool: Pool) -> dict[str, Candidates]:
    """By topic number what the pooled runs retrieved, also those withdrawn since."""
    known = _listings.pop(mark(pool), None)
    if known is None:
        runs = Run.objects.filter(pk__in=[run["id"] for run in pool.spec["runs"]])
        listing = listing_of_matrices(
            [(run.tag, matrices.matrix_of(run)) for run in runs],
            matrices.dictionary_of(pool.campaign),
            pool.spec["cutoff"],
            pool.spec["seed"],
            frozenset(pool.spec["topics"]),
        )
        known = {candidates.topic: candidates for candidates in listing}
    while len(_listings) >= CACHED_POOLS:
        _listings.popitem(last=False)
    _listings[mark(pool)] = known
    return known


def check_log(pool: Pool) -> int:
    """Play the whole log of ``pool`` again; return how many documents came out the same.

    Raises ``Diverged`` at one that did not, or where the pool holds others than its log.
    """
    same = 0
    for row in pool.growing.select_related("topic"):
        _sessions.pop((mark(pool), row.topic_id), None)
        folded = session_at(pool, row.topic)
        given = {folded.session.candidates.docnos[choice.doc] for choice in folded.session.given}
        held = set(pool.items.filter(topic=row.topic).values_list("docno", flat=True))
        if given != held:
            raise Diverged(f"topic {row.topic.number} holds other documents than its log gives")
        same += len(given)
    return same
