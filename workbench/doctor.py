"""What is wrong with an installation, in words, and what mends it: ``poolbench doctor``."""

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.core.mail import get_connection
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now
from django.utils import timezone

from campaigns.models import Event, Mail, ProcessHeartbeat, User
from campaigns.queries.mail import summarize_mails
from campaigns.services import store_marker
from campaigns.services.health import ALARM_SECONDS, FAILED, LOW, OK, check_health
from workbench.backups import list_known_migrations

WARNING = "warning"
LONGEST_WITHOUT_BACKUP = timedelta(hours=36)
MOST_SECONDS_APART = 5.0
LEAST_KEY_LENGTH = 40
WORKING = {
    "database": (
        "Rows can be read.",
        "Start the server, compare DATABASE_URL with it, run `poolbench manage migrate`.",
    ),
    "store": (
        "A file was written and read back.",
        "Make POOLBENCH_VAR/store writable for web server and worker; for a bucket, compare AWS_….",
    ),
    "broker": (
        "It takes connections.",
        "Start it; compare CELERY_BROKER_URL with its settings. Jobs wait and are sent later.",
    ),
}
"""What is said of a part that works, and what mends it."""
PROCESSES = {
    "tick": "systemctl enable --now poolbench-tick.timer, or run `manage.py tick` every minute.",
    "worker": "systemctl restart poolbench-worker poolbench-long, or run `manage.py serve`.",
}


class Finding(NamedTuple):
    """``state`` is ok, warning or failed; ``fix`` is empty if nothing is to be done."""

    name: str
    state: str
    message: str
    fix: str = ""


def examine_installation() -> list[Finding]:
    """All findings; those that need the database are left out while it is away."""
    health = check_health()
    findings = [*explain_health(health), *check_settings(), check_cache(), check_mail()]
    if health["database"] == OK:
        findings += [check_migrations(), check_clock(), check_dump_program(), check_outbox()]
    if (folder := settings.VAR_DIR / "backups").is_dir():
        findings.append(check_newest_backup(folder))
    return findings


def explain_health(health: Mapping[str, Any]) -> Iterator[Finding]:
    """What ``/health/`` measures."""
    for name, (message, fix) in WORKING.items():
        if fault := health.get(f"{name}_fault"):
            yield Finding(name, FAILED, fault, store_marker.FIX)
        elif health[name] == FAILED:
            reason = health.get(f"{name}_error") or "It returned other bytes than were written."
            yield Finding(name, FAILED, reason.strip(), fix)
        else:
            yield Finding(name, OK, message)
    if (free := health["store_free_bytes"]) is not None:
        fix = "Free space on the disk of POOLBENCH_VAR." if health["store"] == LOW else ""
        yield Finding("disk", WARNING if fix else OK, f"{free / 1e9:.1f} GB are free.", fix)
    for name, fix in PROCESSES.items():
        age, limit = health[f"newest_{name}_seconds"], ALARM_SECONDS[f"newest_{name}_seconds"]
        message = "It has never reported." if age is None else f"It reported {age} seconds ago."
        is_fine = age is not None and age <= limit
        if name == "worker" and health.get("silent_workers"):
            message, is_fine = f"{health['silent_workers']} stopped reporting.", False
        is_fine = is_fine or settings.POOLBENCH_INLINE
        yield Finding(name, OK if is_fine else FAILED, message, "" if is_fine else fix)


def check_settings() -> Iterator[Finding]:
    """Versions, the secret key, and whom the settings let in."""
    programs = {name: version(name) for name in ("poolbench", "django", "celery", "gunicorn")}
    programs["python"] = platform.python_version()
    yield Finding("versions", OK, ", ".join(f"{name} {its}" for name, its in programs.items()))
    yield check_secret_key(settings.VAR_DIR / "secret_key")
    if settings.DEBUG:
        fix = "Unset POOLBENCH_DEBUG and restart."
        yield Finding("debug", FAILED, "Error pages show settings and code to anybody.", fix)
    if hosts := [name for name in settings.ALLOWED_HOSTS if name not in settings.LOCAL_HOSTS]:
        yield check_tls(hosts)
    else:
        yield Finding("hosts", OK, "Only this machine opens the site: see POOLBENCH_HOSTS.")


def check_secret_key(path: Path) -> Finding:
    if path.exists() and path.stat().st_mode & 0o077:
        return Finding("secret key", WARNING, f"Others may read {path}.", f"chmod 600 {path}")
    if len(settings.SECRET_KEY) < LEAST_KEY_LENGTH:
        fix = f"Set POOLBENCH_SECRET_KEY to {LEAST_KEY_LENGTH} random characters; sessions end."
        return Finding("secret key", WARNING, "It is short enough to be guessed.", fix)
    if settings.POOLBENCH_STORE and path.exists() and path.read_text() == settings.SECRET_KEY:
        fix = f"Set POOLBENCH_SECRET_KEY to the content of {path} on every machine."
        return Finding("secret key", WARNING, "Other machines have another one.", fix)
    return Finding("secret key", OK, "It is long, and only its owner reads it.")


def check_tls(hosts: list[str]) -> Finding:
    if "*" in hosts:
        fix = "Name the hosts in POOLBENCH_HOSTS."
        return Finding("hosts", WARNING, "Any host name is accepted, also in links.", fix)
    if not settings.BEHIND_TLS:
        fix = "Serve the site by TLS (deploy/nginx-site.conf) and set POOLBENCH_TLS=1."
        return Finding("hosts", WARNING, "Passwords travel unencrypted.", fix)
    if not settings.POOLBENCH_PROXIES:
        fix = "Set POOLBENCH_PROXIES to the number of proxies, usually 1."
        return Finding("hosts", WARNING, "All clients have the proxy's address and limits.", fix)
    return Finding("hosts", OK, f"{', '.join(hosts)} by TLS.")


def check_cache() -> Finding:
    """What several web processes count together."""
    try:
        cache.set("doctor", 1, 10)
        works = cache.get("doctor") == 1
        reason = "It does not keep what is written."
    except Exception as error:  # each backend raises its own
        works, reason = False, str(error).strip()
    if works and settings.POOLBENCH_STORE and "FileBased" in settings.CACHES["default"]["BACKEND"]:
        message, fix = "Limits are counted for this machine alone.", "Set CACHE_URL to Redis."
        return Finding("cache", WARNING, message, fix)
    if works:
        return Finding("cache", OK, "Limits on requests are counted.")
    fix = "Compare CACHE_URL with its server; for a table, run `manage.py createcachetable`."
    return Finding("cache", FAILED, f"Requests are not limited. {reason}", fix)


def check_mail() -> Finding:
    """Whether the mail server takes a connection; nothing is sent."""
    if settings.EMAIL_BACKEND.endswith(".dummy.EmailBackend"):
        state = WARNING if settings.ADMINS else OK
        fix = "Set EMAIL_URL, or unset POOLBENCH_ADMINS." if settings.ADMINS else ""
        return Finding("mail", state, "There is no mail server; errors are in the log only.", fix)
    try:
        with get_connection():
            pass
    except Exception as error:  # refused, unknown host, TLS, credentials
        return Finding("mail", FAILED, str(error).strip(), "Compare EMAIL_URL with its server.")
    receivers = ", ".join(address for _, address in settings.ADMINS) or "nobody (POOLBENCH_ADMINS)"
    return Finding("mail", OK, f"The server takes connections; errors are mailed to {receivers}.")


def check_outbox() -> Finding:
    """Whether mails leave the outbox."""
    mails = summarize_mails()
    queued, failed = mails["states"].get(Mail.State.QUEUED, 0), mails["failed_today"]
    message = f"{queued} queued; the oldest that is due has waited {mails['oldest_seconds']} s."
    if mails["late"]:
        fix = "See *mail* above, and the errors in the outbox of the campaigns."
        return Finding("outbox", FAILED, f"{mails['late']} could not be sent for an hour.", fix)
    if failed:
        fix = "See the errors in the outbox of the campaigns; *Send again* there."
        return Finding("outbox", WARNING, f"{message} {failed} failed in the last day.", fix)
    if settings.POOLBENCH_MAIL_DRY_RUN:
        fix = "Unset POOLBENCH_MAIL_DRY_RUN to send mails."
        return Finding("outbox", WARNING, "A dry run: no mail is sent.", fix)
    return Finding("outbox", OK, message)


def check_migrations() -> Finding:
    executor = MigrationExecutor(connection)
    applied = {f"{app}.{name}" for app, name in executor.loader.applied_migrations}
    # Apps that are no longer installed leave theirs.
    if any(name.startswith("campaigns.") for name in applied - list_known_migrations()):
        fix = "Install that version again, or restore a backup of this one."
        return Finding("migrations", FAILED, "The database is of a newer version.", fix)
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        fix = "Back up, then run `poolbench manage migrate`."
        return Finding("migrations", FAILED, f"{len(plan)} have not been applied.", fix)
    return Finding("migrations", OK, "All have been applied.")


def check_clock() -> Finding:
    """Against the database server, and against what has been written before."""
    ours = timezone.now()
    theirs = None
    if connection.vendor != "sqlite":
        theirs = User.objects.annotate(now=Now()).values_list("now", flat=True).first()
    newest: list[datetime | None] = [
        Event.objects.order_by("-at").values_list("at", flat=True).first(),
        ProcessHeartbeat.objects.order_by("-at").values_list("at", flat=True).first(),
    ]
    late = max((at - ours for at in newest if at), default=timedelta())
    seconds = max(late.total_seconds(), abs((theirs - ours).total_seconds()) if theirs else 0)
    if seconds > MOST_SECONDS_APART:
        fix = "Synchronize the clocks of all machines: timedatectl set-ntp true"
        return Finding("clock", FAILED, f"It differs from the database's by {seconds:.0f} s.", fix)
    return Finding("clock", OK, f"{ours:%Y-%m-%d %H:%M:%S} UTC.")


def check_dump_program() -> Finding:
    """PostgreSQL's dump program must not be older than its server."""
    if connection.vendor != "postgresql":
        return Finding("backup", OK, "SQLite needs no program.")
    server = connection.cursor().connection.info.server_version // 10_000
    program = shutil.which("pg_dump")
    output = subprocess.check_output([program, "--version"], text=True) if program else ""  # noqa: S603
    match = re.search(r"\(PostgreSQL\) (\d+)", output)
    if match and int(match[1]) >= server:
        return Finding("backup", OK, output.strip())
    message = f"pg_dump is {match[1]}, the server {server}." if match else "There is no pg_dump."
    fix = f"apt-get install postgresql-client-{server}"
    return Finding("backup", WARNING, f"`poolbench backup` cannot work: {message}", fix)


def check_newest_backup(folder: Path) -> Finding:
    """Of the folder where the nightly timer puts them."""
    newest = max((path.stat().st_mtime for path in folder.glob("*.tar")), default=0)
    at = datetime.fromtimestamp(newest, UTC)
    if timezone.now() - at > LONGEST_WITHOUT_BACKUP:
        message = f"The newest is of {at:%Y-%m-%d %H:%M} UTC." if newest else f"{folder} has none."
        fix = "See `journalctl --unit poolbench-night`, or run `poolbench backup`."
        return Finding("last backup", WARNING, message, fix)
    return Finding("last backup", OK, f"It is of {at:%Y-%m-%d %H:%M} UTC.")
