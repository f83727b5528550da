"""Machines as grades or chances, in files and dicts, on the pairs of a sample."""

import numpy as np
import pytest

from poolbench.estimation.chances_file import ChancesTable
from poolbench.estimation.machine_files import (
    build_machine_input,
    find_top_grade,
    name_machines,
    read_machine,
    read_machine_file,
)
from poolbench.files.faults import InvalidFile
from poolbench.runs.tables import QrelsTable
from tests.poolbench.estimation.frames import make_frame
from tests.refusals import list_faults

FRAME = make_frame({"x": {"1": ["a", "b"]}}, {"1": ["a", "b", "c"]})
GRADES = {"1": {"a": 2, "b": 0}}
CHANCES = {"1": {"a": [0.1, 0.2, 0.7], "b": [0.5, 0.3, 0.2]}}


@pytest.mark.parametrize(
    ("data", "kind", "top"),
    [
        (b"1 0 a 1\n", QrelsTable, 1),
        (b"# by a model\n\n1 0 1 1\n", QrelsTable, 1),
        (b"1 Q0 a 1\n", QrelsTable, 1),
        (b"1 a 0.25 0.75\n", ChancesTable, 1),
        (b"1 a 0 1\n", ChancesTable, 1),
        (b"1 a .2 .3 .5\n", ChancesTable, 2),
    ],
)
def test_the_first_line_says_whether_a_file_has_chances(data, kind, top):
    table = read_machine_file(data)
    assert isinstance(table, kind)
    assert find_top_grade(table) == top


def test_all_faults_of_chances_are_listed_at_once_by_place():
    data = b"1 a .2 .3 .5\n1 b .2 .3 .1\n1 c .2 .8\n1 d .2 x .5\n1 a 0 0 1\n1 e 0 -1 2\n"
    faults = {(fault.code, fault.line) for fault in list_faults(read_machine_file, data)}
    assert faults == {("EH05", 2), ("EH02", 3), ("EH04", 4), ("EH06", 5), ("EH04", 6)}
    with pytest.raises(InvalidFile):
        read_machine(b"1 a .2 .3 .5\n", top=3)


def test_one_machine_or_several_by_name():
    assert name_machines(None) == name_machines({}) == {}
    for one in (GRADES, CHANCES, "file", b"1 0 a 1\n"):
        assert name_machines(one) == {"machine": one}
    for several in ({"m": GRADES, "n": CHANCES}, {"m": "file"}, {"m": b"1 0 a 1\n"}):
        assert name_machines(several) == several


def test_pairs_without_a_word_of_the_machine_have_none():
    graded = build_machine_input("m", read_machine(GRADES), FRAME)
    assert (graded.grades.tolist(), graded.chances) == ([2, 0, -1], None)
    likely = build_machine_input("m", read_machine(CHANCES), FRAME)
    assert likely.grades.tolist() == [2, 0, -1]
    wanted = [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [np.nan] * 3]
    np.testing.assert_allclose(likely.chances, wanted)


def test_what_is_wrong_with_a_machine_is_said():
    with pytest.raises(ValueError, match="m has no grade of any pair of the sample"):
        build_machine_input("m", read_machine({"2": {"a": 1}}), FRAME)
    with pytest.raises(ValueError, match=r"topic 1, document b: .* the sum 0\.9"):
        read_machine({"1": {"a": [0.5, 0.5], "b": [0.5, 0.4]}})
    with pytest.raises(ValueError, match="There are 3 chances instead of 2"):
        read_machine({"1": {"a": [0.5, 0.5], "b": [0.2, 0.3, 0.5]}})
