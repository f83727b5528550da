"""Reports from few draws: what is drawn, and how often, is tested in ``tests/poolbench``."""

from functools import partial

import pytest

from poolbench.reliability.disagreement.report import build_disagreement_report
from tests.examples import ALL


@pytest.fixture(autouse=not ALL)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = partial(build_disagreement_report, draws=100, swaps=100)
    place = "reliability.queries.disagreement_studies.build_disagreement_report"
    monkeypatch.setattr(place, quick)
    monkeypatch.setattr("reliability.services.reusability.DRAWS", 3)
