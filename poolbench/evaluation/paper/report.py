"""The tables of a paper as reports: own runs beside all runs, and the best own run by topic."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from poolbench.evaluation.paper.citation import write_conditions
from poolbench.evaluation.paper.results import PaperMeasure, PaperResults, PaperRun
from poolbench.evaluation.paper.verdict import judge_paper
from poolbench.number_formats import format_decimals
from poolbench.reports.late_runs import describe_late_runs
from poolbench.reports.report import Column, Report, Section, Table
from poolbench.reports.writers import make_formats
from poolbench.verdicts import verdict_to_data

DECIMALS = 3


def build_paper_runs_report(results: PaperResults, decimals: int = DECIMALS) -> Report:
    """The team's runs by measure, with best, median and worst of all runs below."""
    show = partial(format_decimals, decimals=decimals)
    has_intervals = any(run.intervals for run in results.runs)
    measures = [
        each
        for one in results.measures
        for each in list_measure_columns(one, show, has_interval=has_intervals)
    ]
    has_places = any(run.places[0] is not None for run in results.runs)
    last = (Column("place", "Place", undefined=""),) if has_places else ()
    columns = (Column("run", "Run", left=True), *measures, *last)
    spreads = [spread.as_dict() for spread in results.spreads]
    width = 1 + has_intervals
    summary = [
        (
            f"{word.capitalize()} of {results.count}",
            *list_cells([spread[word] for spread in spreads], None, width),
            *(None for _ in last),
        )
        for word in ("best", "median", "worst")
    ]
    rows = [
        (run.tag, *list_values(run, decimals), *run.places[: len(last)]) for run in results.runs
    ]
    table = Table(
        "runs",
        columns,
        rows,
        caption=f"Runs of {results.team} in {results.conditions.title}, means over "
        f"{results.conditions.topics} topics"
        f"{f'; place by {results.main.mean_title}' if has_places else ''}.",
        notes=tuple(iter_notes(results)),
        summary=tuple(summary),
        marks=tuple(
            ("", *list_cells(run.marks, "", width), *("" for _ in last)) for run in results.runs
        ),
    )
    return Report(
        title=f"{results.team}: runs",
        sections=[Section("", (table,))],
        conditions=list_conditions(results),
        record=Table("runs", columns, rows),
        data=lambda: serialize_paper(results),
    )


def iter_notes(results: PaperResults) -> Iterator[str]:
    yield "Best of these runs in bold."
    yield from results.notes
    if results.conditions.reading:
        yield results.conditions.reading
    if withdrawn := ", ".join(run.tag for run in results.runs if run.is_withdrawn):
        yield f"Withdrawn after the release: {withdrawn}."
    yield from describe_late_runs(results.late_tags)


def list_cells(values: Sequence[Any], empty: Any, width: int) -> list[Any]:
    """Each of ``values`` in ``width`` columns, of which the others are ``empty``."""
    return [each for value in values for each in (value, *[empty] * (width - 1))]


def list_measure_columns(
    measure: PaperMeasure, show: Callable[[float | None], str], *, has_interval: bool
) -> list[Column]:
    """The mean; of estimates also its interval."""
    best = "" if measure.better == "neither" else measure.better
    mean = Column(measure.name, measure.mean_title, show, undefined="–", best=best)
    if not has_interval:
        return [mean]
    return [mean, Column(f"{measure.name}_interval", "95 % interval", undefined="")]


def list_values(run: PaperRun, decimals: int) -> Iterator[float | str | None]:
    """By measure the mean, and of estimates the interval in words."""
    for at, mean in enumerate(run.means):
        yield mean
        if run.intervals:
            ends = run.intervals[at].low, run.intervals[at].high
            ends_text = [format_decimals(end, decimals) for end in ends if end is not None]
            yield " to ".join(ends_text) or "none"


def build_paper_topics_report(results: PaperResults, decimals: int = DECIMALS) -> Report:
    """The best own run by topic, in the order of its lead over the median."""
    show = partial(format_decimals, decimals=decimals)
    tag = results.lead_run.tag if results.lead_run else "run"
    ends = ("median", "best", "worst")
    columns = (
        Column("topic", "Topic", left=True),
        Column("title", "Title", left=True),
        Column("value", tag, show, undefined="–"),
        *(Column(name, name.capitalize(), show, undefined="–") for name in ("lead", *ends)),
    )
    rows = [
        (topic.number, topic.title, topic.value, topic.lead, *map(topic.spread.as_dict().get, ends))
        for topic in results.topics
    ]
    caption = (
        f"{results.main.title} of {tag} by topic, beside median, best and worst of "
        f"{results.count} runs, in the order of the lead over the median."
    )
    table = Table("topics", columns, rows, caption)
    return Report(
        title=f"{results.team}: {results.main.title} by topic",
        sections=[Section("", (table,))],
        conditions=list_conditions(results),
        record=table,
        data=lambda: serialize_paper(results),
    )


def list_conditions(results: PaperResults) -> dict[str, Any]:
    """Of the files: the provenance of the scores, and what a paper says about them."""
    one = results.conditions
    return {
        "campaign": one.slug,
        "team": results.team,
        "qrels": one.qrels,
        "pool": one.pool,
        "significance": one.test,
        "marks": list(results.notes),
        "sentence": write_conditions(results),
        "scores": dict(one.provenance),
    }


def serialize_paper(results: PaperResults) -> dict[str, Any]:
    """Everything as plain values: the content of the API and of JSON files."""
    names = [measure.name for measure in results.measures]
    return {
        "conditions": list_conditions(results),
        "verdict": verdict_to_data(judge_paper(results)),
        "measures": {measure.name: measure.mean_title for measure in results.measures},
        "runs_in_all": results.count,
        "runs": [run_to_dict(run, names) for run in results.runs],
        "spread": {
            name: spread.as_dict() for name, spread in zip(names, results.spreads, strict=True)
        },
        "topics": [
            {
                "topic": topic.number,
                "value": topic.value,
                "lead": topic.lead,
                **topic.spread.as_dict(),
            }
            for topic in results.topics
        ],
    }


def run_to_dict(run: PaperRun, names: list[str]) -> dict[str, Any]:
    ends = zip(names, run.intervals, strict=False)
    intervals = {name: [each.low, each.high] for name, each in ends}
    by_measure = zip(names, run.means, run.places, run.marks, strict=True)
    return {
        "run": run.tag,
        "withdrawn": run.is_withdrawn,
        "after_release": run.is_after_release,
        "measures": {
            name: {"mean": mean, "place": place, "mark": mark}
            for name, mean, place, mark in by_measure
        },
        **({"intervals": intervals} if intervals else {}),
    }


RUNS_FORMATS = make_formats(build_paper_runs_report)
TOPICS_FORMATS = make_formats(build_paper_topics_report)
