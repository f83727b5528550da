"""Writing many rows at once without the ORM, which takes several times as long."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db import connection, models

Row = Sequence[int | float | str | bytes | bool | None]
AT_ONCE = 20_000
"""Rows of a statement: a web process limits the seconds of each."""
IN_TEXT = 2_000
"""Rows that are text in memory at a time."""


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Iterable[Row]) -> int:
    """Insert ``rows``, values of the columns ``names`` each; return their number.

    Columns that are not named have the database's own default: NULL, or the next key. Values are
    as the database stores them (JSON as text, a UUID as 32 hexadecimal digits). Foreign keys are
    checked at once. On SQLite all other writers wait in the meantime.
    """
    copy = copy_into_table if connection.vendor == "postgresql" else insert_each_row
    rest, count = iter(rows), 0
    while part := list(islice(rest, AT_ONCE)):
        copy(model, names, part)
        count += len(part)
    return count


def copy_into_table(model: type[models.Model], names: Sequence[str], rows: Sequence[Row]) -> None:
    fields = {field.column: field for field in model._meta.concrete_fields}  # noqa: SLF001
    nullable = ", ".join(quote_names(name for name in names if fields[name].null))
    has_bytes = any(isinstance(fields[name], models.BinaryField) for name in names)
    # Texts are quoted, numbers are not: an empty text stays one, except where NULL may be.
    options = "FORMAT csv" + (f", FORCE_NULL ({nullable})" if nullable else "")
    into = f"{quote_table(model)} ({', '.join(quote_names(names))})"
    with connection.cursor() as cursor:
        # The driver's own method: without this its errors were not Django's, and not retried.
        errors = connection.wrap_database_errors
        with errors, cursor.copy(f"COPY {into} FROM STDIN ({options})") as copy:
            for first in range(0, len(rows), IN_TEXT):
                text = io.StringIO(newline="")
                writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
                part = rows[first : first + IN_TEXT]
                writer.writerows(map(spell_bytes, part) if has_bytes else part)
                copy.write(text.getvalue())
        # Now and not at the end, when others are already waiting.
        connection.check_constraints()


def spell_bytes(row: Row) -> Row:
    """``row`` with bytes as PostgreSQL reads them."""
    return ["\\x" + each.hex() if isinstance(each, bytes) else each for each in row]


def insert_each_row(model: type[models.Model], names: Sequence[str], rows: Sequence[Row]) -> None:
    marks = ", ".join(["%s"] * len(names))
    into = f"{quote_table(model)} ({', '.join(quote_names(names))})"
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)  # noqa: S608 (our names)


def quote_names(names: Iterable[str]) -> Iterator[str]:
    return map(connection.ops.quote_name, names)


def quote_table(model: type[models.Model]) -> str:
    quoted: str = connection.ops.quote_name(model._meta.db_table)  # noqa: SLF001 (public)
    return quoted
