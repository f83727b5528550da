"""Rows of the database as rows of an archive: plain values, and the numbers of other rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from math import isnan
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Field, ForeignKey, JSONField, Model, QuerySet

from campaigns.models import Campaign, Topic, User
from replay.archive.pseudonyms import Pseudonyms
from replay.archive.tables import PACKED, ArchiveTable

BATCH = 2_000
Row = dict[str, Any]


@dataclass
class RowWriter:
    """Writes the rows of ``campaign``. ``numbers``: by model, the name in the archive of each row
    by its primary key; rows are numbered from 1 in the order in which they were made. ``hidden``:
    the fields of a table to leave empty.
    """

    campaign: Campaign
    pseudonyms: Pseudonyms
    hidden: Callable[[ArchiveTable], Collection[str]]
    numbers: dict[type[Model], dict[int, Any]] = field(default_factory=dict)

    def select_rows(self, table: ArchiveTable) -> QuerySet[Any]:
        # Of assignments, the default manager hides those that have ended.
        manager = getattr(table.model, "ever", None) or table.model.objects  # type: ignore[attr-defined]
        rows: QuerySet[Any] = manager.filter(table.condition, **{table.path: self.campaign})
        return rows.order_by("pk")

    def iter_rows(self, table: ArchiveTable) -> Iterator[Row]:
        """The rows of ``table``, which are numbered on the way."""
        fields = [get_field(table.model, name) for name in table.fields]
        known = self.numbers.setdefault(table.model, {})
        columns = [each.attname for each in fields]
        hidden = self.hidden(table)
        rows = self.select_rows(table).values_list("pk", *columns)
        for number, (pk, *values) in enumerate(rows.iterator(chunk_size=BATCH), 1):
            pairs = zip(fields, values, strict=True)
            row = {
                each.name: self.encode(each, value)
                for each, value in pairs
                if each.name not in hidden
            }
            known[pk] = row["number"] if table.model is Topic else number
            filled = {key: each for key, each in row.items() if each not in (None, "")}
            yield {"id": number} | filled

    def encode(self, column: Field[Any, Any], value: Any) -> Any:
        if value is not None and isinstance(column, ForeignKey):
            if column.related_model is User:
                return self.pseudonyms.by_pk[value]
            return self.numbers[column.related_model].get(value)
        return encode_value(column, value)


def encode_value(column: Field[Any, Any], value: Any) -> Any:
    """A value that is no reference, as JSON has it."""
    if value is None:
        return None
    if column.name in PACKED:
        return unpack_numbers(bytes(value), PACKED[column.name])
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    return sort_keys(value) if isinstance(column, JSONField) else value


def sort_keys(value: Any) -> Any:
    """JSON with its keys in order: PostgreSQL does not keep that in which they were written."""
    if isinstance(value, dict):
        return {key: sort_keys(value[key]) for key in sorted(value)}
    return [sort_keys(each) for each in value] if isinstance(value, list) else value


def get_field(model: type[Model], name: str) -> Any:
    return model._meta.get_field(name)  # noqa: SLF001 (public)


def unpack_numbers(data: bytes, kind: str) -> list[float | None]:
    """Undefined numbers are null, which every reader of JSON knows."""
    values = np.frombuffer(data, kind)
    if kind.startswith("<u"):
        return list(values.tolist())
    return [None if isnan(value) else value for value in values.tolist()]


def pack_numbers(values: list[float | None], kind: str) -> bytes:
    return np.array([np.nan if v is None else v for v in values], kind).tobytes()


def write_line(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode()
