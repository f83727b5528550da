"""JSON that others wrote: bounded, and every failure a ValueError."""

from __future__ import annotations

import pytest

from poolbench.files.json_texts import MAX_DEPTH, check_depth, parse_json, parse_json_at


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_depth_is_allowed_up_to_the_limit():
    assert parse_json(nested(MAX_DEPTH)) is not None
    with pytest.raises(ValueError, match="too deeply"):
        parse_json(nested(MAX_DEPTH + 1))


def test_objects_and_lists_count_alike():
    with pytest.raises(ValueError, match="limit: 100"):
        parse_json('{"a":[' * 60 + "]}" * 60)


def test_depth_beyond_pythons_own_limit_is_the_same_error():
    for text in ("[" * 200_000, '{"a":' * 200_000):
        with pytest.raises(ValueError, match=r"\w"):
            parse_json(text)
        with pytest.raises(ValueError, match=r"\w"):
            parse_json_at(text, 0)


@pytest.mark.parametrize("text", ["9" * 5000, '{"a": -' + "9" * 5000 + "}", "[1, " + "8" * 9999])
def test_integers_of_thousands_of_digits_are_a_value_error(text):
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(text)
    with pytest.raises(ValueError, match=r"\w"):
        parse_json_at(text, 0)


def test_width_is_not_depth():
    assert len(check_depth([[1], [2], {"a": [3]}] * 10_000)) == 30_000
