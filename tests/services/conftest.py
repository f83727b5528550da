"""The brokers that carry jobs to true workers."""

import os

import pytest

OTHERS = [pytest.param(name, marks=pytest.mark.full) for name in ("redis", "amqp")]


@pytest.fixture(params=["filesystem", *OTHERS])
def broker(request: pytest.FixtureRequest) -> str:
    if request.param == "filesystem":
        return "filesystem://"
    url = os.environ.get(f"POOLBENCH_TEST_{request.param.upper()}")
    if not url:
        pytest.skip(f"needs a broker: set POOLBENCH_TEST_{request.param.upper()}")
    return url
