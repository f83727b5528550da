"""The lines of the log, plain or as JSON, and the mails of errors: one line for an outage, and no
link of an invitation or a crowd worker.
"""

import json
import logging
import re
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime

from celery import current_task
from django.conf import settings
from django.core.cache import cache
from django.core.mail import mail_admins

from campaigns.errors import is_database_busy, is_database_lost
from campaigns.storages import StoreAwayError

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The request that is being answered; ``RequestRecordMiddleware`` sets it."""
MAIL_SECONDS, MOST_MAILS = 3600, 10
LINK = re.compile(
    r"((?:/|%2F)(?:join|reminders|w(?:/|%2F)unit|confirm-email|reset(?:/|%2F)key)(?:/|%2F))"
    r"(?!done(?:/|%2F))[\w:.~-]+"
    r"|((?:/|%2F)w(?:/|%2F)[\w-]+(?:/|%2F)\d+(?:/|%2F)?(?:return(?:/|%2F)?)?(?:\?|%3F))[^\s\"']+",
    re.IGNORECASE,
)
"""The address of an invitation, a work unit, a new password or an address to confirm, and the
signed query of a study's link with the worker's ID; also within another address's query.
"""


def mask_links(text: str) -> str:
    """``text`` with invitation links cut behind ``/join/``, those of accounts and crowd workers.

    >>> mask_links("GET /join/Mg:1vN:x-Y_z/?next=%2Fjoin%2FMg:1vN/")
    'GET /join/…/?next=%2Fjoin%2F…/'
    >>> mask_links("GET /w/unit/5f.1vN.x-Y/answer/, from /w/demo/3/?wid=jo&sig=a1")
    'GET /w/unit/…/answer/, from /w/demo/3/?…'
    >>> mask_links("GET /accounts/password/reset/key/5-d8x-61c/ /accounts/confirm-email/Mg:1v:x/")
    'GET /accounts/password/reset/key/…/ /accounts/confirm-email/…/'
    """
    return LINK.sub(lambda match: f"{match[1] or match[2]}…", text)


class PlainFormatter(logging.Formatter):
    """Lines without those links; one without traceback while database or store is away."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        is_store = isinstance(error, StoreAwayError)
        if not (is_store or is_database_lost(error) or is_database_busy(error)):
            return mask_links(super().format(record))
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        short = logging.makeLogRecord(vars(record))
        short.exc_info = short.exc_text = None
        part = "store" if is_store else "database"
        short.msg, short.args = f"{record.getMessage()} ({part}: {reason})", ()
        return mask_links(super().format(short))


class JsonFormatter(PlainFormatter):
    """The same as JSON objects, one a line, with the IDs of the request and of the job."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": super().format(record),
            "request_id": REQUEST_ID.get(),
            "job_id": get_job_id(),
            **getattr(record, "fields", {}),
        }
        present = {name: value for name, value in fields.items() if value not in ("", None)}
        return json.dumps(present, ensure_ascii=False)


def get_job_id() -> int | None:
    """The job that this thread works on: the argument of its Celery task."""
    arguments = current_task.request.args if current_task else None
    return arguments[0] if arguments else None


class MailHandler(logging.Handler):
    """Mails errors to ``ADMINS``: what fails at the same place once an hour, at most ten in all."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if settings.ADMINS and may_mail(record):
                subject = mask_links(record.getMessage())[:200].replace("\n", " ")
                text = f"{self.format(record)}\n\nRequest: {REQUEST_ID.get()}"
                mail_admins(f"{record.levelname}: {subject}", text)
        except Exception:  # a failure of the mail server is no failure of the request
            self.handleError(record)


def may_mail(record: logging.LogRecord) -> bool:
    """Count the mail, unless the hour has had it or too many."""
    frames = traceback.extract_tb(record.exc_info[2]) if record.exc_info else []
    place = frames[-1] if frames else (record.pathname, record.lineno)
    name = f"error-mail:{place[0]}:{place[1]}".replace(" ", "_")
    if not cache.add(name[-200:], 1, MAIL_SECONDS):
        return False
    cache.add("error-mails", 0, MAIL_SECONDS)
    return cache.incr("error-mails") <= MOST_MAILS


def mask_record(record: logging.LogRecord) -> bool:
    """A filter for the loggers of the web server, whose lines have a format of their own."""
    text = record.getMessage()
    if (hidden := mask_links(text)) != text:
        record.msg, record.args = hidden, ()
    return True
