"""The cards of the page of stopping."""

from __future__ import annotations

from poolbench.reliability.stopping import movement, remaining_relevant

CARDS = (remaining_relevant.CARD, movement.CARD)
