"""The judgment formats by name, and their detection."""

from __future__ import annotations

import json
import re

from judging.core.exchange.delimited import CSV, QRELS, TSV
from judging.core.exchange.fields import IDS, match_field_names, normalize_field_name
from judging.core.exchange.json_records import DOCCANO, JSON, JSONL
from judging.core.exchange.label_studio import LABEL_STUDIO
from judging.core.exchange.records import JudgmentFormat

FORMATS: dict[str, JudgmentFormat] = {
    each.name: each for each in (QRELS, CSV, TSV, JSONL, JSON, DOCCANO, LABEL_STUDIO)
}
MAX_DETECTION_LENGTH = 1 << 20
_TASK = {"annotations", "completions", "predictions"}


def detect_judgment_format(text: str) -> str | None:
    """The name of the format of ``text``, or None."""
    start = text[:MAX_DETECTION_LENGTH].lstrip()
    if start.startswith("["):
        head = start[1:].lstrip()
        return LABEL_STUDIO.name if _TASK & _keys(head) else JSON.name
    if start.startswith("{"):
        return DOCCANO.name if _is_doccano(start.partition("\n")[0]) else JSONL.name
    line = next((row for row in start.split("\n") if row.strip() and row[0] != "#"), "")
    for judgment_format, separator in ((TSV, "\t"), (CSV, ",")):
        if set(match_field_names(line.split(separator))) & set(IDS) and separator in line:
            return judgment_format.name
    if len(line.split()) == 4:
        return QRELS.name
    return CSV.name if "," in line else TSV.name if "\t" in line else None


def _keys(text: str) -> set[str]:
    """The keys of the object at the start of ``text``; of a truncated one, those visible."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {name for name in _TASK if re.search(rf'"{name}"\s*:\s*\[', text)}
    return set(value) if isinstance(value, dict) else set()


def _is_doccano(line: str) -> bool:
    """Whether an object has doccano's keys: a list of labels and a text."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    names = {normalize_field_name(name): value for name, value in record.items()}
    lists = (names.get(name) for name in ("label", "labels", "annotations"))
    return any(isinstance(value, list) for value in lists) and bool({"text", "data"} & set(names))
