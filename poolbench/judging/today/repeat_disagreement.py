"""Alarm: an assessor contradicts earlier judgments of their own."""

from __future__ import annotations

from collections import defaultdict

from poolbench.judging.today.alarm import LEVEL, Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import Situation
from poolbench.number_formats import format_percent
from poolbench.verdicts import Act, VerdictState

NAME = "repeats-disagree"
WINDOW = 12
MOST_APART = make_alarm_threshold(
    "repeats",
    3,
    "of an assessor's last 12 blind repeats disagree on whether the document is relevant",
)
USUAL_APART = make_alarm_threshold(
    "repeats-usual", 0.08, "share of repeats that disagree where nothing is wrong"
)


def check_repeats(situation: Situation) -> AlarmCheck:
    """By assessor: so many of the last ``WINDOW`` repeats disagree, and more than the binomial
    distribution lets expect, with the usual share or that of all other repeats of the campaign,
    whichever is larger.
    """
    from scipy.special import bdtrc

    least = MOST_APART.value
    by_assessor: dict[str, list[bool]] = defaultdict(list)
    for repeat in situation.repeats:
        by_assessor[repeat.assessor].append(repeat.agrees)
    enough = {name: rows[-WINDOW:] for name, rows in by_assessor.items() if len(rows) >= WINDOW}
    level = LEVEL / max(len(enough), 1)
    apart = sum(not repeat.agrees for repeat in situation.repeats)
    alarms = []
    for name, rows in enough.items():
        own = rows.count(False)
        others = len(situation.repeats) - WINDOW
        usual = max(USUAL_APART.value, (apart - own) / others if others else 0.0)
        # bdtrc is the probability of more than its first argument.
        if own >= least and float(bdtrc(own - 1, WINDOW, usual)) <= level:
            alarms.append(describe_repeats(name, own, usual))
    people = {*situation.log.assessors, *by_assessor}
    short = len(people) - len(enough)
    missing = f"{short} assessors have fewer than {WINDOW} blind repeats"
    return AlarmCheck(tuple(alarms), len(enough), missing if short else "")


def describe_repeats(name: str, own: int, usual: float) -> Alarm:
    return Alarm(
        NAME,
        name,
        VerdictState.AMBER,
        own,
        f"{own} of the last {WINDOW} blind repeats of {name} disagree on whether the document is "
        "relevant.",
        f"{format_percent(usual)} is usual. The document, the topic and the grade meanings come "
        "first: the repeats show which ones are hard to decide.",
        (
            Act("Self-consistency of all assessors", "assessor-quality"),
            Act("Clarify the guidelines", "campaign-settings"),
        ),
    )


REPEAT_DISAGREEMENT = AlarmRule(
    NAME,
    "Blind repeats",
    f"Of an assessor's last {WINDOW} blind repeats, more disagree on relevance than is usual.",
    (MOST_APART, USUAL_APART),
    worse=1,
    check=check_repeats,
)
