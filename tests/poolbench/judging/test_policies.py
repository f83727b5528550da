"""From several judgments to one grade."""

import pytest

from poolbench.judging.pair_ballots import add_propagated, collect_pair_ballots, decide_ballots
from poolbench.judging.policies import (
    FORMS,
    POLICIES,
    PairBallot,
    UnknownPolicyError,
    apply_policy,
    decide_pairs,
    get_policy,
)
from poolbench.judging.policy_rules import RULES

# Of each card the policy and each case, "1, 2 gives 1".
EXAMPLES = [
    (rule.card.name, case.rstrip("."))
    for rule in RULES.values()
    for case in rule.card.example.split("; ")
    if "undecided" not in case
] + [
    (card.example.split("`")[1], case.rstrip("."))
    for card in FORMS.values()
    for case in card.example.split("`: ")[1].split("; ")
]


def decided(policy: str, *grades: int) -> list[tuple[str, str, int]]:
    """What comes of one pair with these grades."""
    said = PairBallot("1", "d", {f"assessor{i}": grade for i, grade in enumerate(grades)})
    rows, undecided = apply_policy(get_policy(policy), [said])
    assert undecided == []
    return rows


@pytest.mark.parametrize(("policy", "grades", "wanted"), [
    ("single", (2, 2), 2), ("single", (2, -1), 2), ("majority", (0, 2, 2), 2),
    ("majority", (2, 1), 1), ("majority", (3, 0, 3, 0, 1), 0), ("median-floor", (3, 0, 2), 2),
    ("median-floor", (1, 0), 0), ("median-floor", (3, 1), 2), ("median-floor", (3, 0, 1, 2), 1),
    ("mean-floor", (3, 0, 2), 1), ("mean-floor", (2, 1), 1), ("maximum", (0, 3, 2), 3),
    ("maximum", (-1, -2), -1),
])  # fmt: skip
def test_policies_decide_by_their_rule(policy: str, grades: tuple[int, ...], wanted: int) -> None:
    assert decided(policy, *grades) == [("1", "d", wanted)]


@pytest.mark.parametrize("policy", POLICIES)
def test_one_judgment_stands_under_every_policy(policy: str) -> None:
    assert decided(policy, 2) == [("1", "d", 2)]
    assert decided(policy, -1) == [("1", "d", -1)]
    assert decided(policy) == []


@pytest.mark.parametrize(("policy", "said", "rows", "undecided"), [
    ("single", [PairBallot("2", "b", {"x": 0, "y": 1}), PairBallot("1", "a", {"x": 2, "y": 1}),
                PairBallot("1", "c", {"x": 1})], [("1", "c", 1)], [("1", "a"), ("2", "b")]),
    ("maximum", [PairBallot("2", "a", {"x": 0}), PairBallot("1", "b", {"x": 1}),
                 PairBallot("1", "a", {"x": 2})],
     [("1", "a", 2), ("1", "b", 1), ("2", "a", 0)], []),
    ("adjudicated-single", [PairBallot("1", "a", {"ada": 0, "bob": 2}, adjudicated=2),
                            PairBallot("1", "b", {"ada": 0, "bob": 1})],
     [("1", "a", 2)], [("1", "b")]),
])  # fmt: skip
def test_decided_and_undecided_pairs_come_out_sorted(policy, said, rows, undecided) -> None:
    assert apply_policy(get_policy(policy), said) == (rows, undecided)


def ballot(people: dict[str, int] | None = None, **more: object) -> PairBallot:
    return PairBallot("1", "d", people or {}, **more)


@pytest.mark.parametrize(
    ("policy", "said", "wanted"),
    [
        ("majority", ballot({"ada": 0, "bob": 2, "eve": 2}, adjudicated=1), 2),
        ("adjudicated-majority", ballot({"ada": 0, "bob": 2, "eve": 2}, adjudicated=1), 1),
        ("adjudicated-majority", ballot({"ada": 0, "bob": 2, "eve": 2}), 2),
        ("adjudicated-majority", ballot(adjudicated=3), 3),
        ("adjudicated-majority", ballot({"ada": 0, "bob": 2}, adjudicated=-2), -1),
        ("adjudicated-single", ballot({"ada": 0, "bob": 2}, adjudicated=2), 2),
        ("adjudicated-mean-floor", ballot({"ada": 1, "bob": 2}), 1),
        ("majority", ballot(adjudicated=3), None),
        ("majority", ballot(automatic={"robot": 3}), None),
        ("majority", ballot({"ada": 1}, extra={"bob": 3}), 1),
        ("assessor:ada", ballot({"ada": 2, "bob": 0}), 2),
        ("assessor:bob", ballot({"ada": 1}, extra={"bob": 3}), 3),
        ("assessor:ada", ballot({"bob": 0}), None),
        ("assessor:ada", ballot({"ada": 2}, adjudicated=0), 2),
        ("assessor:ada", ballot({"ada": -2}), -1),
        ("automatic:robot", ballot({"ada": 2}, automatic={"robot": 3}), 3),
        ("automatic:robot", ballot({"ada": 2}, automatic={"other": 3}), None),
        ("majority+automatic:robot", ballot({"ada": 2}, automatic={"robot": 3}), 2),
        ("majority+automatic:robot", ballot(automatic={"robot": 3}), 3),
        ("majority+automatic:robot", ballot({"ada": -1}, automatic={"robot": 3}), 3),
        ("majority+automatic:robot", ballot(automatic={"other": 3}), None),
        ("majority+automatic:robot", ballot(adjudicated=1, automatic={"robot": 3}), 3),
        ("adjudicated-majority+automatic:robot", ballot(adjudicated=1, automatic={"robot": 3}), 1),
    ],
)
def test_who_is_heard_is_said_by_the_name(policy, said, wanted):
    rows, undecided = apply_policy(get_policy(policy), [said])
    assert rows == ([] if wanted is None else [("1", "d", wanted)])
    assert undecided == []


@pytest.mark.parametrize(
    ("policy", "said", "heard"),
    [
        ("majority", ballot(automatic={"robot": 3}), False),
        ("automatic:robot", ballot({"ada": 1}, automatic={"robot": 3}), True),
        ("majority+automatic:robot", ballot(automatic={"robot": 3}), True),
        ("majority+automatic:robot", ballot({"ada": 1}, automatic={"robot": 3}), False),
        ("majority+automatic:robot", ballot({"ada": 1}), False),
        ("adjudicated-single+automatic:robot", ballot(adjudicated=1, automatic={"robot": 3}), 0),
    ],
)  # fmt: skip
def test_a_policy_knows_whether_it_heard_the_automatic_assessor(policy, said, heard) -> None:
    assert get_policy(policy).uses_automatic(said) == heard


@pytest.mark.parametrize("name", [
    "loudest", "", "assessor:", "automatic:", "adjudicated-", "adjudicated-loudest",
    "majority+automatic:", "assessor:ada+automatic:robot", "automatic:a+automatic:b",
    "majority+assessor:ada", "adjudicated-assessor:ada", "majority +automatic:robot",
])  # fmt: skip
def test_unknown_names_are_told_what_may_be_said(name: str) -> None:
    with pytest.raises(UnknownPolicyError, match=r"majority.*adjudicated-.*assessor:NAME") as no:
        get_policy(name)
    assert no.value.name == name


@pytest.mark.parametrize("username", ["a+b@example.org", "adjudicated-majority", "automatic"])
def test_any_username_can_be_named(username: str) -> None:
    assert get_policy(f"assessor:{username}").own == username


@pytest.mark.parametrize(("policy", "case"), EXAMPLES)
def test_examples_of_the_cards_hold(policy: str, case: str) -> None:
    """``ada 2, robot 3`` or plain grades, perhaps ``adjudicated 1``, and what that gives."""
    left, verb, outcome = case.replace(" alone", "").partition(" gives ")
    left = left if verb else case.split(" alone", maxsplit=1)[0]
    left, _, settled = left.partition(" adjudicated ")
    people: dict[str, int] = {}
    machines: dict[str, int] = {}
    for at, word in enumerate(left.split(", ")):
        who, _, grade = word.rpartition(" ")
        (machines if who == "robot" else people)[who or f"{at}"] = int(grade)
    said = ballot(people, adjudicated=int(settled) if settled else None, automatic=machines)
    rows, _ = apply_policy(get_policy(policy), [said])
    assert rows == ([("1", "d", int(outcome))] if verb else [])


def test_a_propagated_grade_is_the_original_s_under_every_policy() -> None:
    original = PairBallot("1", "a", {"ada": 0, "bob": 2}, adjudicated=1)
    own = PairBallot("1", "c", {"ada": 3})
    machine = PairBallot("1", "b", automatic={"robot": 3})
    originals = {("1", "b"): "a", ("1", "c"): "a", ("1", "e"): "gone"}
    table = add_propagated(collect_pair_ballots([original, own, machine]), originals)
    assert table.pairs == [("1", "a"), ("1", "b"), ("1", "c")]
    assert [each.docno for each in table.disagreeing] == ["a"]
    assert table.omit_propagated().pairs == [("1", "a"), ("1", "c")]

    def decide(policy: str) -> dict[str, int]:
        rows = decide_ballots(get_policy(policy), table).rows
        assert decide_pairs(get_policy(policy), table.list_ballots()).rows == rows
        return {docno: grade for _, docno, grade in rows}

    assert decide("maximum") == {"a": 2, "b": 2, "c": 3}
    assert decide("adjudicated-maximum") == {"a": 1, "b": 1, "c": 3}
    assert decide("assessor:bob") == {"a": 2, "b": 2}
    assert decide("automatic:robot") == {"b": 3}
    assert decide("maximum+automatic:robot") == {"a": 2, "b": 2, "c": 3}
    assert decide("maximum-without-propagated") == {"a": 2, "c": 3}
    assert decide("adjudicated-maximum-without-propagated") == {"a": 1, "c": 3}
    assert decide("maximum-without-propagated+automatic:robot") == {"a": 2, "b": 3, "c": 3}


def test_a_model_of_all_pairs_learns_from_the_original_once() -> None:
    judged = [PairBallot("1", f"d{n}", {"ada": n % 2, "bob": n % 2}) for n in range(6)]
    policy, alone = get_policy("crowd:dawid-skene-one-coin"), collect_pair_ballots(judged)
    table = add_propagated(alone, {("1", "copy"): "d1", ("1", "other"): "d2"})
    outcome = decide_pairs(policy, table.list_ballots())
    before = decide_pairs(policy, alone.list_ballots())
    assert outcome.rows == sorted([*before.rows, ("1", "copy", 1), ("1", "other", 0)])
    assert len(outcome.aggregated.matrix) == len(before.aggregated.matrix) == 12


def test_cards_say_the_name_and_the_person() -> None:
    composed = "single+automatic:robot", "median-floor-without-propagated"
    for name in (*POLICIES, "assessor:ada", "automatic:robot", *composed):
        policy = get_policy(name)
        assert policy.name == policy.card.name == name
    assert "ada" in get_policy("assessor:ada").card.title


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        # One grade apart; two apart; three of four equal; 1 and 2 equally often; alone; agreed.
        ("majority", [True, True, False, True, False, False]),
        ("median-floor", [True, False, False, True, False, False]),
        ("mean-floor", [True, False, False, True, False, False]),
        ("adjudicated-majority", [True, True, False, True, False, False]),
        ("majority+automatic:robot", [True, True, False, True, False, False]),
    ],
)
def test_pairs_that_the_tie_rule_decides_are_counted(policy: str, wanted: list[bool]) -> None:
    cases = [(1, 2), (0, 2), (1, 1, 1, 0), (1, 1, 2, 2), (3,), (2, 2)]
    said = [
        PairBallot("1", f"d{at}", {f"a{i}": grade for i, grade in enumerate(grades)})
        for at, grades in enumerate(cases)
    ]
    found = [decide_pairs(get_policy(policy), [ballot]).ties for ballot in said]
    assert found == [int(tie) for tie in wanted]
    assert decide_pairs(get_policy(policy), said).ties == sum(wanted)


@pytest.mark.parametrize(("policy", "ties"), [
    ("adjudicated-majority", 0), ("majority", 1),
    *((name, None) for name in ("single", "maximum", "assessor:ann", "automatic:robot")),
])  # fmt: skip
def test_ties_of_an_adjudicated_pair_and_none_without_a_tie_rule(policy, ties) -> None:
    said = ballot({"ann": 1, "bob": 2}, adjudicated=2, automatic={"robot": 2})
    assert decide_pairs(get_policy(policy), [said]).ties == ties
