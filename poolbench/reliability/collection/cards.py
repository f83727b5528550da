"""The cards of the reusability report, in the order of its sections."""

from __future__ import annotations

from poolbench.reliability.collection import (
    condensed_lists,
    contributors,
    correction,
    depths,
    extrapolation,
    leave_one_group_out,
    reduced_judgments,
    stability,
)

CARDS = (
    contributors.CARD,
    leave_one_group_out.CARD,
    depths.CARD,
    extrapolation.CARD,
    stability.CARD,
    reduced_judgments.CARD,
    condensed_lists.CARD,
    correction.CARD,
)
