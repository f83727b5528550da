"""Prose or columns, decided for a text as a whole. The texts here were written for these tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.texts.text_layout import SAMPLE, LineShares, compute_line_shares, identify_text_kind

PARAGRAPH = (
    "A queue is filled, a process ends, and a thread comes back from the disk; whoever waits for"
    " one of them has made a bet: that the other side will answer. Most of the time it does."
)
CODE = '''# Wait for the first of several callables, within a limit.
import threading
import time


class NobodyAnswered(Exception):
    """None of the callables came back before the deadline."""


def first_result(calls, timeout, poll=0.01):
    deadline = time.monotonic() + timeout
    answers = []

    def run(call):
        answers.append(call())

    for call in calls:
        threading.Thread(target=run, args=(call,), daemon=True).start()
    while time.monotonic() < deadline:
        if answers:
            return answers[0]
    raise NobodyAnswered(f"{len(calls)} callables")
'''
C_CODE = """#include <stdio.h>
/* Prints its arguments, one a line. */
int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    printf("%s\\n", argv[i]);
  }
  return 0;
}
"""
TSV = "id\tname\theight\n" + "".join(f"{n}\tpeak {n}\t{3000 + n}\n" for n in range(9))
TABLE = """Station     Opened   Height
Ostbahnhof  1871       114
Seebad      1902         3
Bergheim    1911     1,204
Altmarkt    1923       118
"""
GRID = """+--------+-------+
| fruit  | grams |
+--------+-------+
| apple  |   182 |
| pear   |   178 |
+--------+-------+
"""
RFC = """Network Working Group                                           A. Author
Request for Comments: 9999                                     March 2024
Category: Informational

                      Waiting with a Limit

Abstract

   This memo describes how a client waits for an answer and when it
   gives up.  It applies to every exchange in which one of the peers
   may be silent for longer than the other is ready to wait.

1.  Introduction

   A client that waits without a limit cannot be told from one that
   has stopped.  This memo therefore asks clients to state a limit
   with every request, and servers to state when they exceed it.
"""
MAN = """WAIT(1)                     User Commands                    WAIT(1)

NAME
       wait - wait until a process has ended

SYNOPSIS
       wait [-n] [PID ...]

DESCRIPTION
       Waits for each process that is named and returns its exit
       status. Without a name it waits for all processes that are
       running in the background.
"""
MAIL = """From: Ada <ada@example.org>
To: Ben <ben@example.org>
Subject: Re: limits
Date: Tue, 5 Mar 2024 10:12:00 +0100

I think that we should set it to ten seconds.

> How long do we wait?
> And for whom?
"""
FOLDED_MAIL = "Received: from a.example.org\n  by b.example.org\nSubject: limits\n\nTen seconds.\n"
NEWSWIRE = """   LONDON (Example News) - Passengers waited for up to three hours
at the main station on Tuesday after a signal failed in the early
morning, the company said.
   A spokesman said that trains were running again by noon. He did
not say how many people had been affected by the failure, which was
the second within a week.
   The mayor called on the company to replace the signals before the
end of the year, as it had promised in the spring.
"""
HARD_WRAPPED = """Passengers waited for up to three hours at the main station on
Tuesday after a signal failed in the early morning, the company
said. A spokesman said that trains were running again by noon.

He did not say how many people had been affected by the failure,
which was the second within a week. The mayor called on the company
to replace the signals before the end of the year.
"""
LONG_LINES = "\n\n".join([PARAGRAPH] * 6)
TYPEWRITTEN = "\n\n".join(["A sentence.  Another one.  And a third:  this."] * 6)
LIST = "What to bring, since the hut sells nothing:\n\n" + "".join(
    f"  - {thing} for each of the days that you plan to stay\n" for thing in ("bread", "tea", "oil")
)
POEM = "\n".join(["I waited by the river", "until the boat was gone", "and then I waited on"] * 3)
MIXED_MOSTLY_PROSE = "\n\n".join(
    [*[PARAGRAPH] * 12, "    import queue\n    queue.get()", PARAGRAPH]
)
MIXED_MOSTLY_CODE = "\n\n".join([PARAGRAPH, CODE, PARAGRAPH])
HEBREW = "\n\n".join(["הרכבת המתינה בתחנה שלוש שעות, ואיש לא ידע מדוע היא אינה נוסעת."] * 5)
CHINESE = "\n\n".join(["火车在车站等了三个小时,没有人知道为什么。"] * 5)

EXPECTED = {
    "columns": {
        "code": CODE,
        "c code": C_CODE,
        "tsv": TSV,
        "table": TABLE,
        "grid": GRID,
        "rfc": RFC,
        "man page": MAN,
        "mail": MAIL,
        "folded mail": FOLDED_MAIL,
        "newswire": NEWSWIRE,
        "mostly code": MIXED_MOSTLY_CODE,
        "long fields": "\n".join("\t".join([PARAGRAPH] * 3) for _ in range(4)),
        "windows lines": CODE.replace("\n", "\r\n"),
    },
    "prose": {
        "empty": "",
        "blank": " \n\t\n",
        "one word": "word",
        "long lines": LONG_LINES,
        "hard-wrapped": HARD_WRAPPED,
        "two blanks after a sentence": TYPEWRITTEN,
        "list": LIST,
        "poem": POEM,
        "mostly prose": MIXED_MOSTLY_PROSE,
        "hebrew": HEBREW,
        "chinese": CHINESE,
        "one header line": "Note: trains wait.\n\n" + LONG_LINES,
    },
}
CASES = [(kind, name) for kind, texts in EXPECTED.items() for name in texts]


@pytest.mark.parametrize(("kind", "name"), CASES, ids=[name for _, name in CASES])
def test_a_text_has_one_layout_as_a_whole(kind, name):
    text = EXPECTED[kind][name]
    assert identify_text_kind(text).layout == kind, compute_line_shares(text)


def test_shares_are_counted_by_hand():
    """Of five lines that are not blank, one is aligned (and so has a layout), one is code, one is
    quoted and two are indented, of which the item of a list does not count.
    """
    text = "a\tb\n\nx = f(1)\n> so\n  set in\n  - an item\n"
    assert compute_line_shares(text) == LineShares(5, 0.6, 0.2, 0, 0.4)


def test_a_paragraph_of_three_full_lines_is_hard_wrapped():
    lines = ["w" * 60, "w" * 58, "w" * 12]
    assert compute_line_shares("\n".join(lines)).wrapped == 1
    assert compute_line_shares("\n".join(lines[1:])).wrapped == 0
    assert compute_line_shares("\n".join(["w" * 120, *lines])).wrapped == 0


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_long_text_is_judged_by_its_beginning_middle_and_end(at):
    """Columns in one of three samples are a third of the lines, as many as the rule needs."""
    parts = [HARD_WRAPPED * (10 * SAMPLE // len(HARD_WRAPPED)) for _ in range(3)]
    assert identify_text_kind("\n".join(parts)).layout == "prose"
    parts[at] = CODE * (10 * SAMPLE // len(CODE))
    assert identify_text_kind("\n".join(parts)).layout == "columns"


@given(st.text(max_size=300))
def test_every_text_has_a_layout_and_shares_between_0_and_1(text):
    shares = compute_line_shares(text)
    assert all(
        0 <= share <= 1
        for share in (shares.structured, shares.indented, shares.wrapped, shares.layout)
    )
    assert identify_text_kind(text).layout in ("prose", "columns")
