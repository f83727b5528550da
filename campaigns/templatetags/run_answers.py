"""The answers of a team to the run form of a campaign."""

from __future__ import annotations

from django import template

from campaigns.models import Run
from poolbench.runs.run_form import format_answer

register = template.Library()
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
