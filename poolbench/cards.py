"""The card of anything that users choose by name: a measure, a pooling method, a coefficient.

A card describes what the code next to it computes. Pages, help texts and docs are generated
from cards, so they stay in step with the code.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, meaning, default and, if limited, the choices.

    ``kind`` says how its values are written; the parser of the values knows the kinds. A
    parameter without a default is required unless it is ``optional``.
    """

    name: str
    meaning: str
    default: str = ""
    choices: tuple[str, ...] = ()
    kind: str = "choice"
    optional: bool = False


@dataclass(frozen=True)
class Card:
    """``formula`` is plain text; ``reading`` is one sentence; ``undefined`` says when null."""

    name: str
    title: str
    formula: str
    reading: str
    source: str
    range: str = "0 to 1"
    parameters: tuple[Parameter, ...] = ()
    edge_cases: tuple[str, ...] = ()
    undefined: str = ""
    example: str = ""

    @property
    def card(self) -> "Card":
        """Itself: what is a card has one, as what holds one does."""
        return self


def render_card_markdown(card: Card, *, level: int = 3) -> str:
    lines = [f"{'#' * level} `{card.name}`: {card.title}", "", card.reading, ""]
    lines += ["```", card.formula, "```", ""]
    lines += [f"- Range: {card.range}."]
    lines += [f"- Parameter `{p.name}`: {_format_parameter(p)}" for p in card.parameters]
    lines += [f"- {case}" for case in card.edge_cases]
    lines += [f"- Undefined (null): {card.undefined}"] if card.undefined else []
    lines += [f"- Source: {card.source}"]
    lines += ["", f"Example: {card.example}"] if card.example else []
    return "\n".join([*lines, ""])


def render_cards(cards: Iterable[Card], *, level: int = 3) -> str:
    """The cards as sections of Markdown, in their order."""
    return "\n".join(render_card_markdown(card, level=level) for card in cards)


def card_anchor(card: Card) -> str:
    """The anchor of the card's section."""
    return heading_anchor(f"{card.name}: {card.title}")


def heading_anchor(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _format_parameter(parameter: Parameter) -> str:
    text = parameter.meaning
    if parameter.choices:
        text += f" One of {', '.join(f'`{choice}`' for choice in parameter.choices)}."
    if parameter.default:
        text += f" Default `{parameter.default}`."
    return text
