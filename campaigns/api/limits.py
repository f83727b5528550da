"""Limits on what the API reads and returns, and on requests by user. The settings name these."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.parsers import JSONParser
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from campaigns.models import User
from poolbench.files.json_texts import check_depth


class PlainJSONParser(JSONParser):
    """JSON that can be stored: no half of a surrogate pair, no number beyond 64 bits."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            data = check_depth(super().parse(stream, media_type, parser_context))
        except (RecursionError, ValueError) as error:
            raise ParseError("The JSON is nested too deeply.") from error
        if not is_storable_json(data):
            raise ParseError("The JSON contains a number or character that cannot be stored.")
        return data


def is_storable_json(data: Any) -> bool:
    if isinstance(data, dict):
        return all(is_storable_json(key) and is_storable_json(value) for key, value in data.items())
    if isinstance(data, list):
        return all(map(is_storable_json, data))
    if isinstance(data, str):
        return data == data.encode("utf-8", "ignore").decode()
    return not isinstance(data, int) or -(2**63) <= data < 2**63


class LimitPagination(LimitOffsetPagination):
    max_limit = 1000


class TolerantThrottle(SimpleRateThrottle):
    """Lets requests pass if they cannot be counted, as on a full disk.

    Counts are kept in Django's cache (``CACHE_URL``), by default files in ``POOLBENCH_VAR``,
    which all web processes share. Two requests at the very same time may count once: the limits
    are for programs that run away, not for billing.
    """

    setting = ""

    def get_rate(self) -> str | None:
        return getattr(settings, self.setting) or None

    def allow_request(self, request: Any, view: Any) -> bool:
        try:
            return super().allow_request(request, view)
        except Exception:  # every cache has errors of its own
            return True


class ApiThrottle(TolerantThrottle, UserRateThrottle):
    """All API requests of a user, or of an address without a user."""

    scope = "api"
    setting = "POOLBENCH_API_RATE"


class CrowdThrottle(TolerantThrottle):
    """Pages of crowd workers, by address: links, units, answers."""

    scope = "crowd"
    setting = "POOLBENCH_CROWD_RATE"

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 (the library's)
        return self.cache_format % {"scope": self.scope, "ident": request.META["REMOTE_ADDR"]}


class AnonymousThrottle(TolerantThrottle, AnonRateThrottle):
    """API requests of an address without a user."""

    scope = "anonymous"
    setting = "POOLBENCH_ANONYMOUS_RATE"


class UploadThrottle(TolerantThrottle):
    """Uploaded files of a user, on pages and by API."""

    scope = "upload"
    setting = "POOLBENCH_UPLOAD_RATE"

    def __init__(self, user: User) -> None:
        self.user = user
        super().__init__()

    def get_cache_key(self, request: Any, view: Any) -> str:  # noqa: ARG002 (the library's)
        return self.cache_format % {"scope": self.scope, "ident": self.user.pk}
