"""Numbers, dates and counts in the words of the campaign head."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone, translation
from django.utils.dateformat import format as format_date
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from judging.queries.tallies import SlotTally


def format_moment(moment: datetime) -> str:
    this_year, other_year = pgettext("day and time", "j M H:i"), pgettext("day", "j M Y")
    return format_date(moment, this_year if moment.year == timezone.now().year else other_year)


def format_due(deadline: datetime | None) -> str:
    if deadline is None:
        return ""
    text = _("due %(at)s") if timezone.now() < deadline else _("closed %(at)s")
    return text % {"at": format_moment(deadline)}


def format_until(deadline: datetime | None) -> str:
    return f", {format_due(deadline)}" if deadline else ""


def format_number(count: int) -> str:
    return number_format(count, force_grouping=True)


def ngettext(singular: str, plural: str, count: int) -> str:
    """Django's ``ngettext`` with ``%(n)s`` filled in. makemessages looks for this name."""
    return translation.ngettext(singular, plural, count) % {"n": format_number(count)}


def format_documents(count: int) -> str:
    return ngettext("%(n)s document", "%(n)s documents", count)


def format_run_counts(count: int) -> str:
    return ngettext("%(n)s run", "%(n)s runs", count)


def format_disagreements(count: int) -> str:
    return ngettext("%(n)s disagreement to adjudicate", "%(n)s disagreements to adjudicate", count)


def format_judged(tally: SlotTally) -> str:
    """What is judged of what, in words; empty if nothing is planned."""
    if not tally.total and not tally.coming:
        return ""
    counts = {"done": format_number(tally.judged), "of": format_number(tally.total)}
    words = [_("%(done)s of %(of)s judged") % counts]
    if tally.coming:
        more = {"n": format_number(tally.coming)}
        words.append(_("at most %(n)s more as the pool grows") % more)
    if tally.unresolved:
        words.append(format_unresolved(tally.unresolved))
    return ", ".join(words)


def format_unresolved(count: int) -> str:
    return ngettext("%(n)s skip unresolved", "%(n)s skips unresolved", count)
