"""What a service refuses, by its code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from campaigns.errors import ActionRefused


def refusal(act: Callable[..., object], *args: Any, **kwargs: Any) -> str:
    """The code with which ``act`` is refused; a failure if it is not."""
    with pytest.raises(ActionRefused) as caught:
        act(*args, **kwargs)
    return caught.value.code
