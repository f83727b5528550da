"""What a token may be used for. The settings name the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from campaigns.models import ApiToken, Scope

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports the classes of the settings


class ScopeMissing(APIException):
    status_code = 403

    def __init__(self, scope: Scope) -> None:
        message = f"This token lacks the scope “{scope}”."
        fix = f"Create a token with the scope “{scope}” on your account page."
        super().__init__({"code": "scope-missing", "detail": message, "fix": fix})


class TokenScope(BasePermission):
    """Reading needs the scope *read*; other requests that of the view, ``scope``: *organize*
    unless it says another. A request without a token has no scopes, only its user's permissions.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if isinstance(token, ApiToken):
            own = getattr(view, "scope", Scope.ORGANIZE)
            needed = Scope.READ if request.method in SAFE_METHODS else Scope(own)
            if needed not in token.scopes:
                raise ScopeMissing(needed)
        return True
