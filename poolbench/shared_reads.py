"""What several parts of one answer ask for, read once for all of them.

Only within a view or query that is decorated with ``share_reads``, which therefore must not write:
what was read at its beginning holds until its end. A query shares the reads of its view.
"""

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")
_reads: ContextVar[dict[Hashable, Any] | None] = ContextVar("reads", default=None)


def share_reads(view: Callable[P, Result]) -> Callable[P, Result]:
    @wraps(view)
    def share(*args: P.args, **kwargs: P.kwargs) -> Result:
        if _reads.get() is not None:
            return view(*args, **kwargs)
        token = _reads.set({})
        try:
            return view(*args, **kwargs)
        finally:
            _reads.reset(token)

    return share


def read_once(key: Hashable, read: Callable[[], Result]) -> Result:
    """The result of ``read``: within ``share_reads`` that of the first call with ``key``."""
    reads = _reads.get()
    if reads is None:
        return read()
    if key not in reads:
        reads[key] = read()
    result: Result = reads[key]
    return result


def find_read(key: Hashable) -> Any:
    """What this view has read with ``key``; None if it has not, or outside ``share_reads``."""
    return (_reads.get() or {}).get(key)
