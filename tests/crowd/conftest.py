"""Studies on the small campaign."""

import pytest

from crowd.models import Study
from judging.models import Audience, Plan
from tests.crowd.worker_study import make_study


@pytest.fixture
def study(campaign):
    """Twelve documents, two judgments each; units of four and two gold ones."""
    return make_study(campaign)


@pytest.fixture
def door_study(restore, campaign, organizer):
    """A running study with signed links, two judgments of each document."""
    plan = Plan.objects.create(
        campaign=campaign, pool=restore("pool"), overlap=2, audience=Audience.CROWD,
        created_by=organizer,
    )  # fmt: skip
    return Study.objects.create(
        plan=plan, campaign=campaign, title="Study", provider="generic",
        state=Study.State.RUNNING, unit_size=2, gold_per_unit=0, created_by=organizer,
    )  # fmt: skip
