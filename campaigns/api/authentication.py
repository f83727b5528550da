"""Sign-in of programs by API token, and what a token may be used for. The settings name both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from campaigns.models import ApiToken, Scope, User
from campaigns.services.tokens import find_token, record_token_use

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports the classes of the settings

KEYWORDS = ("token", "bearer")


def read_token_key(header: str) -> str:
    """The key in a header ``Authorization: Token KEY`` or ``Bearer KEY``; otherwise empty."""
    keyword, _separator, key = header.strip().partition(" ")
    return key.strip() if keyword.lower() in KEYWORDS else ""


class ApiTokenAuthentication(TokenAuthentication):
    """``Authorization: Token KEY``, or ``Bearer KEY``; 401 for a key that is not valid."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        key = read_token_key(request.headers.get("Authorization", ""))
        return self.authenticate_credentials(key) if key else None

    def authenticate_credentials(self, key: str) -> tuple[User, ApiToken]:
        token = find_token(key)
        if token is None:
            raise AuthenticationFailed(_("Invalid token: unknown, expired or revoked."))
        record_token_use(token)
        token.user.token_campaign_id = token.campaign_id
        return token.user, token


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
