"""Whether a file has the lines of a run or of qrels, for the words about swapped files."""

import re
from typing import Literal

START = 10_000
"""Bytes that are looked at."""
_NUMBER = re.compile(rb"[+-]?[\d.]+(?:[eE][+-]?\d+)?")
_GRADE = re.compile(rb"[+-]?\d{1,5}")
MISTAKEN = {
    "run": "this is a run (topic Q0 docno rank score tag), not qrels: these look swapped.",
    "qrels": "this is qrels (topic 0 docno grade), not a run: these look swapped.",
}


def find_file_form(data: bytes) -> Literal["run", "qrels", ""]:
    """The form of the first line that has text; empty if it is neither."""
    fields = next(filter(None, (line.split() for line in data[:START].splitlines())), [])
    if len(fields) >= 6 and _NUMBER.fullmatch(fields[4]):
        return "run"
    return "qrels" if len(fields) == 4 and _GRADE.fullmatch(fields[3]) else ""
