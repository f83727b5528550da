"""Score sets, interim scores and single runs as files: reports, and the format of trec_eval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from evaluation.models import LABELS
from evaluation.queries.comparison import mark_entries
from evaluation.queries.interim_scores import InterimScores, rank_interim_runs
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry, rank_entries
from poolbench.evaluation.comparison.formats import build_mean_column
from poolbench.evaluation.comparison.marks import CAPTION_OF_LETTERS, SignificanceMarks
from poolbench.evaluation.evaluate import product_version
from poolbench.evaluation.formats import FORMATS
from poolbench.number_formats import format_score
from poolbench.plain_data import to_plain
from poolbench.reports.late_runs import describe_late_runs, mark_late_runs
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import ENDINGS, make_formats
from poolbench.statistics.estimate import Estimate

RUN_FORMATS = ENDINGS | {"txt": "trec_eval"}
"""By the extension of the file."""
ENDS = ("low", "high", "topics_low", "topics_high", "place", "drawn_in")
"""Of an estimate, by measure: columns of files."""
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
    measures = [each for name in names for each in list_score_columns(leaderboard, name)]
    columns = (*make_columns("run", "team", left=True), *measures, Column("group", left=True))
    rows = [
        (entry.tag, entry.team, *list_score_values(entry, names), letters.get(entry.tag, ""))
        for entry in entries
    ]
    campaign, label = leaderboard.score_set.campaign, leaderboard.score_set.label
    late = [entry.tag for entry in entries if entry.after_release]
    table = Table(
        "leaderboard",
        columns,
        rows,
        caption=f"Scores of {campaign.title}, means over {len(leaderboard.topics)} topics.",
        notes=(
            *describe_kind(leaderboard),
            *((marks.caption, CAPTION_OF_LETTERS) if marks else ()),
            *describe_late_runs(late),
        ),
        summary=tuple(list_summary_rows(leaderboard, names)),
        marks=tuple(mark_cells(marks, entry.tag, len(columns)) for entry in entries),
    )
    return Report(
        title=f"Scores of {campaign.title}, qrels {leaderboard.score_set.qrels.version}",
        sections=[Section("Runs", (table,))],
        notes=(label, *describe_kind(leaderboard)) if label else (),
        conditions=leaderboard.score_set.provenance,
        record=build_leaderboard_record(leaderboard, letters),
        data=lambda: leaderboard_to_dict(leaderboard, letters),
    )


def list_score_columns(leaderboard: Leaderboard, name: str) -> list[Column]:
    """The mean; of an estimate also its interval."""
    mean = build_mean_column(leaderboard.measure(name))
    if not leaderboard.score_set.is_estimate:
        return [mean]
    return [mean, Column(f"{name}_interval", "95 % interval", left=True)]


def list_score_values(entry: LeaderboardEntry, names: Sequence[str]) -> Iterator[Any]:
    for name in names:
        yield entry.means[name]
        if entry.estimates:
            yield write_interval(entry.estimates[name].estimate)


def write_interval(estimate: Estimate) -> str:
    """``0.312 to 0.368``; a dash without one."""
    if estimate.low is None or estimate.high is None:
        return "–"
    return f"{format_score(estimate.low)} to {format_score(estimate.high)}"


def describe_kind(leaderboard: Leaderboard) -> tuple[str, ...]:
    """The sentence about scores of a sample, for those who have the table alone."""
    score_set = leaderboard.score_set
    return (score_set.label_reading,) if score_set.kind in LABELS else ()


def mark_cells(marks: SignificanceMarks | None, tag: str, columns: int) -> tuple[str, ...]:
    """The mark of the run beside the first measure, after run and team."""
    sign = marks.marks.get(tag, "") if marks else ""
    return ("", "", sign, *[""] * (columns - 3))


def list_summary_rows(leaderboard: Leaderboard, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Best, median and worst of all runs, visible or not."""
    spreads = [leaderboard.best_median_worst(name).as_dict() for name in names]
    for word in ("best", "median", "worst"):
        title = f"{word.capitalize()} of {len(leaderboard.means)}"
        values = [(spread[word], "") for spread in spreads]
        cells = [each for pair in values for each in pair[: 1 + leaderboard.score_set.is_estimate]]
        yield (title, "", *cells, "")


def build_leaderboard_record(leaderboard: Leaderboard, letters: Mapping[str, str]) -> Table:
    names = leaderboard.score_set.measures
    ends = [f"{name}_{end}" for name in names for end in ENDS if leaderboard.score_set.is_estimate]
    columns = make_columns("run", "team", *names, "withdrawn", "after_release", "group", *ends)
    rows = [
        (
            *(entry.tag, entry.team, *(entry.means[name] for name in names)),
            entry.withdrawn_at.isoformat() if entry.withdrawn_at else "",
            "yes" if entry.after_release else "",
            letters.get(entry.tag, ""),
            *list_ends(entry),
        )
        for entry in leaderboard.entries
    ]
    return Table("leaderboard", columns, rows)


def list_ends(entry: LeaderboardEntry) -> Iterator[Any]:
    """By measure what ``ENDS`` names; nothing of scores that are no estimates."""
    for each in entry.estimates.values():
        inner, wide = each.estimate, each.over_topics
        yield from (inner.low, inner.high, wide.low, wide.high, each.place, each.drawn_in)


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
        "kind": score_set.kind,
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
                **describe_estimates(entry),
                **({} if letters is None else {"group": letters.get(entry.tag, "")}),
            }
            for entry in leaderboard.entries
        ],
    }


def describe_estimates(entry: LeaderboardEntry) -> dict[str, Any]:
    """By measure the estimate and its intervals, if the scores are estimates."""
    if not entry.estimates:
        return {}
    return {
        "estimates": {n: to_plain(replace(e, run=entry.tag)) for n, e in entry.estimates.items()}
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
    report = Report(
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
    return mark_late_runs(report, {run.tag for run in scores.runs if run.after_release})


LEADERBOARD_FORMATS = make_formats(build_leaderboard_report)
INTERIM_FORMATS = make_formats(build_interim_report)
