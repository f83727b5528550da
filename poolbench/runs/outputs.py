"""Write runs and qrels as the files that every program reads."""

import gzip
import os
from pathlib import Path

from poolbench.runs.inputs import QrelsSource, RunLike, read_qrels_table, read_run
from poolbench.runs.qrels import write_qrels as format_qrels
from poolbench.runs.tables import RunTable


def write_run(run: RunLike, path: str | os.PathLike[str], *, tag: str = "") -> None:
    """Write a run in TREC format, topics ascending, documents by rank.

    Parameters
    ----------
    run
        See ``read_run``.
    path : str or path
        Gzip if it ends in ``.gz``. Reading the file and writing it again gives the same bytes.
    tag : str, optional
        The run tag, instead of its own.

    Examples
    --------
    >>> import poolbench as pb, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mine"
    >>> pb.write_run({"1": {"b": 1.5, "a": 2.0}}, file, tag="mine")
    >>> print(file.read_text().rstrip())
    1 Q0 a 1 2.0 mine
    1 Q0 b 2 1.5 mine
    """
    write_packed(format_run(read_run(run, tag=tag)), path)


def write_qrels(qrels: QrelsSource, path: str | os.PathLike[str]) -> None:
    """Write qrels in TREC format, topics then docnos ascending.

    Parameters
    ----------
    qrels : path, bytes, dict, DataFrame or QrelsTable
        Not the result of ``read_qrels``, which has no docnos.
    path : str or path
        As in ``write_run``.

    Examples
    --------
    >>> import poolbench as pb, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> pb.write_qrels({"1": {"b": 0, "a": 2}}, file)
    >>> print(file.read_text().rstrip())
    1 0 a 2
    1 0 b 0
    """
    write_packed(format_qrels(read_qrels_table(qrels)), path)


def format_run(run: RunTable) -> bytes:
    scores = run.scores.tolist()
    lines = [
        f"{topic} Q0 {docno} {rank} {score!r} {run.tag}\n"
        for topic, rows in ((topic, run.rows(at)) for at, topic in enumerate(run.topics))
        for rank, (docno, score) in enumerate(
            zip(run.docnos[rows], scores[rows], strict=True), start=1
        )
    ]
    return "".join(lines).encode()


def write_packed(content: bytes, path: str | os.PathLike[str]) -> None:
    """The same content gives the same file: gzip without the time."""
    packed = gzip.compress(content, mtime=0) if Path(path).suffix == ".gz" else content
    Path(path).write_bytes(packed)
