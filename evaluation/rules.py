"""Who may read scores. Assessors and viewers may not: what they do stays blind to runs."""

from __future__ import annotations

import rules

from campaigns.rules import is_organizer, is_participant

rules.add_perm("evaluation.view_scores", is_organizer | is_participant)
