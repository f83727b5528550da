"""The cards of all controls, for the docs."""

from __future__ import annotations

from crowd.core.pay import PAY_RULES
from crowd.core.quality.balanced import BALANCED
from crowd.core.quality.others import OTHERS
from crowd.core.quality.repeats import SELF_CONSISTENCY
from crowd.core.quality.stop_rule import STOP_RULE
from crowd.core.quality.straight_lining import STRAIGHT_LINING
from crowd.core.quality.time_floor import TIME_FLOOR
from crowd.core.quality.unsure import UNSURE
from crowd.core.quality.wilson import WILSON

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
