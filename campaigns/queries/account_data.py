"""What the installation holds about a person, as plain values."""

from collections.abc import Iterator
from typing import Any

from axes.models import AccessLog
from django.db.models import ForeignKey

from campaigns.models import Event, Run, User

SECRETS = {
    "ApiToken": {"digest"},
    "Authenticator": {"data"},
    "Judgment": {"purpose", "slot"},
    "User": {"password"},
}
"""By model, the fields that are no use to the person but could be to a thief; or would tell an
assessor which documents are repeats.
"""
NOT_TOLD = {"Slot", "ComparisonSlot"}
"""Work that is reserved or checked out: it would tell what comes again."""
READABLE = {"Campaign": "slug", "Topic": "number", "Team": "name", "User": "username", "Run": "tag"}
"""By model, the field that stands for a row that others refer to, instead of its ID."""


def iter_account_data(user: User) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Name and rows of each table with rows of ``user``: the account itself first, then whatever
    refers to it as theirs, of all apps, the runs they submitted and the acts in the log.
    """
    yield "account", read_rows(User, {"pk": user.pk})
    for relation in User._meta.related_objects:  # noqa: SLF001 (public in Django)
        if relation.related_model.__name__ in NOT_TOLD:
            continue
        rows = read_rows(relation.related_model, {relation.field.name: user})
        if rows:
            yield f"{relation.related_model.__name__}-{relation.field.name}".lower(), rows
    others = {
        "runs": read_rows(Run, {"submitted_by": user}),
        "log": read_rows(Event, {"actor": user}),
        "sign-ins": read_rows(AccessLog, {"username": user.username}),
    }
    yield from ((name, rows) for name, rows in others.items() if rows)


def read_rows(model: Any, filters: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of the rows that ``filters`` find, without secrets."""
    secret = SECRETS.get(model.__name__, set())
    fields = model._meta.fields  # noqa: SLF001 (public in Django)
    columns = {field.name: name_column(field) for field in fields if field.name not in secret}
    rows = model.objects.filter(**filters).order_by("pk").values_list(*columns.values())
    return [dict(zip(columns, row, strict=True)) for row in rows]


def name_column(field: Any) -> str:
    readable = READABLE.get(field.related_model.__name__) if isinstance(field, ForeignKey) else None
    return f"{field.name}__{readable}" if readable else str(field.name)
