import pytest

from campaigns.models import Run


@pytest.fixture
def runs(restore, team, other_team) -> list[Run]:
    """The runs of ``world.files.TOY``."""
    return restore("toy_runs")
