"""Qrels policies: how the judgments of several assessors become one grade per pair.

A name is a rule (``majority``), a rule overridden by adjudications (``adjudicated-majority``),
one assessor's own grades (``assessor:ada``), an automatic assessor's (``automatic:judge-7b``),
or a rule with an automatic assessor for pairs without human judgments
(``majority+automatic:judge-7b``). ``get_policy`` resolves all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from campaigns.core.cards import Card

Row = tuple[str, str, int]
NOT_JUDGED = -1
ADJUDICATED, ASSESSOR, AUTOMATIC = "adjudicated-", "assessor:", "automatic:"
FILLED = "filled, no estimate"
AUTOMATIC_ONLY = "automatic, no estimate"
NO_ESTIMATE = (
    "The grades of an automatic assessor stand where no person judged. Scores by these qrels do "
    "not estimate those by human judgments, and cannot be compared with scores by other qrels."
)


class UnknownPolicyError(KeyError):
    """A name of no policy; ``fix`` lists the valid names."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fix = (
            f"Choose one of: {', '.join(RULES)}; {ADJUDICATED}RULE; "
            f"{ASSESSOR}NAME; {AUTOMATIC}NAME; RULE+{AUTOMATIC}NAME."
        )
        super().__init__(name)

    def __str__(self) -> str:
        return f"Unknown policy: {self.name}. {self.fix}"


@dataclass(frozen=True)
class PairBallot:
    """All judgments of one pair.

    ``people`` are the human grades that count, by assessor; ``extra`` those beyond the plan,
    which count only under ``assessor:NAME``; ``adjudicated`` is the grade of the adjudication;
    ``automatic`` the grades by automatic assessor. ``third`` assessors judged the pair because
    others disagreed; rules count them like the others.
    """

    topic: str
    docno: str
    people: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, int] = field(default_factory=dict)
    adjudicated: int | None = None
    automatic: Mapping[str, int] = field(default_factory=dict)
    third: frozenset[str] = frozenset()

    @property
    def pair(self) -> tuple[str, str]:
        return self.topic, self.docno

    @cached_property
    def grades(self) -> tuple[int, ...]:
        """The human grades that count, ascending; grades below 0 are not judgments."""
        return tuple(sorted(grade for grade in self.people.values() if grade >= 0))

    @property
    def disagree(self) -> bool:
        return bool(self.grades) and self.grades[0] != self.grades[-1]


@dataclass(frozen=True)
class AggregationRule:
    """``decide`` takes the grades of one pair, ascending, at least one; None: undecided.

    ``is_tie``: whether two grades fit equally, so that the rule's choice of the lower one, its tie
    rule, decides them; None: it has none.
    """

    card: Card
    decide: Callable[[Sequence[int]], int | None]
    is_tie: Callable[[Sequence[int]], bool] | None = None


@dataclass(frozen=True)
class QrelsPolicy:
    """``rule`` is a name of ``RULES``. ``own`` is the only assessor who counts; ``automatic``
    the automatic assessor who counts: alone if ``alone``, else on pairs without human judgments.
    """

    name: str
    card: Card
    rule: str = "single"
    adjudicated: bool = False
    own: str = ""
    automatic: str = ""
    alone: bool = False

    @property
    def label(self) -> str:
        """What scores under the policy are labelled with where automatic judgments decide."""
        if not self.automatic:
            return ""
        return AUTOMATIC_ONLY if self.alone else FILLED

    def counted_grades(self, ballot: PairBallot) -> tuple[int, ...] | None:
        """The grades that count, ascending; None: the policy leaves the pair out."""
        if self.alone:
            grades = ballot.automatic if self.automatic else {**ballot.extra, **ballot.people}
            grade = grades.get(self.automatic or self.own)
            return None if grade is None else (grade,) * (grade >= 0)
        if self.adjudicated and ballot.adjudicated is not None:
            return (ballot.adjudicated,) * (ballot.adjudicated >= 0)
        filled = ballot.automatic.get(self.automatic) if self.automatic else None
        if filled is not None and not ballot.grades:
            return (filled,) * (filled >= 0)
        return ballot.grades if ballot.people else None

    def uses_automatic(self, ballot: PairBallot) -> bool:
        """Whether the pair's grade is that of the automatic assessor."""
        if self.automatic not in ballot.automatic:
            return False
        if self.alone:
            return True
        is_adjudicated = self.adjudicated and ballot.adjudicated is not None
        return not is_adjudicated and not ballot.grades


def get_policy(name: str) -> QrelsPolicy:
    """The policy called ``name``. Raises ``UnknownPolicyError`` with the valid names."""
    if name in POLICIES:
        return POLICIES[name]
    rule, plus, filler = name.partition("+" + AUTOMATIC)
    if plus and filler and rule in POLICIES:
        base = POLICIES[rule]
        card = policy_card(FORMS["+" + AUTOMATIC], name, filler, base.card.reading)
        return QrelsPolicy(name, card, base.rule, base.adjudicated, automatic=filler)
    who = name.removeprefix(ASSESSOR)
    if who and who != name and not plus:
        return QrelsPolicy(name, policy_card(FORMS[ASSESSOR], name, who), own=who, alone=True)
    who = name.removeprefix(AUTOMATIC)
    if who and who != name and not plus:
        return QrelsPolicy(
            name, policy_card(FORMS[AUTOMATIC], name, who), automatic=who, alone=True
        )
    raise UnknownPolicyError(name)


def label_qrels(manifest: Mapping[str, Any]) -> str:
    """The label of qrels with this manifest, and of all scores by them: empty unless the grade
    of some pair is that of an automatic assessor.
    """
    automatic = manifest.get("automatic") or {}
    return get_policy(manifest["policy"]).label if automatic.get("pairs") else ""


def apply_policy(
    policy: QrelsPolicy, ballots: Iterable[PairBallot]
) -> tuple[list[Row], list[tuple[str, str]]]:
    """``(topic, docno, grade)`` of every pair under the policy, sorted; and the undecided pairs.

    Grades below 0 are not judgments; a pair without any other grade gets -1.
    """
    rows: list[Row] = []
    undecided: list[tuple[str, str]] = []
    # Many pairs share few distinct lists of grades: each is decided once.
    decide = lru_cache(maxsize=None)(RULES[policy.rule].decide)
    for ballot in ballots:
        grades = policy.counted_grades(ballot)
        if grades is None:
            continue
        grade = decide(grades) if grades else NOT_JUDGED
        if grade is None:
            undecided.append(ballot.pair)
        else:
            rows.append((*ballot.pair, grade))
    return sorted(rows), sorted(undecided)


def count_tie_decisions(policy: QrelsPolicy, ballots: Iterable[PairBallot]) -> int | None:
    """The number of pairs whose grade the tie rule of ``policy`` decides; None if it has none.

    No pair is undecided under such a rule, but the grade of these is a convention.
    """
    is_tie = RULES[policy.rule].is_tie
    if is_tie is None:
        return None
    decided = lru_cache(maxsize=None)(is_tie)
    counted = map(policy.counted_grades, ballots)
    return sum(decided(grades) for grades in counted if grades)


def single_judgment(grades: Sequence[int]) -> int | None:
    return grades[0] if grades[0] == grades[-1] else None


def majority_vote(grades: Sequence[int]) -> int:
    # Counter keeps insertion order among equal counts: the lowest grade first.
    return Counter(grades).most_common(1)[0][0]


def has_several_modes(grades: Sequence[int]) -> bool:
    """Whether several grades are the most frequent."""
    counts = sorted(Counter(grades).values())
    return len(counts) > 1 and counts[-1] == counts[-2]


def has_halfway_median(grades: Sequence[int]) -> bool:
    """Whether the median is half-way between two grades."""
    last = len(grades) - 1
    return (grades[last // 2] + grades[last - last // 2]) % 2 == 1


def has_halfway_mean(grades: Sequence[int]) -> bool:
    """Whether the mean is half-way between two grades."""
    return 2 * (sum(grades) % len(grades)) == len(grades)


def median_rounded_down(grades: Sequence[int]) -> int:
    last = len(grades) - 1
    return (grades[last // 2] + grades[last - last // 2]) // 2


def mean_rounded_down(grades: Sequence[int]) -> int:
    return sum(grades) // len(grades)


def highest_grade(grades: Sequence[int]) -> int:
    return grades[-1]


def _card(name: str, title: str, rule: str, example: str) -> Card:
    text = rule[0].upper() + rule[1:] + "."
    return Card(
        name, title, rule, text, "Poolbench.", range="a grade of the scale", example=example
    )


RULES: dict[str, AggregationRule] = {
    rule.card.name: rule
    for rule in (
        AggregationRule(
            _card(
                "single",
                "Single grade",
                "the grade on which all assessors of the pair agree; a pair with different grades "
                "is undecided, and qrels cannot be frozen",
                "2, 2 gives 2; 1, 2 is undecided.",
            ),
            single_judgment,
        ),
        AggregationRule(
            _card(
                "majority",
                "Majority vote",
                "the most frequent grade; the lowest of equally frequent grades",
                "0, 2, 2 gives 2; 1, 2 gives 1.",
            ),
            majority_vote,
            has_several_modes,
        ),
        AggregationRule(
            _card(
                "median-floor",
                "Median, rounded down",
                "the median grade; of two middle grades the mean, rounded down",
                "0, 2, 3 gives 2; 0, 1 gives 0; 1, 3 gives 2.",
            ),
            median_rounded_down,
            has_halfway_median,
        ),
        AggregationRule(
            _card(
                "mean-floor",
                "Mean, rounded down",
                "the mean of the grades, rounded down",
                "0, 2, 3 gives 1; 1, 2 gives 1.",
            ),
            mean_rounded_down,
            has_halfway_mean,
        ),
        AggregationRule(
            _card(
                "maximum",
                "Highest grade",
                "the highest grade of any assessor",
                "0, 2, 3 gives 3.",
            ),
            highest_grade,
        ),
    )
}

FORMS: dict[str, Card] = {
    ADJUDICATED: _card(
        "adjudicated-RULE",
        "Adjudicated, else by rule",
        "the grade of the adjudication if there is one, else that of the rule; the latest of "
        "several adjudications of a pair counts",
        "`adjudicated-majority`: 0, 2, 2 adjudicated 1 gives 1; 0, 2, 2 alone gives 2.",
    ),
    ASSESSOR: _card(
        "assessor:NAME",
        "One assessor's grades",
        "the grades of the assessor with this username; pairs without one are left out",
        "`assessor:ada`: ada 2, bob 0 gives 2; bob 0 alone leaves the pair out.",
    ),
    AUTOMATIC: _card(
        "automatic:NAME",
        "An automatic assessor's grades",
        "the grades of the automatic assessor with this name; pairs without one are left out",
        "`automatic:robot`: ada 2, robot 3 gives 3; ada 2 alone leaves the pair out.",
    ),
    "+" + AUTOMATIC: _card(
        "RULE+automatic:NAME",
        "By rule, completed by an automatic assessor",
        "the grade by the rule if a human assessor judged the pair, else the automatic assessor's",
        "`majority+automatic:robot`: ada 2, robot 3 gives 2; robot 3 alone gives 3.",
    ),
}
"""The forms of composed policy names, by their marker."""


def policy_card(form: Card, name: str, who: str, reading: str = "") -> Card:
    """The card of a policy whose name contains an assessor."""
    if form.name == "RULE+automatic:NAME":
        text = f"{reading} Pairs without human judgments: the grade of automatic assessor {who}."
    else:
        kind = "automatic assessor " if form.name == "automatic:NAME" else ""
        text = f"The grades of {kind}{who}; pairs without one are left out."
    title = f"{form.title}: {who}"
    return Card(name, title, text, text, form.source, range=form.range, example=form.example)


def _adjudicated(rule: AggregationRule) -> QrelsPolicy:
    card = rule.card
    name = ADJUDICATED + card.name
    text = f"The grade of the adjudication if there is one; else {card.formula}."
    title = f"Adjudicated, else {card.title[0].lower()}{card.title[1:]}"
    adjudicated = Card(name, title, text, text, card.source, range=card.range, example=card.example)
    return QrelsPolicy(name, adjudicated, card.name, adjudicated=True)


POLICIES: dict[str, QrelsPolicy] = {
    policy.name: policy
    for policy in (
        *(QrelsPolicy(name, rule.card, name) for name, rule in RULES.items()),
        *map(_adjudicated, RULES.values()),
    )
}
DEFAULT_POLICY = "adjudicated-median-floor"
"""The policy of pages and reports where none is chosen."""
"""The policies whose name contains no assessor."""
