"""Every line of every golden output of trec_eval 9.0.8 and 10.0, under the profile's name.

438,137 lines of 39 runs in 17 folders are compared. The lines that differ are those of
``golden.DEFECTS``; their number is stated here. Folders 20_*: test_golden_odd.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import PROFILES
from tests.examples import ALL, take
from tests.poolbench.evaluation.golden import DEFECTS, PROGRAMS, TAGS, Case, cases, differences


class Compared(NamedTuple):
    """How many outputs and lines there are, and how many of them have which defect."""

    outputs: int
    lines: int
    defects: dict[str, int]


COMPARED = {
    "te9.0.8": Compared(262, 213_950, {"-nan": 36}),
    "te10.0": Compared(262, 224_187, {"-nan": 126, "bogus document": 15, "exit 4": 9}),
}


def outputs(data: Path, program: str) -> list[tuple[Case, str]]:
    """The well-formed cases of ``data`` with the tags for which ``program`` has an output."""
    pairs = ((case, tag) for case in cases(data) for tag in TAGS)
    return [(case, tag) for case, tag in pairs if case.output(program, tag).exists()]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_line_is_that_of_the_program(data_dir: Path, program: str) -> None:
    lines, found = 0, Counter[str]()
    listed = outputs(data_dir, program)
    for case, tag in take(listed, 6):
        lines += len(case.lines(program, tag))
        found["exit 4"] += case.stopped(program, tag)
        for defect, theirs, ours in differences(case, program, tag):
            assert defect, (case, tag, theirs, ours)
            found[defect] += 1
    assert len(listed) == COMPARED[program].outputs
    if ALL:
        assert Compared(len(listed), lines, dict(+found)) == COMPARED[program]
    assert lines > 30_000


def test_every_defect_is_met() -> None:
    assert {name for compared in COMPARED.values() for name in compared.defects} == set(DEFECTS)


def test_where_trec_eval_10_stops_we_go_on(data_dir: Path) -> None:
    (case,) = cases(data_dir, "13*")
    assert [line.split("\t")[1] for line in case.lines("te10.0", "qn")] == ["351"] * 3
    assert [line.split("\t")[1] for line in case.printed("te10.0", "qn")] == [
        *["351"] * 3,
        *["353"] * 3,
    ]
    # Program 9 averages over the topics that run and qrels have in common, as we do then.
    assert [line for line in case.printed("te10.0", "q") if line.startswith("num_q")] == [
        line for line in case.lines("te9.0.8", "q") if line.startswith("num_q")
    ]


def test_a_profile_has_its_topics() -> None:
    assert [ScoringOptions(profile=profile).topics for profile in PROFILES.values()] == [
        *("judged", "common", "common")
    ]
    assert ScoringOptions(profile=PROFILES["trec_eval-9"], topics="judged").topics == "judged"
