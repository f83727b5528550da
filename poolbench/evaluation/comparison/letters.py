"""The compact letter display: groups of runs that are not significantly different.

Two runs share a letter if and only if their difference is not significant. The groups are built by
*insert and absorb*: begin with one group of all runs; for each significant pair, every group with
both runs is replaced by two, each without one of them; a group within another is dropped. What
remains are the largest sets without a significant pair, so no letter can be left out of all of
them and each pair without a significant difference is together in one of them.

Letters follow the ranking: ``a`` begins with the best run. After ``z`` come ``aa``, ``ab`` and so
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.evaluation.comparison.compare import Comparisons

Groups = NDArray[np.bool_]
MOST_GROUPS = 100
"""The number of groups can grow exponentially with contradictory pairs; a table with so many
letters would say nothing."""
UNTESTED = "–"

LETTER_GROUPS = Card(
    name="letters",
    title="Letter groups (compact letter display)",
    formula="runs i and j share a letter ⇔ adjusted p(i, j) > alpha",
    reading="Two runs with a letter in common are not significantly different; two without one "
    "are. Sharing a letter does not mean that two runs are equivalent.",
    source="Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, "
    "Journal of Computational and Graphical Statistics 13(2), 2004.",
    range="one or more letters for each run",
    edge_cases=(
        "Without a significant pair all runs have the letter a.",
        "A pair without a p value counts as not significantly different; a note counts them.",
        f"With more than {MOST_GROUPS:,} groups there are no letters, only –.",
    ),
    example="A, B and C in this order, only A and C significantly different: A is a, B is ab, "
    "C is b.",
)


@dataclass(frozen=True)
class LetterGroups:
    """``letters`` by run tag, in the order of the ranking; ``untested`` counts pairs without p."""

    letters: dict[str, str]
    groups: int
    untested: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether letters could be given."""
        return self.groups > 0 or not self.letters


def assign_letters(compared: Comparisons, ranking: Sequence[str]) -> LetterGroups:
    """Letters for the runs of ``ranking``, best first, by the significant pairs of ``compared``.

    Raises ``ValueError`` for a run that was not compared.
    """
    if unknown := set(ranking) - set(compared.tags):
        raise ValueError(f"not compared: {', '.join(sorted(unknown))}")
    place = {tag: at for at, tag in enumerate(ranking)}
    rows = [row for row in compared.rows if row.first in place and row.second in place]
    differs = np.zeros((len(ranking), len(ranking)), np.bool_)
    for row in rows:
        if row.different:
            one, other = place[row.first], place[row.second]
            differs[one, other] = differs[other, one] = True
    groups = group_by_difference(differs)
    letters = spell_letters(groups) if groups is not None else [UNTESTED] * len(ranking)
    untested = sum(row.adjusted is None for row in rows)
    count = 0 if groups is None else len(groups)
    return LetterGroups(dict(zip(ranking, letters, strict=True)), count, untested)


def group_by_difference(differs: Groups) -> Groups | None:
    """Groups × runs for a symmetric matrix of significant pairs; None above ``MOST_GROUPS``.

    Ordered by their first run, then their second, and so on.
    """
    count = len(differs)
    if count == 0:
        return np.empty((0, 0), np.bool_)
    groups = np.ones((1, count), np.bool_)
    for run in range(count):
        # The pairs of one run at once: a group with it either loses the run, or all runs that
        # differ from it. That is what inserting its pairs one by one and absorbing leaves.
        others = differs[run].copy()
        others[: run + 1] = False
        groups = insert_differences(groups, run, others)
        if len(groups) > MOST_GROUPS:
            return None
    order = np.lexsort((~groups).T[::-1])
    return groups[order]


def insert_differences(groups: Groups, run: int, others: Groups) -> Groups:
    """The groups after ``run`` has been set apart from the runs ``others``."""
    split = groups[:, run] & (groups & others).any(axis=1)
    if not split.any():
        return groups
    without_run = groups[split].copy()
    without_run[:, run] = False
    without_others = groups[split] & ~others
    return absorb_groups(np.concatenate([groups[~split], without_run, without_others]))


def absorb_groups(groups: Groups) -> Groups:
    """The groups that are in no other; of equal ones the first."""
    sizes = groups.sum(axis=1)
    # Exact, as counts are small, and much faster than a product of integers.
    shared = groups.astype(np.float32) @ groups.T.astype(np.float32)
    within = shared == sizes[:, None]
    equal = within & within.T
    earlier = np.tri(len(groups), k=-1, dtype=np.bool_)
    largest: Groups = groups[~(within & (earlier | ~equal)).any(axis=1)]
    return largest


def spell_letters(groups: Groups) -> list[str]:
    """The letters of each run; a place without a letter is left out."""
    names = [name_letter(at) for at in range(len(groups))]
    joint = "" if len(names) <= len(ascii_lowercase) else " "
    return [
        joint.join(name for name, has_run in zip(names, column, strict=True) if has_run)
        for column in groups.T
    ]


def name_letter(at: int) -> str:
    """a to z, then aa, ab and so on, as columns of spreadsheets are named."""
    name, at = "", at + 1
    while at:
        at, rest = divmod(at - 1, len(ascii_lowercase))
        name = ascii_lowercase[rest] + name
    return name
