"""What says in a table which runs differ significantly: letter groups, the marks * and †, and the
sentence that explains them.

Two runs share a letter if and only if their difference is not significant. The groups are built by
*insert and absorb*: begin with one group of all runs; for each significant pair, every group with
both runs is replaced by two, each without one of them; a group within another is dropped. What
remains are the largest sets without a significant pair, so no letter can be left out of all of
them and each pair without a significant difference is together in one of them.

Letters follow the ranking: ``a`` begins with the best run. After ``z`` come ``aa``, ``ab`` and so
on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.registry import CORRECTIONS, FAMILY_TESTS, get_test_card
from poolbench.files.faults import format_count

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


ABOVE_ALL, BELOW_BEST = "*", "†"


@dataclass(frozen=True)
class SignificanceMarks:
    """``marks`` and ``letters`` by run tag, for runs in a table whose first is the best.

    ``*``: significantly different from every other run of the table, and the best of them.
    ``†``: significantly different from the best run of the table, and worse.
    """

    marks: dict[str, str]
    groups: LetterGroups
    caption: str


def mark_runs(compared: Comparisons, ranking: Sequence[str], measure: str) -> SignificanceMarks:
    """Marks and letters of the runs of ``ranking``, best first, by their significant pairs."""
    marks = mark_ranking(compared, ranking)
    groups = assign_letters(compared, ranking)
    return SignificanceMarks(marks, groups, caption_marks(compared, measure, marks, groups))


def mark_ranking(compared: Comparisons, ranking: Sequence[str]) -> dict[str, str]:
    """The mark, or "", of each run of ``ranking``, best first."""
    marks = dict.fromkeys(ranking, "")
    if len(ranking) > 1:
        best = ranking[0]
        pairs = [row for row in compared.rows if row.different]
        differs = {row.first for row in pairs if row.second == best}
        differs |= {row.second for row in pairs if row.first == best}
        below = [tag for tag in ranking if tag in differs]
        marks |= dict.fromkeys(below, BELOW_BEST)
        if len(below) == len(ranking) - 1:
            marks[best] = ABOVE_ALL
    return marks


def caption_marks(
    compared: Comparisons, measure: str, marks: dict[str, str], groups: LetterGroups
) -> str:
    """Test, correction and level, and what the signs mean that occur."""
    signs = set(marks.values())
    parts = [f"Significance by {measure}: {describe_test(compared)}."]
    if ABOVE_ALL in signs:
        parts.append("*: significantly better than every other run of the table.")
    elif BELOW_BEST in signs:
        parts.append("†: significantly worse than the best run of the table.")
    elif len(marks) > 1:
        parts.append("No run of the table differs significantly from the best.")
    if ABOVE_ALL in signs and BELOW_BEST in signs:
        parts.append("†: significantly worse than it.")
    if groups.untested:
        parts.append(f"Pairs of runs without a p value: {groups.untested}.")
    return " ".join(parts)


def describe_test(compared: Comparisons) -> str:
    """``paired t test, Holm correction over 55 run pairs, level 0.05``."""
    title = get_test_card(compared.test).title
    test = title if title.startswith("Tukey") else title[:1].lower() + title[1:]
    correction = f", {CORRECTIONS[compared.correction].card.title} correction"
    if compared.correction == "none":
        correction = "" if compared.test in FAMILY_TESTS else ", no correction"
    pairs = format_count(compared.corrected_over, "run pair")
    return f"{test}{correction} over {pairs}, level {compared.alpha:g}"


CAPTION_OF_LETTERS = (
    "Group: runs with a letter in common do not differ significantly; runs without one do."
)
