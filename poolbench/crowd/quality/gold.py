"""Accuracy on gold: its Wilson interval, balanced by grade, and when a worker is stopped for it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from poolbench.cards import Card
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.proportions import wilson_estimate

WILSON = Card(
    name="gold-accuracy",
    title="Accuracy on gold, with its Wilson interval",
    formula="p = right / n;  (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.95996",
    reading=(
        "The share of gold documents on which a worker gave exactly the known grade, and the "
        "accuracies that are compatible with it at 95 % confidence."
    ),
    source=(
        "E. B. Wilson, Probable inference, the law of succession, and statistical inference, "
        "Journal of the American Statistical Association 22(158), 1927, 209–212."
    ),
    edge_cases=(
        "A skipped gold document is no answer: it is in neither right nor n.",
        "Of an answer that was changed, the latest revision counts.",
        "With 0 or n right the interval has one end at 0 or 1, never a width of 0.",
    ),
    undefined="no gold document was answered (n = 0); the interval is then 0 to 1.",
    example="8 right of 10: p = .8; z²/n = .38415; centre (.8 + .19207)/1.38415 = .71674; "
    "half width 1.95996 √(.016 + .0096037)/1.38415 = .22657; so .4902 to .9433.",
)


def compute_wilson_interval(right: int, n: int) -> Estimate:
    """The share of ``right`` among ``n`` answers; its interval is 0 to 1 without answers.

    Raises ``ValueError`` unless 0 ≤ ``right`` ≤ ``n``.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} of {n} answers cannot be right")
    return wilson_estimate(right, n) if n else Estimate(None, 0, 0.0, 1.0)


BALANCED = Card(
    name="balanced-accuracy",
    title="Accuracy on gold, balanced by grade",
    formula="b = mean over the gold grades of (right of that grade / shown of that grade)",
    reading=(
        "The mean share right of each gold grade: a worker who always gives the same grade, or "
        "guesses, comes to 1 / number of grades, however often each grade was shown."
    ),
    source=(
        "W. J. Youden, Index for rating diagnostic tests, Cancer 3(1), 1950, 32–35; for several "
        "grades, balanced accuracy as in K. H. Brodersen and others, The balanced accuracy and "
        "its posterior distribution, ICPR 2010."
    ),
    range="0 to 1",
    edge_cases=(
        "Grades that were not shown to the worker are left out of the mean.",
        "Skipped gold documents are left out.",
    ),
    undefined="no gold document answered.",
    example="Gold 0 0 0 1 2, answers 0 0 0 0 0: (3/3 + 0/1 + 0/1)/3 = .3333, although 3 of 5 are "
    "right: as much as guessing.",
)


def compute_balanced_accuracy(answers: Iterable[tuple[int, int]]) -> float | None:
    """From ``(known grade, given grade)`` of each gold document answered; None without any."""
    by_grade: dict[int, list[bool]] = defaultdict(list)
    for known, grade in answers:
        by_grade[known].append(known == grade)
    if not by_grade:
        return None
    return sum(sum(right) / len(right) for right in by_grade.values()) / len(by_grade)


FEWEST = 3
"""Gold answers before any worker can be stopped, whatever the settings of a study."""

STOP_RULE = Card(
    name="stop-rule",
    title="Stop rule",
    formula=(
        "stopped when n ≥ max(3, stop after)\nand the upper Wilson bound of right / n < stop below"
    ),
    reading=(
        "A worker is stopped only when even the upper bound of the accuracy on gold is too low: "
        "few answers give a wide interval, so few mistakes stop no worker."
    ),
    source=(
        "The interval of Wilson (1927), checked after every answer. The chance to be stopped at "
        "some time is computed exactly, by dynamic programming over (n, right); see the table."
    ),
    range="stopped or not",
    edge_cases=(
        "Settings below 3 gold answers count as 3.",
        "Gold answers from all units of the study count, those of trials do not.",
        "After an organizer has undone an exclusion, only gold answers given later count.",
    ),
    example="Stop after 8, below .6. 2 right of 8: upper bound .5907 < .6, stopped. "
    "3 right of 8: upper bound .6943, not stopped.",
)


@dataclass(frozen=True)
class StopRule:
    """``after`` gold answers at least; ``below`` is compared with the upper bound."""

    after: int
    below: float

    @property
    def fewest(self) -> int:
        return max(FEWEST, self.after)

    def is_met(self, gold: Estimate) -> bool:
        """Whether a worker with these answers is stopped."""
        return gold.n >= self.fewest and (gold.high or 0.0) < self.below

    def stops_at(self, right: int, n: int) -> bool:
        return self.is_met(compute_wilson_interval(right, n))


def is_stop_reason(reason: str) -> bool:
    """Whether ``reason`` is one of ``format_stop_reason``."""
    return reason.startswith("Stop rule: ")


def format_stop_reason(rule: StopRule, gold: Estimate) -> str:
    """The figures behind a stop, for the log and the organizer."""
    return (
        f"Stop rule: {gold.successes} of {gold.n} gold documents right; upper bound "
        f"{gold.high:.2f}, below {rule.below:g}."
    )


def stop_rule_probabilities(rule: StopRule, accuracy: float, most: int) -> list[float]:
    """The probability to be stopped at gold answer 1, 2, … ``most``: exact.

    Each answer is right with probability ``accuracy``, independently. The entry at ``n - 1`` is
    that of being stopped at the n-th answer and not before; together with the probability of
    never being stopped they add up to 1.
    """
    alive, stopped = [1.0], []
    for n in range(1, most + 1):
        following = [0.0] * (n + 1)
        for right, mass in enumerate(alive):
            following[right] += mass * (1 - accuracy)
            following[right + 1] += mass * accuracy
        ended = [rule.stops_at(right, n) for right in range(n + 1)]
        stopped.append(sum(mass for mass, end in zip(following, ended, strict=True) if end))
        alive = [0.0 if end else mass for mass, end in zip(following, ended, strict=True)]
    return stopped


def estimate_gold_answers(probabilities: Sequence[float]) -> float:
    """The expected number of gold answers until the stop, of those who are stopped."""
    total = sum(probabilities)
    if not total:
        return float("nan")
    return sum(n * mass for n, mass in enumerate(probabilities, 1)) / total


RULES = (StopRule(3, 0.6), StopRule(5, 0.6), StopRule(8, 0.6), StopRule(8, 0.7), StopRule(12, 0.6))
HONEST = (0.9, 0.8, 0.7)
SHORT, LONG, HORIZON = 20, 60, 300
SPAMMERS = ((0.25, "4 grades"), (1 / 3, "3 grades"), (0.5, "2 grades"))


def render_operating_table() -> str:
    """The table of the docs, as Markdown: by accuracy, the probabilities of a stop within 20 and 60
    gold documents; of those who guess, the expected gold documents of the ones that are stopped.
    """
    return "\n".join(_operating_lines())


def _operating_lines() -> Iterator[str]:
    heads = [f"accuracy {accuracy:g}: 20 / 60" for accuracy in HONEST]
    heads += [f"guessing among {name}: gold documents" for _, name in SPAMMERS]
    yield f"| stop after, below | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for rule in RULES:
        cells = []
        for accuracy in HONEST:
            stopped = stop_rule_probabilities(rule, accuracy, LONG)
            cells.append(f"{sum(stopped[:SHORT]):.4f} / {sum(stopped):.4f}")
        for accuracy, _ in SPAMMERS:
            stopped = stop_rule_probabilities(rule, accuracy, HORIZON)
            share, expected = sum(stopped), estimate_gold_answers(stopped)
            part = "" if share > 0.995 else f" of the {share:.0%} stopped"
            cells.append(f"{expected:.1f}{part}")
        yield f"| {rule.after}, {rule.below:g} | {' | '.join(cells)} |"
