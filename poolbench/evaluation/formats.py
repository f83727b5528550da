"""Scores as a report; the text of trec_eval has a writer of its own."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.trec_eval_text import (
    ALL,
    LABEL,
    OutputValue,
    format_score_value,
    overall_values,
    scores_to_trec_eval,
    topic_values,
)
from poolbench.reports.csv import merge_conditions
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats


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
