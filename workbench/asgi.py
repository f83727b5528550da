"""The ASGI entry point, for uvicorn and similar servers."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
application = get_asgi_application()

# After the applications are loaded, and before the first request: threads that need a task at
# the same time must all find it.
from campaigns.services.jobs import load_tasks

load_tasks()
