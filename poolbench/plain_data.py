"""Frozen dataclasses as plain JSON and back, by the types of their fields.

A report of figures is stored as ``to_plain(report)`` and read as ``read_plain(Report, data)``: no
class has functions of its own for it. A mapping whose keys are no strings becomes a list of pairs.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]
PLAIN = (str, int, float, bool, type(None))


def to_plain(value: Any) -> Any:
    """Raises ``TypeError`` for what has no plain form, such as an array."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, date | datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        pairs = [(field, getattr(value, field.name)) for field in fields(value)]
        return {field.name: to_plain(each) for field, each in pairs if each != field.default}
    if isinstance(value, Mapping):
        items = [(to_plain(key), to_plain(each)) for key, each in value.items()]
        return dict(items) if all(isinstance(key, str) for key, _ in items) else items
    if isinstance(value, Sequence | set | frozenset):
        return [to_plain(each) for each in value]
    raise TypeError(f"no plain form: {type(value).__name__}")


def read_plain(kind: type[T], data: Any) -> T:
    """The inverse of ``to_plain`` for a value of the type ``kind``. A field that ``data`` lacks
    gets its default; raises ``TypeError`` for data of another shape.
    """
    wanted: Any = kind
    value: T = _make_reader(wanted)(data)
    return value


@cache
def _make_reader(kind: Any) -> Reader:
    """What reads data of a type; made once, since a report has thousands of estimates."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _make_union_reader(args)
    if origin is not None and origin is not Literal:
        return _make_collection_reader(origin, args)
    if isinstance(kind, type) and is_dataclass(kind):
        return _make_dataclass_reader(kind)
    if isinstance(kind, type) and issubclass(kind, tuple):
        parts = [_make_reader(hint) for hint in get_type_hints(kind).values()]
        return lambda data: kind(*_read_each(parts, data))
    if isinstance(kind, type) and issubclass(kind, date):
        return kind.fromisoformat
    is_made = isinstance(kind, type) and issubclass(kind, Enum | float)
    return kind if is_made else lambda data: data


def _make_dataclass_reader(kind: type[Any]) -> Reader:
    hints = get_type_hints(kind)
    readers = {each.name: _make_reader(hints[each.name]) for each in fields(kind) if each.init}

    def read(data: dict[str, Any]) -> Any:
        if unknown := data.keys() - readers.keys():
            raise TypeError(f"no fields of {kind}: {', '.join(sorted(unknown))}")
        return kind(**{name: readers[name](each) for name, each in data.items()})

    return read


def _make_collection_reader(origin: Any, args: tuple[Any, ...]) -> Reader:
    parts = [_make_reader(each) for each in args if each is not Ellipsis]
    if issubclass(origin, Mapping):
        key, value = parts
        return lambda data: {
            key(_freeze(name)): value(each)
            for name, each in (data.items() if isinstance(data, dict) else data)
        }
    if origin is tuple and Ellipsis not in args:
        return lambda data: tuple(_read_each(parts, data))
    # By tuples, whatever they were: the report is frozen.
    (part,) = parts
    return lambda data: tuple(map(part, data))


def _make_union_reader(members: tuple[Any, ...]) -> Reader:
    """By the member that data have the shape of."""
    rest = [each for each in members if each is not type(None)]
    if len(rest) == 1:
        reader = _make_reader(rest[0])
        return lambda data: None if data is None else reader(data)

    def read(data: Any) -> Any:
        for each in rest:
            shape = dict if is_dataclass(each) else get_origin(each) or each
            if isinstance(data, shape) and (
                shape is not dict or {*data} <= {*get_type_hints(each)}
            ):
                return _make_reader(each)(data)
        return float(data) if float in rest and data is not None else data

    return read


def _read_each(readers: Sequence[Reader], data: Sequence[Any]) -> list[Any]:
    return [reader(part) for reader, part in zip(readers, data, strict=True)]


def _freeze(key: Any) -> Any:
    """A key that was a tuple is a list in JSON."""
    return tuple(map(_freeze, key)) if isinstance(key, list) else key
