"""Writes ``tests/seconds.txt``, what tests cost: ``pytest -p tests.seconds``, on a quiet machine.

Of each file the CPU seconds of its tests and of the processes that they waited for, if a second or
more. The first database test of each process is not charged with making the database.
"""

import resource
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TABLE = Path(__file__).with_suffix(".txt")
SPENT = "CPU seconds"
spent: Counter[str] = Counter()
databases: set[str] = set()


def measure_cpu() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(kind)[:2]) for kind in kinds)


@contextmanager
def charge(item: pytest.Item) -> Iterator[None]:
    before = measure_cpu()
    yield
    item.user_properties.append((SPENT, measure_cpu() - before))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    if "db" in item.fixturenames and not databases:
        databases.add("made")
        yield
    else:
        with charge(item):
            yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    with charge(item):
        yield


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        path = report.nodeid.partition("::")[0]
        spent[path] += sum(value for name, value in report.user_properties if name == SPENT)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        rows = [f"{round(spent[path])} {path}\n" for path in sorted(spent) if spent[path] >= 1]
        TABLE.write_text("".join(rows))
