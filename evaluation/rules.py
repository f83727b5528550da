"""Permission to view scores, and the check of a campaign's measures.

Assessors and viewers may not view scores, so that judging stays blind to runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import rules
from django.core.exceptions import ValidationError

from campaigns.rules import is_organizer, is_participant
from evaluation.core.measures.names import UnknownMeasureError, parse_measures

rules.add_perm("evaluation.view_scores", is_organizer | is_participant)


def check_measures(names: Sequence[str]) -> None:
    """Raise ``ValidationError`` with the reason for every invalid measure name."""
    try:
        parse_measures(names)
    except UnknownMeasureError as error:
        raise ValidationError(str(error).splitlines()) from error
