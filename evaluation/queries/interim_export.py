"""Interim scores as a report. They have no marks: a test before the end of judging says nothing."""

from __future__ import annotations

from datetime import datetime

from evaluation.queries.interim_scores import InterimScores, rank_interim_runs
from poolbench.evaluation.comparison.formats import build_mean_column
from poolbench.evaluation.evaluate import product_version
from poolbench.reports.report import Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats

INTERIM = "Interim scores by the judgments so far: no result, and not to be published."


def build_interim_report(scores: InterimScores, by: str, policy: str, at: datetime) -> Report:
    """One line per run, best first by the measure ``by``, as of the moment ``at``."""
    names = [measure.name for measure in scores.measures]
    listed = rank_interim_runs(scores, by)
    columns = (
        *make_columns("run", "team", left=True),
        *map(build_mean_column, scores.measures),
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
