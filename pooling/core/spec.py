"""A pool's spec: which runs, how deep, by which steps, within which budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from campaigns.core.tables import RunTable
from pooling.core.pool_builder import PoolBudget, build_pool_table, start_sessions
from pooling.core.registry import METHODS
from pooling.core.run_listing import build_listing
from pooling.core.session import PoolSession, PoolStep, StepLimit
from pooling.core.tables import PoolTable

CUTOFF = 100


class RunAttributes(Protocol):
    """What a choice of runs looks at."""

    @property
    def tag(self) -> str: ...
    @property
    def priority(self) -> int: ...
    @property
    def kind(self) -> str: ...


AnyRun = TypeVar("AnyRun", bound=RunAttributes)


@dataclass(frozen=True)
class RunChoice:
    """Which runs are pooled; what is not given leaves nobody out. ``per_team`` takes the first
    of each team by priority, then tag; ``priority`` is the last that is taken.
    """

    priority: int | None = None
    per_team: int | None = None
    kind: str | None = None
    teams: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def choose(self, runs: Sequence[AnyRun], team: Callable[[AnyRun], str]) -> list[AnyRun]:
        """The chosen ones of ``runs``, by team, priority and tag."""
        chosen, of_team = [], dict[str, int]()
        for run in sorted(runs, key=lambda run: (team(run), run.priority, run.tag)):
            if self._leaves_out(run, team(run)):
                continue
            of_team[team(run)] = of_team.get(team(run), 0) + 1
            if self.per_team is None or of_team[team(run)] <= self.per_team:
                chosen.append(run)
        return chosen

    def unknown(self, tags: Collection[str], teams: Collection[str]) -> list[str]:
        """What ``tags`` and ``teams`` name although no run has it, each in a few words."""
        lost = [f"tag {name}" for name in self.tags if name not in tags]
        return lost + [f"team {name}" for name in self.teams if name not in teams]

    def _leaves_out(self, run: RunAttributes, team: str) -> bool:
        return (
            (self.priority is not None and run.priority > self.priority)
            or (self.kind is not None and run.kind != self.kind)
            or (bool(self.teams) and team not in self.teams)
            or (bool(self.tags) and run.tag not in self.tags)
        )


@dataclass(frozen=True)
class PoolSpec:
    """``cutoff`` is the last rank that any method looks at. ``seed`` None: the campaign's."""

    steps: tuple[PoolStep, ...]
    budget: PoolBudget = field(default_factory=PoolBudget)
    cutoff: int = CUTOFF
    seed: int | None = None
    runs: RunChoice = field(default_factory=RunChoice)

    @property
    def is_adaptive(self) -> bool:
        """Whether judgments decide what comes next."""
        return any(step.method.player or step.stop != StepLimit() for step in self.steps)

    @property
    def reader(self) -> str:
        """The first method that needs texts; empty if none does."""
        return next((step.method.name for step in self.steps if step.method.reads), "")

    def as_dict(self) -> dict[str, Any]:
        """The spec as it would be written, without what is not given."""
        found = {
            "version": 1,
            "seed": self.seed,
            "runs": drop_unset(vars(self.runs)),
            "cutoff": self.cutoff,
            "budget": drop_unset(vars(self.budget)),
            "steps": [step_as_dict(step) for step in self.steps],
        }
        return drop_unset(found)


def drop_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` without those that are not given; tuples as lists, as JSON has them."""
    kept = {key: value for key, value in values.items() if value not in (None, (), {}, [])}
    return {key: list(v) if isinstance(v, tuple) else v for key, v in kept.items()}


def step_as_dict(step: PoolStep) -> dict[str, Any]:
    order = None if step.order == "method" else step.order
    said = {"documents": step.documents, "order": order, "stop": drop_unset(vars(step.stop))}
    return {"method": step.method.name, **drop_unset(step.values), **drop_unset(said)}


def depth_spec(depth: int, seed: int | None = None) -> PoolSpec:
    """The spec of a depth-k pool."""
    return PoolSpec((PoolStep(METHODS["depth"], {"k": depth}),), cutoff=depth, seed=seed)


def pool_by_spec(spec: PoolSpec, runs: Iterable[RunTable]) -> PoolTable:
    """The pool that ``spec``, which needs no judgments, makes of ``runs``, all of them."""
    return build_pool_table(sessions_by_spec(spec, runs))


def sessions_by_spec(spec: PoolSpec, runs: Iterable[RunTable]) -> list[PoolSession]:
    """The same before it is a pool: with all that it was chosen from."""
    listing = build_listing(runs, spec.cutoff, spec.seed or 0)
    return start_sessions(listing, spec.steps, spec.budget)


def method_in_words(spec: Mapping[str, Any]) -> str:
    """The steps of a spec as a mapping in a few words, such as ``depth 10, then rrf``."""
    # Pools of version 1 have depth k alone.
    steps = spec.get("steps") or [{"method": "depth", "k": spec.get("depth")}]
    limit = spec.get("budget") or {}
    words = ", then ".join(map(step_in_words, steps))
    if limit.get("total"):
        words += f", {limit['total']:,} in all"
    return f"{words}, {limit['per_topic']:,} a topic" if limit.get("per_topic") else words


def step_in_words(step: dict[str, Any]) -> str:
    depth = step.get("k") if step["method"] in ("depth", "ntcir") else None
    words = f"{step['method']} {depth}" if isinstance(depth, int) else step["method"]
    return f"{words} ({step['documents']} a topic)" if step.get("documents") else words
