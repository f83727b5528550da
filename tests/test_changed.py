"""``make quick`` chooses by path and by imports."""

from __future__ import annotations

import grimp
import pytest

from tests.changed import ALWAYS, choose_tests, drop_covered

DEPTH, WHO = "tests/core/pooling/test_depth.py", "tests/judging/test_work.py"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    graph.add_import(importer="pooling.core.depth", imported="campaigns.core.runs")
    graph.add_import(importer="tests.core.pooling.test_depth", imported="pooling.core.depth")
    graph.add_import(importer="tests.core.pooling.toy", imported="pooling.core.depth")
    graph.add_import(importer="tests.judging.test_work", imported="campaigns.core.runs")
    return graph


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("campaigns/core/runs.py", {DEPTH, "tests/campaigns"}),
        ("pooling/views/pools.py", {"tests/pooling"}),
        ("templates/judging/work.html", {"tests/judging"}),
        (WHO, {WHO}),
        ("tests/core/pooling/toy.py", set()),
        ("tests/judging/test_gone.py", set()),
        ("README.md", set()),
    ],
)
def test_tests_are_those_of_the_app_and_those_without_a_database_that_import(
    graph, changed, chosen
):
    assert choose_tests([changed], graph) == {*ALWAYS, *chosen}


def test_a_file_within_a_folder_is_run_once():
    assert drop_covered({WHO, "tests/judging", DEPTH}) == [DEPTH, "tests/judging"]
