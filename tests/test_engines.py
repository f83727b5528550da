"""The lists of tests that run on one engine, or each time in the browser, name what is there."""

from __future__ import annotations

import pytest

from tests.browser.conftest import JOURNEYS
from tests.conftest import REPOSITORY
from tests.engines import ONE_ENGINE, depends_on_engine


@pytest.mark.parametrize("place", sorted(ONE_ENGINE))
def test_every_place_of_the_list_is_there(place):
    assert (REPOSITORY / place).is_dir() or (REPOSITORY / f"{place}.py").is_file()


def test_a_module_runs_on_both_engines_unless_it_or_its_folder_is_listed():
    assert depends_on_engine("tests/judging/test_work.py")
    assert depends_on_engine("tests/judging/test_new.py")
    assert not depends_on_engine("tests/judging/test_screen.py")
    assert not depends_on_engine("tests/poolbench/pooling/test_depth.py")
    assert not depends_on_engine("tests/workbench/test_store.py")


@pytest.mark.parametrize("journey", sorted(JOURNEYS))
def test_every_journey_is_there(journey):
    file, _, name = journey.partition("[")[0].partition("/")
    assert f"def test_{name}(" in (REPOSITORY / f"tests/browser/test_{file}.py").read_text()
