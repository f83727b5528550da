"""Rows that are written once."""

from typing import Any, NoReturn

from django.db import models


class AppendOnlyModel(models.Model):
    """A row that is written once; changing or deleting it is a programming error."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError(f"{type(self).__name__} rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} rows are never deleted")
