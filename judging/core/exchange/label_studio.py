"""Label Studio's JSON export: tasks, each with annotations and predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judging.core.exchange.json_records import flatten_record, iter_json_elements
from judging.core.exchange.records import JudgmentFormat, JudgmentRecord, Tell

AUTOMATIC = "automatic"
"""The purpose of predictions: the word of a model."""
CANCELLED = "cancelled"
"""The reason of an annotation that its annotator cancelled, which is Label Studio's skip."""
_OWN = ("flags", "duplicate_of", "passages")
"""What our own exports add to an annotation."""
_LABELS = ("choices", "rating", "number", "labels", "taxonomy")


def parse_label_studio(text: str, tell: Tell) -> Iterator[JudgmentRecord]:
    """A record an annotation and prediction; a task without any is one unlabelled record."""
    for line, task in iter_json_elements(text, tell):
        if not isinstance(task, dict):
            tell(line, "This element of the list is not a task.", str(task)[:100])
            continue
        data = task.get("data")
        given = flatten_record(data) if isinstance(data, dict) else {}
        said = [_annotation(one) for one in _dicts(task, "annotations", "completions")]
        said += [_prediction(one) for one in _dicts(task, "predictions")]
        for values in said or [{}]:
            yield JudgmentRecord(line, {**given, **values})


def _dicts(task: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
    lists = (task.get(name) for name in names)
    return [one for found in lists if isinstance(found, list) for one in found if _is_dict(one)]


def _is_dict(value: object) -> bool:
    return isinstance(value, dict)


def _annotation(said: Mapping[str, Any]) -> dict[str, Any]:
    values = _results(said) | {
        "assessor": said.get("completed_by"),
        "judged_at": said.get("updated_at") or said.get("created_at"),
        "active_seconds": said.get("lead_time"),
    }
    if said.get("was_cancelled"):
        values |= {"kind": "skip", "reason": said.get("skip_reason") or CANCELLED}
    return values | {name: said[name] for name in _OWN if name in said}


def _prediction(said: Mapping[str, Any]) -> dict[str, Any]:
    return _results(said) | {
        "assessor": said.get("model_version"),
        "judged_at": said.get("created_at"),
        "purpose": AUTOMATIC,
    }


def _results(said: Mapping[str, Any]) -> dict[str, Any]:
    """Labels and comments out of the results of one annotation; regions and areas say nothing."""
    labels: list[Any] = []
    comments: list[Any] = []
    results = said.get("result")
    for one in results if isinstance(results, list) else []:
        value = one.get("value") if isinstance(one, dict) else None
        if not isinstance(value, dict):
            continue
        name = next((name for name in _LABELS if name in value), None)
        if name is not None and "start" not in value:
            found = value[name]
            labels += found if isinstance(found, list) else [found]
        elif "text" in value and "start" not in value:
            found = value["text"]
            comments += found if isinstance(found, list) else [found]
    return {"label": labels, "comment": comments}


LABEL_STUDIO = JudgmentFormat(
    "label-studio",
    "Label Studio (JSON)",
    "a list of tasks with their annotations (choices, ratings) and predictions",
    parse_label_studio,
)
