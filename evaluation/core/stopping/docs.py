"""docs/stopping.md, made from the cards: ``python -m evaluation.core.stopping.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown
from evaluation.core.stopping import movement, remaining_relevant

CARDS = (remaining_relevant.CARD, movement.CARD)

HEAD = """# When to stop judging

This page is made from the cards in `evaluation/core/stopping/`
(`python -m evaluation.core.stopping.page > docs/stopping.md`); a test compares the two.

*Judging → When to stop* shows organizers, while people judge, what the judging still brings, whom
the pool favours, and whether more judgments would still change the ranking:

- relevant documents by judgment, and how many of the last so many judged ones were relevant;
- how many are to be expected in the rest of the pool, and below it (the curve over depths of
  [collection](collection.md#extrapolation-relevant-documents-still-to-be-found)), with intervals;
- the ranking of now against earlier ones: tau-b, tau_AP, and the run that has fallen most;
- each run if judging stopped now: its place, how far it has moved, judged@5, @10 and @20; below
  0.9 it is marked;
- topic by topic what was found, with two alarms after Voorhees (CIKM 2018): more than a third of
  the judged documents are relevant, so that more are likely to be missed; and one team alone
  brought most of the relevant ones, so that others like it would not be judged fairly (that *most*
  is more than half is ours; both from ten documents on). A team brings a document alone if no run
  of another has it within the ranks that the spec looks at: its depth, or for methods that look
  down to the cut-off, all of these. A cut-off of 100 so hides what a shallow pool would show;
- new documents by depth, and what each team brought alone.

All of it is of the newest pool and the judgments so far; scores hear the policy that is chosen. A
document counts by its first judgment, except for scores. Every table downloads as CSV, all of them
as JSON. Nothing is kept: after judging, [the report](collection.md) is.

## Topics that end by a rule

Organizers set on the same page when a topic ends; the newest rule holds for the whole campaign,
for what was judged before it too:

| | a topic ends |
|---|---|
| Judged documents | after so many |
| Relevant documents found | after so many |
| In a row without a relevant one | after so many judged one after another, none of them relevant |

Whatever holds first ends it; a field that is left empty never does. From then on nobody is handed
a document of the topic, and a pool that grows brings it no further one. What assessors have on
their screens, with up to three documents fetched ahead, is judged all the same, and so are blind
repeats: a row ends a little later for each who works on the topic. If such a judgment breaks the
row, or another rule is set, the topic goes on where it was. Who set which rule when is in the log.

- Counts are of documents that have a judgment, each by its first and by whomever: a judgment that
  is changed or taken back has happened all the same. Skips count for nothing.
- The rule and a step's `stop` in a [spec](pooling.md) do not know of each other: `stop` ends one
  step of a pool that grows, and is frozen with it; the rule ends the topic.
- Counts hear the relevance level as it is when the next judgment of the topic comes. Set the rule
  once more after changing the level: a topic that has ended gets no judgment that would tell.
- *In a row* reads the order of the log. It says what it seems to say where documents come best
  first or from a method that learns; in random order a row without a relevant one is chance, and
  the expected rest of the pool says more.

"""

REAL = """
## By hand

A topic has 10 documents in the pool; 5 are judged, in random order, and 2 of them relevant. Of the
other 5 about 5 · 2/5 = 2 are expected to be relevant. With p = 3/7 the interval is
2 ± 1.96 √(10² · (1 − 5/10) · 3/7 · 4/7 / 5) = 2 ± 3.07, cut to 0 to 5. Completeness is
2 / (2 + 2) = 50 %.
"""


def render_stopping_docs() -> str:
    """The page as Markdown."""
    return HEAD + "\n".join(render_card_markdown(card, level=2) for card in CARDS) + REAL


if __name__ == "__main__":
    sys.stdout.write(render_stopping_docs())
