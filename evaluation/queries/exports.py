"""Score sets, interim scores and single runs as files: reports, and the format of trec_eval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from evaluation.queries.comparison import mark_entries
from evaluation.queries.interim_scores import InterimScores, rank_interim_runs
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry, rank_entries
from poolbench.evaluation.comparison.formats import build_mean_column
from poolbench.evaluation.comparison.marks import CAPTION_OF_LETTERS, SignificanceMarks
from poolbench.evaluation.evaluate import product_version
from poolbench.evaluation.formats import FORMATS
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import ENDINGS, make_formats

RUN_FORMATS = ENDINGS | {"txt": "trec_eval"}
"""By the extension of the file."""
INTERIM = "Interim scores by the judgments so far: no result, and not to be published."
MIME = {
    "txt": "text/plain",
    "csv": "text/csv",
    "json": "application/json",
    "zip": "application/zip",
}


def run_scores_file(leaderboard: Leaderboard, entry: LeaderboardEntry, fmt: str) -> str:
    """The scores of one run by topic; ``fmt`` is a key of ``RUN_FORMATS``."""
    return FORMATS[RUN_FORMATS[fmt]]([leaderboard.as_scored_run(entry)], by_topic=True)


def leaderboard_to_csv(leaderboard: Leaderboard, *, by_topic: bool = False) -> str:
    """One line per run; ``by_topic``: one line per value. Undefined is an empty cell."""
    if by_topic:
        return FORMATS["csv"](
            [leaderboard.as_scored_run(entry) for entry in leaderboard.entries], by_topic=True
        )
    return LEADERBOARD_FORMATS["csv"](leaderboard)


def build_leaderboard_report(leaderboard: Leaderboard, visible: Sequence[str] = ()) -> Report:
    """One line per run: ``visible`` measures in tables, best run first by the first of them, with
    marks of significance and letters; all measures in CSV, by tag.
    """
    names = list(visible) or list(leaderboard.score_set.measures)
    ranked, undefined = rank_entries(leaderboard, names[0])
    entries = [*ranked, *undefined]
    marks = mark_entries(leaderboard, ranked, names[0])
    letters = marks.groups.letters if marks else {}
    measures = [build_mean_column(leaderboard.measure(name)) for name in names]
    columns = (*make_columns("run", "team", left=True), *measures, Column("group", left=True))
    rows = [
        (entry.tag, entry.team, *map(entry.means.get, names), letters.get(entry.tag, ""))
        for entry in entries
    ]
    campaign, label = leaderboard.score_set.campaign, leaderboard.score_set.label
    table = Table(
        "leaderboard",
        columns,
        rows,
        caption=f"Scores of {campaign.title}, means over {len(leaderboard.topics)} topics.",
        notes=(marks.caption, CAPTION_OF_LETTERS) if marks else (),
        summary=tuple(list_summary_rows(leaderboard, names)),
        marks=tuple(mark_cells(marks, entry.tag, len(columns)) for entry in entries),
    )
    return Report(
        title=f"Scores of {campaign.title}, qrels {leaderboard.score_set.qrels.version}",
        sections=[Section("Runs", (table,))],
        notes=(label,) if label else (),
        conditions=leaderboard.score_set.provenance,
        record=build_leaderboard_record(leaderboard, letters),
        data=lambda: leaderboard_to_dict(leaderboard, letters),
    )


def mark_cells(marks: SignificanceMarks | None, tag: str, columns: int) -> tuple[str, ...]:
    """The mark of the run beside the first measure, after run and team."""
    sign = marks.marks.get(tag, "") if marks else ""
    return ("", "", sign, *[""] * (columns - 3))


def list_summary_rows(leaderboard: Leaderboard, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Best, median and worst of all runs, visible or not."""
    spreads = [leaderboard.best_median_worst(name).as_dict() for name in names]
    for word in ("best", "median", "worst"):
        title = f"{word.capitalize()} of {len(leaderboard.means)}"
        yield (title, "", *(spread[word] for spread in spreads), "")


def build_leaderboard_record(leaderboard: Leaderboard, letters: Mapping[str, str]) -> Table:
    names = leaderboard.score_set.measures
    columns = make_columns("run", "team", *names, "withdrawn", "after_release", "group")
    rows = [
        (
            *(entry.tag, entry.team, *(entry.means[name] for name in names)),
            entry.withdrawn_at.isoformat() if entry.withdrawn_at else "",
            "yes" if entry.after_release else "",
            letters.get(entry.tag, ""),
        )
        for entry in leaderboard.entries
    ]
    return Table("leaderboard", columns, rows)


def leaderboard_to_dict(
    leaderboard: Leaderboard, letters: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The score set as plain values: provenance, best, median and worst, visible runs; with
    ``letters`` the group of each run.
    """
    score_set = leaderboard.score_set
    return {
        "score_set": score_set.pk,
        "campaign": score_set.campaign.slug,
        "qrels": score_set.qrels.version,
        "created_at": score_set.created_at.isoformat(),
        "released_at": score_set.released_at.isoformat() if score_set.released_at else None,
        "label": score_set.label,
        "conditions": score_set.provenance,
        "spread": {
            name: leaderboard.best_median_worst(name).as_dict() for name in score_set.measures
        },
        "runs": [
            {
                "run": entry.tag,
                "team": entry.team,
                "own": entry.own,
                "withdrawn_at": entry.withdrawn_at.isoformat() if entry.withdrawn_at else None,
                "after_release": entry.after_release,
                "run_scores": entry.scores if entry.opens else None,
                "means": dict(entry.means),
                **({} if letters is None else {"group": letters.get(entry.tag, "")}),
            }
            for entry in leaderboard.entries
        ],
    }


def build_interim_report(scores: InterimScores, by: str, policy: str, at: datetime) -> Report:
    """One line per run, best first by the measure ``by``, as of the moment ``at``. There are no
    marks: a test before the end of judging says nothing.
    """
    names = [measure.name for measure in scores.measures]
    columns = (*make_columns("run", "team", left=True), *map(build_mean_column, scores.measures))
    rows = [(run.tag, run.team.name, *means) for run, means in rank_interim_runs(scores, by)]
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


LEADERBOARD_FORMATS = make_formats(build_leaderboard_report)
INTERIM_FORMATS = make_formats(build_interim_report)
