"""The web server: ``gunicorn --config deploy/gunicorn.conf.py``, and ``poolbench serve``."""

import os

# Loaded before the web processes are forked, so that they count in the same memory.
import workbench.request_times  # noqa: F401

wsgi_app = "workbench.wsgi"
bind = os.environ.get("POOLBENCH_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("POOLBENCH_WEB_PROCESSES", "2"))
threads = int(os.environ.get("POOLBENCH_WEB_THREADS", "4"))
# A process gives back what large requests have left in it; not all at the same time.
max_requests = 5000
max_requests_jitter = 1000
timeout = 120
graceful_timeout = 60
keepalive = 5
# Whose word on the scheme counts. POOLBENCH_PROXIES says whose word on the address does.
forwarded_allow_ips = "127.0.0.1,::1"
# A preview names its runs in the URL: this allows for about 800.
limit_request_line = 8190
control_socket_disable = True
if os.environ.get("POOLBENCH_LOG_FORMAT") == "json":
    own = {"handlers": ["error_console"], "level": "INFO", "propagate": False}
    logconfig_dict = {
        "formatters": {"generic": {"class": "workbench.logs.JsonFormatter"}},
        "loggers": {"gunicorn.error": own},
    }
