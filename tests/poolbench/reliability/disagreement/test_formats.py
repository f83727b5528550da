"""The report as tables, CSV and JSON, and the page of definitions."""

import json
from dataclasses import replace

import pytest

from poolbench.reliability.disagreement.cards import CARDS
from poolbench.reliability.disagreement.formats import FORMATS
from poolbench.reliability.disagreement.report import (
    DisagreementReport,
    build_disagreement_report,
    estimate_scoring_work,
)
from tests.csv_reading import csv_rows
from tests.poolbench.reliability.disagreement.drawn import drawn_panel


@pytest.fixture(scope="module")
def report() -> DisagreementReport:
    return build_disagreement_report(drawn_panel(1)[0], draws=100, swaps=100, between=(0, 1))


def test_json_has_everything_and_no_nan(report):
    told = json.loads(FORMATS["json"](report))
    assert told["disputed"] == len(told["pairs"]) + (told["disputed"] - told["to_settle"])
    assert [row["name"] for row in told["rankings"]] == [
        *("base", "ada", "bob", "cyd"),
        *("union", "intersection"),
    ]
    assert told["pairs"][0]["value"] == report.values[0].value
    assert told["between"]["better"] in report.tags
    assert told["random_swaps"]["draws"] == 100


def test_a_line_a_run_best_first(report):
    rows = csv_rows(FORMATS["csv"](report))
    assert [int(row["rank"]) for row in rows] == sorted(report.rankings[0].ranks)
    first = report.tags.index(rows[0]["run"])
    assert float(rows[0]["low"]) == report.bootstrap.bands[first].low
    assert int(rows[0]["rank ada"]) == report.rankings[1].ranks[first]


def test_a_line_a_pair_most_valuable_first(report):
    rows = csv_rows(FORMATS["pairs-csv"](report))
    assert [float(row["value"]) for row in rows] == [value.value for value in report.values]
    assert rows[0]["grades"] == " ".join(map(str, report.values[0].grades))


def test_the_table_tells_all_parts(report):
    text = FORMATS["table"](report)
    for words in ("tau-b", "bootstrap over assessors", "largest drop", "swaps", " before "):
        assert words in text


def test_pairs_are_valued_by_unrounded_scores():
    panel, _ = drawn_panel(1)
    rounded = build_disagreement_report(replace(panel, digits=1), draws=100, swaps=100)
    assert rounded.values == build_disagreement_report(panel, draws=100, swaps=100).values
    assert all(score == round(score, 1) for score in rounded.rankings[0].scores if score)


def test_more_draws_and_more_disputes_are_more_work():
    panel, _ = drawn_panel(1)
    assert (
        estimate_scoring_work(panel, 300)
        > estimate_scoring_work(panel, 200)
        > 200 * len(panel.topics)
    )


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_every_card_tells_what_it_must(card):
    assert card.formula
    assert card.reading
    assert card.source
    assert card.edge_cases
