"""trec_eval's own tests: its files, its commands, its outputs, of both versions.

Left out are the measures of preferences (out.test.prefs, .qrels_prefs, .qrels_jg) and z-scores
(out.test.aqZ, -Z), which we do not have, and out.comment.test, whose run is not there.
"""

from pathlib import Path

import pytest

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.trec_eval_text import scores_to_trec_eval
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from tests.poolbench.evaluation.golden import PROGRAMS, Tag, split

FOLDERS = {"te9.0.8": ".", "te10.0": "v10.0"}
MEASURES = (
    *("iprec_at_recall..10,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000"),
    *("Rprec_mult.5.0,0.2,0.35", "utility.2,-1,0,0", "11pt_avg..25,.5,.75"),
    # trec_eval's test has 23.4 for the last cut-off and computes 23, as it says; we refuse 23.4.
    *("ndcg.1=3,2=9,4=4.5", "ndcg_cut.10,20,23", "success.2,5,20"),
)
LEFT_OUT = {"prefs", "qrels_prefs", "qrels_jg", "aqZ"}
AT_LEVEL_2 = Tag(False, ("all_trec", "relstring.20"), choices={"level": 2})
COMMANDS = {
    "out.test": ("qrels.test", "results.test", Tag(False, ("official",), by_topic=False)),
    "out.test.a": ("qrels.test", "results.test", Tag(False, by_topic=False)),
    "out.test.aq": ("qrels.test", "results.test", Tag(False)),
    "out.test.aqc": ("qrels.test", "results.trunc", Tag()),
    "out.test.aqcM": ("qrels.test", "results.trunc", Tag(choices={"max_per_topic": 100})),
    "out.test.aql": ("qrels.rel_level", "results.test", AT_LEVEL_2),
    "out.test.meas_params": ("qrels.test", "results.test", Tag(False, MEASURES)),
}
LINES = {"te9.0.8": 1498, "te10.0": 1731}


@pytest.fixture(scope="module")
def own_tests(data_dir: Path) -> Path:
    return data_dir / "trec_eval-golden" / "trec_eval_own_tests"


def wanted(path: Path) -> list[str]:
    """trec_eval 10's rbp reads memory that it never set; its residual is of another p."""
    return [line for line in split(path.read_bytes()) if not line.startswith("rbp")]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_line_is_that_of_the_program(own_tests: Path, program: str) -> None:
    compared = 0
    for output, (qrels, run, asked) in COMMANDS.items():
        options = asked.options(PROGRAMS[program])
        scores = evaluate(
            read_run(read_bytes(own_tests / run), lenient=True),
            read_qrels(read_bytes(own_tests / qrels)),
            parse_measures(asked.measures, options.profile),
            options,
        )
        lines = wanted(own_tests / FOLDERS[program] / output)
        assert split(scores_to_trec_eval([scores], by_topic=asked.by_topic).encode()) == lines, (
            output
        )
        compared += len(lines)
    assert compared == LINES[program]


def test_all_its_tests_are_told(own_tests: Path) -> None:
    found = {path.name for path in own_tests.glob("out.test*")}
    assert found == {*COMMANDS, *(f"out.test.{name}" for name in LEFT_OUT)}
