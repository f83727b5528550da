"""The grades of all assessors side by side, for the coefficients of agreement."""

from __future__ import annotations

import numpy as np

from campaigns.models import Campaign
from judging.core.agreement.labels import MISSING, Labels
from judging.queries.judgments import Vote, current_judgments, votes


def labels_of(campaign: Campaign) -> Labels:
    """Current judgments of all assessors, extra ones too: each is one person's own word."""
    scale = tuple(campaign.grades.order_by("value").values_list("value", flat=True))
    # A grade below 0 is no judgment, here as in qrels files and policies.
    cast = [vote for vote in votes(current_judgments(campaign)) if vote.grade >= 0]
    return labels_from(cast, tuple(grade for grade in scale if grade >= 0))


def labels_from(cast: list[Vote], scale: tuple[int, ...]) -> Labels:
    names = tuple(sorted({vote.assessor for vote in cast}))
    pairs = tuple(sorted({(vote.topic, vote.docno) for vote in cast}))
    row = {name: at for at, name in enumerate(names)}
    column = {pair: at for at, pair in enumerate(pairs)}
    grades = np.full((len(names), len(pairs)), MISSING, np.int32)
    for vote in cast:
        grades[row[vote.assessor], column[vote.topic, vote.docno]] = vote.grade
    return Labels(names, pairs, grades, scale)
