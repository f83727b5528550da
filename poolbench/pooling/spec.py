"""The spec of a pool: runs, cut-off, steps and budget."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from poolbench.pooling.pool_builder import PoolBudget, start_sessions
from poolbench.pooling.registry import METHODS, RULE
from poolbench.pooling.run_listing import attach_machine_grades, build_listing
from poolbench.pooling.session import PoolSession, PoolStep, StepLimit
from poolbench.runs.tables import QrelsTable, RunTable

CUTOFF = 100


class RunAttributes(Protocol):
    """The run attributes that a run choice uses."""

    @property
    def tag(self) -> str: ...
    @property
    def priority(self) -> int: ...
    @property
    def kind(self) -> str: ...


AnyRun = TypeVar("AnyRun", bound=RunAttributes)


@dataclass(frozen=True)
class RunChoice:
    """Which runs are pooled; unset fields exclude no run. ``per_team`` takes the first runs of
    each team by priority, then tag; ``priority`` is the highest number taken.
    """

    priority: int | None = None
    per_team: int | None = None
    kind: str | None = None
    teams: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def choose(self, runs: Sequence[AnyRun], team: Callable[[AnyRun], str]) -> list[AnyRun]:
        """The selected ``runs``, by team, priority and tag."""
        selected, team_counts = [], dict[str, int]()
        for run in sorted(runs, key=lambda run: (team(run), run.priority, run.tag)):
            if self._is_excluded(run, team(run)):
                continue
            team_counts[team(run)] = team_counts.get(team(run), 0) + 1
            if self.per_team is None or team_counts[team(run)] <= self.per_team:
                selected.append(run)
        return selected

    def list_unknown(self, tags: Collection[str], teams: Collection[str]) -> list[str]:
        """The tags and teams of the spec missing from ``tags`` and ``teams``, as short phrases."""
        missing = [f"tag {name}" for name in self.tags if name not in tags]
        return missing + [f"team {name}" for name in self.teams if name not in teams]

    def _is_excluded(self, run: RunAttributes, team: str) -> bool:
        return (
            (self.priority is not None and run.priority > self.priority)
            or (self.kind is not None and run.kind != self.kind)
            or (bool(self.teams) and team not in self.teams)
            or (bool(self.tags) and run.tag not in self.tags)
        )


@dataclass(frozen=True)
class PoolSpec:
    """``cutoff`` is the last rank any method uses. ``seed`` None: the campaign's seed. ``rule``:
    the version of the adaptive methods' choices that ``steps`` follow.
    """

    steps: tuple[PoolStep, ...]
    budget: PoolBudget = field(default_factory=PoolBudget)
    cutoff: int = CUTOFF
    seed: int | None = None
    runs: RunChoice = field(default_factory=RunChoice)
    rule: int = RULE

    @property
    def is_adaptive(self) -> bool:
        """Whether judgments decide which documents come next."""
        return any(step.method.player or step.stop != StepLimit() for step in self.steps)

    @property
    def reader(self) -> str:
        """The first method that needs texts; empty if none does."""
        return next((step.method.name for step in self.steps if step.method.reads), "")

    @property
    def machine(self) -> str:
        """The automatic assessor whose grades help to draw a sample; empty without one."""
        return next((str(own) for each in self.steps if (own := each.values.get("machine"))), "")

    @property
    def needs_all_topics(self) -> bool:
        """Whether what it selects of a topic depends on others, or on what they are drawn from."""
        drawn = any(step.method.draw is not None for step in self.steps)
        return drawn or self.budget.total is not None or bool(self.reader or self.machine)

    def as_dict(self) -> dict[str, Any]:
        """The spec as written in a file, without unset fields."""
        content = {
            "version": 1,
            "rule": self.rule if self.is_adaptive else None,
            "seed": self.seed,
            "runs": drop_unset(vars(self.runs)),
            "cutoff": self.cutoff,
            "budget": drop_unset(vars(self.budget)),
            "steps": [step_as_dict(step) for step in self.steps],
        }
        return drop_unset(content)


def drop_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` without unset ones; tuples become lists, as in JSON."""
    present = {key: value for key, value in values.items() if value not in (None, (), {}, [])}
    return {key: list(v) if isinstance(v, tuple) else v for key, v in present.items()}


def step_as_dict(step: PoolStep) -> dict[str, Any]:
    order = None if step.order == "method" else step.order
    options = {"documents": step.documents, "order": order, "stop": drop_unset(vars(step.stop))}
    return {"method": step.method.name, **drop_unset(step.values), **drop_unset(options)}


def depth_spec(depth: int, seed: int | None = None) -> PoolSpec:
    return PoolSpec((PoolStep(METHODS["depth"], {"k": depth}),), cutoff=depth, seed=seed)


def sessions_by_spec(
    spec: PoolSpec, runs: Iterable[RunTable], machine: QrelsTable | None = None
) -> list[PoolSession]:
    """The sessions of all ``runs`` by ``spec``, which include all candidates; ``machine``: grades
    that help to draw a sample.
    """
    listing = build_listing(runs, spec.cutoff, spec.seed or 0)
    if machine is not None:
        listing = attach_machine_grades(listing, machine)
    return start_sessions(listing, spec.steps, spec.budget)


def hash_inputs(inputs: Mapping[str, Any]) -> str:
    """sha256 of the inputs of a pool as canonical JSON: sorted keys, no white space, UTF-8."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def method_in_words(spec: Mapping[str, Any]) -> str:
    """A short description of a spec (a mapping), such as ``depth 10, then rrf``."""
    # Pools of spec version 1 have a depth only.
    steps = spec.get("steps") or [{"method": "depth", "k": spec.get("depth")}]
    limit = spec.get("budget") or {}
    words = ", then ".join(map(step_in_words, steps))
    if limit.get("total"):
        words += f", {limit['total']:,} in total"
    return f"{words}, {limit['per_topic']:,} per topic" if limit.get("per_topic") else words


def step_in_words(step: dict[str, Any]) -> str:
    if step["method"] == "influence":
        return f"sample of {step['number']:,} pairs by influence"
    depth = step.get("k") if step["method"] in ("depth", "ntcir") else None
    words = f"{step['method']} {depth}" if isinstance(depth, int) else step["method"]
    return f"{words} ({step['documents']} per topic)" if step.get("documents") else words
