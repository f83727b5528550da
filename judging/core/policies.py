"""From the judgments of several assessors to one grade a pair: policies that a release names.

A name is a rule of the table (``majority``), a rule that yields to adjudications
(``adjudicated-majority``), one assessor's own grades (``assessor:ada``), an automatic
assessor's (``automatic:judge-7b``), or a rule with pairs that no person judged filled by an
automatic assessor (``majority+automatic:judge-7b``). ``policy_named`` reads all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from campaigns.core.cards import Card

Row = tuple[str, str, int]
NOT_JUDGED = -1
ADJUDICATED, ASSESSOR, AUTOMATIC = "adjudicated-", "assessor:", "automatic:"


class UnknownPolicyError(KeyError):
    """A name that says no policy; ``fix`` lists what may be said."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fix = (
            f"Choose one of: {', '.join(RULES)}; one of these after {ADJUDICATED}; "
            f"{ASSESSOR}NAME; {AUTOMATIC}NAME; or a rule with +{AUTOMATIC}NAME behind it."
        )
        super().__init__(name)

    def __str__(self) -> str:
        return f"There is no policy {self.name}. {self.fix}"


@dataclass(frozen=True)
class PairBallot:
    """What was said of one pair.

    ``people`` are the grades that count, by assessor; ``extra`` those beyond what the plan
    wanted, which only their assessor's own qrels hear; ``adjudicated`` the grade that
    settled the pair; ``automatic`` the grades by automatic assessor.
    """

    topic: str
    docno: str
    people: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, int] = field(default_factory=dict)
    adjudicated: int | None = None
    automatic: Mapping[str, int] = field(default_factory=dict)

    @property
    def pair(self) -> tuple[str, str]:
        return self.topic, self.docno

    @cached_property
    def grades(self) -> tuple[int, ...]:
        """Of the people that count, ascending; those below 0 are none."""
        return tuple(sorted(grade for grade in self.people.values() if grade >= 0))

    @property
    def disagree(self) -> bool:
        return bool(self.grades) and self.grades[0] != self.grades[-1]


@dataclass(frozen=True)
class AggregationRule:
    """``decide`` takes the grades of one pair, ascending and at least one; None: undecided."""

    card: Card
    decide: Callable[[Sequence[int]], int | None]


@dataclass(frozen=True)
class QrelsPolicy:
    """``rule`` is a name of ``RULES``. ``own`` is the one assessor who is heard, ``automatic``
    the automatic one: alone where ``alone``, else on pairs that no person judged.
    """

    name: str
    card: Card
    rule: str = "single"
    adjudicated: bool = False
    own: str = ""
    automatic: str = ""
    alone: bool = False

    def heard(self, ballot: PairBallot) -> tuple[int, ...] | None:
        """The grades that decide, ascending; None: the pair is none of this policy's."""
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

    def hears_automatic(self, ballot: PairBallot) -> bool:
        """Is the pair's grade that of the automatic assessor?"""
        if self.automatic not in ballot.automatic:
            return False
        if self.alone:
            return True
        settled = self.adjudicated and ballot.adjudicated is not None
        return not settled and not ballot.grades


def get_policy(name: str) -> QrelsPolicy:
    """The policy that ``name`` says; ``UnknownPolicyError`` with what may be said instead."""
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


def apply_policy(
    policy: QrelsPolicy, ballots: Iterable[PairBallot]
) -> tuple[list[Row], list[tuple[str, str]]]:
    """``(topic, docno, grade)`` of every pair that the policy holds, sorted; and the pairs that
    it cannot decide.

    Grades below 0 are no judgments; a pair with no other one gets -1.
    """
    rows: list[Row] = []
    undecided: list[tuple[str, str]] = []
    # Few different lists of grades stand on many pairs: each is decided once.
    decide = lru_cache(maxsize=None)(RULES[policy.rule].decide)
    for ballot in ballots:
        grades = policy.heard(ballot)
        if grades is None:
            continue
        grade = decide(grades) if grades else NOT_JUDGED
        if grade is None:
            undecided.append(ballot.pair)
        else:
            rows.append((*ballot.pair, grade))
    return sorted(rows), sorted(undecided)


def single_judgment(grades: Sequence[int]) -> int | None:
    return grades[0] if grades[0] == grades[-1] else None


def majority_vote(grades: Sequence[int]) -> int:
    # Counter keeps the order of arrival among equals: the lowest grade first.
    return Counter(grades).most_common(1)[0][0]


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
                "One judgment",
                "the grade that all assessors of the pair gave; a pair with different grades "
                "stops the release",
                "2, 2 gives 2; 1, 2 is refused.",
            ),
            single_judgment,
        ),
        AggregationRule(
            _card(
                "majority",
                "Majority vote",
                "the grade given most often; among grades given equally often the lowest",
                "0, 2, 2 gives 2; 1, 2 gives 1.",
            ),
            majority_vote,
        ),
        AggregationRule(
            _card(
                "median-floor",
                "Median, rounded down",
                "the middle grade; between two middle grades their mean, rounded down",
                "0, 2, 3 gives 2; 0, 1 gives 0; 1, 3 gives 2.",
            ),
            median_rounded_down,
        ),
        AggregationRule(
            _card(
                "mean-floor",
                "Mean, rounded down",
                "the mean of the grades, rounded down",
                "0, 2, 3 gives 1; 1, 2 gives 1.",
            ),
            mean_rounded_down,
        ),
        AggregationRule(
            _card(
                "maximum",
                "Highest grade",
                "the highest grade that any assessor gave",
                "0, 2, 3 gives 3.",
            ),
            highest_grade,
        ),
    )
}

FORMS: dict[str, Card] = {
    ADJUDICATED: _card(
        "adjudicated-RULE",
        "Adjudicated, else by a rule",
        "the grade of the adjudication where one stands, else that of the rule; of several "
        "adjudications of a pair the latest stands",
        "`adjudicated-majority`: 0, 2, 2 adjudicated 1 gives 1; 0, 2, 2 alone gives 2.",
    ),
    ASSESSOR: _card(
        "assessor:NAME",
        "One assessor's own",
        "the grades that the assessor of this username gave, and no other pairs",
        "`assessor:ada`: ada 2, bob 0 gives 2; bob 0 alone leaves the pair out.",
    ),
    AUTOMATIC: _card(
        "automatic:NAME",
        "An automatic assessor's own",
        "the grades that the automatic assessor of this name gave, and no other pairs",
        "`automatic:robot`: ada 2, robot 3 gives 3; ada 2 alone leaves the pair out.",
    ),
    "+" + AUTOMATIC: _card(
        "RULE+automatic:NAME",
        "By a rule, filled by an automatic assessor",
        "the grade by the rule where a person judged the pair, else that of the automatic assessor",
        "`majority+automatic:robot`: ada 2, robot 3 gives 2; robot 3 alone gives 3.",
    ),
}
"""The forms of names beyond the rules, by what marks them."""


def policy_card(form: Card, name: str, who: str, reading: str = "") -> Card:
    """The card of one policy of a form that carries a name."""
    if form.name == "RULE+automatic:NAME":
        text = f"{reading} Where no person judged the pair, the grade of automatic assessor {who}."
    else:
        kind = "automatic assessor " if form.name == "automatic:NAME" else ""
        text = f"The grades that {kind}{who} gave, and no other pairs."
    title = f"{form.title}: {who}"
    return Card(name, title, text, text, form.source, range=form.range, example=form.example)


def _adjudicated(rule: AggregationRule) -> QrelsPolicy:
    card = rule.card
    name = ADJUDICATED + card.name
    text = f"The grade of the adjudication where one stands; else {card.formula}."
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
"""The policies that need no name of a person."""
