"""The lists of tests that run on one engine, or each time in the browser, name what is there."""

from tests.browser.conftest import JOURNEYS
from tests.conftest import REPOSITORY
from tests.engines import ONE_ENGINE, depends_on_engine


def test_every_place_of_the_list_is_there():
    for place in ONE_ENGINE:
        assert (REPOSITORY / place).is_dir() or (REPOSITORY / f"{place}.py").is_file(), place


def test_no_listed_module_asks_what_only_postgresql_can_answer():
    """A run on PostgreSQL does not look at it."""
    for place in map(REPOSITORY.joinpath, ONE_ENGINE):
        for path in place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
            assert "mark." + "postgresql" not in path.read_text(), path


def test_a_module_runs_on_both_engines_unless_it_or_its_folder_is_listed():
    assert depends_on_engine("tests/judging/test_work.py")
    assert depends_on_engine("tests/judging/test_new.py")
    assert not depends_on_engine("tests/judging/test_screen.py")
    assert not depends_on_engine("tests/poolbench/pooling/test_depth.py")
    assert not depends_on_engine("tests/workbench/test_store.py")


def test_every_journey_is_there():
    for journey in JOURNEYS:
        file, _, name = journey.partition("[")[0].partition("/")
        path = REPOSITORY / f"tests/browser/test_{file}.py"
        assert f"def test_{name}(" in path.read_text(), journey
