"""The WSGI entry point, for gunicorn and similar servers."""

import logging
import os
from contextlib import suppress

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
os.environ.setdefault("POOLBENCH_STATEMENT_SECONDS", "30")
django.setup()

# Before the middleware lists the files that it serves.
from django.conf import settings  # noqa: E402

from workbench.logs import mask_record  # noqa: E402
from workbench.request_limits import PlainRequestHandler  # noqa: E402
from workbench.static_files import collect_static_files  # noqa: E402

if not settings.DEBUG:
    collect_static_files()
application = PlainRequestHandler()

# After the applications are loaded, and before the first request: threads that need a task at
# the same time must all find it.
from django.db import DatabaseError, connection  # noqa: E402

from campaigns.services.jobs import load_tasks  # noqa: E402
from campaigns.services.store_marker import set_own_store  # noqa: E402
from workbench.memory import set_aside_loaded  # noqa: E402

load_tasks()
with suppress(DatabaseError):  # away: the first marker that is seen is then looked up
    set_own_store()
connection.close()  # not shared with processes that are forked from this one
for name in ("gunicorn.access", "gunicorn.error"):
    logging.getLogger(name).addFilter(mask_record)
set_aside_loaded()
