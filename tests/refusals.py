"""What a service refuses, by its code, of one call or of a block; what a reader finds wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from campaigns.errors import ActionRefused
from poolbench.files.faults import Fault, InvalidFile


def refusal(act: Callable[..., object], *args: Any, **kwargs: Any) -> str:
    """The code with which ``act`` is refused; a failure if it is not."""
    with pytest.raises(ActionRefused) as caught:
        act(*args, **kwargs)
    return caught.value.code


def refusing(code: str, match: str | None = None) -> pytest.RaisesExc[ActionRefused]:
    """``with refusing("quota"):`` what is refused with this code."""
    return pytest.raises(ActionRefused, match=match, check=lambda error: error.code == code)


def list_faults(read: Callable[..., object], *args: Any, **options: Any) -> list[Fault]:
    """The faults for which ``read`` refuses the file."""
    with pytest.raises(InvalidFile) as refused:
        read(*args, **options)
    return refused.value.report.faults
