"""The verdict on a team's runs: where the best of them stands beside the median of all runs."""

from poolbench.evaluation.paper.results import PaperResults, PaperRun
from poolbench.files.faults import format_count
from poolbench.number_formats import format_decimals
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState

TIE = 1e-9
"""Differences this small are rounding errors."""
LEAST_RUNS = Threshold(
    "paper-runs",
    3,
    "Runs of the campaign, at least: the median of fewer is no comparison",
    "Poolbench, decision 0058",
)
ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def judge_paper(results: PaperResults) -> Verdict:
    """*Good*: the best own run has a mean above the median of all runs, and beats the median of a
    topic on more topics than it loses; *bad*: neither; *amber*: one of the two. Estimates are
    judged by the interval of the mean: above the median, below it, or holding it.
    """
    lead = results.lead_run
    if lead is None or results.count < LEAST_RUNS.value:
        return judge_too_few(results)
    median = results.main.lead(lead.means[0], results.spreads[0].median) or 0.0
    above, below = count_topics_beside_median(results)
    signs = [median > TIE, above > below]
    if results.is_estimate:
        signs = compare_interval(results, lead)
    state = VerdictState.GOOD if all(signs) else VerdictState.AMBER
    if not any(signs):
        state = VerdictState.BAD
    return Verdict(
        "paper",
        state,
        write_sentence(results, lead, above),
        write_reason(results),
        tuple(list_figures(results, lead, above, below)),
        acts=(Act("Download tables, figures and conditions", "paper-download", ("all", "zip")),),
        thresholds=(LEAST_RUNS,),
    )


def compare_interval(results: PaperResults, lead: PaperRun) -> list[bool]:
    """Whether the worse and the better end of the interval are better than the median."""
    ends = lead.intervals[0].low, lead.intervals[0].high
    leads = [results.main.lead(end, results.spreads[0].median) for end in ends]
    return [False, True] if None in leads else sorted((own or 0.0) > TIE for own in leads)


def judge_too_few(results: PaperResults) -> Verdict:
    runs = format_count(results.count, "run")
    sentence = f"The campaign has {runs}, too few for a median."
    if results.lead_run is None:
        sentence = f"{results.team} has no run with a score."
    return Verdict(
        "paper",
        VerdictState.UNKNOWN,
        sentence,
        f"A comparison with the median needs {LEAST_RUNS.value:g} runs of the campaign.",
        acts=(Act("Look at your runs", "runs"),),
        thresholds=(LEAST_RUNS,),
    )


def count_topics_beside_median(results: PaperResults) -> tuple[int, int]:
    """Topics on which the best own run is above and below the median of the topic."""
    leads = [topic.lead or 0.0 for topic in results.list_leads()]
    return sum(lead > TIE for lead in leads), sum(lead < -TIE for lead in leads)


def write_sentence(results: PaperResults, lead: PaperRun, above: int) -> str:
    place, median = lead.places[0], results.spreads[0].median
    score = f"{lead.tag} has {results.main.mean_title} {lead.means[0]:.3f}"
    if place is not None:
        score = (
            f"{lead.tag} is {format_ordinal(place)} of {results.count} runs by "
            f"{results.main.mean_title} with {lead.means[0]:.3f}"
        )
    if results.is_estimate:
        own = lead.intervals[0]
        interval = (
            "no interval" if own.low is None or own.high is None
            else f"interval {own.low:.3f} to {own.high:.3f}"
        )  # fmt: skip
        return f"{score} ({interval}) against a median of {median:.3f}."
    return (
        f"{score} against a median of {median:.3f}, and beats the median of a topic on {above} "
        f"of {len(results.list_leads())} topics."
    )


def write_reason(results: PaperResults) -> str:
    parts = []
    if pairs := results.pairs:
        parts.append(
            f"It is significantly better than {pairs.worse} of the {pairs.others} other runs and "
            f"significantly worse than {pairs.better} ({results.conditions.test})."
        )
    if not results.is_estimate and (leads := results.list_leads()):
        best, worst = leads[0], leads[-1]
        if (best.lead or 0.0) > TIE:
            parts.append(f"Its largest lead is on topic {best.number} ({best.lead:+.3f}).")
        if (worst.lead or 0.0) < -TIE:
            loss = format_decimals(worst.lead, 3, signed=True)
            parts.append(f"Its largest loss is on topic {worst.number} ({loss}).")
    return " ".join(parts)


def list_figures(results: PaperResults, lead: PaperRun, above: int, below: int) -> list[KeyFigure]:
    main, spread, total = results.main, results.spreads[0], len(results.list_leads())
    above_median = sum(
        (main.lead(run.means[0], spread.median) or 0.0) > TIE for run in results.runs
    )
    place = lead.places[0]
    topics = KeyFigure(
        "Topics above the median",
        above / total if total else None,
        f"{above} of {total}",
        f"{below} below it, {total - above - below} equal",
    )
    return [
        KeyFigure(
            f"{main.mean_title} of {lead.tag}",
            lead.means[0],
            f"{lead.means[0]:.3f}",
            f"median {spread.median:.3f}, best {spread.best:.3f}, worst {spread.worst:.3f}",
            scale=(min(0.0, spread.worst or 0.0), max(1.0, spread.best or 0.0)),
        ),
        *(
            ()
            if place is None
            else (
                KeyFigure(
                    "Place",
                    float(place),
                    f"{place} of {results.count}",
                    "among all runs of the campaign; equal scores share the better place",
                    scale=(1.0, float(results.count)),
                ),
            )
        ),
        *(() if results.is_estimate else (topics,)),
        KeyFigure(
            "Own runs above the median",
            above_median / len(results.runs),
            f"{above_median} of {len(results.runs)}",
            "by the mean over topics",
        ),
    ]


def format_ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    teen = 10 < number % 100 < 14
    return f"{number:,}{'th' if teen else ORDINALS.get(number % 10, 'th')}"
