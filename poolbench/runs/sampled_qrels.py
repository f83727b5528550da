"""Judgments of a random sample of each pool, and their text formats.

``strata``: ``topic 0 docno stratum grade``, every pooled document with its stratum, grade
-1 if it is not in the sample (read by NIST's sample_eval.pl). ``prels``:
``topic docno grade method probability``, the judged documents with their inclusion
probabilities (read by the Million Query track's statAP program). ``frame``: the lines of prels for
all documents that could be drawn, grade -1 without a judgment; of a release with a further column
for the grades of each machine, named in a comment at the top.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile, ColumnLayout
from poolbench.files.faults import FaultReport, InvalidFile, escape_excerpt
from poolbench.runs.qrels import describe_invalid_grade, is_grade, qrels_from_rows, read_qrels
from poolbench.runs.tables import QrelsTable

StratumRow = tuple[str, str, str, int]
ProbabilityRow = tuple[str, str, int, float]
Fields = tuple[bytes, ...]

_HEAD = 1 << 16
"""Bytes in which the first line of a file is searched."""

_DECIMAL = re.compile(rb"(\d{1,9}\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_CERTAIN = (b"0", b"2")
"""Methods of prels whose documents were certain to be judged, sampled or not."""
_SAMPLED = 1
"""The method of prels for documents judged because they were sampled."""


@dataclass(frozen=True)
class SampledQrels:
    """Judgments of a sample; the columns are by row of ``qrels``.

    Grades below 0 are not in the sample. ``inclusion`` is the inclusion probability of each
    document, NaN outside the sample; ``strata`` names the stratum of each document, and is
    None if only probabilities are known. ``frame`` has the probability of each document, judged or
    not, as estimates from a sample need it, NaN where the file has none.
    """

    qrels: QrelsTable
    inclusion: NDArray[np.float64]
    strata: tuple[str, ...] | None = None
    frame: NDArray[np.float64] | None = None


def build_strata_sample(rows: Iterable[StratumRow]) -> SampledQrels:
    """A sample from ``(topic, docno, stratum, grade)`` rows of all pooled documents.

    The documents of a stratum with grades of at least 0 are treated as a random sample of
    fixed size. Raises ``ValueError`` as ``qrels_from_rows`` does.
    """
    listed = sorted(rows)
    qrels = qrels_from_rows((topic, docno, grade) for topic, docno, _, grade in listed)
    strata = tuple(stratum for _, _, stratum, _ in listed)
    number = number_strata(qrels, strata)
    is_sampled = qrels.grades >= 0
    pooled = np.bincount(number)
    rate = np.bincount(number[is_sampled], minlength=len(pooled)) / pooled
    return SampledQrels(qrels, np.where(is_sampled, rate[number], np.nan), strata)


def build_prels_sample(rows: Iterable[ProbabilityRow]) -> SampledQrels:
    """A sample from ``(topic, docno, grade, probability)`` rows; NaN: not in the sample.

    Raises ``ValueError`` for a probability that is not above 0 and at most 1, and as
    ``qrels_from_rows`` does.
    """
    listed = sorted(rows, key=lambda row: row[:2])
    qrels = qrels_from_rows((topic, docno, grade) for topic, docno, grade, _ in listed)
    frame = np.array([row[3] for row in listed], np.float64)
    inclusion = np.where(qrels.grades < 0, np.nan, frame)
    if ((inclusion <= 0) | (inclusion > 1)).any():
        raise ValueError("inclusion probabilities are above 0 and at most 1")
    frame[~((frame > 0) & (frame <= 1))] = np.nan
    return SampledQrels(qrels, inclusion, frame=frame)


def number_strata(qrels: QrelsTable, strata: Sequence[str]) -> NDArray[np.int64]:
    """By row of ``qrels``: its stratum as a number, from 0 across topics."""
    topic_of = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.starts)).tolist()
    numbers: dict[tuple[int, str], int] = {}
    pairs = zip(topic_of, strata, strict=True)
    return np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)


def write_strata(table: SampledQrels) -> bytes:
    """The sample with its strata as text; raises ``ValueError`` if it has none."""
    if table.strata is None:
        raise ValueError("the sample has probabilities but no strata")
    rows = zip(table.qrels.by_pair().items(), table.strata, strict=True)
    lines = [f"{topic} 0 {docno} {name} {grade}\n" for ((topic, docno), grade), name in rows]
    return "".join(lines).encode()


def write_prels(table: SampledQrels) -> bytes:
    """The judgments with their probabilities as text, NA outside the sample; the method is 1."""
    return "".join(_iter_prels(table.qrels, table.inclusion)).encode()


def write_frame(
    pairs: QrelsTable, probability: NDArray[np.float64], machines: Mapping[str, Sequence[int]] = {}
) -> bytes:
    """All ``pairs`` that could be drawn, as prels, grade -1 without one; ``machines``: the grades
    of each by pair, in a column more, -1 without one.
    """
    lines = _iter_prels(pairs, probability)
    if not machines:
        return "".join(lines).encode()
    head = f"# {' '.join([*_PRELS.columns, *machines])}\n"
    more = zip(*machines.values(), strict=True)
    rows = (
        f"{line.rstrip()} {' '.join(map(str, own))}\n"
        for line, own in zip(lines, more, strict=True)
    )
    return "".join([head, *rows]).encode()


def _iter_prels(pairs: QrelsTable, probability: NDArray[np.float64]) -> Iterator[str]:
    columns = zip(pairs.by_pair().items(), probability.tolist(), strict=True)
    for ((topic, docno), grade), own in columns:
        yield f"{topic} {docno} {grade} {_SAMPLED} {'NA' if isnan(own) else repr(own)}\n"


_STRATA = ColumnLayout(
    ("topic", "0", "docno", "stratum", "grade"),
    not_text="ES01",
    wrong_columns="ES02",
    empty="ES03",
    bom="WS01",
)
_PRELS = replace(_STRATA, columns=("topic", "docno", "grade", "method", "probability"))
_FRAME = replace(_PRELS, lenient=True)
"""No line may lack a probability; grades of machines may stand behind."""


def read_strata(data: bytes, *, file: str = "", report: FaultReport | None = None) -> SampledQrels:
    """The sample in ``data``, lines of ``topic 0 docno stratum grade``.

    Warnings go to ``report`` when one is given. Raises ``InvalidFile`` with every fault (ES01
    to ES06); a duplicate pair is an error even if the lines are equal.
    """
    source = ColumnFile(data, _STRATA, FaultReport(file) if report is None else report)
    rows = [
        (topic.decode(), docno.decode(), stratum.decode(), int(grade))
        for topic, _, docno, stratum, grade in _read_lines(source)
    ]
    return build_strata_sample(rows)


def read_prels(data: bytes, *, file: str = "", report: FaultReport | None = None) -> SampledQrels:
    """The sample in ``data``, lines of ``topic docno grade method probability``.

    Documents of methods 0 and 2 were also chosen by another algorithm, so they have
    probability 1. A judgment with probability NA is not in the sample. Warnings go to
    ``report`` when one is given. Raises ``InvalidFile`` with every fault (ES01 to ES07).
    """
    return _read_probabilities(
        ColumnFile(data, _PRELS, FaultReport(file) if report is None else report)
    )


def read_frame(data: bytes, *, file: str = "", report: FaultReport | None = None) -> SampledQrels:
    """All documents that could be drawn, as prels: those without a judgment have grade -1. Further
    columns, of machines, are not read.

    Faults as of ``read_prels``; ES07 also for one of them without a valid probability.
    """
    return _read_probabilities(
        ColumnFile(data, _FRAME, FaultReport(file) if report is None else report)
    )


def _read_probabilities(source: ColumnFile) -> SampledQrels:
    rows = [
        (topic.decode(), docno.decode(), int(grade), _inclusion(method, probability))
        for topic, docno, grade, method, probability in _read_lines(source)
    ]
    return build_prels_sample(rows)


def read_unsampled_qrels(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> QrelsTable:
    """``read_qrels``; a file whose first line has five columns is ES08, with the options."""
    report = FaultReport(file) if report is None else report
    first = _find_first_line(data)
    if len(first.split()) == len(_STRATA.columns):
        report.add(
            "ES08",
            "The file has 5 columns, as qrels of a sample have.",
            f"Use --qrels-format strata ({_STRATA.line_shape}) or "
            f"--qrels-format prels ({_PRELS.line_shape}).",
            excerpt=first,
        )
        raise InvalidFile(report)
    return read_qrels(data, file=file, report=report)


def _find_first_line(data: bytes) -> bytes:
    lines = data[:_HEAD].split(b"\n")
    return next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")


def is_frame_file(data: bytes) -> bool:
    """Whether a file has the columns of ``frame``, or more, and not those of qrels."""
    return len(_find_first_line(data).split()) >= len(_PRELS.columns)


def read_judged_pairs(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> SampledQrels:
    """A frame; or qrels, of which every judged pair was drawn for sure."""
    if is_frame_file(data):
        return read_frame(data, file=file, report=report)
    return take_judged_pairs(read_qrels(data, file=file, report=report))


def take_judged_pairs(qrels: QrelsTable) -> SampledQrels:
    """The judged pairs alone, each with probability 1."""
    rows = ((*pair, grade, 1.0) for pair, grade in qrels.by_pair().items() if grade >= 0)
    return build_prels_sample(rows)


READERS: Mapping[str, Callable[..., QrelsTable | SampledQrels]] = {
    "qrels": read_unsampled_qrels,
    "strata": read_strata,
    "prels": read_prels,
}
"""Readers of judgments by the name of their format."""


def _read_lines(source: ColumnFile) -> list[Fields]:
    """The fields of all lines; raises ``InvalidFile`` if any line has a fault."""
    rows: list[Fields] = []
    lines: list[int] = []
    for block in source.blocks():
        columns = [block.column(at).texts(slice(None)) for at in range(len(source.layout.columns))]
        fields = list(zip(*columns, strict=True))
        good = [i for i, row in enumerate(fields) if _is_valid_row(source, row, block.lines[i])]
        rows += [fields[i] for i in good]
        lines += [int(block.lines[i]) for i in good]
    _add_duplicates(source, rows, lines)
    source.report.raise_errors()
    return rows


def _is_valid_row(source: ColumnFile, row: Fields, line: int) -> bool:
    """Whether grade and probability of a line are valid; if not, a fault is added."""
    grade = source.layout.columns.index("grade")
    if not is_grade(row[grade]):
        fault = describe_invalid_grade(row[grade])
        source.add_fault("ES04", *fault, line=int(line), field=grade)
        return False
    is_frame = source.layout is _FRAME
    if source.layout is not _STRATA and not _is_valid_probability(*row[2:], is_needed=is_frame):
        message = (
            "The inclusion probability is not a number above 0 and at most 1:"
            f" {escape_excerpt(row[-1], 20)}."
        )
        fix = "Use a format such as 0.25, or NA for a judgment outside the sample."
        if is_frame:
            fix = "State the probability of every document of the frame, such as 0.25."
        source.add_fault("ES07", message, fix, line=int(line), field=len(row) - 1)
        return False
    return True


def _is_valid_probability(
    grade: bytes, method: bytes, probability: bytes, *, is_needed: bool
) -> bool:
    """Whether the probability is valid; outside a frame unjudged documents need none."""
    if probability == b"NA":
        return not is_needed
    if _DECIMAL.fullmatch(probability) is None:
        return False
    return 0 < _inclusion(method, probability) <= 1 or (int(grade) < 0 and not is_needed)


def _inclusion(method: bytes, probability: bytes) -> float:
    if method in _CERTAIN:
        return 1.0
    return float("nan") if probability == b"NA" else float(probability)


def _add_duplicates(source: ColumnFile, rows: Sequence[Fields], lines: Sequence[int]) -> None:
    docno = source.layout.columns.index("docno")
    first: dict[tuple[bytes, bytes], int] = {}
    for at, row in enumerate(rows):
        seen = first.setdefault((row[0], row[docno]), at)
        if seen == at:
            continue
        source.add_fault(
            "ES05" if rows[seen] == row else "ES06",
            f"Duplicate document in topic {row[0].decode()}: already on line {lines[seen]}"
            f"{'' if rows[seen] == row else ', with other values'}.",
            "Keep one line per topic and document.",
            line=lines[at],
            field=docno,
        )
