"""The bpref family: its variants in the docs, its long names, and what judgments let it say."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from poolbench.evaluation.bpref_advice import advise_on_bpref, list_bpref_warnings
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.names import parse_measures
from poolbench.runs.qrels import qrels_from_rows
from tests.conftest import REPOSITORY
from tests.poolbench.evaluation.made import made, random_topics

PAGE = REPOSITORY / "docs" / "measures.md"
FORMS = (
    *("bpref(form=textbook)", "bpref", "bpref(form=2004)"),
    *("bpref-10(form=textbook)", "bpref-10", "bpref-10(form=2004)"),
)
BY_HAND = [
    ("R N R N R", 3, 3, "2/3 2/3 1/2 12/13 2/3 1/2"),
    ("N R R N . R", 4, 2, "1/2 1/4 1/4 19/28 1/4 1/4"), ("N R R R R", 6, 4, "5/9 1/2 0 5/8 1/2 0"),
    ("N N N R", 2, 3, "0 0 0 3/8 0 0"),
    (". R . N . N R N N N R", 3, 10, "4/9 4/9 4/9 32/39 23/30 8/15"),
    ("R R R", 3, 0, "1 1 1 1 1 1"), ("N R", 1, 1, "0 0 0 10/11 0 0"),
    ("N R", 1, 5, "0 0 0 10/11 4/5 0"), ("N N N N N R R", 2, 20, "0 0 0 7/12 7/12 0"),
    (". .", 3, 5, "0 0 0 0 0 0"), ("N N N N N N N N N N N N R", 2, 40, "0 0 0 0 0 0"),
    ("R N", 5, 1, "1/5 1/5 1/5 1/5 1/5 1/5"),
    ("N R N R N N R R N R", 5, 5, "9/25 9/25 9/25 59/75 9/25 9/25"),
]  # fmt: skip


def scored(ranking: str, relevant: int, nonrelevant: int) -> list[float | None]:
    ranked = [{"R": 1, "N": 0, ".": None}[mark] for mark in ranking.split()]
    scores = evaluate(*made({"1": (ranked, [1] * relevant + [0] * nonrelevant)}), FORMS)
    return [scores.mean(name) for name in FORMS]


@pytest.mark.parametrize(("ranking", "relevant", "nonrelevant", "wanted"), BY_HAND)
def test_forms_by_hand(ranking: str, relevant: int, nonrelevant: int, wanted: str) -> None:
    exact = [float(Fraction(fraction)) for fraction in wanted.split()]
    assert scored(ranking, relevant, nonrelevant) == pytest.approx(exact, abs=1e-12)


def test_the_page_has_the_same_examples_in_the_same_words() -> None:
    rows = re.findall(r"^\| E(\d+) \| `(.*?)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(1, 14))
    told = [(marks, [cell.strip() for cell in rest.split("|")]) for _, marks, rest in rows]
    assert told == [
        (marks, [str(relevant), str(nonrelevant), *wanted.split()])
        for marks, relevant, nonrelevant, wanted in BY_HAND
    ]


def test_no_form_is_above_the_textbook_nor_below_that_of_2004() -> None:
    scores = evaluate(*made(random_topics(80, seed=3)), FORMS)
    by_form = [list(scores.by_topic(name).values()) for name in FORMS]
    for textbook, trec_eval, first in (by_form[:3], by_form[3:]):
        rows = list(zip(textbook, trec_eval, first, strict=True))
        assert all(row[0] >= row[1] - 1e-12 >= row[2] - 2e-12 for row in rows)
        assert sum(row[0] > row[1] > row[2] for row in rows) > 5


def test_long_names_say_what_divides() -> None:
    titles = {measure.name: measure.title for measure in parse_measures([*FORMS, "gm_bpref"])}
    assert titles == {
        "bpref": "bpref (trec_eval: divisor min(N, R))",
        "bpref(form=textbook)": "bpref (textbook: divisor R)",
        "bpref(form=2004)": "bpref (2004: divisor min(N retrieved, R))",
        "bpref-10": "bpref-10 (trec_eval: divisor min(N, R + 10))",
        "bpref-10(form=textbook)": "bpref-10 (textbook: divisor R + 10)",
        "bpref-10(form=2004)": "bpref-10 (2004: divisor min(N retrieved, R + 10))",
        "gm_bpref": "gm_bpref (trec_eval: divisor min(N, R))",
    }
    for title in set(titles.values()) - {titles["gm_bpref"]}:
        assert title in PAGE.read_text()


def judgments(**counts: tuple[int, int]) -> JudgmentTable:
    """Topics with so many relevant and so many judged non-relevant documents."""
    rows = [
        (topic, f"d{number}", int(number < relevant))
        for topic, (relevant, nonrelevant) in counts.items()
        for number in range(relevant + nonrelevant)
    ]
    return JudgmentTable.from_table(qrels_from_rows(rows))


def test_topics_with_enough_judgments_need_no_word() -> None:
    judged = judgments(a=(2, 2), b=(5, 30))
    assert advise_on_bpref(judged).warnings == ()
    (told,) = advise_on_bpref(judged, name="bpref-10").warnings
    assert told == (
        "bpref-10 and bpref-10(form=textbook) can differ in topics with fewer documents judged "
        "non-relevant than R + 10 (N < R + 10): 1 of 2 topics (a)."
    )


def test_topics_are_named_in_natural_order() -> None:
    judged = judgments(**{"10": (3, 2), "2": (3, 2), "1": (3, 2)})
    assert advise_on_bpref(judged).warnings[0].endswith("3 of 3 topics (1, 2, 10).")


def test_each_kind_of_topic_is_told_with_r_and_n() -> None:
    found = advise_on_bpref(judgments(a=(3, 2), b=(1, 0), c=(0, 4), d=(4, 9)))
    assert found.relevant.tolist() == [3, 1, 0, 4]
    assert found.nonrelevant.tolist() == [2, 0, 4, 9]
    assert found.blind.tolist() == [False, True, False, False]
    assert found.few.tolist() == [True, False, False, False]
    assert not found.is_uninformative
    assert "\n".join(found.warnings) == (
        "bpref does not depend on the order in topics without a document judged non-relevant "
        "(N = 0): 1 of 4 topics (b).\n"
        "bpref and bpref(form=textbook) can differ in topics with fewer documents judged "
        "non-relevant than R (N < R): 1 of 4 topics (a).\n"
        "bpref is 0 in topics without a relevant document: 1 of 4 topics (c)."
    )


def test_many_topics_are_named_up_to_ten() -> None:
    topics = {f"t{number:02}": (1, 0) for number in range(12)}
    (told,) = advise_on_bpref(judgments(**topics, z=(1, 1))).warnings
    assert told.endswith("12 of 13 topics (t00, t01, t02, t03, t04, t05, t06, t07, t08, t09 and "
                         "2 more).")  # fmt: skip


def test_judgments_without_a_relevant_document_are_not_called_uninformative() -> None:
    found = advise_on_bpref(judgments(a=(0, 3)))
    assert not found.is_uninformative
    assert found.warnings == (
        "bpref is 0 in topics without a relevant document: 1 of 1 topics (a).",
    )


def test_the_level_moves_documents_from_relevant_to_nonrelevant() -> None:
    judged = JudgmentTable.from_table(
        qrels_from_rows([("1", "a", 2), ("1", "b", 1), ("1", "c", -1)])
    )
    assert advise_on_bpref(judged).is_uninformative
    assert advise_on_bpref(judged, level=2).warnings == ()


def test_remarks_are_on_the_bpref_measures_asked_for_at_their_level() -> None:
    judged = JudgmentTable.from_table(qrels_from_rows([("1", "a", 2), ("1", "b", 1)]))
    assert list_bpref_warnings(parse_measures(["map", "ndcg"]), judged) == []
    assert list_bpref_warnings(parse_measures(["bpref(rel=2)"]), judged) == []
    assert list_bpref_warnings(parse_measures(["bpref"]), judged, level=2) == []
    told = list_bpref_warnings(
        parse_measures(["bpref", "bpref(form=textbook)", "bpref-10", "map"]), judged
    )
    assert [word.split()[0] for word in told] == ["bpref", "bpref-10"]


def collection(path: Path) -> JudgmentTable:
    """Qrels of Cranfield or CISI: topic, document, and in Cranfield a code."""
    rows = [line.split() for line in path.read_text().splitlines() if line.split()]
    graded = {
        (row[0], row[1]): -1 if path.name == "cranqrel" and row[2] == "-1" else 1 for row in rows
    }
    return JudgmentTable.from_table(
        qrels_from_rows((*pair, grade) for pair, grade in graded.items())
    )


@pytest.mark.parametrize(
    ("place", "topics", "empty"), [("cisi/CISI.REL", 76, 0), ("cranfield/cranqrel", 225, 0)]
)
def test_collections_of_relevant_documents_only_are_told(data_dir, place, topics, empty):
    found = advise_on_bpref(collection(data_dir / place))
    assert len(found.topics) == topics
    assert found.nonrelevant.tolist() == [0] * topics
    assert int((found.relevant == 0).sum()) == empty
    assert found.is_uninformative
    assert found.warnings[0].startswith("bpref is uninformative: no topic has a document")


def test_bpref_without_nonrelevant_documents_is_recall() -> None:
    for marks, relevant, recall in (("R . R", 4, 1 / 2), (". . . R", 1, 1.0)):
        assert scored(marks, relevant, 0) == pytest.approx([recall] * 6)
