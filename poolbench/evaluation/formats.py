"""Scores as a report, and as the output of trec_eval.

The text of trec_eval has a writer of its own: programs compare it line by line with theirs.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.measures.counts import NUM_Q
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.profiles import PROFILES
from poolbench.reports.csv import merge_conditions
from poolbench.reports.report import UNDEFINED, Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import nan_to_none

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


def build_scores_report(
    runs: Sequence[ScoredRun], *, by_topic: bool = False, summary: bool = True
) -> Report:
    """Runs × measures over all topics, and with ``by_topic`` topics × measures of each run. CSV has
    a line per value, JSON also the reasons for undefined ones.
    """
    return Report(
        title="Scores",
        sections=iter_score_sections(runs, by_topic=by_topic, summary=summary),
        conditions=merge_conditions([(run.tag, run.conditions) for run in runs]),
        record=Table(
            "scores",
            make_columns("run", "measure", "topic", "value"),
            chain.from_iterable(_records(run, by_topic, summary) for run in runs),
        ),
        data=lambda: {
            "runs": [run_scores_to_dict(run, by_topic=by_topic, summary=summary) for run in runs]
        },
    )


def iter_score_sections(
    runs: Sequence[ScoredRun], *, by_topic: bool, summary: bool
) -> Iterator[Section]:
    """All topics first; undefined values are explained below the table."""
    if summary and runs:
        rows = [(run.tag, *(value for _, value in overall_values(run))) for run in runs]
        measures = [measure for measure, _ in overall_values(runs[0])]
        reasons = (f"{name}: {why}" for run in runs for name, why in run.reasons.items())
        labels = (f"{r.tag}: {r.conditions[LABEL]}" for r in runs if LABEL in r.conditions)
        notes = tuple(dict.fromkeys([*labels, *reasons]))
        table = Table(ALL, _measure_columns("run", measures), rows, notes=notes)
        yield Section("All topics", (table,))
    for run in runs if by_topic else ():
        measures = [m for m in run.measures if not m.family.summary_only]
        values = groupby(topic_values(run), key=itemgetter(0))
        rows = [(topic, *(value for *_, value in group)) for topic, group in values]
        yield Section(run.tag, (Table("topics", _measure_columns("topic", measures), rows),))


def _measure_columns(first: str, measures: Iterable[Measure]) -> tuple[Column, ...]:
    scores = (Column(m.name, format=partial(format_score_value, m)) for m in measures)
    return (Column(first, left=True), *scores)


def _records(run: ScoredRun, by_topic: bool, summary: bool) -> Iterator[Sequence[OutputValue]]:
    for topic, measure, value in topic_values(run) if by_topic else ():
        yield run.tag, measure.name, topic, _exact(measure, value)
    for measure, value in overall_values(run) if summary else ():
        yield run.tag, measure.name, ALL, _exact(measure, value)


def run_scores_to_dict(run: ScoredRun, *, by_topic: bool, summary: bool = True) -> dict[str, Any]:
    """One run as plain values."""
    answer: dict[str, Any] = {"run": run.tag, "conditions": run.conditions}
    if summary:
        pairs = overall_values(run)
        answer["all"] = {measure.name: _exact(measure, value) for measure, value in pairs}
    answer["reasons"] = run.reasons
    if by_topic:
        topics: dict[str, dict[str, OutputValue]] = {topic: {} for topic in run.topics}
        for topic, measure, value in topic_values(run):
            topics[topic][measure.name] = _exact(measure, value)
        answer["topics"] = topics
    return answer


def _exact(measure: Measure, value: OutputValue) -> OutputValue:
    return int(value) if value is not None and measure.family.whole else value


FORMATS = make_formats(build_scores_report, text="trec_eval") | {"trec_eval": scores_to_trec_eval}
