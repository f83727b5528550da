"""Who sends a request of the API, what it says, and the consents of acts that cannot be undone."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from campaigns.confirmation import Decision
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


class ConfirmSerializer(Serializer[Any]):
    """Consents of an act. Without them the answer is 409, with everything that is open and all
    codes that are missing.
    """

    confirm = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        default=list,
        help_text="Codes of open matters to override, and of consents.",
    )
    digest = serializers.CharField(
        required=False,
        default="",
        max_length=64,
        help_text="Digest of the facts of an earlier answer: 409 if they have changed since.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The two fields become ``decision``."""
        return attrs | {"decision": Decision(frozenset(attrs.pop("confirm")), attrs.pop("digest"))}


def read_decision(request: Request) -> Decision:
    """The decision in the body of a request without other fields."""
    form = ConfirmSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    decision: Decision = form.validated_data["decision"]
    return decision
