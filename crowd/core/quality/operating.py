"""Operating characteristics of the stop rule: whom it stops, and how soon. Exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crowd.core.quality.stop_rule import StopRule, estimate_gold_answers, stop_rule_probabilities

RULES = (StopRule(3, 0.6), StopRule(5, 0.6), StopRule(8, 0.6), StopRule(8, 0.7), StopRule(12, 0.6))
HONEST = (0.9, 0.8, 0.7)
SHORT, LONG, HORIZON = 20, 60, 300
SPAMMERS = ((0.25, "4 grades"), (1 / 3, "3 grades"), (0.5, "2 grades"))


@dataclass(frozen=True)
class RuleCharacteristics:
    """``honest`` has the probabilities of a stop within 20 and 60 gold documents by accuracy;
    ``spammers`` the share stopped within ``HORIZON`` and the expected gold documents of these.
    """

    rule: StopRule
    honest: tuple[tuple[float, float], ...]
    spammers: tuple[tuple[float, float], ...]


def compute_characteristics(rule: StopRule) -> RuleCharacteristics:
    """By dynamic programming over (gold answers, right ones)."""
    honest = []
    for accuracy in HONEST:
        stopped = stop_rule_probabilities(rule, accuracy, LONG)
        honest.append((sum(stopped[:SHORT]), sum(stopped)))
    spammers = []
    for accuracy, _ in SPAMMERS:
        stopped = stop_rule_probabilities(rule, accuracy, HORIZON)
        spammers.append((sum(stopped), estimate_gold_answers(stopped)))
    return RuleCharacteristics(rule, tuple(honest), tuple(spammers))


def render_operating_table() -> str:
    """The table of the docs, as Markdown."""
    return "\n".join(_operating_lines())


def _operating_lines() -> Iterator[str]:
    heads = [f"accuracy {accuracy:g}: 20 / 60" for accuracy in HONEST]
    heads += [f"guessing among {name}: gold documents" for _, name in SPAMMERS]
    yield f"| stop after, below | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for rule in RULES:
        row = compute_characteristics(rule)
        cells = [f"{short:.4f} / {long:.4f}" for short, long in row.honest]
        cells += [
            f"{expected:.1f}" + ("" if share > 0.995 else f" of the {share:.0%} stopped")
            for share, expected in row.spammers
        ]
        yield f"| {rule.after}, {rule.below:g} | {' | '.join(cells)} |"
