"""What a service refuses, by its code: of one call, or of a block."""

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


def refusing(code: str, match: str | None = None) -> pytest.RaisesExc[ActionRefused]:
    """``with refusing("quota"):`` what is refused with this code."""
    return pytest.raises(ActionRefused, match=match, check=lambda error: error.code == code)
