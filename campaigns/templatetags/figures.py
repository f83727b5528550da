"""Numbers, labels, answers to run forms and links to files, as pages show them."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, ngettext

from campaigns.errors import format_thousands, lowercase_label
from campaigns.models import Run
from poolbench.preferences.formats import format_estimate_interval, format_topic_interval
from poolbench.reports.writers import LABELS
from poolbench.runs.run_form import format_answer

register = template.Library()
BAR = (
    '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
    '<rect class="bar-track" width="100" height="8" />'
    '<rect class="bar-fill" width="{}" height="8" /></svg>'
)

register.filter(format_thousands)
register.filter("mid", lowercase_label)
register.filter("estimate_interval", format_estimate_interval)
register.filter("topic_interval", format_topic_interval)


@register.filter("percent")
def scale_to_percent(share: float | None) -> float | None:
    """0.25 as 25.0: the length of a bar. None, which has no bar, stays None."""
    return None if share is None else 100.0 * share


@register.filter("percent_of")
def scale_part_to_percent(part: float, whole: float) -> float:
    """The length of a bar: ``part`` in percent of ``whole``; 0 of nothing."""
    return 100.0 * part / whole if whole else 0.0


@register.simple_tag(name="bar")
def show_bar(percent: float | None) -> str:
    """A bar of that length, which says nothing that the number beside it does not; None: no bar."""
    return "" if percent is None else format_html(BAR, f"{percent:.1f}")


@register.filter("plain")
def format_plain_number(number: float | str | None) -> str:
    """For programs, without the comma that a language may have; None as nothing."""
    return "" if number is None else str(number)


@register.filter
def count_runs(number: int) -> str:
    return ngettext("%(n)s run", "%(n)s runs", number) % {"n": number}


@register.filter
def count_teams(number: int) -> str:
    return ngettext("%(n)s team", "%(n)s teams", number) % {"n": number}


@register.filter
def count_topics(number: int) -> str:
    return ngettext("%(n)s topic", "%(n)s topics", number) % {"n": number}


@register.filter
def pluralize_role(label: object, people: Sequence[object]) -> str:
    """A role's label as a heading of its members; plural in English only."""
    english = (get_language() or "en").startswith("en")
    return f"{label}s" if english and len(people) != 1 else str(label)


ORDER = ("csv", "json", "tex", "md", "html")
"""The formats of a result: to compute with, to print, to read."""
OFFERED = (LABELS["csv"], LABELS["json"])


@register.filter
def list_report_files(url: str) -> list[tuple[str, str]]:
    """Label and address of the report in all formats, from its address in any of them."""
    path, mark, query = url.partition("?")
    base = path.rpartition(".")[0]
    return [(LABELS[ending], f"{base}.{ending}{mark}{query}") for ending in ORDER]


@register.filter
def list_other_formats(json_url: str) -> list[tuple[str, str]]:
    """Those beside CSV and JSON, from the address of JSON."""
    return [row for row in list_report_files(json_url) if row[0] not in OFFERED]


@register.filter
def join_query(url: str, query: str) -> str:
    """The address with a query string, which may be empty."""
    return f"{url}?{query}" if query else url


ANSWER = "answer:"
"""Before the names of the campaign's fields in the columns of tables."""


@register.filter
def answer_in(run: Run, column: str) -> str:
    """The answer of the run in ``column``."""
    return format_answer(run.answers.get(column.removeprefix(ANSWER)))


def list_labelled_answers(run: Run) -> list[tuple[str, str]]:
    """The answers in the order of the campaign's form; those to former fields by name, at the
    end.
    """
    labels = {field.name: field.label for field in run.campaign.run_form}
    former = [name for name in run.answers if name not in labels]
    names = [name for name in (*labels, *former) if name in run.answers]
    return [(labels.get(name, name), format_answer(run.answers[name])) for name in names]
