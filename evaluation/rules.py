"""Who may read scores, and what a campaign may name as its measures.

Assessors and viewers may not read scores: what they do stays blind to runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import rules
from django.core.exceptions import ValidationError

from campaigns.rules import is_organizer, is_participant
from evaluation.core.measures.names import UnknownMeasureError, parse_measures

rules.add_perm("evaluation.view_scores", is_organizer | is_participant)


def check_measures(names: Sequence[str]) -> None:
    """Every name is a measure's, or a ``ValidationError`` says of each why it is not."""
    try:
        parse_measures(names)
    except UnknownMeasureError as error:
        raise ValidationError(str(error).splitlines()) from error
