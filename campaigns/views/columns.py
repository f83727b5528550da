"""The columns of a table, chosen by address.

A table with more columns than fit starts with those that fit. A form of check boxes
(``partials/columns.html``) asks for others by GET, so that a link keeps the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

PARAMETER = "column"


@dataclass(frozen=True)
class TableColumn:
    """A column that readers may hide; ``about`` is the hint at its name."""

    name: str
    label: str
    about: str = ""


@dataclass(frozen=True)
class ColumnOption:
    column: TableColumn
    is_visible: bool


@dataclass(frozen=True)
class ColumnChoice:
    """Which columns a table has: ``{% if "team" in column_choice %}``.

    ``others`` are the other parameters of the address, which the form repeats.
    """

    options: tuple[ColumnOption, ...]
    parameter: str
    others: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the visible columns, in the order of the table."""
        return tuple(option.column.name for option in self.options if option.is_visible)

    @property
    def hides_some(self) -> bool:
        return len(self.names) < len(self.options)

    def __contains__(self, name: object) -> bool:
        return name in self.names


def choose_columns(
    request: HttpRequest,
    columns: Sequence[TableColumn],
    defaults: Sequence[str],
    parameter: str = PARAMETER,
) -> ColumnChoice:
    """The columns named in the address, or ``defaults`` if it names none of ``columns``."""
    names = {column.name for column in columns}
    requested = names.intersection(request.GET.getlist(parameter)) or names.intersection(defaults)
    return ColumnChoice(
        options=tuple(ColumnOption(column, column.name in requested) for column in columns),
        parameter=parameter,
        others=tuple(
            (key, value)
            for key, values in request.GET.lists()
            if key not in {parameter, "page"}
            for value in values
        ),
    )
