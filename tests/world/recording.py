"""Make rows and files once per worker, and restore them in any test.

Building a campaign through services takes from 20 ms to 2 s; inserting the rows that this left
behind takes a few milliseconds. Nothing stays in the database between tests: layers are built in
a transaction that is rolled back, and restored in the transaction of the test (or, in a test that
commits, in the database that is flushed afterwards).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction

from campaigns import store
from campaigns.storages import StoreFolder

OWN_KEYS_FROM = 1_000_000
"""Tests number their own rows from here on; below are the keys of the layers."""
KEYS_OF_LAYER = 1000

Row = tuple[Any, ...]


@dataclass
class Table:
    """The rows of a table by primary key, which is the first column."""

    columns: list[str]
    rows: dict[Any, Row]


@dataclass
class Layer:
    """What one builder left behind."""

    made: Any
    inserts: list[tuple[str, list[Row]]] = field(default_factory=list)
    updates: list[tuple[str, Row]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


class Recorder:
    """Records layers on top of each other; their keys never overlap."""

    def __init__(self, first: int = 1) -> None:
        self.layers: dict[str, Layer] = {}
        self.first = first

    def record(self, name: str, build: Callable[[], Any]) -> Any:
        """What ``build`` makes; the rows and files that it adds are kept as layer ``name``."""
        number_rows_from(KEYS_OF_LAYER * (len(self.layers) + self.first))
        tables, files = read_tables(), read_files()
        made = build()
        layer = Layer(made)
        for table, after in read_tables().items():
            note_changes(layer, table, tables[table], after)
        layer.files = {name: data for name, data in read_files().items() if name not in files}
        self.layers[name] = layer
        return made

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Layers that exclude those recorded after this block."""
        with transaction.atomic():
            yield
            transaction.set_rollback(True)


def note_changes(layer: Layer, table: str, before: Table, after: Table) -> None:
    names = after.columns
    if added := [row for key, row in after.rows.items() if key not in before.rows]:
        marks = ", ".join(["%s"] * len(names))
        layer.inserts.append(
            (f"INSERT INTO {quote([table])} ({quote(names)}) VALUES ({marks})", added)
        )
    for key, old in before.rows.items():
        row = after.rows[key]
        if changed := [at for at, value in enumerate(row) if value != old[at]]:
            pairs = ", ".join(f"{quote([names[at]])} = %s" for at in changed)
            sql = f"UPDATE {quote([table])} SET {pairs} WHERE {quote(names[:1])} = %s"
            layer.updates.append((sql, (*(row[at] for at in changed), key)))


def restore(layer: Layer) -> Any:
    """Put the rows and files of ``layer`` back; what its builder made, read anew."""
    with transaction.atomic(), connection.cursor() as cursor:
        for sql, rows in layer.inserts:
            cursor.executemany(sql, rows)
        for sql, row in layer.updates:
            cursor.execute(sql, row)
    for name, data in layer.files.items():
        write_blob(name, data)
    return read_anew(layer.made)


def write_blob(name: str, data: bytes) -> None:
    """In a folder without what only a power cut would need."""
    storage = store.get_storage()
    if not isinstance(storage, StoreFolder):
        storage.put(name, data, synced=False)
        return
    path = Path(settings.STORE_DIR) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def read_anew(made: Any) -> Any:
    """The same objects from the database, also within lists, dicts and dataclasses."""
    if isinstance(made, models.Model):
        return type(made)._base_manager.get(pk=made.pk)
    if isinstance(made, list):
        return [read_anew(each) for each in made]
    if isinstance(made, dict):
        return {key: read_anew(each) for key, each in made.items()}
    if is_dataclass(made) and not isinstance(made, type):
        return replace(made, **{f.name: read_anew(getattr(made, f.name)) for f in fields(made)})
    return made


def read_tables() -> dict[str, Table]:
    tables = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            key = model._meta.pk.column
            others = [f.column for f in model._meta.local_concrete_fields if f.column != key]
            columns, name = [key, *others], model._meta.db_table
            cursor.execute(f"SELECT {quote(columns)} FROM {quote([name])}")
            tables[name] = Table(columns, {row[0]: tuple(row) for row in cursor.fetchall()})
    return tables


def read_files() -> dict[str, bytes]:
    """The files of the store by name."""
    store = Path(settings.STORE_DIR)
    return {
        str(path.relative_to(store)): path.read_bytes()
        for path in store.rglob("*")
        if path.is_file()
    }


def quote(names: list[str]) -> str:
    return ", ".join(map(connection.ops.quote_name, names))


def number_rows_from(start: int) -> None:
    """Have SQLite give new rows keys above ``start``; PostgreSQL never gives a key twice."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            row = [start, model._meta.db_table]
            cursor.execute("UPDATE sqlite_sequence SET seq = %s WHERE name = %s", row)
            if cursor.rowcount == 0:
                cursor.execute("INSERT INTO sqlite_sequence (seq, name) VALUES (%s, %s)", row)
