"""Scores as the text of trec_eval, which programs compare line by line with theirs.

It needs none of the reports, whose modules take a thirtieth of the time of a small evaluation.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.measures.counts import NUM_Q
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.profiles import PROFILES
from poolbench.statistics.estimate import nan_to_none

TREC_EVAL = "trec_eval"
SCORE_FORMATS = (TREC_EVAL, "csv", "json", "markdown", "latex", "html")
"""The names of ``poolbench.evaluation.formats.FORMATS``."""
UNDEFINED = "null"
ALL = "all"
LABEL = "label"
"""The condition that scores are labelled with, where they are no estimate."""
OutputValue = float | str | None


def scores_to_trec_eval(
    runs: Sequence[ScoredRun], *, by_topic: bool = False, summary: bool = True
) -> str:
    """The output of trec_eval: run by run, a block per topic, then the block of all topics.

    ``summary``: include the block of all topics; with several runs, or where the conditions of a
    run have a label, it starts with the run tag.
    An undefined value is printed as null.
    """
    several = len(runs) > 1
    labelled = any(LABEL in run.conditions for run in runs)
    lines = (
        _text_lines(run, by_topic, summary, several or labelled or _names_run(run)) for run in runs
    )
    return "".join(chain.from_iterable(lines))


def _text_lines(run: ScoredRun, by_topic: bool, summary: bool, named: bool) -> Iterator[str]:
    if by_topic:
        for topic, measure, value in topic_values(run):
            yield _text_line(measure, topic, value)
    if summary and named:
        label = f" ({run.conditions[LABEL]})" if LABEL in run.conditions else ""
        yield f"{'runid':<22}\t{ALL}\t{run.tag}{label}\n"
    for measure, value in overall_values(run) if summary else ():
        yield _text_line(measure, ALL, value)


def _names_run(run: ScoredRun) -> bool:
    # All measure sets of trec_eval contain both, so trec_eval prints the run tag with either.
    with_count = any(measure.family is NUM_Q for measure in run.measures)
    return PROFILES[run.conditions["profile"]].names_runs or with_count


def _text_line(measure: Measure, topic: str, value: OutputValue) -> str:
    text = UNDEFINED if value is None else format_score_value(measure, value)
    return f"{measure.name:<22}\t{topic}\t{text}\n"


def format_score_value(measure: Measure, value: float | str) -> str:
    """Four decimals; counts and texts as they are."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if measure.family.whole else f"{value:6.4f}"


def overall_values(run: ScoredRun) -> Iterator[tuple[Measure, float | None]]:
    """``(measure, value)`` over all topics; measures of text are left out."""
    pairs = zip(run.measures, run.overall, strict=True)
    return ((measure, value) for measure, value in pairs if not measure.family.text)


def topic_values(run: ScoredRun) -> Iterator[tuple[str, Measure, OutputValue]]:
    """``(topic, measure, value)``, topic by topic; summary-only measures are left out."""
    columns = [i for i, measure in enumerate(run.measures) if not measure.family.summary_only]
    printed = run.answered | PROFILES[run.conditions["profile"]].prints_unanswered
    texts = {i: run.texts[m.name] for i, m in enumerate(run.measures) if m.name in run.texts}
    rows = zip(run.topics, run.values.tolist(), printed.tolist(), strict=True)
    for at, (topic, row, is_printed) in enumerate(rows):
        for i in columns if is_printed else ():
            value = texts[i][at] if i in texts else nan_to_none(row[i])
            yield topic, run.measures[i], value
