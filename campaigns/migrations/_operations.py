"""Operations of migrations that Django has no fast form of."""

from typing import Any

from django.db.migrations import AlterField
from django.db.models import Index


class AlterKey(AlterField):
    """A foreign key loses its own index, or its constraint.

    SQLite would write the whole table anew each time: here it only drops the index. A constraint
    stays there, where nothing depends on it.
    """

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "sqlite":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        old, new = (
            state.apps.get_model(app_label, self.model_name) for state in (from_state, to_state)
        )
        was, field = (model._meta.get_field(self.name) for model in (old, new))
        if was.db_index and not field.db_index:
            named = {index.name for index in old._meta.indexes}
            names = schema_editor._constraint_names(
                old, [was.column], index=True, type_=Index.suffix, exclude=named
            )
            for name in names:
                schema_editor.execute(schema_editor._delete_index_sql(old, name))
        elif field.db_index and not was.db_index:
            schema_editor.execute(schema_editor._create_index_sql(new, fields=[field]))
