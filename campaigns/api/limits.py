"""Limits on what the API reads and returns, and on requests by user. The settings name these."""

from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.parsers import JSONParser
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from campaigns.models import User
from poolbench.files.json_texts import check_depth


class TooLarge(APIException):
    """A body beyond a limit of its parser."""

    status_code = 413

    def __init__(self, most: int, unit: str) -> None:
        message = f"The request is too large: at most {most:,} {unit}."
        super().__init__({"code": "too-large", "detail": message, "fix": "Send less at once."})


class PlainJSONParser(JSONParser):
    """JSON that can be stored: no half of a surrogate pair, no number beyond 64 bits.

    Objects, their names, lists and values count together: each may be an error of its own in the
    answer, which takes longer than reading it.
    """

    most_bytes, most_values = 1_000_000, 2_000

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        text = stream.read(self.most_bytes + 1)
        if len(text) > self.most_bytes:
            raise TooLarge(self.most_bytes, "bytes")
        try:
            data = super().parse(BytesIO(text), media_type, parser_context)
            values = list(islice(iter_json(check_depth(data)), self.most_values + 1))
        except (RecursionError, ValueError) as error:
            raise ParseError("The JSON is nested too deeply.") from error
        if len(values) > self.most_values:
            raise TooLarge(self.most_values, "names and values")
        if not all(map(is_storable, values)):
            raise ParseError("The JSON contains a number or character that cannot be stored.")
        return data


class PlanJSONParser(PlainJSONParser):
    """The assessors of each of two thousand topics."""

    most_values = 10_000


class BatchJSONParser(PlainJSONParser):
    """Thousands of judgments, in views that have checked before who sends them."""

    most_bytes, most_values = settings.DATA_UPLOAD_MAX_MEMORY_SIZE, 110_001


def iter_json(data: Any) -> Iterator[Any]:
    """The value, and all names and values in it."""
    waiting = [data]
    while waiting:
        yield (value := waiting.pop())
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value


def is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return value == value.encode("utf-8", "ignore").decode()
    return not isinstance(value, int) or -(2**63) <= value < 2**63


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
