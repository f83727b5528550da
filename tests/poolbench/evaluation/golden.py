"""The golden outputs of trec_eval that lie with the real data, and what we print in their place.

``DEFECTS`` are the only lines in which a profile does not print what its program does.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import POOLBENCH, TREC_EVAL_9, TREC_EVAL_10, Profile
from poolbench.evaluation.trec_eval_text import scores_to_trec_eval
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.tables import RunTable

PROGRAMS = {"te9.0.8": TREC_EVAL_9, "te10.0": TREC_EVAL_10}
PARAMETERS = (
    *("P.1,3,7", "recall.2,2000", "iprec_at_recall.0.10,.20,.25,.75,.50"),
    *("ndcg.1=1,2=3,3=7,4=15", "ndcg_cut.3,10,50", "success.1,3", "set_F.0.5"),
    *("utility.2,-1,0,0", "Rprec_mult.0.5,1.0,1.5", "11pt_avg.0.25,0.5,0.75"),
)


class Tag(NamedTuple):
    """The options of one golden output: without ``complete`` it is trec_eval without -c."""

    complete: bool = True
    measures: Sequence[str] = ("all_trec",)
    by_topic: bool = True
    summary: bool = True
    choices: dict[str, Any] = {}

    def options(self, profile: Profile) -> ScoringOptions:
        topics = "judged" if self.complete else "common"
        return ScoringOptions(profile=profile, topics=topics, **self.choices)


TAGS = {
    "q": Tag(complete=False), "qc": Tag(), "qcl2": Tag(choices={"level": 2}),
    "qJ": Tag(complete=False, choices={"judged_only": True}),
    "qcJ": Tag(choices={"judged_only": True}), "qcM10": Tag(choices={"max_per_topic": 10}),
    "qcM100l2": Tag(choices={"max_per_topic": 100, "level": 2}),
    "official_c": Tag(measures=("official",), by_topic=False),
    "qn": Tag(complete=False, measures=("map", "bpref", "ndcg"), summary=False),
    "params": Tag(measures=PARAMETERS),
}  # fmt: skip

OPTION_SETS = {tag: asked.options(POOLBENCH) for tag, asked in TAGS.items() if tag[0] == "q"}
del OPTION_SETS["qn"]
"""Those of all measures by topic, under our own rules."""
DEFECTS = {
    "-nan": "With -J and no judged document retrieved, interpolated precision is 0/0.",
    "bogus document": "trec_eval 10 -c ranks one made-up document for a topic without any, and "
    "takes it out again of utility, but not where utility has parameters.",
    "exit 4": "trec_eval 10 without -c stops at the first topic that the run does not answer.",
}


class Case(NamedTuple):
    """One run of one golden folder."""

    folder: Path
    name: str

    def output(self, program: str, tag: str) -> Path:
        return self.folder / f"{self.name}.{program}.{tag}.out"

    def lines(self, program: str, tag: str) -> list[str]:
        """What the program printed."""
        return split(self.output(program, tag).read_bytes())

    def stopped(self, program: str, tag: str) -> bool:
        """Whether the program ended with an error."""
        return self.output(program, tag).with_suffix(".err").exists()

    def printed(self, program: str, tag: str) -> list[str]:
        """What we print in the place of the program."""
        asked = TAGS[tag]
        options = asked.options(PROGRAMS[program])
        # In the order of printing, as the command hands them over.
        measures = parse_measures(asked.measures, options.profile)
        scores = evaluate(self.run(), self.judged(), measures, options)
        text = scores_to_trec_eval([scores], by_topic=asked.by_topic, summary=asked.summary)
        return split(text.encode())

    def run(self) -> RunTable:
        return _run(self.folder / f"{self.name}.run")

    def judged(self) -> JudgmentTable:
        return _judged(self.folder / "qrels")


def cases(data: Path, pattern: str = "[01]*") -> list[Case]:
    """All runs of well-formed golden folders; 15_comments is for another reader."""
    folders = sorted((data / "trec_eval-golden").glob(pattern))
    return [
        Case(folder, path.stem)
        for folder in folders
        if (folder / "qrels").exists() and not folder.name.startswith("15")
        for path in sorted(folder.glob("*.run"))
    ]


@cache
def _run(path: Path) -> RunTable:
    return read_run(read_bytes(path), lenient=True)


@cache
def _judged(path: Path) -> JudgmentTable:
    return JudgmentTable.from_table(read_qrels(read_bytes(path)))


def lines_of(path: Path, names: set[str]) -> list[str]:
    """The lines of trec_eval's output about the measures ``names``."""
    lines = split(path.read_bytes())
    return [line for line in lines if line.split("\t")[0].strip() in names]


def split(text: bytes) -> list[str]:
    # Docnos and topics may hold Unicode line separators: split on newlines only.
    return text.decode().split("\n")[:-1]


def differences(case: Case, program: str, tag: str) -> Iterator[tuple[str | None, str, str]]:
    """``(defect, theirs, ours)`` of lines that are not the same; no defect: we are wrong.

    Where the program stopped, only the lines that it printed before are compared.
    """
    theirs, ours = case.lines(program, tag), case.printed(program, tag)
    if case.stopped(program, tag):
        ours = ours[: len(theirs)]
    for wanted, found in zip(theirs, ours, strict=True):
        if wanted != found:
            yield _defect(case, program, wanted, found), wanted, found


def _defect(case: Case, program: str, wanted: str, found: str) -> str | None:
    measure, topic, value = wanted.split("\t")
    ours = found.split("\t")
    if ours[:2] != [measure, topic]:
        return None
    if value.strip() == "-nan":
        return "-nan" if ours[2] == "0.0000" or topic == "all" else None
    unanswered = {*case.judged().topics, "all"} - set(case.run().topics)
    leaks = program == "te10.0" and measure.startswith("utility_") and topic in unanswered
    return "bogus document" if leaks else None
