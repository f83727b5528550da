"""The tables of docs/verdicts.md, from the counts that ``verdicts_replay.py`` has made.

verdict_tables.py            prints them
verdict_tables.py --write    writes them into the page
"""

import csv
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.verdict_campaigns import NEW_KIND, SIMULATED  # noqa: E402
from benchmarks.verdict_real_campaigns import FEW_RUNS  # noqa: E402
from benchmarks.verdict_scorer import MEASURES  # noqa: E402
from poolbench.statistics.proportions import wilson_estimate  # noqa: E402
from poolbench.verdicts import ANSWERS, VerdictState  # noqa: E402

COUNTS = ROOT / "benchmarks/verdict_counts.csv"
PAGE = ROOT / "docs/verdicts.md"
BEGIN, END = "<!-- tables of benchmarks/verdict_tables.py -->", "<!-- end of the tables -->"
FIRST, ALIKE = ", first good", ", judged alike"
VERDICTS = ("agreement", "stopping", "leaderboard", "collection")
WRONG = "wrong "
ALWAYS = "wrong if always good"
COLUMNS = (*ANSWERS, *(WRONG + state for state in ANSWERS[::2]), ALWAYS)
FIELDS = ("kind", "verdict", "measure", "campaigns", *COLUMNS)


@dataclass
class Counts:
    """``campaigns`` by kind and verdict; ``answers`` by kind, verdict and measure, as ``COLUMNS``
    call them.
    """

    campaigns: Counter[tuple[str, str]] = field(default_factory=Counter)
    answers: dict[tuple[str, str, str], Counter[str]] = field(default_factory=dict)


def count_answer(
    counts: Counts, kind: str, verdict: str, measure: str, state: VerdictState, *, wrong: bool
) -> None:
    """``wrong``: "good" would have been; otherwise "not good enough" would."""
    answers = counts.answers.setdefault((kind, verdict, measure), Counter())
    answers[state] += 1
    answers[ALWAYS] += wrong
    if state in (VerdictState.GOOD, VerdictState.BAD):
        answers[WRONG + state] += wrong == (state is VerdictState.GOOD)


def read_counts(path: Path) -> Counts:
    counts = Counts()
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                kind, verdict, measure = (row[name] for name in FIELDS[:3])
                counts.campaigns[kind, verdict] = int(row["campaigns"])
                answers = {name: int(row[name]) for name in COLUMNS}
                counts.answers[kind, verdict, measure] = Counter(answers)
    return counts


def write_counts(path: Path, counts: Counts) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for key, answers in sorted(counts.answers.items()):
            kind, verdict, _ = key
            row = [answers[name] for name in COLUMNS]
            writer.writerow([*key, counts.campaigns[kind, verdict], *row])


def add_answers(
    counts: Counts, verdict: str, *, measure: str = "", kinds: Collection[str] = (), of: str = ""
) -> Counter[str]:
    """Summed over measures and kinds of campaigns; ``of`` is ``FIRST`` or ``ALIKE`` for answers
    named so. New kinds of runs, of which the sentence on a collection does not speak, are summed
    only where ``kinds`` names them.
    """
    total: Counter[str] = Counter()
    for (in_kind, name, title), answers in counts.answers.items():
        plain, _, suffix = title.partition(", ")
        if (name, suffix) != (verdict, of.removeprefix(", ")):
            continue
        is_of_kind = in_kind in kinds if kinds else of != ALIKE or in_kind != NEW_KIND
        if is_of_kind and plain == (measure or plain):
            total += answers
    return total


def format_rate(wrong: int, said: int) -> str:
    """With the interval of Wilson, 95 %."""
    if not said:
        return "–"
    estimate = wilson_estimate(wrong, said)
    low, high = (format_share(end or 0.0) for end in (estimate.low, estimate.high))
    share = f" = {format_share(wrong / said)} %" if wrong else ""
    return f"{wrong} of {said:,}{share} ({low if wrong else 0} to {high}{'' if wrong else ' %'})"


def format_share(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"


def format_rates(counts: Counts, state: VerdictState, **of: Any) -> Iterator[str]:
    """How often ``state`` was wrong, by verdict; of stopping the first "good", of collections that
    of new runs whose page does not warn.
    """
    is_good = state is VerdictState.GOOD
    for verdict in VERDICTS if is_good else VERDICTS[:2]:
        which = {"stopping": FIRST, "collection": ALIKE}.get(verdict, "") if is_good else ""
        answers = add_answers(counts, verdict, of=which, **of)
        yield format_rate(answers[WRONG + state], answers[state])


def list_rows(counts: Counts, state: VerdictState) -> Iterator[list[str]]:
    for measure in MEASURES:
        yield [measure, *format_rates(counts, state, measure=measure)]
    yield ["**all**", *format_rates(counts, state)]
    for kind in list_kinds(counts):
        yield [kind, *format_rates(counts, state, kinds=[kind])]


def list_kinds(counts: Counts) -> list[str]:
    """Simulated ones first."""
    kinds = {kind for kind, _, _ in counts.answers}
    real = sorted(kinds.difference(SIMULATED), key=lambda kind: (kind.endswith(FEW_RUNS), kind))
    return [*(kind for kind in SIMULATED if kind in kinds), *real]


def list_stops(counts: Counts) -> Iterator[list[str]]:
    """Of stopping, by measure, on parts of real campaigns with few runs."""
    few = [kind for kind in list_kinds(counts) if kind.endswith(FEW_RUNS)]
    for measure in MEASURES:
        first = add_answers(counts, "stopping", measure=measure, kinds=few, of=FIRST)
        each = add_answers(counts, "stopping", measure=measure, kinds=few)
        good, bad = (WRONG + state for state in ANSWERS[::2])
        yield [
            measure,
            f"{sum(first[state] for state in ANSWERS):,}",
            format_rate(first[good], first[VerdictState.GOOD]),
            format_rate(each[bad], each[VerdictState.BAD]),
        ]


def list_states(counts: Counts) -> Iterator[list[str]]:
    for verdict in VERDICTS:
        answers = add_answers(counts, verdict)
        cases = sum(answers[state] for state in ANSWERS)
        of = [number for (_, name), number in counts.campaigns.items() if name == verdict]
        shares = [f"{answers[name] / max(cases, 1):.0%}" for name in (*ANSWERS, ALWAYS)]
        yield [verdict, f"{sum(of):,}", f"{cases:,}", *(s.replace("%", " %") for s in shares)]


def write_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    first, *others = heads
    yield f"| {' | '.join((first, *others))} |"
    yield f"|---|{'--:|' * len(others)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def write_tables(counts: Counts) -> str:
    titles = ("", "agreement", 'stopping, first "good"', "leaderboard", "collection")
    states = ("good", "with care", "not good enough", "cannot be determined", ALWAYS)
    parts = (
        ["*Stopping on parts of real campaigns, 4 to 8 runs*", ""],
        write_table(
            ("measure", "parts", 'wrong first "good"', 'wrong "not good enough", each moment'),
            list_stops(counts),
        ),
        ["", '*Wrong "good"*', ""],
        write_table(titles, list_rows(counts, VerdictState.GOOD)),
        ["", '*Wrong "not good enough"*', ""],
        write_table(("", *VERDICTS[:2]), list_rows(counts, VerdictState.BAD)),
        ["", "*What was said*", ""],
        write_table(("verdict", "campaigns", "cases", *states), list_states(counts)),
    )
    return "\n".join(line for part in parts for line in part)


def print_tables(counts: Counts) -> None:
    print(write_tables(counts))


def fill_page(text: str, counts: Counts) -> str:
    """``text`` with the tables between ``BEGIN`` and ``END``."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{write_tables(counts)}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(fill_page(PAGE.read_text(), read_counts(COUNTS)))
    else:
        print_tables(read_counts(COUNTS))
