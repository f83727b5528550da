"""``deploy/`` agrees with the product: limits, programs, units; ``tests/services/test_site`` runs
it.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from poolbench.__main__ import SERVER_COMMANDS
from tests.conftest import REPOSITORY
from tests.page_addresses import patterns, urls
from workbench.request_limits import TAKE_FILES

DEPLOY = REPOSITORY / "deploy"
PROGRAMS = Path(sys.executable).parent


def test_the_proxy_has_the_limits_of_the_web_server(world):
    text = (DEPLOY / "nginx-site.conf").read_text()
    sizes = [int(size) for size in re.findall(r"client_max_body_size (\d+);", text)]
    usual = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert sizes == [usual, usual + settings.POOLBENCH_MAX_UPLOAD_BYTES]
    (large,) = re.findall(r"location ~ (\S+) \{", text)
    address = urls(world)
    larger = {name for name in patterns() if re.search(large, address.get(name, ""))}
    assert larger == TAKE_FILES


def list_programs() -> list[str]:
    """What the units, the containers and the script run, by their names."""
    units = [path.read_text() for path in sorted((DEPLOY / "systemd").glob("*.service"))]
    commands = re.findall(r"(?m)^ExecStart=/opt/poolbench/venv/bin/(.*)$", "\n".join(units))
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return commands + [its["command"] for its in services.values() if "command" in its]


def test_units_and_containers_run_the_same_programs():
    told = list_programs()
    programs = {"gunicorn --config": 2, "celery --app": 4, "poolbench manage tick": 2}
    for program, times in programs.items():
        assert sum(program in command for command in told) == times
    for command in told:
        if match := re.search(r"poolbench (?:manage )?(\w+)", command):
            assert match[1] in get_commands()
            assert "manage" in command or match[1] in SERVER_COMMANDS


def test_systemd_takes_the_units(tmp_path):
    if not (verifier := shutil.which("systemd-analyze")):
        pytest.skip("needs systemd-analyze: apt-get install systemd")
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text().replace("/opt/poolbench/venv/bin", str(PROGRAMS))
        (tmp_path / path.name).write_text(text)
    done = subprocess.run(
        [verifier, "verify", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_keeps_what_is_there(tmp_path):
    def install() -> dict[str, bytes]:
        command = [DEPLOY / "install.sh", "bench.example.net", "--files", tmp_path]
        subprocess.run(command, check=True, capture_output=True)
        return {str(it.relative_to(tmp_path)): it.read_bytes() for it in tmp_path.rglob("*")
                if it.is_file()}  # fmt: skip

    first = install()
    assert install() == first
    assert b"\nPOOLBENCH_HOSTS=bench.example.net\n" in first["etc/poolbench/env"]
    assert b"server_name bench.example.net;" in first["etc/nginx/sites-available/poolbench"]
    for secret in ("env", "tls/key.pem"):
        assert (tmp_path / "etc/poolbench" / secret).stat().st_mode & 0o007 == 0
    subprocess.run(["sh", "-n", tmp_path / "usr/local/bin/poolbench"], check=True)
