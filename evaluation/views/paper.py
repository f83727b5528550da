"""The results of a team for a paper: verdict, tables and figures to take, conditions, citation."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qs, urlencode

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.api.attachments import attachment_response, report_response
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.api.scores import pack_or_refuse
from evaluation.queries.leaderboard import get_leaderboard
from evaluation.queries.paper import (
    PaperSource,
    UnknownTeamError,
    find_paper_source,
    get_paper_results,
    list_paper_measures,
)
from evaluation.queries.score_sets import list_score_sets_for, participant_reader
from evaluation.views.access import VIEW, build_task_choice
from poolbench.evaluation.paper.citation import write_bibtex, write_conditions
from poolbench.evaluation.paper.files import TABLES, build_paper_charts
from poolbench.evaluation.paper.report import (
    DECIMALS,
    build_paper_runs_report,
    build_paper_topics_report,
)
from poolbench.evaluation.paper.results import PaperResults
from poolbench.evaluation.paper.verdict import judge_paper
from poolbench.reports.latex import escape_latex, write_latex_table
from poolbench.reports.markdown import write_markdown_table
from poolbench.reports.report import Report, Table, iter_cells
from poolbench.verdicts import Verdict, VerdictState

LABELS: dict[VerdictState, str | Promise] = {
    VerdictState.GOOD: _("Above the median"),
    VerdictState.AMBER: _("Around the median"),
    VerdictState.BAD: _("Below the median"),
}
DECIMAL_CHOICES = (2, 3, 4)


def paper_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page; before the release it says what is missing."""
    source = get_source(request, slug)
    query = {"team": source.team.name} if source.team and source.reader.is_organizer else {}
    if source.score_set and source.score_set.task:
        query["task"] = source.score_set.task.slug
    chosen = [("m", name) for name in request.GET.getlist("m")]
    if request.GET.get("decimals"):
        chosen.append(("decimals", str(get_decimals(request))))
    choice = urlencode([*query.items(), *chosen])
    # ``score_set`` and ``team`` are None where there is none; ``query`` keeps the choice.
    page = {
        "campaign": source.campaign,
        "by_task": build_task_choice(
            request,
            source.campaign,
            list_score_sets_for(source.campaign, source.reader),
            source.score_set,
            reverse("paper", args=[slug]),
        ),
        "score_set": source.score_set,
        "team": source.team,
        "teams": source.teams,
        "is_organizer": source.reader.is_organizer,
        "query": choice,
    }
    results = load_results(request, source)
    if results is None:
        return render_page(request, "evaluation/paper.html", page)
    charts = {chart.name: chart for chart in build_paper_charts(results)}
    pictures = {
        "chart": charts.get("topics"),
        "boxes": charts.get("boxes"),
        "chart_notes": tuple(results.conditions.list_lines()[:1]),
    }
    return render_page(
        request,
        "evaluation/paper.html",
        page | pictures,
        lambda: build_paper_part(request, source, results, choice),
    )


def paper_download_view(request: SignedInRequest, slug: str, table: str, fmt: str) -> HttpResponse:
    """``runs`` and ``topics`` in a format of reports; ``all.zip`` has everything."""
    source = get_source(request, slug)
    results = load_results(request, source)
    if results is None:
        raise Http404("no scores for a paper")
    decimals = get_decimals(request)
    if (table, fmt) == ("all", "zip"):
        return attachment_response(pack_or_refuse(results, decimals), f"{slug}-paper.zip")
    if table not in TABLES:
        raise Http404(f"unknown table {table}")
    return report_response(f"{slug}-{table}.{fmt}", TABLES[table], results, decimals)


def get_source(request: SignedInRequest, slug: str) -> PaperSource:
    campaign = get_campaign_for(request.user, slug, VIEW)
    try:
        team, task = (request.GET.get(name, "") for name in ("team", "task"))
        return find_paper_source(request.user, campaign, team, task=task)
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
) -> dict[str, object]:
    """``heads`` and ``rows`` are the table of runs, ``last`` its best, median and worst;
    ``topic_heads`` and ``topic_rows`` that of the best run.
    """
    decimals = get_decimals(request)
    verdict = judge_page(results, query)
    table = get_only_table(build_paper_runs_report(results, decimals))
    topics = get_only_table(build_paper_topics_report(results, decimals))
    rows = list(iter_cells(table))
    sentence = write_conditions(results)
    end = len(rows) - len(table.summary)
    latex = "\n\n".join([write_latex_table(table, table.caption), *map(escape_latex, table.notes)])
    markdown = "\n\n".join([table.caption, write_markdown_table(table), *table.notes])
    return {
        "verdict": verdict,
        "state_words": LABELS.get(verdict.state, ""),
        "results": results,
        "heads": table.columns,
        "rows": rows[:end],
        "last": rows[end:],
        "notes": table.notes,
        "topic_heads": topics.columns,
        "topic_rows": list(iter_cells(topics)),
        "tables": [copy_text("LaTeX", "latex", latex), copy_text("Markdown", "markdown", markdown)],
        "conditions": [
            copy_text(_("Text"), "conditions", sentence, 5),
            copy_text("LaTeX", "conditions-latex", escape_latex(sentence), 5),
        ],
        "citation": copy_text("BibTeX", "bibtex", write_bibtex(results.conditions)),
        "measures": list_offered_measures(source),
        "chosen_measures": frozenset(measure.name for measure in results.measures),
        "decimals": decimals,
        "decimal_choices": DECIMAL_CHOICES,
    }


def judge_page(results: PaperResults, query: str) -> Verdict:
    """The verdict with links that keep the choice of team and measures."""
    verdict = judge_paper(results)
    acts = [
        replace(act, query=parse_qs(query)) if act.page.startswith("paper") else act
        for act in verdict.acts
    ]
    return replace(verdict, acts=tuple(acts))


def get_only_table(report: Report) -> Table:
    ((table,),) = (section.tables for section in report.sections)
    return table


def copy_text(label: str | Promise, name: str, text: str, rows: int = 0) -> dict[str, object]:
    """A text to copy, ``rows`` lines high."""
    height = rows or min(text.count("\n") + 2, 24)
    return {"label": label, "name": name, "text": text, "rows": height}


def list_offered_measures(source: PaperSource) -> Sequence[str]:
    if source.score_set is None:
        return ()
    reader = participant_reader(source.campaign, source.team)
    return list_paper_measures(get_leaderboard(source.score_set, reader))
