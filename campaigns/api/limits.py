"""Limits on what the API reads and returns. The settings name these classes."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.parsers import JSONParser

from campaigns.core.json_texts import check_depth


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
