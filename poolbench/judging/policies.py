"""Qrels policies: how the judgments of several assessors become one grade per pair.

A name is a rule (``majority``), a rule overridden by adjudications (``adjudicated-majority``),
one assessor's own grades (``assessor:ada``), an automatic assessor's (``automatic:judge-7b``),
or a rule with an automatic assessor for pairs without human judgments
(``majority+automatic:judge-7b``), or a rule without what was propagated to documents with the same
text (``majority-without-propagated``). A rule ``crowd:MODEL`` decides all pairs together.
``get_policy`` resolves all of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from poolbench.cards import Card
from poolbench.judging.aggregation.base import AggregatedLabels, GoldCounts
from poolbench.judging.policy_rules import (
    CROWD,
    CROWD_FORM,
    CROWD_RULES,
    RULES,
    AggregationRule,
    CrowdRule,
    aggregate_votes,
    rule_card,
)

Row = tuple[str, str, int]
NOT_JUDGED = -1
ADJUDICATED, ASSESSOR, AUTOMATIC = "adjudicated-", "assessor:", "automatic:"
NOT_PROPAGATED = "-without-propagated"
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
            f"Choose one of: {', '.join([*RULES, *CROWD_RULES])}; {ADJUDICATED}RULE; "
            f"{ASSESSOR}NAME; {AUTOMATIC}NAME; RULE+{AUTOMATIC}NAME; RULE{NOT_PROPAGATED}."
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
    others disagreed; rules count them like the others. With ``propagated_from`` all but the
    automatic grades are those of this document of the topic, which has the same text and was judged
    instead.
    """

    topic: str
    docno: str
    people: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, int] = field(default_factory=dict)
    adjudicated: int | None = None
    automatic: Mapping[str, int] = field(default_factory=dict)
    third: frozenset[str] = frozenset()
    propagated_from: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        return self.topic, self.docno

    @cached_property
    def grades(self) -> tuple[int, ...]:
        """The human grades that count, ascending; grades below 0 are not judgments."""
        return tuple(sorted(grade for grade in self.people.values() if grade >= 0))

    @property
    def disagree(self) -> bool:
        """Whether its assessors gave different grades, which those of a propagated one did not."""
        return not self.propagated_from and bool(self.grades) and self.grades[0] != self.grades[-1]


@dataclass(frozen=True)
class QrelsPolicy:
    """``rule`` is a name of ``RULES`` or ``CROWD_RULES``. ``own`` is the only assessor who counts;
    ``automatic`` the automatic assessor who counts: alone if ``alone``, else on pairs without human
    judgments. Unless ``propagated``, pairs that others were judged for have no human judgments.
    """

    name: str
    card: Card
    rule: str = "single"
    adjudicated: bool = False
    own: str = ""
    automatic: str = ""
    alone: bool = False
    propagated: bool = True

    @property
    def label(self) -> str:
        """What scores under the policy are labelled with where automatic judgments decide."""
        if not self.automatic:
            return ""
        return AUTOMATIC_ONLY if self.alone else FILLED

    @property
    def crowd(self) -> CrowdRule | None:
        """The rule that decides all pairs together, if it is one."""
        return CROWD_RULES.get(self.rule)

    @property
    def needs_gold(self) -> bool:
        """Whether it weighs workers by their answers to gold."""
        return self.crowd is not None and self.crowd.model.needs_gold

    def counted_grades(self, ballot: PairBallot) -> tuple[int, ...] | None:
        """The grades that count, ascending; None: the policy leaves the pair out."""
        ballot = self._leave_out(ballot)
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
        ballot = self._leave_out(ballot)
        if self.automatic not in ballot.automatic:
            return False
        if self.alone:
            return True
        return not self.uses_adjudication(ballot) and not ballot.grades

    def uses_adjudication(self, ballot: PairBallot) -> bool:
        """Whether the pair's grade is that of the adjudication."""
        return self.adjudicated and self._leave_out(ballot).adjudicated is not None

    def uses_propagation(self, ballot: PairBallot) -> bool:
        """Whether the pair has the grade of the document that was judged for it."""
        return bool(
            ballot.propagated_from
            and self.counted_grades(ballot) is not None
            and not self.uses_automatic(ballot)
        )

    def _leave_out(self, ballot: PairBallot) -> PairBallot:
        if self.propagated or not ballot.propagated_from:
            return ballot
        return PairBallot(ballot.topic, ballot.docno, automatic=ballot.automatic)


@dataclass(frozen=True)
class PolicyOutcome:
    """The grades under a policy: sorted ``rows``, and the sorted ``undecided`` pairs.

    ``ties``: the number of pairs whose grade a tie rule decides; None if there is none. No such
    pair is undecided, but its grade is a convention. ``aggregated``: of a rule for all pairs
    together.
    """

    rows: list[Row]
    undecided: list[tuple[str, str]]
    ties: int | None
    aggregated: AggregatedLabels | None = None


def get_policy(name: str) -> QrelsPolicy:
    """The policy called ``name``. Raises ``UnknownPolicyError`` with the valid names."""
    named = POLICIES | CROWD_POLICIES
    if name in named:
        return named[name]
    rule, plus, filler = name.partition("+" + AUTOMATIC)
    if plus and filler and rule.removesuffix(NOT_PROPAGATED) in named:
        base = get_policy(rule)
        card = policy_card(FORMS["+" + AUTOMATIC], name, filler, base.card.reading)
        return replace(base, name=name, card=card, automatic=filler)
    rule = name.removesuffix(NOT_PROPAGATED)
    if rule != name and rule in named:
        base = named[rule]
        title = f"{base.card.title}, nothing propagated"
        text = f"{base.card.reading} Pairs that a duplicate was judged for are left out."
        card = replace(base.card, name=name, title=title, reading=text, formula=text)
        return replace(base, name=name, card=card, propagated=False)
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
    policy: QrelsPolicy, ballots: Iterable[PairBallot], gold: GoldCounts | None = None
) -> tuple[list[Row], list[tuple[str, str]]]:
    """``(topic, docno, grade)`` of every pair under the policy, sorted; and the undecided pairs."""
    outcome = decide_pairs(policy, ballots, gold)
    return outcome.rows, outcome.undecided


def decide_pairs(
    policy: QrelsPolicy,
    ballots: Iterable[PairBallot],
    gold: GoldCounts | None = None,
    scale: Sequence[int] = (),
) -> PolicyOutcome:
    """The grades of all pairs under the policy; ``gold`` is for rules that weigh workers by it,
    ``scale``, by default the grades that occur, for models of all pairs.

    Grades below 0 are not judgments; a pair without any other grade gets -1.
    """
    ballots = list(ballots)
    rows: list[Row] = []
    undecided: list[tuple[str, str]] = []
    ties = 0
    joint = None
    if policy.crowd is not None:
        judged = (ballot for ballot in ballots if ballot.people and not ballot.propagated_from)
        votes = {ballot.pair: ballot.people for ballot in judged}
        joint = aggregate_votes(policy.crowd, votes, gold or {}, scale)
    rule = RULES["single" if joint else policy.rule]
    # Many pairs share few distinct lists of grades: each is decided once.
    decide = lru_cache(maxsize=None)(rule.decide)
    is_tie = lru_cache(maxsize=None)(rule.is_tie or (lambda _: False))
    for ballot in ballots:
        grades = policy.counted_grades(ballot)
        if grades is None:
            continue
        grade, tied = (decide(grades), is_tie(grades)) if grades else (NOT_JUDGED, False)
        is_final = policy.uses_adjudication(ballot) or policy.uses_automatic(ballot)
        if joint and grades and not is_final:
            at = (ballot.topic, ballot.propagated_from or ballot.docno)
            grade, tied = joint.decisions[at]
        ties += tied and grade is not None
        if grade is None:
            undecided.append(ballot.pair)
        else:
            rows.append((*ballot.pair, grade))
    has_tie_rule = rule.is_tie is not None or joint is not None
    aggregated = joint.aggregated if joint else None
    return PolicyOutcome(
        sorted(rows), sorted(undecided), ties if has_tie_rule else None, aggregated
    )


FORMS: dict[str, Card] = {
    CROWD: CROWD_FORM,
    ADJUDICATED: rule_card(
        "adjudicated-RULE",
        "Adjudicated, else by rule",
        "the grade of the adjudication if there is one, else that of the rule; the latest of "
        "several adjudications of a pair counts",
        "`adjudicated-majority`: 0, 2, 2 adjudicated 1 gives 1; 0, 2, 2 alone gives 2.",
    ),
    ASSESSOR: rule_card(
        "assessor:NAME",
        "One assessor's grades",
        "the grades of the assessor with this username; pairs without one are left out",
        "`assessor:ada`: ada 2, bob 0 gives 2; bob 0 alone leaves the pair out.",
    ),
    AUTOMATIC: rule_card(
        "automatic:NAME",
        "An automatic assessor's grades",
        "the grades of the automatic assessor with this name; pairs without one are left out",
        "`automatic:robot`: ada 2, robot 3 gives 3; ada 2 alone leaves the pair out.",
    ),
    "+" + AUTOMATIC: rule_card(
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


def _adjudicated(rule: AggregationRule | CrowdRule) -> QrelsPolicy:
    card = rule.card
    name = ADJUDICATED + card.name
    text = f"The grade of the adjudication if there is one; else {card.formula}."
    if isinstance(rule, CrowdRule):
        text = f"The grade of the adjudication if there is one. Else: {card.reading}"
    title = f"Adjudicated, else {card.title[0].lower()}{card.title[1:]}"
    adjudicated = Card(name, title, text, text, card.source, range=card.range, example=card.example)
    return QrelsPolicy(name, adjudicated, card.name, adjudicated=True)


def _policies(rules: Mapping[str, AggregationRule | CrowdRule]) -> dict[str, QrelsPolicy]:
    plain = (QrelsPolicy(name, rule.card, name) for name, rule in rules.items())
    return {policy.name: policy for policy in (*plain, *map(_adjudicated, rules.values()))}


POLICIES = _policies(RULES)
"""The policies whose name contains no assessor, pair by pair."""
CROWD_POLICIES = _policies(CROWD_RULES)
"""The policies that decide all pairs together."""
DEFAULT_POLICY = "adjudicated-median-floor"
"""The policy of pages and reports where none is chosen."""
