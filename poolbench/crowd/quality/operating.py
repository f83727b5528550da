"""Operating characteristics of the stop rule: whom it stops, and how soon. Exact."""

from __future__ import annotations

from collections.abc import Iterator

from poolbench.crowd.quality.stop_rule import (
    StopRule,
    estimate_gold_answers,
    stop_rule_probabilities,
)

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
