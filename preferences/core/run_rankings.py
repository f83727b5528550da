"""Rankings from run tables: the docnos of each topic from the top."""

from __future__ import annotations

from campaigns.core.tables import RunTable
from preferences.core.preference_score import Rankings


def list_rankings(run: RunTable) -> Rankings:
    """By topic, the docnos in the order of trec_eval."""
    return {topic: run.docnos[run.rows(at)] for at, topic in enumerate(run.topics)}
