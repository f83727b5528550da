"""Votes of 420 workers on pairs of answers: agreement, strengths, and how steady they are."""

import csv
import gzip
from pathlib import Path

import pytest

from poolbench.judging.agreement.coefficient import count_all_assessors
from poolbench.judging.agreement.krippendorff import krippendorff_alpha, nominal_distance
from poolbench.judging.agreement.labels import build_labels
from poolbench.preferences.preference_pairs import PreferenceRecord
from poolbench.preferences.strengths import compute_strengths

Vote = dict[str, str]


@pytest.fixture(scope="module")
def votes(data_dir: Path) -> list[Vote]:
    """The votes on overall quality."""
    file = data_dir / "rag-crowd-pairwise" / "votes.tsv.gz"
    if not file.exists():
        pytest.skip(f"no votes in {file}")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return [row for row in rows if row["dimension"] == "quality_overall"]


@pytest.fixture(scope="module")
def records(votes: list[Vote]) -> list[PreferenceRecord]:
    made = []
    for vote in votes:
        pair = vote["response_a"], vote["response_b"]
        better, worse = pair[::-1] if vote["vote"] == "b" else pair
        tie = vote["vote"] == "n"
        made.append(PreferenceRecord(vote["query"], better, worse, 1, tie, vote["worker"]))
    return made


def test_agreement_on_overall_quality(votes: list[Vote]) -> None:
    grades = {
        (vote["worker"], (vote["query"], f"{vote['response_a']} {vote['response_b']}")): (
            "anb".index(vote["vote"])
        )
        for vote in votes
    }
    counts = count_all_assessors(build_labels(grades), 1).summed()
    assert counts.units.item() == 1352
    alpha = krippendorff_alpha(counts, distance=nominal_distance).item()
    assert alpha == pytest.approx(0.169, abs=5e-4)


def test_strengths_of_the_answers(records: list[PreferenceRecord]) -> None:
    report = compute_strengths(records)
    assert len(report.topics) == 65
    assert {len(topic.result.items) for topic in report.topics} == {6}
    assert all(topic.result.converged for topic in report.topics)
    assert report.undefined == 1
    assert report.circular == (113, 1107)
    apart = 0
    for topic in report.topics:
        if topic.result.is_defined:
            best, last = topic.result.items[0].strength, topic.result.items[-1].strength
            assert sum(i.strength.value or 0 for i in topic.result.items) == pytest.approx(0)
            apart += (best.low or 0) > (last.high or 0)
    assert apart == APART


APART = 54
"""Topics whose strongest and weakest answer have intervals that do not overlap."""
