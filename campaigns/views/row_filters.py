"""Rows of a table by state or kind, chosen by address, with the number of rows of each."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.http import HttpRequest
from django.utils.translation import gettext as _

Item = TypeVar("Item")


@dataclass(frozen=True)
class RowFilter:
    """Nothing to choose, hence no ``options``, where all rows have the same value.

    ``query`` of an option is the query string of the page with it; its ``value`` "": all rows.
    """

    label: str
    value: str
    options: tuple[dict[str, object], ...]


def build_row_filter(
    request: HttpRequest,
    parameter: str,
    label: str,
    counts: Mapping[str, int],
    labels: Mapping[str, object],
    total: int | None = None,
) -> RowFilter:
    """The filter ``parameter`` over rows of which ``counts`` has the number by value.

    ``total`` is the number of all rows where a row can have several values. Options have the order
    of ``labels``, values without a label come last. An unknown value in the address is no filter.
    """
    values = [value for value in labels if counts.get(value)]
    values += [value for value in counts if counts[value] and value not in labels]
    requested = request.GET.get(parameter, "")
    current = requested if requested in values else ""
    if len(values) < 2:
        return RowFilter(label, current, ())
    every = sum(counts.values()) if total is None else total
    return RowFilter(
        label,
        current,
        tuple(
            {
                "value": value,
                "label": str(labels.get(value, value)) if value else _("all"),
                "count": counts[value] if value else every,
                "query": _replace_parameter(request, parameter, value),
                "is_current": value == current,
            }
            for value in ["", *values]
        ),
    )


def build_choice(
    request: HttpRequest,
    parameter: str,
    label: str,
    counts: Mapping[str, int],
    labels: Mapping[str, object],
    current: str,
    address: str = "",
) -> RowFilter:
    """A choice of one of the values that have rows, ``current`` now, at ``address`` or here; no
    options where there are fewer than two.
    """
    values = [value for value in labels if counts.get(value)]
    options = [
        {
            "value": value,
            "label": str(labels[value]),
            "count": counts[value],
            "query": f"{address}{_replace_parameter(request, parameter, value)}",
            "is_current": value == current,
        }
        for value in values
    ]
    return RowFilter(label, current, tuple(options) if len(values) > 1 else ())


def filter_rows(
    request: HttpRequest,
    rows: Iterable[Item],
    key: Callable[[Item], str],
    *,
    parameter: str,
    label: str,
    labels: Mapping[str, object],
) -> tuple[list[Item], RowFilter]:
    """The rows whose ``key`` is the value in the address, and the filter to show above them."""
    every: Sequence[Item] = list(rows)
    row_filter = build_row_filter(request, parameter, label, Counter(map(key, every)), labels)
    if not row_filter.value:
        return list(every), row_filter
    return [row for row in every if key(row) == row_filter.value], row_filter


def _replace_parameter(request: HttpRequest, parameter: str, value: str) -> str:
    query = request.GET.copy()
    query.pop("page", None)
    query.pop(parameter, None)
    if value:
        query[parameter] = value
    return f"?{query.urlencode()}"
