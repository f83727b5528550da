"""All files of a paper: tables in four formats, figures in three, conditions and citation."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from poolbench.charts.chart import Chart
from poolbench.charts.file import write_chart_file
from poolbench.charts.png import write_chart_png
from poolbench.evaluation.charts.topics import build_box_chart, build_topic_chart
from poolbench.evaluation.paper.citation import write_bibtex, write_conditions
from poolbench.evaluation.paper.report import DECIMALS, RUNS_FORMATS, TOPICS_FORMATS
from poolbench.evaluation.paper.results import PaperResults
from poolbench.evaluation.paper.verdict import judge_paper
from poolbench.reports.archive import pack_archive
from poolbench.reports.figures import write_chart_csv
from poolbench.reports.writers import ENDINGS

TABLE_ENDINGS = ("csv", "json", "md", "tex")
TABLES: dict[str, dict[str, Callable[..., str]]] = {"runs": RUNS_FORMATS, "topics": TOPICS_FORMATS}
PLAN = """\
Results of {team} in {campaign}, for a paper.

{sentence}
{reason}

{conditions}

runs.*        the runs of the team beside best, median and worst of all runs
topics.*      the best of these runs by topic, in the order of its lead over the median
figure-*.*    the same as figures: SVG, PNG at 300 dpi, and the numbers as CSV
conditions.*  the paragraph on conditions, as text and for LaTeX
citation.bib  the campaign and the software
SHA256SUMS    hashes of all other files

Tables need the LaTeX packages booktabs and longtable.
"""


def pack_paper(results: PaperResults, decimals: int = DECIMALS) -> bytes:
    """One archive with all files; the same results give the same bytes.

    Raises ``ArchiveTooLargeError``, and ``ChartTooLargeError`` for figures of too many topics.
    """
    files = dict(iter_paper_files(results, decimals))
    hashes = [
        f"{sha256(text.encode() if isinstance(text, str) else text).hexdigest()}  {name}\n"
        for name, text in sorted(files.items())
    ]
    folder = f"{results.conditions.slug}-paper"
    return pack_archive({**files, "SHA256SUMS": "".join(hashes)}, folder)


def iter_paper_files(
    results: PaperResults, decimals: int = DECIMALS
) -> Iterator[tuple[str, str | bytes]]:
    from poolbench.reports.latex import escape_latex

    verdict, conditions = judge_paper(results), write_conditions(results)
    yield (
        "README.txt",
        PLAN.format(
            team=results.team,
            campaign=results.conditions.campaign,
            sentence=verdict.sentence,
            reason=verdict.reason,
            conditions=conditions,
        ),
    )
    for name, formats in TABLES.items():
        for ending in TABLE_ENDINGS:
            yield f"{name}.{ending}", formats[ENDINGS[ending]](results, decimals)
    yield "conditions.txt", f"{conditions}\n"
    yield "conditions.tex", f"{escape_latex(conditions)}\n"
    yield "citation.bib", write_bibtex(results.conditions)
    lines = results.conditions.list_lines()
    for chart in build_paper_charts(results):
        yield f"figure-{chart.name}.svg", write_chart_file(chart, lines)
        yield f"figure-{chart.name}.png", write_chart_png(chart, lines)
        yield f"figure-{chart.name}.csv", write_chart_csv(chart, lines)


def build_paper_charts(results: PaperResults) -> list[Chart]:
    """The best own run by topic beside best, median and worst, and beside the distribution of all
    runs where that is for participants.
    """
    if results.lead_run is None:
        return []
    tag, main = results.lead_run.tag, results.main
    numbers = [topic.number for topic in results.topics]
    values = [topic.value for topic in results.topics]
    leads = results.list_leads()
    above = sum((topic.lead or 0.0) > 0 for topic in leads)
    caption = (
        f"{main.title} of {tag} by topic, the largest lead over the median first: above the "
        f"median of {results.count} runs on {above} of {len(leads)} topics."
    )
    spreads = [topic.spread for topic in results.topics]
    charts = [build_topic_chart(main.title, tag, numbers, values, spreads, caption)]
    boxes = [topic.box for topic in results.topics]
    if any(boxes):
        charts.append(build_box_chart(main.title, tag, numbers, boxes, values, caption))
    return charts
