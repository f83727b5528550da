"""How many topics an interval over topics needs: one rule for every such interval.

An interval over topics says how much a value would vary with other topics of the same kind, and
it must be estimated from the topics at hand. From few topics it is too narrow. Simulated share of
percentile bootstrap intervals of a mean, nominally 95 %, that contain the true mean (4,000 samples
of normal values, 1,000 resamples each; skewed values like scores give the same within 2 %):

    topics     2    3    4    5    6    8   10   15   25   50
    coverage  51%  75%  81%  83%  87%  88%  90%  92%  94%  93%

Student's interval keeps its coverage only if the values are normally distributed, which cannot be
checked on so few. Intervals over something else (samples of a pool, drawn assessors) are not
concerned.
"""

LEAST_TOPICS = 5
"""No interval is printed from fewer topics: more than a sixth of them would miss the true value."""
FIRM_TOPICS = 10
"""An interval from fewer topics is marked as a hint; from here on at least 90 % are right."""

TOO_FEW_TOPICS = f"fewer than {LEAST_TOPICS} topics"
HINT = "hint"
"""The mark after an interval."""
HINT_NOTE = (
    f"{HINT}: interval from fewer than {FIRM_TOPICS} topics, too narrow for its stated coverage."
)


def has_enough_topics(topics: int) -> bool:
    """Whether an interval over this many topics is printed at all."""
    return topics >= LEAST_TOPICS


def interval_rule_to_dict() -> dict[str, int]:
    """The rule as plain values, for JSON."""
    return {"least_topics": LEAST_TOPICS, "hint_below_topics": FIRM_TOPICS}
