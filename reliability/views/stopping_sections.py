"""The list of the sections of the page on stopping, and what it compares."""

from __future__ import annotations

from campaigns.views.pages import PageSection
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.judging.policies import POLICIES
from poolbench.reliability.collection.stability import JUDGED_ALARM
from poolbench.reliability.stopping.panel import StoppingPanel

SAME_TAU = 0.95
"""Below it, the latest step has moved the ranking."""


def list_stopping_sections(panel: StoppingPanel) -> list[PageSection]:
    """The sections that the page has, with the state of each where it has one."""
    taus = [move.tau_b.value for move in panel.moves if move.tau_b.value is not None]
    moved = "" if not taus else ("good" if min(taus[:1]) >= SAME_TAU else "amber")
    shares = [share for row in panel.runs for share in row.judged[1:2] if share is not None]
    low = any(share < JUDGED_ALARM for share in shares)
    pool = panel.pool
    left = "" if pool is None or pool.left.reason else ("amber" if pool.left.unjudged else "good")
    sections = [
        PageSection("left", "What is left to find", left),
        PageSection("moves", "Does the ranking move", moved),
    ]
    if panel.runs:
        sections.append(PageSection("runs", "Runs at this moment", "amber" if low else "good"))
    if pool is not None:
        alarm = any(row.is_dense or row.is_mostly_unique for row in pool.topics)
        sections += [
            PageSection("topics", "Topics", "amber" if alarm else "good"),
            PageSection("depth", "By depth"),
            PageSection("teams", "By team"),
        ]
    return [
        *sections,
        PageSection("rule", "Rules that end topics"),
        PageSection("computed", "How it is computed"),
    ]


def describe_stopping_choice(by: str, policy: str, step: int) -> str:
    """How runs are ranked, in words."""
    title = format_measure_title(by, over_topics=True)
    return f"By {title}, {POLICIES[policy].card.title}, in steps of {step:,} judgments"
