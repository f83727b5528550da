"""JSON that others wrote: bounded, and every failure a ValueError."""

import pytest

from poolbench.files.json_texts import MAX_DEPTH, check_depth, parse_json, parse_json_at


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_depth_is_allowed_up_to_the_limit():
    assert parse_json(nested(MAX_DEPTH)) is not None
    # Objects and lists count alike.
    for text in (nested(MAX_DEPTH + 1), '{"a":[' * 60 + "]}" * 60):
        with pytest.raises(ValueError, match="too deeply, limit: 100"):
            parse_json(text)


@pytest.mark.parametrize("text", [
    "[" * 200_000, '{"a":' * 200_000,  # beyond Python's own limit
    "9" * 5000, '{"a": -' + "9" * 5000 + "}", "[1, " + "8" * 9999,
])  # fmt: skip
def test_depth_or_digits_without_end_are_a_value_error(text):
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(text)
    with pytest.raises(ValueError, match=r"\w"):
        parse_json_at(text, 0)


def test_width_is_not_depth():
    assert len(check_depth([[1], [2], {"a": [3]}] * 10_000)) == 30_000
