"""Measures for a user who knows some of the documents."""

import pytest

from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.name_files import read_known_documents
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.users.measures import USER_MEASURES, score_for_user
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows

NAMES = [card.name for card in USER_MEASURES]
KNOWN = frozenset({("1", "d3"), ("1", "d8"), ("1", "d9"), ("2", "d1")})
RELEVANT = {"1": ("d1", "d3", "d4", "d9"), "2": ("d7",), "3": ("d1", "d2")}


def scored(
    expected: int | None = None, options: ScoringOptions | None = None, known: frozenset = KNOWN
) -> ScoredRun:
    """Each topic's run is d1 to d5; topic 1 is the example of the cards."""
    docnos = [f"d{rank}" for rank in range(1, 6)]
    rows = [(topic, docno, -float(docno[1:])) for topic in RELEVANT for docno in docnos]
    judged = [
        (topic, f"d{number}", 1 + (number == 1) if f"d{number}" in relevant else 0)
        for topic, relevant in RELEVANT.items()
        for number in range(1, 10)
    ]
    return score_for_user(
        run_from_rows("r", rows), qrels_from_rows(judged), known, expected, options
    )


def values(scores: ScoredRun, topic: str) -> list[float | None]:
    return [scores.by_topic(name)[topic] for name in NAMES]


def test_the_example_of_the_cards_holds() -> None:
    assert NAMES == ["coverage", "novelty", "relative_recall", "recall_effort"]
    found = values(scored(expected=2), "1")
    assert found == [1 / 2, 2 / 3, 3 / 2, 2 / 3]
    for card, value in zip(USER_MEASURES, ["1/2", "2/3", "3/2", "2/3"], strict=True):
        assert card.example.endswith(f": {value}.")


def test_the_user_expects_the_relevant_documents_known_when_no_number_is_given() -> None:
    assert values(scored(), "1") == values(scored(expected=2), "1")


def test_undefined_values_are_null_with_a_reason_and_not_in_the_mean() -> None:
    scores = scored(expected=2)
    assert values(scores, "2") == [None, None, 0.0, None]
    assert values(scores, "3") == [None, 1.0, 1.0, 1.0]
    assert scores.overall == pytest.approx((1 / 2, 5 / 6, 5 / 6, 5 / 6))
    assert list(scores.reasons) == ["coverage", "novelty", "recall_effort"]
    assert scores.reasons["novelty"].startswith("1 of 3 topics are undefined: no relevant document")


def test_more_expected_than_there_is_leaves_no_effort() -> None:
    assert scored(expected=9).overall[3] is None
    assert values(scored(), "3")[2:] == [None, None]


def test_level_and_depth_hold_here_too() -> None:
    assert values(scored(expected=1, options=ScoringOptions(level=2)), "1") == [None, 1.0, 1.0, 1.0]
    assert values(scored(expected=2, options=ScoringOptions(max_per_topic=1)), "1") == [
        0, 1, 1 / 2, None,
    ]  # fmt: skip


def test_the_conditions_tell_what_was_known() -> None:
    told = scored(expected=2).conditions
    assert (told["known_documents"], told["expected"]) == (4, 2)
    other = scored(known=KNOWN - {("1", "d3")}).conditions
    assert other["expected"] == "the known relevant documents"
    assert other["known_sha256"] != told["known_sha256"]


def test_a_user_expects_at_least_one_document() -> None:
    with pytest.raises(ValueError, match="expected must be at least 1"):
        scored(expected=0)


def test_known_documents_are_read_byte_for_byte() -> None:
    report = FaultReport()
    pairs = read_known_documents("\ufeff001 d\u00a01\n001\tD1\n\n001 D1\n".encode(), report=report)
    assert pairs == {("001", "d\u00a01"), ("001", "D1")}
    assert list(report.counts) == ["WK01"]


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "EK03"), (b"1 a\n1 b c\n", "EK02"), (b"1 \xff\n", "EK01")]
)
def test_files_that_are_not_known_documents_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        read_known_documents(data)
    assert list(refused.value.report.counts) == [code]
