"""Kinds of runs: contributing runs that brought much the same documents to the pool."""

import numpy as np

from poolbench.evaluation.judgments import Floats, Ints
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.collection.pool import InferredPool

SAME_KIND = 0.4
"""The mean overlap from which two groups of runs are one kind."""
NO_KIND = -1


def measure_overlaps(pool: InferredPool) -> Floats:
    """Contributing runs × contributing runs: 2 · shared documents /
    (documents of the one + of the other), of the documents within the pool depth over all topics.
    0 for runs without a document there.
    """
    from scipy.sparse import csr_matrix

    shared = np.zeros((len(pool.runs), len(pool.runs)))
    for rows in pool.iter_blocks():
        row, doc = np.searchsorted(pool.runs, pool.run[rows]), pool.doc[rows] - pool.doc[rows].min()
        shape = (len(shared), int(doc.max()) + 1)
        brought = csr_matrix((np.ones(len(row)), (row, doc)), shape=shape)
        shared += (brought @ brought.T).toarray()
    both = shared.diagonal()[:, None] + shared.diagonal()
    overlaps: Floats = np.divide(2 * shared, both, out=np.zeros_like(shared), where=both > 0)
    return overlaps


def find_kinds(collection: PooledCollection) -> Ints:
    """The number of each run's kind, from 0; ``NO_KIND`` if it did not contribute.

    Average linkage (Sokal and Michener 1958): the two groups of the highest mean overlap are
    joined, until no mean reaches ``SAME_KIND``.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    runs = collection.pool.runs
    kinds = np.full(len(collection.tags), NO_KIND, np.int64)
    kinds[runs] = 0
    if len(runs) > 1:
        apart = squareform(1 - measure_overlaps(collection.pool), checks=False)
        # A mean that reaches the limit does so whatever its rounding.
        labels = fcluster(linkage(apart, "average"), 1 - SAME_KIND + 1e-9, "distance")
        kinds[runs] = np.unique(labels, return_inverse=True)[1]
    return kinds
