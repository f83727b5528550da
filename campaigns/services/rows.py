"""Writing many rows at once without the ORM, which takes several times as long."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

from django.db import connection, models
from django.db.models.expressions import RawSQL

T = TypeVar("T")
Value = int | float | str | bytes | bool | None
Row = Sequence[Value]
NOTHING: Mapping[str, Value] = MappingProxyType({})
BATCH = 500
AT_ONCE = 20_000
"""Rows of a statement: a web process limits the seconds of each."""
IN_TEXT = 2_000
"""Rows of a text."""
LINE_END = "\r\n"


def insert_rows(
    model: type[models.Model],
    names: Sequence[str],
    rows: Iterable[Row],
    same: Mapping[str, Value] = NOTHING,
) -> int:
    """Insert ``rows``, values of the columns ``names`` each; return their number.

    ``same`` are the columns that have one value in all rows, no bytes. Columns that are not named
    have the database's own default: NULL, or the next key. Values are as the database stores them
    (JSON as text, a UUID as 32 hexadecimal digits). Foreign keys are checked at once. On SQLite
    all other writers wait in the meantime.
    """
    parts, count = iter_batches(rows, AT_ONCE), 0
    if connection.vendor == "postgresql":
        spell = partial(spell_rows, model, names, same)
        for part in parts:
            copy_into_table(model, (*names, *same), spell(part))
            count += len(part)
        return count
    for part in parts:
        insert_each_row(model, names, part, same)
        count += len(part)
    return count


def iter_batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    rest = iter(rows)
    while part := list(islice(rest, size)):
        yield part


def match_keys(model: type[models.Model], keys: Iterable[int]) -> RawSQL:
    """The condition that the primary key of a row is one of ``keys``, as a single parameter: with
    ``pk__in`` Django needs as long for thousands of them as the database for the statement.
    """
    listed = ",".join(map(str, keys))
    key = f"{quote_table(model)}.{connection.ops.quote_name('id')}"
    text, condition = f"[{listed}]", f"{key} IN (SELECT value FROM json_each(%s))"  # noqa: S608
    if connection.vendor == "postgresql":
        text, condition = f"{{{listed}}}", f"{key} = ANY(%s::bigint[])"
    return RawSQL(condition, [text], models.BooleanField())  # noqa: S611 (our own names)


def copy_into_table(model: type[models.Model], names: Sequence[str], text: Sequence[str]) -> None:
    """Copy the lines of ``text`` into the columns ``names``."""
    fields = {field.column: field for field in model._meta.concrete_fields}  # noqa: SLF001
    nullable = ", ".join(quote_names(name for name in names if fields[name].null))
    # Texts are quoted, numbers are not: an empty text stays one, except where NULL may be.
    options = "FORMAT csv" + (f", FORCE_NULL ({nullable})" if nullable else "")
    into = f"{quote_table(model)} ({', '.join(quote_names(names))})"
    with connection.cursor() as cursor:
        # The driver's own method: without this its errors were not Django's, and not retried.
        errors = connection.wrap_database_errors
        with errors, cursor.copy(f"COPY {into} FROM STDIN ({options})") as copy:
            for part in text:
                copy.write(part)
        # Now and not at the end, when others are already waiting.
        connection.check_constraints()


def spell_rows(
    model: type[models.Model], names: Sequence[str], same: Mapping[str, Value], rows: Sequence[Row]
) -> list[str]:
    """Lines of ``rows`` as ``COPY`` reads them, a few thousand in each text."""
    fields = {field.column: field for field in model._meta.concrete_fields}  # noqa: SLF001
    has_bytes = any(isinstance(fields[name], models.BinaryField) for name in names)
    # What all rows have in common ends each line.
    end = f",{spell_csv([same.values()])}" if same else LINE_END
    return [
        spell_csv(map(spell_bytes, part) if has_bytes else part, end)
        for part in iter_batches(rows, IN_TEXT)
    ]


def spell_csv(rows: Iterable[Iterable[Value]], end: str = LINE_END) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator=end).writerows(rows)
    return text.getvalue()


def spell_bytes(row: Row) -> Row:
    """``row`` with bytes as PostgreSQL reads them."""
    return ["\\x" + each.hex() if isinstance(each, bytes) else each for each in row]


def insert_each_row(
    model: type[models.Model], names: Sequence[str], rows: Sequence[Row], same: Mapping[str, Value]
) -> None:
    marks = ", ".join(["%s"] * (len(names) + len(same)))
    into = f"{quote_table(model)} ({', '.join(quote_names((*names, *same)))})"
    rest = tuple(same.values())
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {into} VALUES ({marks})",  # noqa: S608 (our names)
            [(*row, *rest) for row in rows] if rest else rows,
        )


def quote_names(names: Iterable[str]) -> Iterator[str]:
    return map(connection.ops.quote_name, names)


def quote_table(model: type[models.Model]) -> str:
    quoted: str = connection.ops.quote_name(model._meta.db_table)  # noqa: SLF001 (public)
    return quoted
