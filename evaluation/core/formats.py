"""Write scores: trec_eval's text, CSV (one value a line), JSON with the conditions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evaluation.core.evaluate import ScoredRun, or_none
from evaluation.core.measures.family import Measure

ALL = "all"
UNDEFINED = "null"


def trec_eval_text(runs: Sequence[ScoredRun], *, by_topic: bool = False) -> str:
    """What trec_eval 9 prints: each topic's block, then the block of all topics, a run at a time.

    An undefined value is printed as null.
    """
    return "".join(line for run in runs for line in _text_lines(run, by_topic))


def _text_lines(run: ScoredRun, by_topic: bool) -> Iterator[str]:
    if by_topic:
        for topic, measure, value in topic_values(run):
            yield _text_line(measure, topic, value)
    yield f"{'runid':<22}\t{ALL}\t{run.tag}\n"
    for measure, value in zip(run.measures, run.means, strict=True):
        yield _text_line(measure, ALL, value)


def _text_line(measure: Measure, topic: str, value: float | None) -> str:
    if value is None:
        shown = UNDEFINED
    else:
        shown = f"{value:.0f}" if measure.family.whole else f"{value:6.4f}"
    return f"{measure.name:<22}\t{topic}\t{shown}\n"


def topic_values(run: ScoredRun) -> Iterator[tuple[str, Measure, float | None]]:
    """``(topic, measure, value)``, topic by topic; measures of the summary are left out."""
    shown = [i for i, measure in enumerate(run.measures) if not measure.family.summary_only]
    for topic, row in zip(run.topics, run.values.tolist(), strict=True):
        for i in shown:
            yield topic, run.measures[i], or_none(row[i])


def csv_text(runs: Sequence[ScoredRun], *, by_topic: bool = False) -> str:
    """``run,measure,topic,value`` in full precision; undefined is an empty value."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["run", "measure", "topic", "value"])
    for run in runs:
        if by_topic:
            for topic, measure, value in topic_values(run):
                writer.writerow([run.tag, measure.name, topic, _exact(measure, value)])
        for measure, value in zip(run.measures, run.means, strict=True):
            writer.writerow([run.tag, measure.name, ALL, _exact(measure, value)])
    return stream.getvalue()


def json_text(runs: Sequence[ScoredRun], *, by_topic: bool = False) -> str:
    """A list of runs with conditions, means and reasons; undefined is null."""
    content = {"runs": [run_as_dict(run, by_topic=by_topic) for run in runs]}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def run_as_dict(run: ScoredRun, *, by_topic: bool) -> dict[str, Any]:
    """One run as plain values."""
    pairs = zip(run.measures, run.means, strict=True)
    answer: dict[str, Any] = {
        "run": run.tag,
        "conditions": run.conditions,
        "all": {measure.name: _exact(measure, value) for measure, value in pairs},
        "reasons": run.reasons,
    }
    if by_topic:
        topics: dict[str, dict[str, float | int | None]] = {topic: {} for topic in run.topics}
        for topic, measure, value in topic_values(run):
            topics[topic][measure.name] = _exact(measure, value)
        answer["topics"] = topics
    return answer


def _exact(measure: Measure, value: float | None) -> float | int | None:
    return int(value) if value is not None and measure.family.whole else value


FORMATS: dict[str, Callable[..., str]] = {
    "trec_eval": trec_eval_text,
    "csv": csv_text,
    "json": json_text,
}
