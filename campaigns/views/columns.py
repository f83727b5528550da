"""The columns of a table, chosen by address.

A table with more columns than fit starts with those that fit. A form of check boxes
(``partials/columns.html``) asks for others by GET, so that a link keeps the choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import Promise

PARAMETER = "column"


@dataclass(frozen=True)
class TableColumn:
    """A column that readers may hide; ``about`` is the hint at its name, ``marks`` are those of
    ``{% heads %}``.
    """

    name: str
    label: str | Promise
    about: str = ""
    marks: str = ""


@dataclass(frozen=True)
class ColumnChoice:
    """Which columns a table has: ``{% if "team" in column_choice %}``.

    ``names`` are those of the visible ``columns``; ``others`` are the other parameters of the
    address, which the form repeats.
    """

    columns: Sequence[TableColumn]
    names: tuple[str, ...]
    parameter: str
    others: tuple[tuple[str, str], ...]

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
        columns=columns,
        names=tuple(column.name for column in columns if column.name in requested),
        parameter=parameter,
        others=tuple(
            (key, value)
            for key, values in request.GET.lists()
            if key not in {parameter, "page"}
            for value in values
        ),
    )
