"""The verdict on stopping where people judge a sample: is the order of the first runs settled?"""

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


def judge_sample(name: str, outcome: LookOutcome, unjudged: int) -> Verdict:
    """``unjudged`` pairs of the sample are left."""
    state, sentence = _decide_look(outcome)
    estimates = Act("See the estimates", "estimates")
    rest = Act("Let the rest be judged", "judging", documents=unjudged)
    freeze = Act("Freeze a qrels version", "qrels-list")
    acts = (freeze, estimates) if outcome.is_settled else (rest, estimates)[0 if unjudged else 1 :]
    return Verdict(
        name, state, sentence, _explain_look(outcome), _list_look_figures(outcome), acts, (LEVEL,)
    )


def _decide_look(outcome: LookOutcome) -> tuple[VerdictState, str]:
    if outcome.reason:
        return (
            VerdictState.UNKNOWN,
            f"Whether judging can stop cannot be determined: {outcome.reason}.",
        )
    title = format_measure_title(outcome.measure, over_topics=True)
    order = f"the order of the first {outcome.runs} runs by {title}"
    if outcome.is_settled:
        used = format_count(outcome.used, "pair")
        return VerdictState.GOOD, f"You can stop: {order} is settled after {used}."
    if outcome.more is None:
        hopeless = format_count(outcome.hopeless, "neighbouring pair")
        left = f"{hopeless} would need nearly all judgments"
        return VerdictState.AMBER, f"You can stop, but {order} is not settled: {left}."
    more = format_count(round_about(outcome.more), "more judgment")
    if outcome.used + outcome.more > outcome.planned:
        return VerdictState.AMBER, f"Plan a larger sample: {order} needs about {more}."
    return VerdictState.AMBER, f"Go on: {order} needs about {more}."


def _explain_look(outcome: LookOutcome) -> str:
    quantile = find_look_quantile(outcome.looks)
    return (
        f"Two runs are settled when their estimates are {quantile:.2f} standard errors apart, "
        f"which pays for {format_count(outcome.looks, 'planned look')}. Documents outside the "
        "pool, and how far assessors differ, are not covered."
    )


def _list_look_figures(outcome: LookOutcome) -> tuple[KeyFigure, ...]:
    share = outcome.settled_pairs / outcome.pairs if outcome.pairs else None
    more = outcome.more and round_about(outcome.more)
    return (
        KeyFigure(
            "pairs of runs settled",
            share,
            "–" if share is None else f"{outcome.settled_pairs:,} of {outcome.pairs:,}",
            outcome.reason if share is None else "",
        ),
        KeyFigure(
            "more judgments for the first runs",
            None if more is None else float(more),
            "–" if more is None else f"about {more:,}",
            outcome.reason if more is None else "",
            scale=(0.0, float(max(1, outcome.planned))),
        ),
        KeyFigure(
            "looks",
            float(outcome.look),
            f"{outcome.look} of {outcome.looks}",
            f"{outcome.used:,} of {outcome.planned:,} pairs used",
            scale=(0.0, float(outcome.looks)),
        ),
    )
