"""Read a pool spec in YAML or JSON; ``docs/pooling.md`` has examples.

All faults are reported at once, with line and column.
"""

from collections.abc import Callable, Mapping
from typing import Any

from poolbench.cards import Parameter
from poolbench.estimation.measures import NoFractionError
from poolbench.files.faults import FaultReport
from poolbench.files.yaml_files import (
    INTEGER,
    LIST,
    POSITIVE,
    RUN_KIND,
    Schema,
    YamlFile,
    format_path,
    is_integer,
    is_number,
    is_positive,
    is_text,
)
from poolbench.pooling.method import PoolingMethod
from poolbench.pooling.methods.influence import choose_measures, is_measure_list
from poolbench.pooling.methods.samples import (
    SAMPLE,
    WINDOWS,
    is_sample,
    is_windows,
    iter_window_faults,
    parse_windows,
)
from poolbench.pooling.pool_builder import PoolBudget
from poolbench.pooling.registry import ALIASES, METHODS, METHODS_BY_RULE, RULE
from poolbench.pooling.session import PoolStep, StepLimit
from poolbench.pooling.spec import CUTOFF, PoolSpec, RunChoice, depth_spec

CODES = ("EP01", "EP02", "EP03")
FIX = "See docs/pooling.md for complete specs."
MAX_STEPS = 50
"""Maximum number of steps in a spec."""
MAX_SPEC_LENGTH = 100_000
"""Maximum length in characters on pages and in the API: reading it takes half a second."""


def is_string_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_text, value))


def is_depths(value: Any) -> bool:
    if isinstance(value, dict):
        texts = all(map(is_text, value))
        return bool(value) and texts and all(is_integer(k) and k >= 0 for k in value.values())
    return is_positive(value)


def is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


MAPPING = (lambda v: isinstance(v, dict), "a mapping")
TOP: Schema = {
    "version": (lambda v: v == 1, "1", False),
    "rule": (
        lambda v: is_integer(v) and v in METHODS_BY_RULE,
        " or ".join(map(str, METHODS_BY_RULE)),
        False,
    ),
    "seed": (*INTEGER, False),
    "runs": (*MAPPING, False),
    "cutoff": (*POSITIVE, False),
    "budget": (
        lambda v: isinstance(v, dict) and len(v) == 1,
        "a mapping with either total or per_topic",
        False,
    ),
    "steps": (*LIST, True),
}
RUNS: Schema = {
    "priority": (lambda v: is_integer(v) and v >= 0, "an integer of at least 0", False),
    "per_team": (*POSITIVE, False),
    "kind": (*RUN_KIND, False),
    "teams": (is_string_list, "a list of team names", False),
    "tags": (is_string_list, "a list of run tags", False),
}
BUDGET: Schema = {"total": (*POSITIVE, False), "per_topic": (*POSITIVE, False)}
STOP: Schema = {"no_relevant_in": (*POSITIVE, False), "relevant": (*POSITIVE, False)}
STEP: Schema = {
    "documents": (*POSITIVE, False),
    "order": (lambda v: v in ("method", "random"), "method or random", False),
    "stop": (*MAPPING, False),
}
KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "whole": POSITIVE,
    "number": (is_number, "a number"),
    "positive": (lambda v: is_number(v) and v > 0, "a number greater than 0"),
    "share": (is_share, "a number between 0 and 1"),
    "depths": (is_depths, "an integer of at least 1, or integers of at least 0 by run tag"),
    "windows": (is_windows, WINDOWS),
    "sample": (is_sample, SAMPLE),
    "name": (is_text, "text"),
    "measures": (is_measure_list, "a list of measures that have estimates, such as [map, P_10]"),
}
"""How parameter values are checked and described, by ``Parameter.kind``, except choices."""


def read_spec(
    content: str | bytes | dict[str, Any], file: str = "the spec", report: FaultReport | None = None
) -> PoolSpec:
    """The spec in ``content``, a text or parsed JSON; raises ``InvalidFile`` with all faults."""
    source = YamlFile(report or FaultReport(file), CODES, FIX, "spec")
    if isinstance(content, dict):
        source.data = content
    else:
        source.parse(content)
    data = source.data
    source.check(data, TOP)
    for key, schema in (("runs", RUNS), ("budget", BUDGET)):
        if isinstance(data.get(key), dict):
            source.check(data[key], schema, (key,))
    steps = data.get("steps")
    for at, entry in enumerate(steps if isinstance(steps, list) else []):
        check_step(source, entry, at)
    source.raise_if_invalid()
    check_together(source)
    source.raise_if_invalid()
    return build_spec(data)


def check_step(source: YamlFile, entry: Any, at: int) -> None:
    path = ("steps", at)
    method = find_method(entry.get("method")) if isinstance(entry, dict) else None
    if method is None:
        name = entry.get("method") if isinstance(entry, dict) else None
        message = (
            f"Unknown method in steps[{at + 1}]: {name[:50]}"
            if isinstance(name, str) and is_text(name)
            else f"Missing key: steps[{at + 1}].method"
        )
        names = ", ".join([*METHODS, *ALIASES])
        source.add_fault((*path, "method"), message, f"Use one of: {names}.")
        return
    parameters = {
        p.name: (*parameter_kind(p), not p.default and not p.optional)
        for p in method.card.parameters
    }
    source.check(entry, {"method": (is_text, "text", True), **parameters, **STEP}, path)
    if isinstance(entry.get("stop"), dict):
        source.check(entry["stop"], STOP, (*path, "stop"))


def parameter_kind(parameter: Parameter) -> tuple[Callable[[Any], bool], str]:
    """The check of a value of ``parameter``, and a description of valid values."""
    if parameter.choices:
        return (lambda value: value in parameter.choices), " or ".join(parameter.choices)
    return KINDS[parameter.kind]


def find_method(name: Any) -> PoolingMethod | None:
    return METHODS.get(ALIASES.get(name, name)) if isinstance(name, str) else None


def check_together(source: YamlFile) -> None:
    """Report values that are valid on their own but not together."""
    steps = source.data["steps"]
    if len(steps) > MAX_STEPS:
        message = f"{len(steps)} steps, more than {MAX_STEPS}"
        source.add_fault(("steps", MAX_STEPS), message, "Use fewer steps.")
    samples = [at for at, step in enumerate(steps) if step_method(step).kind == "sampled"]
    for at in samples:
        check_sample(source, steps[at], at)
    for at in samples[1:]:
        fix = "Use only one sampling step: two would need joint probabilities."
        source.add_fault(("steps", at), f"steps[{at + 1}] is a second sampling step", fix)
    for at in samples[:1]:
        for later in range(at + 1, len(steps)):
            if later not in samples:
                message = f"steps[{later + 1}] comes after a sampling step"
                fix = "Put the sampling step last: later selections invalidate its probabilities."
                source.add_fault(("steps", later), message, fix)


def check_sample(source: YamlFile, step: Mapping[str, Any], at: int) -> None:
    if step_method(step).draw is not None:
        check_drawn_sample(source, step, at)
        return
    for where, message in iter_window_faults(step, source.data.get("cutoff")):
        path = ("steps", at, *where)
        fix = "List ascending windows within the cutoff, with one size each or no sizes at all."
        source.add_fault(path, f"{format_path(path)} {message}", fix)
    if step.get("stop"):
        fix = "Remove it: unjudged documents of a sample invalidate its probabilities."
        source.add_fault(
            ("steps", at, "stop"), f"steps[{at + 1}].stop would end a sample early", fix
        )
    if not (step.get("documents") or step.get("sample") or source.data.get("budget")):
        fix = "Set documents or sample in the step, or a budget."
        source.add_fault(("steps", at), f"steps[{at + 1}] would sample all documents", fix)


def check_drawn_sample(source: YamlFile, step: Mapping[str, Any], at: int) -> None:
    """A sample of all topics together stands alone, with a number of its own."""
    if len(source.data["steps"]) > 1:
        fix = "Let it be the only step: its probabilities are those of all pairs together."
        source.add_fault(("steps", at), f"steps[{at + 1}] has other steps beside it", fix)
    limits = [key for key in ("documents", "stop") if step.get(key)]
    limits += ["budget"] if source.data.get("budget") else []
    for name in limits:
        fix = "Remove it, and set number."
        path = ("budget",) if name == "budget" else ("steps", at, name)
        source.add_fault(path, f"{name} would end a sample by influence early", fix)
    values = {"measures": None, "level": 1, "top": 1} | dict(step)
    try:
        choose_measures(values)
    except NoFractionError as error:
        fix = f"Raise top, the highest grade, or remove the measure. {error}"
        source.add_fault(("steps", at, "measures"), "a measure is of a grade above top", fix)
    except (ValueError, TypeError, AttributeError):
        return  # reported already


def step_method(step: Mapping[str, Any]) -> PoolingMethod:
    return METHODS[ALIASES.get(step["method"], step["method"])]


def build_spec(data: Mapping[str, Any]) -> PoolSpec:
    """The spec of ``data``, which must be valid."""
    runs: dict[str, Any] = dict(data.get("runs") or {})
    runs |= {key: tuple(value) for key, value in runs.items() if isinstance(value, list)}
    rule = data.get("rule") or RULE
    steps = tuple(build_step(entry, rule) for entry in data["steps"])
    depths = [deepest_rank(step) for step in steps]
    return PoolSpec(
        steps=steps,
        budget=PoolBudget(**(data.get("budget") or {})),
        cutoff=data.get("cutoff") or (max(depths) if all(depths) else CUTOFF),
        seed=data.get("seed"),
        runs=RunChoice(**runs),
        rule=rule,
    )


def build_frozen_spec(inputs: Mapping[str, Any]) -> PoolSpec:
    """The spec of a frozen pool from its ``inputs``, without its run choice."""
    if "steps" not in inputs:
        # Spec version 1.
        return depth_spec(inputs["depth"], inputs.get("seed"))
    keys = ("steps", "cutoff", "budget", "seed", "rule")
    # Pools frozen before rules were numbered have none.
    return build_spec({"rule": 1} | {key: inputs[key] for key in keys if key in inputs})


def deepest_rank(step: PoolStep) -> int:
    """The last rank a step uses, if it sets one; otherwise 0."""
    if windows := parse_windows(step.values):
        return windows[-1][1]
    k = step.values.get("k") if step.method.reach else None
    return max(k.values()) if isinstance(k, dict) else k or 0


def build_step(entry: Mapping[str, Any], rule: int) -> PoolStep:
    method = METHODS_BY_RULE[rule][step_method(entry).name]
    values = {p.name: parameter_value(p, entry.get(p.name)) for p in method.card.parameters}
    return PoolStep(
        method=method,
        values=values,
        documents=entry.get("documents"),
        order=entry.get("order") or "method",
        stop=StepLimit(**(entry.get("stop") or {})),
    )


def default_parameters(method: PoolingMethod) -> dict[str, Any]:
    """The parameters of ``method`` at their defaults."""
    return {p.name: parameter_value(p, None) for p in method.card.parameters}


def parameter_value(parameter: Parameter, value: Any) -> Any:
    """``value``, or the default on the card."""
    if value is not None or not parameter.default:
        return value
    if parameter.choices:
        return parameter.default
    return int(parameter.default) if parameter.kind == "whole" else float(parameter.default)
