"""Numbers, dates and counts in the words of the campaign head."""

from datetime import datetime

from django.utils import timezone, translation
from django.utils.dateformat import format as format_date
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext


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
