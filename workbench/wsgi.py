"""The WSGI entry point, for gunicorn and similar servers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
application = get_wsgi_application()

# After the applications are loaded, and before the first request: threads that need a task at
# the same time must all find it.
from campaigns.services.jobs import load_tasks  # noqa: E402
from workbench.memory import set_collector_thresholds  # noqa: E402

load_tasks()
set_collector_thresholds()
