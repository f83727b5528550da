"""All settings of an installation, read from the environment, with defaults.

``docs/deployment.md`` explains each variable. By default, Poolbench runs on SQLite, a file-system
broker and the local disk, all below ``var/``: in a checkout, or in the folder where an installed
``poolbench`` is started.
"""

from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF
from django.core.management.utils import get_random_secret_key

from workbench.account_settings import build_account_settings
from workbench.store_settings import build_store_settings
from workbench.worker_settings import build_worker_settings

BASE_DIR = Path(__file__).resolve().parent.parent
# Templates, static files, catalogs, docs: a wheel has them in this package, a checkout at its root.
PACKAGE_DIR = Path(__file__).resolve().parent
IS_INSTALLED = (PACKAGE_DIR / "templates").is_dir()
RESOURCE_DIR = PACKAGE_DIR if IS_INSTALLED else BASE_DIR
env = environ.Env()

VAR_DIR = Path(
    env("POOLBENCH_VAR", default="var" if IS_INSTALLED else str(BASE_DIR / "var"))
).absolute()
STORE_DIR = VAR_DIR / "store"
BROKER_DIR = VAR_DIR / "broker"
UPLOAD_DIR = VAR_DIR / "uploads"
FOLDERS = (STORE_DIR, UPLOAD_DIR, VAR_DIR / "static", BROKER_DIR / "queue", BROKER_DIR / "control")
for folder in FOLDERS:
    folder.mkdir(parents=True, exist_ok=True)


def load_or_create_secret_key(path: Path) -> str:
    """The installation's own key: created once, readable only by its owner."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(get_random_secret_key())
    return path.read_text()


DEBUG = env.bool("POOLBENCH_DEBUG", default=False)
SECRET_KEY = env("POOLBENCH_SECRET_KEY", default=None) or load_or_create_secret_key(
    VAR_DIR / "secret_key"
)
# The machine itself always: a monitor on it asks /health/ under any settings.
LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = [*env.list("POOLBENCH_HOSTS", default=[]), *LOCAL_HOSTS]
CSRF_TRUSTED_ORIGINS = env.list("POOLBENCH_ORIGINS", default=[])
# Where people reach the installation: links in mails start with it.
POOLBENCH_URL = env(
    "POOLBENCH_URL", default=[*CSRF_TRUSTED_ORIGINS, "http://localhost:8000"][0]
).rstrip("/")
BEHIND_TLS = env.bool("POOLBENCH_TLS", default=False)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "axes",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rules.apps.AutodiscoverRulesConfig",
    "campaigns",
    "pooling",
    "judging",
    "crowd",
    "preferences",
    "evaluation",
    "reliability",
    "replay",
    "workbench",
]

MIDDLEWARE = [
    "workbench.request_limits.ClientAddressMiddleware",
    "workbench.middleware.RequestRecordMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "workbench.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Above the CSRF check, which reads the body.
    "workbench.request_limits.BodyLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "workbench.request_limits.NoStoreMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "workbench.middleware.NoNulMiddleware",
    "workbench.middleware.ActionRefusedMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "workbench.urls"
WSGI_APPLICATION = "workbench.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
TEMPLATE_LIBRARIES = [
    *(f"django.templatetags.{name}" for name in ("i18n", "l10n", "static")),
    *(f"campaigns.templatetags.{name}" for name in ("campaign_head", "charts", "components",
      "documents", "figures", "help", "prose", "sentences", "verdicts")),
    "django_htmx.templatetags.django_htmx", "evaluation.templatetags.measures",
    "judging.templatetags.judging",
]  # fmt: skip
"""Every template has their tags and filters without ``{% load %}``."""
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "campaigns.views.context_processors.theme_context",
            ],
            "builtins": TEMPLATE_LIBRARIES,
        },
    },
    {  # Mails are plain text: nothing in them is escaped.
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "NAME": "mail",
        "DIRS": [RESOURCE_DIR / "templates"],
        "OPTIONS": {"autoescape": False, "builtins": ["django.templatetags.i18n"]},
    },
]

DATABASES = {
    "default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'poolbench.sqlite3'}")
}
# Opening a connection costs PostgreSQL more than most requests; each web thread keeps its own.
DATABASES["default"].setdefault("CONN_MAX_AGE", 600)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Deferred transactions lose writers on SQLite: three of four under load.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    # A server that does not answer must not hold web threads for minutes.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
    # Nor must a statement whose visitor has left. Web processes set it (wsgi.py); migrations,
    # commands and workers have no limit. Compiling the query of a campaign's status takes
    # PostgreSQL half a second, asking it takes 30 ms.
    limit = env.int("POOLBENCH_STATEMENT_SECONDS", default=0)
    DATABASES["default"]["OPTIONS"].setdefault(
        "options", f"-c jit=off -c statement_timeout={limit}s"
    )
# Counts requests and mails of all web processes, and nothing else.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
if url := env("CACHE_URL", default=""):
    CACHES["default"] = env.cache_url_config(url)
    if CACHES["default"]["BACKEND"].endswith("RedisCache"):
        # One that does not answer must not hold web threads: limits let requests pass.
        CACHES["default"]["OPTIONS"] = {"socket_timeout": 2, "socket_connect_timeout": 2}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "campaigns.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "rules.permissions.ObjectPermissionBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
PASSWORD_HASHERS = [
    "workbench.passwords.CheapArgon2Hasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
# Wrong passwords before sign-in has to wait; see docs/deployment.md.
POOLBENCH_SIGN_IN_TRIES = env.int("POOLBENCH_SIGN_IN_TRIES", default=10)
AXES_COOLOFF_TIME = 24  # hours after which failures no longer count

EMAIL_CONFIG: dict[str, Any] = env.email("EMAIL_URL", default="dummymail://")
HAS_MAIL = not EMAIL_CONFIG["EMAIL_BACKEND"].endswith("dummy.EmailBackend")
# Who may create an account: "invitation", holders of an invitation link alone; "campaigns", others
# too while a campaign lets teams register; "open", everybody.
POOLBENCH_SIGN_UP = env("POOLBENCH_SIGN_UP", default="campaigns")
vars().update(build_account_settings(has_mail=HAS_MAIL))

CELERY_APP_PATH = "workbench.celery.app"
CELERY_TASK_DEFAULT_QUEUE: str
CELERY_TASK_ROUTES: dict[str, dict[str, str]]
CELERY_TASK_SOFT_TIME_LIMIT: int
POOLBENCH_PAGE_CHECK_BYTES: int
vars().update(build_worker_settings(env, BROKER_DIR))
# Run jobs in the process that enqueues them: for the demo script and for tests.
POOLBENCH_INLINE = env.bool("POOLBENCH_INLINE", default=False)
# Runs up to this size are checked while the participant waits, larger ones by a worker.
POOLBENCH_CHECK_AT_ONCE_BYTES = env.int("POOLBENCH_CHECK_AT_ONCE_BYTES", default=8_000_000)
POOLBENCH_MAX_UPLOAD_BYTES = env.int("POOLBENCH_MAX_UPLOAD_BYTES", default=200_000_000)
# A folder with a folder of large files for each campaign, by its short name.
POOLBENCH_COLLECTIONS = env("POOLBENCH_COLLECTIONS", default="")
# Of models; none: off. POOLBENCH_MODEL_KEY is read for each request, so that no page shows it.
POOLBENCH_MODEL_ADDRESSES = env.list("POOLBENCH_MODEL_ADDRESSES", default=[])
POOLBENCH_LEASE_MINUTES = env.int("POOLBENCH_LEASE_MINUTES", default=30)
# Uploads in progress, in a folder of ours so that `housekeeping` can remove abandoned ones.
FILE_UPLOAD_TEMP_DIR = str(UPLOAD_DIR)
# Bodies without files of users who are signed in, and of all others.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000_000
POOLBENCH_ANONYMOUS_BODY_BYTES = env.int("POOLBENCH_ANONYMOUS_BODY_BYTES", default=65_536)
# Runs of a team that are not accepted, in 24 hours, and how long rejected files are kept.
POOLBENCH_REJECTED_RUNS_PER_DAY = env.int("POOLBENCH_REJECTED_RUNS_PER_DAY", default=50)
POOLBENCH_REJECTED_BYTES_PER_DAY = env.int(
    "POOLBENCH_REJECTED_BYTES_PER_DAY", default=1_000_000_000
)
POOLBENCH_REJECTED_FILES_DAYS = env.int("POOLBENCH_REJECTED_FILES_DAYS", default=30)
# Requests per user, "number/min" or "number/hour"; empty for no limit.
POOLBENCH_API_RATE = env("POOLBENCH_API_RATE", default="1200/min")
POOLBENCH_ANONYMOUS_RATE = env("POOLBENCH_ANONYMOUS_RATE", default="60/min")  # per address
POOLBENCH_UPLOAD_RATE = env("POOLBENCH_UPLOAD_RATE", default="300/min")
POOLBENCH_CROWD_RATE = env("POOLBENCH_CROWD_RATE", default="1200/min")
# Days in which organizers can restore a campaign that was deleted.
POOLBENCH_DELETED_DAYS = env.int("POOLBENCH_DELETED_DAYS", default=14)
POOLBENCH_TOKEN_DAYS = env.int("POOLBENCH_TOKEN_DAYS", default=365)
# Proxies in front of the web server, each of which adds an address to X-Forwarded-For.
POOLBENCH_PROXIES = env.int("POOLBENCH_PROXIES", default=0)
# Who may read /metrics besides the machine itself: by address, or through a proxy with the token.
POOLBENCH_METRICS_ADDRESSES = env.list("POOLBENCH_METRICS_ADDRESSES", default=[])
POOLBENCH_METRICS_TOKEN = env("POOLBENCH_METRICS_TOKEN", default="")
# One checkbox per topic and assessor of a plan: hundreds times dozens.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

# The visitor's choice, otherwise the browser's language; see docs/translating.md.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [RESOURCE_DIR / "locale"]
FORMAT_MODULE_PATH = "workbench.formats"
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = BEHIND_TLS
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
# The tokens of pages are those of the library's report files.
STATICFILES_DIRS = [
    RESOURCE_DIR / "static",
    ("css", PACKAGE_DIR.parent / "poolbench/reports/style"),
]
# A bucket, "s3://BUCKET/PREFIX", whose column files have copies here; else the folder STORE_DIR.
POOLBENCH_STORE = env("POOLBENCH_STORE", default="")
STORE_CACHE_DIR = VAR_DIR / "cache/store"
POOLBENCH_CACHE_BYTES = env.int("POOLBENCH_CACHE_BYTES", default=5_000_000_000)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "store": build_store_settings(POOLBENCH_STORE),
    "staticfiles": {"BACKEND": "workbench.static_files.HashedStaticFiles"},
}
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = STORE_DIR

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        # Documents; all other responses forbid framing.
        "frame-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
# Monitors speak plain HTTP to the web server, not to the proxy.
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "campaigns.api.authentication.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_THROTTLE_CLASSES": [
        "campaigns.api.limits.ApiThrottle",
        "campaigns.api.limits.AnonymousThrottle",
    ],
    "NUM_PROXIES": 0,  # ClientAddressMiddleware has counted them
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "campaigns.api.authentication.TokenScope",
    ],
    "DEFAULT_PARSER_CLASSES": ["campaigns.api.limits.PlainJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "campaigns.api.limits.LimitPagination",
    "PAGE_SIZE": 100,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "workbench.error_pages.handle_api_exception",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Poolbench",
    "DESCRIPTION": (
        "Campaigns, runs, pools, judgments, qrels and scores, with the permissions of the pages. "
        "Create a token on your account page and send it with every request: "
        "`Authorization: Token …`. Lists have 100 rows per page (`limit`, `offset`). A refusal has "
        "`code`, `detail` and `fix`; 422 has all errors of a file."
    ),
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "workbench.api_docs.describe_operations",
    ],
    "ENUM_NAME_OVERRIDES": {
        "RunKindEnum": "campaigns.models.Run.Kind",
        "JudgmentKindEnum": "judging.models.Judgment.Kind",
        "DataAudienceEnum": "campaigns.models.DataFile.Audience",
        "ErratumKindEnum": "campaigns.models.campaign.Erratum.Kind",
        "LanguageEnum": "judging.models.Plan.Language",
    },
}

# Errors are mailed to the administrators if there are any.
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 10
EMAIL_SUBJECT_PREFIX = "[Poolbench] "
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env("POOLBENCH_MAIL_FROM", default="poolbench@localhost")
# Mails go into the outbox and no further.
POOLBENCH_MAIL_DRY_RUN = env.bool("POOLBENCH_MAIL_DRY_RUN", default=False)
POOLBENCH_MAILS_PER_TICK = env.int("POOLBENCH_MAILS_PER_TICK", default=100)
ADMINS = [("", address) for address in env.list("POOLBENCH_ADMINS", default=[])]

LOG_FORMAT = env("POOLBENCH_LOG_FORMAT", default="plain")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "class": "workbench.logs.PlainFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {"class": "workbench.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT},
        "mail": {"class": "workbench.logs.MailHandler", "level": "ERROR", "formatter": "plain"},
    },
    "root": {"handlers": ["console", "mail"], "level": env.str("POOLBENCH_LOG_LEVEL", "WARNING")},
    # Refused or missing pages, and brokers without a host name, are not worth logging.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "kombu.connection": {"level": "ERROR"},
        # One readable line per sign-in, failure, lockout and sign-out, instead of those of axes.
        "poolbench.sign_in": {"level": "INFO"},
        # One per request, as JSON only: people read those of the proxy.
        "poolbench.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
        "axes": {"level": "ERROR"},
    },
}
