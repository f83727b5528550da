"""The verdict on stopping where people judge a sample: is the order of the first runs settled?"""

from __future__ import annotations

from poolbench.estimation.looks import LookOutcome, find_look_quantile, round_about
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.files.faults import format_count
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState

LEVEL = Threshold(
    "sample-level",
    0.05,
    "Probability that a settled pair of runs stands the wrong way round, over all planned looks "
    "together, at most",
    "Poolbench, decision 0103: Bonferroni over the looks",
)


def judge_sample(name: str, found: LookOutcome, unjudged: int) -> Verdict:
    """``unjudged`` pairs of the sample are left."""
    state, sentence = _decide(found)
    estimates = Act("See the estimates", "estimates")
    rest = Act("Let the rest be judged", "judging", documents=unjudged)
    freeze = Act("Freeze a qrels version", "qrels-list")
    acts = (freeze, estimates) if found.is_settled else (rest, estimates)[0 if unjudged else 1 :]
    return Verdict(name, state, sentence, _explain(found), _list_figures(found), acts, (LEVEL,))


def _decide(found: LookOutcome) -> tuple[VerdictState, str]:
    if found.reason:
        return (
            VerdictState.UNKNOWN,
            f"Whether judging can stop cannot be determined: {found.reason}.",
        )
    title = format_measure_title(found.measure, over_topics=True)
    order = f"the order of the first {found.runs} runs by {title}"
    if found.is_settled:
        used = format_count(found.used, "pair")
        return VerdictState.GOOD, f"You can stop: {order} is settled after {used}."
    if found.more is None:
        hopeless = format_count(found.hopeless, "neighbouring pair")
        left = f"judging this pool cannot settle {hopeless}"
        return VerdictState.AMBER, f"You can stop, but {order} is not settled: {left}."
    more = format_count(round_about(found.more), "more judgment")
    if found.used + found.more > found.planned:
        return VerdictState.AMBER, f"Plan a larger sample: {order} needs about {more}."
    return VerdictState.AMBER, f"Go on: {order} needs about {more}."


def _explain(found: LookOutcome) -> str:
    quantile = find_look_quantile(found.looks)
    return (
        f"Two runs are settled when their estimates are {quantile:.2f} standard errors apart, "
        f"which pays for {format_count(found.looks, 'planned look')}. Documents that nobody pooled, and "
        "how far assessors differ, are not covered."
    )


def _list_figures(found: LookOutcome) -> tuple[KeyFigure, ...]:
    share = found.settled / found.pairs if found.pairs else None
    more = found.more and round_about(found.more)
    return (
        KeyFigure(
            "pairs of runs settled",
            share,
            "–" if share is None else f"{found.settled:,} of {found.pairs:,}",
            found.reason if share is None else "",
        ),
        KeyFigure(
            "more judgments for the first runs",
            None if more is None else float(more),
            "–" if more is None else f"about {more:,}",
            found.reason if more is None else "",
            scale=(0.0, float(max(1, found.planned))),
        ),
        KeyFigure(
            "looks",
            float(found.look),
            f"{found.look} of {found.looks}",
            f"{found.used:,} of {found.planned:,} pairs used",
            scale=(0.0, float(found.looks)),
        ),
    )
