"""Label Studio's JSON export: tasks with annotations and predictions."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from poolbench.files.records import FaultReporter
from poolbench.judging.exchange.fields import JudgmentFormat, JudgmentRecord
from poolbench.judging.exchange.json_records import flatten_record, iter_json_elements

AUTOMATIC = "automatic"
"""The purpose of predictions, which are judgments of a model."""
CANCELLED = "cancelled"
"""The reason of a cancelled annotation, Label Studio's skip."""
_OWN = ("flags", "duplicate_of", "passages", "third")
"""Keys that our own exports add to an annotation."""
_LABELS = ("choices", "rating", "number", "labels", "taxonomy")


def parse_label_studio(text: str, report_fault: FaultReporter) -> Iterator[JudgmentRecord]:
    """A record per annotation and prediction; a task without any is one unlabeled record."""
    for line, task in iter_json_elements(text, report_fault):
        if not isinstance(task, dict):
            report_fault(line, "List element is not a task.", str(task)[:100])
            continue
        data = task.get("data")
        ids = flatten_record(data) if isinstance(data, dict) else {}
        records = [_annotation(item) for item in _dicts(task, "annotations", "completions")]
        records += [_prediction(item) for item in _dicts(task, "predictions")]
        for values in records or [{}]:
            yield JudgmentRecord(line, {**ids, **values})


def _dicts(task: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
    lists = (task.get(name) for name in names)
    items = chain.from_iterable(each for each in lists if isinstance(each, list))
    return [item for item in items if isinstance(item, dict)]


def _annotation(annotation: Mapping[str, Any]) -> dict[str, Any]:
    values = _results(annotation) | {
        "assessor": annotation.get("completed_by"),
        "judged_at": annotation.get("updated_at") or annotation.get("created_at"),
        "active_seconds": annotation.get("lead_time"),
    }
    if annotation.get("was_cancelled"):
        values |= {"kind": "skip", "reason": annotation.get("skip_reason") or CANCELLED}
    return values | {name: annotation[name] for name in _OWN if name in annotation}


def _prediction(prediction: Mapping[str, Any]) -> dict[str, Any]:
    return _results(prediction) | {
        "assessor": prediction.get("model_version"),
        "judged_at": prediction.get("created_at"),
        "purpose": AUTOMATIC,
    }


def _results(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Labels and comments from the results of one annotation; regions and areas are ignored."""
    labels: list[Any] = []
    comments: list[Any] = []
    results = annotation.get("result")
    for result in results if isinstance(results, list) else []:
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict):
            continue
        name = next((name for name in _LABELS if name in value), None)
        if name is not None and "start" not in value:
            texts = value[name]
            labels += texts if isinstance(texts, list) else [texts]
        elif "text" in value and "start" not in value:
            texts = value["text"]
            comments += texts if isinstance(texts, list) else [texts]
    return {"label": labels, "comment": comments}


LABEL_STUDIO = JudgmentFormat("label-studio", "Label Studio (JSON)", parse_label_studio)
