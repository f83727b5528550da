"""Which run brought which document into the pool, and at which rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.core.pair_index import PairIndex
from campaigns.core.tables import QrelsTable
from evaluation.core.judgments import Ints, Mask
from pooling.core.candidates import RunListing

MOST = 100
"""Down to here a depth that is not told is looked for."""
SHARE = 0.9
"""Of the documents that come new at a depth, how many are judged where it was pooled."""

NOBODY, SEVERAL = -1, -2
"""Instead of a group: none brought the document, or two or more did."""

NO_RUN = "none of the runs was pooled"
NO_TOPIC = "no pooled run answers a topic of the qrels"
NO_DEPTH = (
    "the depth of the pool cannot be seen in the judgments (less than "
    f"{100 * SHARE:.0f} % of what the pooled runs have first is judged): tell it"
)


@dataclass(frozen=True, eq=False)
class InferredPool:
    """``runs`` are the places of the pooled ones; their first ``depth`` documents went in.

    By entry, a document in a run: ``run``, a place, and ``doc``. By document: ``topic``, the
    place of the topic; ``place`` of the judgment, -1 where there is none; ``best``, the best
    rank in any pooled run. ``told``: whether the depth was told, or found in the judgments.
    ``judgments`` is how many lines the qrels have.
    """

    runs: Ints
    depth: int
    told: bool
    run: Ints
    doc: Ints
    topic: Ints
    place: Ints
    best: Ints
    judgments: int

    def brought_by(self, groups: Ints) -> tuple[Ints, Ints]:
        """``(count, alone)`` by line of the qrels: how many groups brought the document, and
        the group that alone did, else NOBODY or SEVERAL. ``groups`` is by run.
        """
        width = int(groups.max(initial=0)) + 1
        pairs = np.unique(self.doc * width + groups[self.run])
        doc, group = pairs // width, pairs % width
        by_doc = np.bincount(doc, minlength=len(self.place))
        sole = np.full(len(self.place), SEVERAL)
        alone = by_doc[doc] == 1
        sole[doc[alone]] = group[alone]
        listed = self.place >= 0
        count, found = np.zeros(self.judgments, np.int64), np.full(self.judgments, NOBODY)
        count[self.place[listed]], found[self.place[listed]] = by_doc[listed], sole[listed]
        return count, found

    def brings(self, groups: Ints, group: int) -> Mask:
        """By line of the qrels: whether the group brought the document."""
        docs = self.doc[groups[self.run] == group]
        found = np.zeros(self.judgments, np.bool_)
        places = self.place[docs]
        found[places[places >= 0]] = True
        return found


def infer_pool(
    listing: RunListing, qrels: QrelsTable, tags: Sequence[str], depth: int | None
) -> InferredPool:
    """The pool of the runs of ``listing``, which is cut at ``depth`` or at MOST.

    Raises ``ValueError`` where no run was pooled or answers a topic, or the depth is None and
    cannot be found.
    """
    if not listing.runs:
        raise ValueError(NO_RUN)
    if not listing.topics:
        raise ValueError(NO_TOPIC)
    place = PairIndex.from_table(qrels).find(listing).astype(np.int64)
    topics = np.array([qrels.topics.index(topic) for topic in listing.topics], np.int64)
    doc = listing.doc + np.repeat(listing.starts[:-1], np.diff(listing.entries))
    best = np.full(len(place), np.iinfo(np.int64).max)
    np.minimum.at(best, doc, listing.rank)
    judged = (place >= 0) & (qrels.grades[place] >= 0)
    found = infer_pool_depth(best, judged) if depth is None else depth
    runs = np.array([tags.index(tag) for tag in listing.runs], np.int64)
    within = listing.rank <= found
    kept = best <= found
    number = np.cumsum(kept) - 1
    return InferredPool(
        runs=runs,
        depth=found,
        told=depth is not None,
        run=runs[listing.run[within]],
        doc=number[doc[within]],
        topic=np.repeat(topics, np.diff(listing.starts))[kept],
        place=place[kept],
        best=best[kept],
        judgments=len(qrels),
    )


def infer_pool_depth(best: Ints, judged: Mask) -> int:
    """Down to which best rank at least SHARE of the documents are judged, depth by depth."""
    new = np.bincount(best, minlength=2)[1:]
    seen = np.bincount(best[judged], minlength=len(new) + 1)[1:]
    short = np.flatnonzero((seen < SHARE * new) | (new == 0))
    found = int(short[0]) if len(short) else len(new)
    if found < 1:
        raise ValueError(NO_DEPTH)
    return found
