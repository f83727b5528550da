"""Interim scores as a report. They have no marks: a test before the end of judging says nothing."""

from __future__ import annotations

from datetime import datetime

from common.report.report import Column, Report, Section, Table, make_columns
from common.report.writers import make_formats
from evaluation.core.comparison.formats import format_p_value
from evaluation.core.evaluate import product_version
from evaluation.core.measures.titles import format_measure_title
from evaluation.queries.interim_scores import InterimScores

INTERIM = "Interim scores by the judgments so far: no result, and not to be published."


def build_interim_report(scores: InterimScores, by: str, policy: str, at: datetime) -> Report:
    """One line per run, best first by the measure ``by``, as of the moment ``at``."""
    names = [measure.name for measure in scores.measures]
    place, lower = names.index(by), scores.measures[names.index(by)].family.better == "lower"
    sign = 1 if lower else -1
    listed = sorted(
        zip(scores.runs, scores.means, strict=True),
        key=lambda row: (row[1][place] is None, sign * (row[1][place] or 0.0), row[0].tag),
    )
    columns = (
        *make_columns("run", "team", left=True),
        *(
            Column(
                measure.name,
                format_measure_title(measure.name, over_topics=True),
                format_p_value,
                best="" if measure.family.better == "neither" else measure.family.better,
            )
            for measure in scores.measures
        ),
    )
    rows = [(run.tag, run.team.name, *means) for run, means in listed]
    conditions = {
        "interim": True,
        "product": product_version(),
        "at": at.isoformat(timespec="seconds"),
        "policy": policy,
        "topics": sum(topic.judged > 0 for topic in scores.topics.values()),
        "judged_pairs": scores.judged,
        "undecided_pairs": scores.undecided,
    }
    table = Table("interim", columns, rows, "Interim scores of all runs", (INTERIM,))
    return Report(
        title="Interim scores",
        sections=[Section("Runs", (table,))],
        notes=(INTERIM,),
        conditions=conditions,
        record=table,
        data=lambda: {
            "conditions": conditions,
            "runs": [
                {"run": tag, "team": team, "means": dict(zip(names, means, strict=True))}
                for tag, team, *means in rows
            ],
        },
    )


INTERIM_FORMATS = make_formats(build_interim_report)
