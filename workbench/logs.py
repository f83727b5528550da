"""The lines of the log: one for an outage, and no link of an invitation or a crowd worker."""

from __future__ import annotations

import logging
import re

from django.db import InterfaceError, OperationalError

AWAY = (OperationalError, InterfaceError)
LINK = re.compile(
    r"((?:/|%2F)(?:join|w(?:/|%2F)unit)(?:/|%2F))[\w:.~-]+"
    r"|((?:/|%2F)w(?:/|%2F)[\w-]+(?:/|%2F)\d+(?:/|%2F)?(?:return(?:/|%2F)?)?(?:\?|%3F))[^\s\"']+",
    re.IGNORECASE,
)
"""The address of an invitation or a work unit, and the signed query of a study's link with the
worker's ID; also within another address's query.
"""


def mask_links(text: str) -> str:
    """``text`` with invitation links cut behind ``/join/``, and those of crowd workers.

    >>> mask_links("GET /join/Mg:1vN:x-Y_z/?next=%2Fjoin%2FMg:1vN/")
    'GET /join/…/?next=%2Fjoin%2F…/'
    >>> mask_links("GET /w/unit/5f.1vN.x-Y/answer/, from /w/demo/3/?wid=jo&sig=a1")
    'GET /w/unit/…/answer/, from /w/demo/3/?…'
    """
    return LINK.sub(lambda match: f"{match[1] or match[2]}…", text)


class PlainFormatter(logging.Formatter):
    """Lines without those links; one without traceback while the database is away."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, AWAY):
            return mask_links(super().format(record))
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        short = logging.makeLogRecord(vars(record))
        short.exc_info = short.exc_text = None
        short.msg, short.args = f"{record.getMessage()} (database: {reason})", ()
        return mask_links(super().format(short))


def mask_record(record: logging.LogRecord) -> bool:
    """A filter for the loggers of the web server, whose lines have a format of their own."""
    text = record.getMessage()
    if (hidden := mask_links(text)) != text:
        record.msg, record.args = hidden, ()
    return True
