"""Files of chances per grade: what is read, and every fault of them."""

import numpy as np
import pytest

from poolbench.estimation.chances_file import read_chances
from poolbench.files.faults import InvalidFile


def test_chances_of_a_file():
    table = read_chances(b"# a model\n1 d1 0.2 0.5 0.3\n2\td2 .4 .4 .2\n", top=2)
    assert (table.topics, table.docnos) == (["1", "2"], ["d1", "d2"])
    np.testing.assert_array_equal(table.chances, [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
    assert list(table.iter_rows())[1] == ("2", "d2", 0, [0.4, 0.4, 0.2])  # the lower of two


def test_printed_with_few_digits_they_are_given_the_sum_1():
    table = read_chances(b"1 d1 0.33 0.33 0.33\n", top=2)
    np.testing.assert_allclose(table.chances, [[1 / 3] * 3], atol=1e-15)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (b"", {"EH03": 1}),
        (b"\xff\xfe1 d 1 0 0\n", None),
        (b"1 d1 .5 .5\n", {"EH02": 1}),
        (b"1 d1 .5 .5 0 0\n", {"EH02": 1}),
        (b"1 d1 1.2 -.2 0\n1 d2 nan .5 .5\n1 d3 x 0 1\n", {"EH04": 3}),
        (b"1 d1 .5 .48 0\n1 d2 .5 .49 0\n", {"EH05": 1}),
        (b"1 d1 1 0 0\n1 d1 1 0 0\n2 d1 1 0 0\n", {"EH06": 1}),
    ],
)
def test_faults_of_a_file(text, codes):
    with pytest.raises(InvalidFile) as caught:
        read_chances(text, top=2, file="chances.txt")
    counts = dict(caught.value.report.counts)
    assert counts == codes if codes else "EH01" in counts
