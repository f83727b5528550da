"""The cards of all controls, for the docs."""

from __future__ import annotations

from poolbench.crowd.pay import PAY_RULES
from poolbench.crowd.quality.balanced import BALANCED
from poolbench.crowd.quality.others import OTHERS
from poolbench.crowd.quality.repeats import SELF_CONSISTENCY
from poolbench.crowd.quality.stop_rule import STOP_RULE
from poolbench.crowd.quality.straight_lining import STRAIGHT_LINING
from poolbench.crowd.quality.time_floor import TIME_FLOOR
from poolbench.crowd.quality.unsure import UNSURE
from poolbench.crowd.quality.wilson import WILSON

CARDS = (
    WILSON,
    BALANCED,
    STOP_RULE,
    TIME_FLOOR,
    STRAIGHT_LINING,
    SELF_CONSISTENCY,
    OTHERS,
    UNSURE,
)
PAY_CARDS = (PAY_RULES,)
