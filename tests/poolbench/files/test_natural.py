import pytest

from poolbench.files.natural_sort import natural_sort_key


@pytest.mark.parametrize("ordered", [
    ["1", "2", "10", "100"], ["01", "1", "02", "2"],
    ["q", "q9", "q10", "q10a", "q10b2", "q10b10", "r1"], ["1-2", "1-10", "2-1"],
    ["0", "9" * 5_000, "1" + "0" * 5_000], ["", "0", "a", "é"],
])  # fmt: skip
def test_numbers_in_ids_count_as_numbers(ordered):
    assert sorted(ordered[1::2] + ordered[::2], key=natural_sort_key) == ordered
