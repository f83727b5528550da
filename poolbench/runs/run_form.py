"""The form that a campaign asks with each run: its fields, and the answers of a team."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from poolbench.files.faults import list_names
from poolbench.files.yaml_files import UNSTORABLE

FIELD_KINDS = {"choice": "choice", "text": "text", "yes_no": "yes or no"}
MOST_FIELDS, MOST_CHOICES = 20, 30
MAX_NAME, MAX_LABEL, MAX_HELP, MAX_TEXT = 60, 100, 300, 2_000
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[ ._-][a-z0-9]+)*")
NAME_FORM = "lower-case letters and digits, and between them single . _ - or spaces"
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_KEYS = {"name": str, "label": str, "kind": str, "choices": list, "required": bool, "help": str}


@dataclass(frozen=True)
class RunField:
    """A question about a run. ``name`` is its key in files and the API; with dots it is also the
    place in an ``ir_metadata`` block from which an answer is taken, such as ``method.automatic``.
    """

    name: str
    label: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    required: bool = False
    help: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"choices": list(self.choices)}

    def read_answer(self, value: object) -> str | bool | None:
        """The answer in ``value``; None if there is none. Raises ``ValueError`` with the fault."""
        text = str(value).strip() if value is not None else ""
        if self.kind == "yes_no" and text:
            if text.lower() not in _YES_NO:
                raise ValueError("Answer yes or no.")
            return _YES_NO[text.lower()]
        if not text:
            return None
        if self.kind == "choice" and text not in self.choices:
            raise ValueError(f"Unknown choice: {text[:60]}. Use one of: {', '.join(self.choices)}.")
        if len(text) > MAX_TEXT:
            raise ValueError(f"Use at most {MAX_TEXT:,} characters.")
        if not UNSTORABLE.isdisjoint(map(ord, text)):
            raise ValueError("A character cannot be stored. Remove it.")
        return text


def read_run_fields(entries: object) -> tuple[RunField, ...]:
    """The fields in ``entries``, plain lists and dicts. Raises ``ValueError`` with all faults."""
    if not isinstance(entries, list):
        raise ValueError("The fields must be a list.")
    faults = [fault for at, each in enumerate(entries, 1) for fault in _list_type_faults(at, each)]
    if faults:
        raise ValueError(" ".join(faults))
    fields = tuple(
        RunField(**{**entry, "choices": tuple(entry.get("choices", ()))}) for entry in entries
    )
    if faults := list_field_faults(fields):
        raise ValueError(" ".join(faults))
    return fields


def _list_type_faults(at: int, entry: object) -> Iterable[str]:
    if not isinstance(entry, dict):
        yield f"Field {at} must be a mapping."
        return
    if unknown := [str(key)[:40] for key in entry if key not in _KEYS]:
        yield f"Field {at}: unknown key {list_names(unknown)}; use {', '.join(_KEYS)}."
    for key in ("name", "label"):
        if key not in entry:
            yield f"Field {at}: {key} is missing."
    for key, kind in _KEYS.items():
        if key in entry and not isinstance(entry[key], kind):
            yield f"Field {at}: {key} must be {_describe(kind)}."
    choices = entry.get("choices", [])
    if isinstance(choices, list) and not all(isinstance(each, str) for each in choices):
        yield f"Field {at}: choices must be texts."


def _describe(kind: type) -> str:
    return {str: "text", list: "a list", bool: "true or false"}[kind]


def list_field_faults(fields: Sequence[RunField]) -> list[str]:
    """What is wrong with a form, field by field."""
    faults = [
        f"{field.name or 'A field'}: {text}" for field in fields for text in _faults_of(field)
    ]
    counts = Counter(field.name for field in fields)
    faults += [f"{name}: the name is used {n} times." for name, n in counts.items() if n > 1]
    if len(fields) > MOST_FIELDS:
        faults.append(f"The form has {len(fields)} fields; the limit is {MOST_FIELDS}.")
    return faults


def _faults_of(field: RunField) -> Iterable[str]:
    if not _NAME.fullmatch(field.name) or len(field.name) > MAX_NAME:
        yield f"the name must have {NAME_FORM}, at most {MAX_NAME} characters."
    for name, text, most in (
        ("label", field.label, MAX_LABEL),
        ("help", field.help, MAX_HELP),
        *(("choice", choice, MAX_LABEL) for choice in field.choices),
    ):
        if len(text) > most or "\0" in text:
            yield f"the {name} has more than {most} characters, or a NUL."
        elif name != "help" and not text.strip():
            yield f"the {name} is empty."
    if field.kind not in FIELD_KINDS:
        yield f"unknown kind {field.kind[:40]}; use one of: {', '.join(FIELD_KINDS)}."
    elif field.kind == "choice" and not 2 <= len(set(field.choices)) <= MOST_CHOICES:
        yield f"a choice needs 2 to {MOST_CHOICES} different choices."
    elif field.kind == "choice" and len(set(field.choices)) < len(field.choices):
        yield "a choice is listed twice."
    elif field.kind != "choice" and field.choices:
        yield f"{FIELD_KINDS[field.kind]} has no choices."


@dataclass(frozen=True)
class RunAnswers:
    """Answers by the names of fields, and the faults of all that are missing or invalid."""

    answers: Mapping[str, str | bool]
    faults: Mapping[str, str]


def check_answers(
    fields: Sequence[RunField], entries: Mapping[str, object], metadata: Mapping[str, Any]
) -> RunAnswers:
    """The answers in ``entries``, and for fields without one those in an ``ir_metadata`` block."""
    answers: dict[str, str | bool] = {}
    known = {field.name for field in fields}
    faults = {
        name: "The campaign does not ask this." for name in map(str, entries) if name not in known
    }
    for field in fields:
        try:
            answer = field.read_answer(entries.get(field.name))
            if answer is None:
                answer = field.read_answer(find_value(metadata, field.name))
        except ValueError as fault:
            faults[field.name] = str(fault)
            continue
        if answer is not None:
            answers[field.name] = answer
        elif field.required:
            faults[field.name] = "An answer is required."
    return RunAnswers(answers, faults)


def find_value(metadata: Mapping[str, Any], name: str) -> object:
    """The single value at the place ``name`` of a block, in which dots lead inwards; or None."""
    value: Any = metadata
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return None if isinstance(value, Mapping | list) else value


def put_value(metadata: dict[str, Any], name: str, value: object) -> None:
    """Set the value at the place ``name``; values in its way are replaced."""
    *outer, last = name.split(".")
    for part in outer:
        inner = metadata.get(part)
        metadata[part] = dict(inner) if isinstance(inner, Mapping) else {}
        metadata = metadata[part]
    metadata[last] = value


def format_answer(value: object) -> str:
    """An answer as lists and files show it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
