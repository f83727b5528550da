"""Sign-in of programs by API token. The settings name the class."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from campaigns.models import ApiToken, User
from campaigns.services.tokens import find_token, record_token_use

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
