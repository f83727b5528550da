"""Who may read scores, and which measures a campaign may use.

Assessors and viewers may not read scores, so that judging stays blind to runs.
"""

from collections.abc import Sequence

import rules
from django.core.exceptions import ValidationError

from campaigns.rules import is_organizer, is_participant
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measures

rules.add_perm("evaluation.view_scores", is_organizer | is_participant)


def check_measures(names: Sequence[str]) -> None:
    """Raise ``ValidationError``, with a reason for each unknown name, unless all are measures."""
    try:
        parse_measures(names)
    except UnknownMeasureError as error:
        raise ValidationError(str(error).splitlines()) from error
