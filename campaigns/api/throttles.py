"""Limits on the number of requests per user: API calls and uploads.

Counts are kept in Django's cache, by default files in ``POOLBENCH_VAR``, which all web processes
share. Two requests at the very same time may count once: the limits are for programs that run
away, not for billing.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.throttling import SimpleRateThrottle, UserRateThrottle

from campaigns.models import User


class TolerantThrottle(SimpleRateThrottle):
    """Lets requests pass if they cannot be counted, as on a full disk."""

    setting = ""

    def get_rate(self) -> str | None:
        return getattr(settings, self.setting) or None

    def allow_request(self, request: Any, view: Any) -> bool:
        try:
            return super().allow_request(request, view)
        except OSError:
            return True


class ApiThrottle(TolerantThrottle, UserRateThrottle):
    """All API requests of a user, or of an address without a user."""

    scope = "api"
    setting = "POOLBENCH_API_RATE"


class UploadThrottle(TolerantThrottle):
    """Uploaded files of a user, on pages and by API."""

    scope = "upload"
    setting = "POOLBENCH_UPLOAD_RATE"

    def __init__(self, user: User) -> None:
        self.user = user
        super().__init__()

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 (the library's)
        return self.cache_format % {"scope": self.scope, "ident": self.user.pk}
