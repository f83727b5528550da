"""``make quick`` chooses by name, by imports and by pages, for a minute."""

import grimp
import pytest

from tests.changed import (
    ALWAYS,
    FAR,
    IMPORTER,
    NAMESAKE,
    NEAR,
    ROOT,
    RULES,
    choose_tests,
    cut_to_budget,
    read_seconds,
)

DEPTH, SPECS, TOY = (f"tests/poolbench/pooling/{n}.py" for n in ("test_depth", "test_specs", "toy"))
PAGES, RUNS, CONFIRMED = (
    f"tests/campaigns/test_{n}.py" for n in ("pages", "runs", "confirmed_acts")
)
AGREEMENT, SCREEN = (f"tests/judging/test_{name}.py" for name in ("agreement_pages", "screen"))


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Only what its tests need: ``test_specs`` imports the method through another module."""
    graph = grimp.ImportGraph()
    for importer, imported in (
        ("poolbench.pooling.specs", "poolbench.pooling.methods.depth"),
        ("tests.poolbench.pooling.test_specs", "poolbench.pooling.specs"),
        ("tests.poolbench.pooling.test_depth", "poolbench.runs.runs"),
        ("tests.poolbench.pooling.test_specs", "tests.poolbench.pooling.toy"),
        ("tests.campaigns.test_pages", "campaigns.services.runs"),
        ("campaigns.views.runs", "campaigns.services.runs"),
    ):
        graph.add_import(importer=importer, imported=imported)
    return graph


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("poolbench/pooling/methods/depth.py", {DEPTH: NAMESAKE, SPECS: FAR}),
        ("poolbench/runs/runs.py", {DEPTH: IMPORTER}),
        ("campaigns/services/runs.py", {PAGES: IMPORTER, RUNS: NAMESAKE, CONFIRMED: NEAR}),
        ("campaigns/views/runs.py", {RUNS: NAMESAKE, PAGES: NEAR, CONFIRMED: NEAR}),
        ("templates/judging/agreement.html", {AGREEMENT: NAMESAKE}),
        ("templates/judging/_screen.html", {SCREEN: NAMESAKE, "tests/test_access.py": FAR}),
        (SCREEN, {SCREEN: RULES}),
        (TOY, {SPECS: IMPORTER}),
    ],
)
def test_what_is_near_to_a_change_is_chosen(graph, changed, chosen):
    assert choose_tests([changed], graph).items() >= chosen.items()


@pytest.mark.parametrize("changed", ["README.md", "tests/judging/test_gone.py", "static/app.css"])
def test_of_other_files_the_rules_alone(graph, changed):
    assert choose_tests([changed], graph) == dict.fromkeys(ALWAYS, RULES)


def test_a_service_is_not_tested_by_all_that_use_it(graph):
    chosen = choose_tests(["campaigns/services/runs.py"], graph)
    assert SCREEN not in chosen
    assert not any(path.startswith(("tests/poolbench", "tests/browser")) for path in chosen)


def test_the_nearest_and_the_cheapest_fit_and_the_rules_always_do():
    chosen = {DEPTH: RULES, PAGES: NEAR, RUNS: NEAR, SPECS: FAR, SCREEN: NAMESAKE}
    seconds = {DEPTH: 9.0, PAGES: 5.0, RUNS: 2.0, SPECS: 0.5, SCREEN: 3.0}
    assert cut_to_budget(chosen, seconds, 14.5) == ([DEPTH, SCREEN, RUNS, SPECS], [PAGES])
    assert cut_to_budget(chosen, seconds, 1)[0] == [DEPTH]


def test_the_table_of_seconds_names_what_is_there():
    assert [path for path in read_seconds() if not (ROOT / path).is_file()] == []
