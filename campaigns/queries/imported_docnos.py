"""The docnos of imported documents, asked from the database, never all in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from campaigns.models import Campaign
from campaigns.queries.collection_files import iter_docnos, list_docnos_without_row
from poolbench.reading.machine_words import Mask
from poolbench.reading.reader import DocnoArray
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.run_matrix import PairArray

READ_AT_ONCE = 20_000
DEARER = 3
"""Asking for a docno costs as much as reading so many of all."""


def load_imported_docnos(campaign: Campaign) -> ImportedDocnos | None:
    """The docnos of imported documents; None if the campaign has no documents."""
    documents = campaign.documents.count()
    return ImportedDocnos(campaign, documents) if documents else None


@dataclass(frozen=True)
class ImportedDocnos:
    """The docnos of the ``documents`` of a campaign."""

    campaign: Campaign
    documents: int

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and bool(self.contains(DocnoArray.from_ids([docno]))[0])

    def contains(self, docnos: DocnoArray) -> Mask:
        """Which of ``docnos`` are imported."""
        _, first, of_row = np.unique(docnos.hashes(), return_index=True, return_inverse=True)
        known = self._check(docnos.take(first))[of_row]
        # Another docno with the same hash has an answer of its own.
        others = np.flatnonzero(~docnos.equals(docnos.take(first[of_row])))
        if len(others):
            known[others] = self._check(docnos.take(others))
        return known

    def iter_similar(self, _names: Collection[str]) -> Iterator[str]:
        """All docnos: nothing is known of them that would leave any out."""
        return iter_docnos(self.campaign)

    def _check(self, docnos: DocnoArray) -> Mask:
        if len(docnos) * DEARER < self.documents:
            names = docnos[:]
            # No document has a NUL in its docno, which PostgreSQL does not let through.
            allowed = [name for name in names if "\0" not in name]
            imported = set(allowed).difference(list_docnos_without_row(self.campaign, allowed))
            return np.array([name in imported for name in names], bool)
        known = np.zeros(len(docnos), bool)
        index = PairIndex.from_table(make_one_topic(docnos))
        for part in self._iter_parts():
            rows = index.find(make_one_topic(DocnoArray.from_ids(part)))
            known[rows[rows >= 0]] = True
        return known

    def _iter_parts(self) -> Iterator[list[str]]:
        docnos, part = iter_docnos(self.campaign), list[str]()
        for docno in docnos:
            part.append(docno)
            if len(part) == READ_AT_ONCE:
                yield part
                part = []
        if part:
            yield part


def make_one_topic(docnos: DocnoArray) -> PairArray:
    """``docnos`` as pairs of one topic."""
    return PairArray(("",), np.array([0, len(docnos)]), docnos)
