"""The files of an overview paper: tables and figures over all runs, and an appendix per team."""

import re
from collections.abc import Iterator, Sequence

from campaigns.models import Team
from evaluation.models import ScoreSet
from evaluation.queries.comparison import get_fixed_test, select_run_pairs
from evaluation.queries.exports import LEADERBOARD_FORMATS
from evaluation.queries.leaderboard import (
    Leaderboard,
    LeaderboardEntry,
    get_leaderboard,
    rank_entries,
)
from evaluation.queries.paper import can_test, choose_paper_measures, get_paper_results
from evaluation.queries.score_sets import organizer_reader
from poolbench.charts.chart import Chart
from poolbench.charts.file import write_chart_file
from poolbench.charts.kinds import build_bar_chart
from poolbench.charts.png import ChartTooLargeError, write_chart_png
from poolbench.evaluation.charts.topics import build_box_chart
from poolbench.evaluation.comparison.formats import FORMATS as PAIRS_FORMATS
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.evaluation.paper.files import TABLE_ENDINGS, iter_paper_files
from poolbench.files.natural_sort import natural_sort_key
from poolbench.reports.figures import write_chart_csv
from poolbench.reports.report import Report, Section, Table, make_columns
from poolbench.reports.writers import ENDINGS, WRITERS
from poolbench.statistics.box_plot import summarize_as_box

WORDS = ("best", "median", "worst")
UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)
README = """\
Tables and figures of {campaign} for an overview paper: score set {score_set}, qrels {qrels}
(sha256 {sha256}).

scores.*      all runs: means over {topics} topics, best first by the first measure
topics.*      best, median and worst run by topic
pairs.*       all run pairs by the first measure, with the test that was set in advance
figure-*.*    the same as figures: SVG, PNG at 300 dpi, and the numbers as CSV
teams/        for each team what it can download itself under "For a paper"
SHA256SUMS    hashes of all other files

Tables need the LaTeX packages booktabs and longtable.
"""


def iter_overview_files(
    score_set: ScoreSet, measures: Sequence[str] = ()
) -> Iterator[tuple[str, str | bytes]]:
    """Names and contents, team by team; the same scores give the same bytes."""
    leaderboard = get_leaderboard(score_set, organizer_reader(score_set.campaign))
    names = choose_paper_measures(leaderboard, measures)
    yield "README.txt", write_overview_readme(score_set)
    for ending in TABLE_ENDINGS:
        yield f"scores.{ending}", LEADERBOARD_FORMATS[ENDINGS[ending]](leaderboard, names)
    if names:
        yield from iter_tables(leaderboard, names[0])
        yield from iter_figures(build_overview_charts(leaderboard, names[0]))
    for number, team in enumerate(list_scored_teams(score_set), 1):
        results = get_paper_results(score_set, team, measures)
        if results is not None:
            folder = f"teams/{number:02d}-{UNSAFE.sub('_', team.name)}"
            for name, content in iter_paper_files(results):
                yield f"{folder}/{name}", content


def write_overview_readme(score_set: ScoreSet) -> str:
    qrels = score_set.qrels
    return README.format(
        campaign=score_set.campaign.title,
        score_set=score_set.pk,
        qrels=qrels.version,
        sha256=qrels.sha256,
        topics=len(score_set.topics),
    )


def list_scored_teams(score_set: ScoreSet) -> list[Team]:
    scored = score_set.runs.order_by().values("run__team")
    return list(score_set.campaign.teams.filter(pk__in=scored).order_by("name"))


def iter_tables(leaderboard: Leaderboard, name: str) -> Iterator[tuple[str, str]]:
    report = build_overview_topics_report(leaderboard, name)
    for ending in TABLE_ENDINGS:
        yield f"topics.{ending}", WRITERS[ENDINGS[ending]](report)
    choice = get_fixed_test(leaderboard.score_set)
    ranked, _ = rank_entries(leaderboard, name)
    if can_test(leaderboard, choice):
        pairs = {name: select_run_pairs(leaderboard, ranked, name, choice)}
        provenance = {entry.tag: leaderboard.score_set.provenance for entry in ranked}
        for ending in TABLE_ENDINGS:
            yield f"pairs.{ending}", PAIRS_FORMATS[ENDINGS[ending]](pairs, provenance)


def build_overview_topics_report(leaderboard: Leaderboard, name: str) -> Report:
    """Best, median and worst of all runs by topic."""
    title = format_measure_title(name)
    spreads = zip(leaderboard.topics, leaderboard.best_median_worst_by_topic(name), strict=True)
    titles = dict(leaderboard.score_set.campaign.topics.values_list("number", "title"))
    rows = [
        (topic, titles.get(topic, ""), *(spread.as_dict()[word] for word in WORDS))
        for topic, spread in sorted(spreads, key=lambda each: natural_sort_key(each[0]))
    ]
    columns = (*make_columns("topic", "title", left=True), *make_columns(*WORDS))
    table = Table("topics", columns, rows, caption=f"{title} of all runs by topic.")
    return Report(
        title=f"{title} by topic",
        sections=[Section("Topics", (table,))],
        conditions=leaderboard.score_set.provenance,
        record=table,
        data=lambda: {
            "topics": [dict(zip(("topic", "title", *WORDS), row, strict=True)) for row in rows]
        },
    )


def build_overview_charts(leaderboard: Leaderboard, name: str) -> list[Chart]:
    """All runs by their means, and how their scores are spread over each topic."""
    ranked, _ = rank_entries(leaderboard, name)
    if not ranked:
        return []
    return [
        build_runs_chart(leaderboard, ranked, name),
        build_topics_chart(leaderboard, ranked[0], name),
    ]


def build_runs_chart(
    leaderboard: Leaderboard, ranked: Sequence[LeaderboardEntry], name: str
) -> Chart:
    title = format_measure_title(name, over_topics=True)
    values = [(entry.tag, entry.means[name] or 0.0) for entry in ranked]
    bars = [(tag, value, f"{tag}: {value:.4f}", "other") for tag, value in values]
    top = max(1.0, *(value for _, value in values))
    caption = f"{title} of {len(values)} runs over {len(leaderboard.topics)} topics, best first."
    return build_bar_chart(("runs", f"{title} of all runs"), ("run", title), bars, top, caption)


def build_topics_chart(leaderboard: Leaderboard, best: LeaderboardEntry, name: str) -> Chart:
    order = sorted(
        range(len(leaderboard.topics)), key=lambda at: natural_sort_key(leaderboard.topics[at])
    )
    columns = leaderboard.tables[:, :, leaderboard.column(name)].T
    values = leaderboard.values(best, name)
    title = format_measure_title(name)
    caption = f"{title} of all {len(leaderboard.means)} runs by topic; the dot is {best.tag}."
    return build_box_chart(
        title,
        best.tag,
        [leaderboard.topics[at] for at in order],
        [summarize_as_box(columns[at]) for at in order],
        [values[at] for at in order],
        caption,
    )


def iter_figures(charts: Sequence[Chart]) -> Iterator[tuple[str, str | bytes]]:
    """A figure of too many runs or topics for PNG is there as SVG and CSV."""
    for chart in charts:
        yield f"figure-{chart.name}.svg", write_chart_file(chart)
        yield f"figure-{chart.name}.csv", write_chart_csv(chart)
        try:
            yield f"figure-{chart.name}.png", write_chart_png(chart)
        except ChartTooLargeError:
            continue
