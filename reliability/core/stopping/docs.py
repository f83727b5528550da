"""docs/stopping.md, made from the cards: ``python -m reliability.core.stopping.docs``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown, resolve_card_links
from reliability.core.collection import extrapolation
from reliability.core.stopping import movement, remaining_relevant

CARDS = (remaining_relevant.CARD, movement.CARD)

HEAD = """# Stopping

When is judging complete? Stop when three conditions hold:

1. the ranking is stable: the last tenth of the judgments changed no rank that matters
   ([ranking stability](#movement));
2. few relevant documents are expected in the rest of the pool
   ([remaining relevant](#remaining));
3. every run that you report has judged@k of at least 0.9 at the cut-off of the reported measure.

If the third fails, extend the pool for the runs below 0.9. If only the second fails, judge on: the
ranking may be stable and still unfair to runs that were not pooled. *Judging → Stopping* shows
organizers during judging:

- relevant documents by number of judgments, and how many of the latest judgments were relevant;
- how many are expected in the rest of the pool, and below it (the curve over depths of
  [reusability](collection.md#extrapolation)), with intervals;
- the current ranking against earlier ones: tau-b, tau_AP, and the run with the largest drop;
- each run if judging stopped now: rank, change of rank, judged@5, @10 and @20; below 0.9 it is
  marked;
- what was found per topic, with two alarms after Voorhees (CIKM 2018): more than a third of the
  judged documents are relevant, so that more are likely to be missed; and one team alone
  contributed most of the relevant ones, so that other systems like it would not be judged fairly
  (that *most* is more than half is ours; both apply from ten judged documents on). A document is
  unique to a team if no run of another team has it within the ranks that the pool spec looks at:
  its depth, or the cut-off for methods that look down to it. With a cut-off of 100, an alarm that
  a shallow pool would raise may be missing;
- new documents by depth, and the unique documents of each team.

All of it is computed from the newest pool and the judgments so far; scores follow the qrels policy
selected on the page. A document counts by its first judgment, except for scores. Every table can
be downloaded as CSV, all of them as JSON. Nothing is stored; after judging, create the
[reusability report](collection.md).

## Stopping rules

Organizers set on the same page when a topic is complete; the latest rule applies to the whole
campaign, also to what was judged before it was set:

| condition | the topic is complete |
|---|---|
| Judged documents | after this many |
| Relevant documents | after this many |
| Consecutive non-relevant documents | after this many in a row |

The first condition that is met completes the topic; an empty field is ignored. From then on no
document of the topic is checked out, and an adaptive pool selects no further document. Documents
that are checked out, with up to three fetched ahead, are still judged, and so are blind repeats:
the third condition ends a little later for each assessor on the topic. If such a judgment breaks
the row, or another rule is set, the topic continues where it was. The log records who set which
rule when.

- Conditions count documents that have a judgment, each by its first one, by any assessor; a
  judgment that was changed or undone still counts. Skips do not count.
- The rule and a step's `stop` in a [pool spec](pooling.md#pool-specs) are independent: `stop` ends
  one step of an adaptive pool and is frozen with it; the rule completes the topic.
- Conditions use the relevance level that is set when the next judgment of the topic arrives. Set
  the rule again after changing the level: a completed topic receives no judgment that would
  trigger the check.
- *Consecutive* means in the order of the log. The condition is informative where documents come
  best first or from an adaptive method; in random order a row without a relevant document is
  chance, and the expected rest of the pool is more informative.

"""

REAL = """
## Worked example

A topic has 10 documents in the pool; 5 are judged, in random order, and 2 of them are relevant. Of
the other 5 about 5 · 2/5 = 2 are expected to be relevant. With p = 3/7 the interval is
2 ± 1.96 √(10² · (1 − 5/10) · 3/7 · 4/7 / 5) = 2 ± 3.07, clipped to 0 to 5. Completeness is
2 / (2 + 2) = 50 %.
"""
NOTE = """
---

Generated from the cards in `reliability/core/stopping/`
(`python -m reliability.core.stopping.docs > docs/stopping.md`); a test compares the two.
Terms: [glossary](glossary.md).
"""


def render_stopping_docs() -> str:
    """The page as Markdown."""
    return (
        resolve_card_links(HEAD, (*CARDS, extrapolation.CARD))
        + "\n".join(render_card_markdown(card, level=2) for card in CARDS)
        + REAL
        + NOTE
    )


if __name__ == "__main__":
    sys.stdout.write(render_stopping_docs())
