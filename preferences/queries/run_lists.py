"""Rankings of accepted runs, for the topics of preferences."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from campaigns.models import Campaign, Run
from campaigns.services.matrices import load_run_table
from preferences.core.click_log import ClickLogTable
from preferences.core.list_owners import count_own_lists
from preferences.core.preference_score import Rankings


def iter_run_rankings(
    campaign: Campaign, topics: Collection[str]
) -> Iterator[tuple[Run, Rankings]]:
    """Each accepted run with the docnos of these topics from the top, one run at a time."""
    for run in Run.objects.filter(campaign=campaign).accepted().order_by("tag"):
        run.campaign = campaign
        table = load_run_table(run)
        yield (
            run,
            {
                topic: table.docnos[table.rows(at)]
                for at, topic in enumerate(table.topics)
                if topic in topics
            },
        )


def count_own_lists_by_run(campaign: Campaign, log: ClickLogTable) -> dict[str, int]:
    """By run tag, the sessions of ``log`` that showed a list of the run."""
    counts = dict(log.runs)
    for run, rankings in iter_run_rankings(campaign, log.first_lines):
        if own := count_own_lists(log, run.tag, rankings):
            counts[run.tag] = own
    return counts
