"""API tokens as digests instead of plain text, and files of runs that were removed.

Tokens of ``rest_framework.authtoken`` keep working for a year. Its table is dropped, since the
keys in it must not stay readable, and its migrations are forgotten: an earlier version would make
the table again, empty, and users would create new tokens.
"""

import hashlib
from datetime import UTC, datetime, timedelta

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.recorder import MigrationRecorder

FORMER = "authtoken_token"


def hash_tokens(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        if FORMER not in connection.introspection.table_names(cursor):
            return
        cursor.execute(f"SELECT key, user_id, created FROM {FORMER}")
        rows = cursor.fetchall()
    expires = django.utils.timezone.now() + timedelta(days=365)
    apps.get_model("campaigns", "ApiToken").objects.bulk_create(
        apps.get_model("campaigns", "ApiToken")(
            user_id=user,
            digest=hashlib.sha256(key.encode()).hexdigest(),
            created_at=as_moment(created),
            expires_at=expires,
        )
        for key, user, created in rows
    )


def as_moment(value):
    """SQLite's cursors give naive moments, in UTC, or texts."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def drop_former_table(apps, schema_editor):
    schema_editor.execute(f"DROP TABLE IF EXISTS {FORMER}")
    MigrationRecorder(schema_editor.connection).migration_qs.filter(app="authtoken").delete()


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0007_markdown_length")]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_token",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="run",
            name="file_removed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="run",
            name="file",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.RunPython(hash_tokens, migrations.RunPython.noop),
        migrations.RunPython(drop_former_table, migrations.RunPython.noop),
    ]
