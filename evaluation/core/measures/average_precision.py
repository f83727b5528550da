"""Average precision."""

from __future__ import annotations

from campaigns.core.cards import Card
from evaluation.core.batch import Batch, Floats, ratio
from evaluation.core.measures.family import Example, Family


def average_precision(batch: Batch) -> Floats:
    hits = batch.is_relevant
    precision = batch.relevant_so_far[hits] / batch.ranks[hits]
    return ratio(batch.sums(precision, hits), batch.relevant)


MAP = Family(
    Card(
        name="map",
        title="Average precision (its mean over topics: MAP)",
        formula="1/R · Σ over retrieved relevant documents of precision at their rank",
        reading="The precision a reader meets at each relevant document, those never "
        "found counting 0.",
        source="Buckley and Voorhees 2000; trec_eval map.",
        edge_cases=(
            "R = 0 counts as 0.",
            "Equals the area under the raw precision–recall curve.",
        ),
    ),
    average_precision,
    (
        Example((1, 0, 1, 0, 1), (1, 1, 1, 0, 0), 34 / 45, "(1/1 + 2/3 + 3/5) / 3"),
        Example((None, None, None, None, 1, None, 1, None), (1, 1), 17 / 70, "(1/5 + 2/7) / 2"),
    ),
    spellings=("AP", "MAP"),
)
