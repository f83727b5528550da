"""Indexes of slots."""

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement

WAITING = models.Q(state__in=("open", "leased"))


class WaitingIndex(models.Index):
    """An index to find the next slot. On PostgreSQL it holds only those that wait for a judgment,
    so that filling a slot, one by one or in an import, does not write it again.

    SQLite does not see that ``state = 'open'`` implies the condition, and would not use it.
    """

    def create_sql(
        self,
        model: type[models.Model],
        schema_editor: BaseDatabaseSchemaEditor,
        using: str = "",
        **options: Any,
    ) -> Statement:
        waits = WAITING if schema_editor.connection.vendor == "postgresql" else None
        index = models.Index(fields=self.fields, name=self.name, condition=waits)
        return index.create_sql(model, schema_editor, using, **options)
