"""The blocks of docs/agreement.md, docs/aggregation.md and docs/policies.md."""

from __future__ import annotations

from campaigns.core.cards import render_card_markdown, render_cards
from judging.core.aggregation.registry import MODELS
from judging.core.agreement.coefficient import AgreementCoefficient, Rows
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.variation import INTRACLASS, WITH_OTHERS
from judging.core.policies import FORMS
from judging.core.policy_rules import RULES
from judging.core.quality.report import CARDS


def _coefficients() -> str:
    return "\n".join(map(_section, COEFFICIENTS.values()))


def _policies() -> str:
    return render_cards([*(rule.card for rule in RULES.values()), *FORMS.values()], level=2)


def _section(coefficient: AgreementCoefficient) -> str:
    return "\n".join(
        [render_card_markdown(coefficient.card), *map(_example, coefficient.examples), ""]
    )


def _example(example: tuple[Rows, float]) -> str:
    rows, value = example
    lines = [" ".join("·" if grade is None else str(grade) for grade in row) for row in rows]
    table = "\n".join(f"    {line}" for line in lines)
    return f"Example, one line per assessor and one column per pair: {value:.4f} for\n\n{table}"


BLOCKS = {
    "aggregation.cards": lambda: render_cards(model.card for model in MODELS.values()),
    "agreement.coefficients": _coefficients,
    "agreement.variation": lambda: render_cards((INTRACLASS, WITH_OTHERS)),
    "agreement.quality": lambda: render_cards(CARDS.values()),
    "policies.cards": _policies,
}
