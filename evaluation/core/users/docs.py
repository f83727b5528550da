"""docs/users.md, made from the cards: ``python -m evaluation.core.users.docs``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown, resolve_card_links
from evaluation.core.users.interleaving import INTERLEAVING
from evaluation.core.users.measures import USER_MEASURES
from evaluation.core.users.preferences import PREFERENCES

HEAD = """# User-based measures

Measures that need to know something about the user: what a user already knew, or what users
picked from a list.

| you have | use |
|---|---|
| documents that the user knew before searching | [coverage](#coverage), [novelty](#novelty), \
[relative recall](#relative_recall), [recall effort](#recall_effort) |
| clicks on two mixed rankings | [interleaving](#interleaving) |
| clicks or choices on one list, and rankings to compare with them | [pairwise \
preferences](#pairwise_preference) |
"""
KNOWN = """## Known documents

K are the documents that the user knew before searching, R the relevant ones, A those that the
run retrieved. K is a file with lines of `topic docno`:

    manage.py user_measures QRELS RUN --known FILE [--expected N] [-q] [-l LEVEL] [-M N]

prints the four measures in the format of `evaluate`, and on standard error the number of topics
in which each is undefined. In Python: `evaluation.core.users.measures.score_for_user`.
"""
PICKS = """## Interleaving and preferences

Without grades, runs can be compared by what people pick from a list: clicks of users, or choices
of an assessor. In Python: `evaluation.core.users.interleaving` and
`evaluation.core.users.preferences`.
"""
NOTE = """---

Generated from the cards in `evaluation/core/users/`
(`python -m evaluation.core.users.docs > docs/users.md`); a test compares the two. Terms:
[glossary](glossary.md).
"""


def render_users_docs() -> str:
    """The whole page as Markdown."""
    known = [render_card_markdown(card) for card in USER_MEASURES]
    picks = [render_card_markdown(card) for card in (INTERLEAVING, PREFERENCES)]
    return "\n".join(
        [
            resolve_card_links(HEAD, [*USER_MEASURES, INTERLEAVING, PREFERENCES]),
            KNOWN,
            *known,
            PICKS,
            *picks,
            NOTE,
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(render_users_docs())
