"""Who sends a request of the API, and what it says."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.serializers import Serializer

from campaigns.models import User


def request_user(request: Request) -> User:
    """The signed-in user; the permission classes admit no one else."""
    assert isinstance(request.user, User)  # noqa: S101 (for the type checker)
    return request.user


def read_fields(form: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The validated body of the request; 400 with what is wrong with it."""
    filled = form(data=request.data)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)
