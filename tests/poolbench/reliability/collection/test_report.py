"""The report as a whole: from tables and from a campaign's columns, as text, JSON and page."""

import json

import pytest

from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.name_files import read_tags, read_teams
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.reliability.collection.formats import FORMATS
from poolbench.reliability.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection,
    build_collection_from_matrices,
)
from poolbench.reliability.collection.report import (
    MEASURES,
    ReusabilityReport,
    build_reusability_report,
    can_rank_by,
)
from poolbench.reliability.collection.report_tables import CARDS, build_sections
from poolbench.reliability.collection.stability import assess_stability
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.run_matrix import PairDictionary
from poolbench.runs.runs import run_from_rows
from tests.poolbench.pooling.toy import toy_runs
from tests.poolbench.reliability.collection.toy import POOLED, TEAMS, toy_collection, toy_qrels


def toy_report(found: PooledCollection | None = None) -> ReusabilityReport:
    measures = parse_measures(MEASURES)
    return build_reusability_report(found or toy_collection(), measures, draws=2, levels=(10, 100))


@pytest.fixture(scope="module")
def report() -> ReusabilityReport:
    return toy_report()


def test_topics_are_told_as_people_count_or_as_asked():
    rows = [(topic, "a", 1) for topic in ("10", "2", "q1")]
    run = run_from_rows("r", [(topic, docno, 1.0) for topic, docno, _ in rows])
    for first, order in (((), ["2", "10", "q1"]), (("q1", "x", "10"), ["q1", "10", "2"])):
        source = CollectionSource(depth=1, topics=first)
        found = build_collection([run], qrels_from_rows(rows), source)
        assert [topic.topic for topic in assess_stability(found).topics] == order


def test_the_order_of_runs_changes_nothing(report):
    for runs in ([*reversed(toy_runs())], [toy_runs()[at] for at in (2, 0, 3, 1)]):
        found = build_collection(
            runs, toy_qrels(), CollectionSource(teams=TEAMS, pooled=POOLED, depth=2)
        )
        assert toy_report(found) == report


@pytest.mark.parametrize("depth", [2, None])
def test_runs_by_pair_codes_give_the_same(depth):
    known, runs = PairDictionary(), toy_runs()
    for table in runs:
        known.extend(known.missing(table))
    coded = {table.tag: known.encode(table) for table in runs}
    source = CollectionSource(teams=TEAMS, pooled=POOLED, depth=depth)
    found = build_collection_from_matrices(coded, known, toy_qrels(), source)
    assert toy_report(found) == toy_report(toy_collection(depth=depth))


def test_pooled_runs_are_judged_down_to_the_depth(report):
    assert report.facts.pooled_unjudged == 0
    found = toy_collection()
    (judged_2,) = parse_measures(["judged_2"])
    shares = dict(zip(found.tags, found.score([judged_2])[:, 0].tolist(), strict=True))
    assert {tag: shares[tag] for tag in POOLED} == dict.fromkeys(POOLED, 1.0)


def test_facts(report):
    facts = report.facts
    assert (facts.runs, facts.teams, facts.pooled_runs, facts.pooled_teams) == (4, 3, 3, 2)
    assert (facts.topics, facts.judged, facts.relevant, facts.pooled_documents) == (3, 9, 5, 8)
    assert not facts.one_run_teams
    assert toy_report(toy_collection(teams=None)).facts.one_run_teams


def test_json_has_everything_and_no_nan(report):
    told = json.loads(FORMATS["json"](report))
    assert told["facts"]["measures"] == [measure.name for measure in parse_measures(MEASURES)]
    assert len(told["facts"]["qrels_sha256"]) == 64
    assert [row["name"] for row in told["contributors"]["by_team"]] == ["north", "south"]
    assert {row["level"] for row in told["reduced"]} == {10, 100}
    assert told["extrapolation"]["reason"]
    assert [row["runs"][0]["run"] for row in told["corrections"]] == ["delta"] * len(MEASURES)


def test_json_keeps_the_keys_of_the_extrapolation(report):
    row = json.loads(FORMATS["json"](report))["extrapolation"]
    assert list(row) == [
        "first", "depth", "target", "found", "fitted", "log_c", "slope", "further", "share_found",
        "low", "high", "draws", "drawn", "topics", "reason",
    ]  # fmt: skip
    estimate = report.extrapolation
    assert (row["found"], row["drawn"]) == (estimate.relevant, estimate.fitted_draws)


def test_the_table_has_a_part_for_every_diagnostic(report):
    text = FORMATS["table"](report)
    for card in CARDS:
        assert f"\n{card.title.upper()}\n" in text
    assert (
        "\nnorth     2       6         3              4                1  0.2500  0.2000\n" in text
    )
    assert "Undefined: the pool depth is only 2" in text


def test_every_row_of_every_table_is_as_wide_as_its_head(report):
    for section in build_sections(report):
        for table in section.tables:
            assert {len(row) for row in table.rows} <= {len(table.columns)}, table.caption


def test_a_measure_ranks_runs_only_if_higher_is_better():
    names = ["map", "num_rel", "search_length"]
    assert [can_rank_by(measure) for measure in parse_measures(names)].count(True) == 1


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_every_card_tells_what_it_must(card):
    assert all((card.formula, card.reading, card.source, card.edge_cases, card.undefined))


def test_teams_and_tags_are_read():
    assert read_teams(b"# run team\na t\nb\tt\na t\n") == {"a": "t", "b": "t"}
    assert read_tags(b"a\nb\na\n") == {"a", "b"}


@pytest.mark.parametrize(("data", "codes"), [
    (b"a t\na u\nb\n", {"EG02": 1, "EG04": 1}), (b"", {"EG03": 1}),
    (b"\xef\xbb\xbfa t x\n", {"EG02": 1, "WG01": 1}), (b"%PDF-1.4", {"EG01": 1}),
])  # fmt: skip
def test_what_is_wrong_with_a_file_of_teams(data, codes):
    report = FaultReport()
    with pytest.raises(InvalidFile):
        read_teams(data, report=report)
    assert report.counts == codes


def test_what_is_wrong_with_a_file_of_tags():
    with pytest.raises(InvalidFile) as bad:
        read_tags(b"a b\nc\n")
    assert bad.value.report.counts == {"EG02": 1}
