"""What stays in memory between requests: one kind of cache, emptied by one call.

A key is made of content: hashes of files, settings, the state of a log. What is found under it is
then never out of date, only no longer asked for, so nothing is invalidated; the least recently
used values go when all together cost more than the bound. Where a primary key must be part of the
key, so must be something that a restored database does not repeat, such as a time of creation.

Four ways to use it, all safe with threads:

- ``get_or_compute``: threads that ask for the same missing value compute it once;
- ``renew``: as that, for a value that grows with its content and is checked each time;
- ``get`` and ``put``: for values that are computed many at a time;
- ``take`` and ``put``: for values that change in use. A value that is removed with ``take`` has
  one owner; its key counts as present until ``put``, so that no second value is prepared.

Only one thread at a time computes the value of a key, so ``compute`` must not wait for anything
that another thread could hold while it asks for the same key, such as a lock on a database row.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_MISSING: Any = object()
_caches: "WeakSet[Cache[Any, Any]]" = WeakSet()


@dataclass
class _Turn:
    """The lock of a key while a thread computes its value, and how many hold or wait for it."""

    # Reentrant, so that a value that needs itself ends in a RecursionError, not in a standstill.
    lock: Any = field(default_factory=RLock)
    threads: int = 0


class Cache(Generic[Key, Value]):
    """At most ``bound`` values, or values that cost at most ``bound`` together by ``cost``, which
    is computed once for each ``put``. The latest value stays even if it alone costs more. A
    ``lasting`` one knows nothing of a database, and ``clear_caches`` leaves it.
    """

    def __init__(
        self, bound: float, cost: Callable[[Value], float] | None = None, *, lasting: bool = False
    ) -> None:
        self.bound = bound
        self._cost = cost or (lambda _: 1.0)
        self._values: OrderedDict[Key, tuple[Value, float]] = OrderedDict()
        self._total = 0.0
        self._in_use: set[Key] = set()
        self._turns: dict[Key, _Turn] = {}
        self._memory = Lock()
        self._clears = 0
        if not lasting:
            _caches.add(self)

    def get(self, key: Key, default: Any = None) -> Value | Any:
        """The value, now the most recently used one; ``default`` if there is none."""
        with self._memory:
            if key not in self._values:
                return default
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Key, value: Value) -> None:
        """Store ``value``; its key is no longer in use."""
        cost = self._cost(value)
        with self._memory:
            self._store(key, value, cost)

    def take(self, key: Key) -> Value | None:
        """Remove the value for the caller alone, until a ``put``; None if there is none."""
        with self._memory:
            self._in_use.add(key)
            return self._remove(key)

    def discard(self, key: Key) -> None:
        """Forget the value, and that it is in use."""
        with self._memory:
            self._remove(key)
            self._in_use.discard(key)

    def get_or_compute(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value, else that of ``compute``; what it raises is raised, and nothing stored."""
        value = self.get(key, _MISSING)
        if value is _MISSING:
            return self.renew(
                key, lambda stored: compute() if stored is _MISSING else stored, _MISSING
            )
        return value

    def renew(self, key: Key, renew: Callable[[Any], Value], default: Any = None) -> Value:
        """Store and return ``renew(value)``, of ``default`` if there is none. No other thread
        computes a value of this key in the meantime.
        """
        with self._await_turn(key):
            clears = self._clears
            value = renew(self.get(key, default))
            cost = self._cost(value)
            with self._memory:
                # What was computed from before a clearing must not outlive it.
                if clears == self._clears:
                    self._store(key, value, cost)
            return value

    def clear(self) -> None:
        """Forget everything."""
        with self._memory:
            self._clears += 1
            self._values.clear()
            self._total = 0.0
            self._in_use.clear()

    def list_keys(self) -> list[Key]:
        """The keys of the stored values, the least recently used one first."""
        with self._memory:
            return list(self._values)

    def __contains__(self, key: object) -> bool:
        """Whether there is a value, or it is in use."""
        with self._memory:
            return key in self._values or key in self._in_use

    def __len__(self) -> int:
        return len(self._values)

    def _store(self, key: Key, value: Value, cost: float) -> None:
        self._remove(key)
        self._in_use.discard(key)
        self._values[key] = value, cost
        self._total += cost
        while len(self._values) > 1 and self._total > self.bound:
            self._remove(next(iter(self._values)))

    def _remove(self, key: Key) -> Value | None:
        value, cost = self._values.pop(key, (None, 0.0))
        self._total -= cost
        return value

    @contextmanager
    def _await_turn(self, key: Key) -> Iterator[None]:
        with self._memory:
            turn = self._turns.setdefault(key, _Turn())
            turn.threads += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._memory:
                turn.threads -= 1
                if not turn.threads:
                    del self._turns[key]


def clear_caches() -> None:
    """Empty every cache of this process that may know a database, as for another database."""
    for cache in list(_caches):
        cache.clear()
