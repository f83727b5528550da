"""The results of a team for a paper: verdict, tables and figures to take, conditions, citation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.api.attachments import attachment_response, report_response
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Team
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from campaigns.views.verdicts import VerdictPanel, build_verdict_panel
from common.charts.chart import Chart
from common.charts.png import ChartTooLargeError
from common.report.archive import ArchiveTooLargeError
from common.report.latex import escape_latex, write_latex_table
from common.report.markdown import write_markdown_table
from common.report.report import Report, Section, TableCell, iter_cells
from common.verdicts import VerdictState
from evaluation.core.paper.citation import write_bibtex, write_conditions
from evaluation.core.paper.files import TABLES, build_paper_charts, pack_paper
from evaluation.core.paper.report import (
    DECIMALS,
    build_paper_runs_report,
    build_paper_topics_report,
)
from evaluation.core.paper.results import PaperResults
from evaluation.core.paper.verdict import judge_paper
from evaluation.models import ScoreSet
from evaluation.queries.leaderboard import get_leaderboard
from evaluation.queries.paper import (
    PaperSource,
    UnknownTeamError,
    find_paper_source,
    get_paper_results,
    list_paper_measures,
)
from evaluation.queries.score_sets import participant_reader
from evaluation.views.access import VIEW

LABELS: dict[VerdictState, str | Promise] = {
    VerdictState.GOOD: _("Above the median"),
    VerdictState.AMBER: _("Around the median"),
    VerdictState.BAD: _("Below the median"),
}
DECIMAL_CHOICES = (2, 3, 4)


@dataclass(frozen=True)
class PaperPage:
    """``score_set`` and ``team`` are None where there is none; ``query`` keeps the choice."""

    campaign: Campaign
    score_set: ScoreSet | None
    team: Team | None
    teams: Sequence[Team]
    is_organizer: bool
    query: str


class MeasureOption(NamedTuple):
    name: str
    is_chosen: bool


class TableHead(NamedTuple):
    title: str
    is_left: bool


class CopyText(NamedTuple):
    """A text to copy, ``rows`` lines high."""

    label: str | Promise
    name: str
    text: str
    rows: int


@dataclass(frozen=True)
class PaperPart:
    """``heads`` and ``rows`` are the table of runs, ``last`` its best, median and worst;
    ``topics`` that of the best run.
    """

    verdict: VerdictPanel
    results: PaperResults
    heads: list[TableHead]
    rows: list[list[TableCell]]
    last: list[list[TableCell]]
    notes: Sequence[str]
    topic_heads: list[TableHead]
    topic_rows: list[list[TableCell]]
    chart: Chart | None
    boxes: Chart | None
    chart_notes: tuple[str, ...]
    tables: list[CopyText]
    conditions: list[CopyText]
    citation: CopyText
    measures: list[MeasureOption]
    decimals: int
    decimal_choices: Sequence[int]


def paper_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page; before the release it says what is missing."""
    source = get_source(request, slug)
    query = {"team": source.team.name} if source.team and source.reader.is_organizer else {}
    chosen = [("m", name) for name in request.GET.getlist("m")]
    if request.GET.get("decimals"):
        chosen.append(("decimals", str(get_decimals(request))))
    page = PaperPage(
        campaign=source.campaign,
        score_set=source.score_set,
        team=source.team,
        teams=source.teams,
        is_organizer=source.reader.is_organizer,
        query=urlencode([*query.items(), *chosen]),
    )
    results = load_results(request, source)
    part = build_paper_part(request, source, results, page.query) if results else None
    return render_page(request, "evaluation/paper.html", page, part)


def paper_download_view(request: SignedInRequest, slug: str, table: str, fmt: str) -> HttpResponse:
    """``runs`` and ``topics`` in a format of reports; ``all.zip`` has everything."""
    source = get_source(request, slug)
    results = load_results(request, source)
    if results is None:
        raise Http404("no scores for a paper")
    decimals = get_decimals(request)
    if (table, fmt) == ("all", "zip"):
        try:
            return attachment_response(pack_paper(results, decimals), f"{slug}-paper.zip")
        except (ArchiveTooLargeError, ChartTooLargeError) as error:
            raise ActionRefused(
                "archive-too-large", f"{error}.", "Download the tables one by one."
            ) from error
    if table not in TABLES:
        raise Http404(f"unknown table {table}")
    return report_response(f"{slug}-{table}.{fmt}", TABLES[table], results, decimals)


def get_source(request: SignedInRequest, slug: str) -> PaperSource:
    campaign = get_campaign_for(request.user, slug, VIEW)
    try:
        return find_paper_source(request.user, campaign, request.GET.get("team", ""))
    except UnknownTeamError as error:
        raise Http404(f"unknown team {error}") from error


def load_results(request: SignedInRequest, source: PaperSource) -> PaperResults | None:
    if source.score_set is None or source.team is None:
        return None
    return get_paper_results(source.score_set, source.team, request.GET.getlist("m"))


def get_decimals(request: SignedInRequest) -> int:
    requested = request.GET.get("decimals", "")
    choices = {str(number): number for number in DECIMAL_CHOICES}
    return choices.get(requested, DECIMALS)


def build_paper_part(
    request: SignedInRequest, source: PaperSource, results: PaperResults, query: str
) -> PaperPart:
    decimals = get_decimals(request)
    runs, topics = (
        build_paper_runs_report(results, decimals),
        build_paper_topics_report(results, decimals),
    )
    heads, rows = list_table_cells(runs)
    topic_heads, topic_rows = list_table_cells(topics)
    charts = {chart.name: chart for chart in build_paper_charts(results)}
    table, sentence = get_section(runs).tables[0], write_conditions(results)
    end = len(rows) - len(table.summary)
    latex = "\n\n".join([write_latex_table(table, table.caption), *map(escape_latex, table.notes)])
    markdown = "\n\n".join([table.caption, write_markdown_table(table), *table.notes])
    return PaperPart(
        verdict=build_paper_panel(source.campaign, results, query),
        results=results,
        heads=heads,
        rows=rows[:end],
        last=rows[end:],
        notes=table.notes,
        topic_heads=topic_heads,
        topic_rows=topic_rows,
        chart=charts.get("topics"),
        boxes=charts.get("boxes"),
        chart_notes=tuple(results.conditions.list_lines()[:1]),
        tables=[
            copy_text(_("LaTeX"), "latex", latex),
            copy_text(_("Markdown"), "markdown", markdown),
        ],
        conditions=[
            copy_text(_("Text"), "conditions", sentence, 5),
            copy_text(_("LaTeX"), "conditions-latex", escape_latex(sentence), 5),
        ],
        citation=copy_text(_("BibTeX"), "bibtex", write_bibtex(results.conditions)),
        measures=list_measure_options(source, results),
        decimals=decimals,
        decimal_choices=DECIMAL_CHOICES,
    )


def build_paper_panel(campaign: Campaign, results: PaperResults, query: str) -> VerdictPanel:
    """The verdict in the words of this page; its links keep the choice of team and measures."""
    verdict = judge_paper(results)
    panel = build_verdict_panel(campaign, verdict)
    acts = [
        replace(act, url=f"{act.url}?{query}") if query and "paper" in act.url else act
        for act in panel.acts
    ]
    return replace(panel, label=LABELS.get(verdict.state, panel.label), acts=acts)


def get_section(report: Report) -> Section:
    return next(iter(report.sections))


def list_table_cells(report: Report) -> tuple[list[TableHead], list[list[TableCell]]]:
    """The heads and cells of the only table of a report."""
    (table,) = get_section(report).tables
    heads = [TableHead(column.title, column.left) for column in table.columns]
    return heads, list(iter_cells(table))


def copy_text(label: str | Promise, name: str, text: str, rows: int = 0) -> CopyText:
    return CopyText(label, name, text, rows or min(text.count("\n") + 2, 24))


def list_measure_options(source: PaperSource, results: PaperResults) -> list[MeasureOption]:
    if source.score_set is None:
        return []
    reader = participant_reader(source.campaign, source.team)
    chosen = {measure.name for measure in results.measures}
    names = list_paper_measures(get_leaderboard(source.score_set, reader))
    return [MeasureOption(name, name in chosen) for name in names]
