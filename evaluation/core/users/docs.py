"""docs/users.md, made from the cards: ``python -m evaluation.core.users.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown
from evaluation.core.users.interleaving import INTERLEAVING
from evaluation.core.users.measures import USER_MEASURES
from evaluation.core.users.preferences import PREFERENCES

HEAD = """# What users tell

This page is made from the cards beside the code
(`python -m evaluation.core.users.page > docs/users.md`); a test compares the two.
"""
KNOWN = """## A user who knows some of the documents

K are the documents that the user knew before searching, R the relevant ones, A those that the
run retrieved. K comes as a file with lines of `topic docno`:

    manage.py user_measures QRELS RUN --known FILE [--expected N] [-q] [-l LEVEL] [-M N]

prints the four measures as `evaluate` prints its own, and on standard error in how many topics
each is undefined. In Python: `evaluation.core.users.measures.score_for_user`.
"""
PICKS = """## Picks from a list

What people pick from a list that they are shown, when there are no grades: clicks of users, or
the choices of a judge. In Python: `evaluation.core.users.interleaving` and
`evaluation.core.users.preferences`.
"""


def render_users_docs() -> str:
    """The whole page as Markdown."""
    known = [render_card_markdown(card) for card in USER_MEASURES]
    picks = [render_card_markdown(card) for card in (INTERLEAVING, PREFERENCES)]
    return "\n".join([HEAD, KNOWN, *known, PICKS, *picks])


if __name__ == "__main__":
    sys.stdout.write(render_users_docs())
