"""The wheel, built and installed in an environment of its own, far from the checkout."""

import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from poolbench.evaluation import evaluate
from tests.conftest import REPOSITORY
from tests.house import APPS

pytestmark = pytest.mark.package

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n"
RUN = "1 Q0 b 1 9.1 mine\n1 Q0 a 2 8.7 mine\n1 Q0 x 3 3 mine\n2 Q0 a 1 1.5 mine\n"
OUTSIDE = {"PYTHONPATH", "POOLBENCH_VAR", "DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
NO_INDEX = ("No matching distribution", "Connection", "connection", "Name or service", "Network")
LIGHT = "import sys, poolbench; print(sorted({'django', 'pandas', 'scipy'} & set(sys.modules)))"
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
PACKAGED = ("templates", "static", "locale", "docs", "deploy", *PAGES)
Place = tuple[Path, Path]
"""The folder of commands of the environment, and a folder to work in."""


def call(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a program without anything that leads back to the checkout."""
    environment = {name: value for name, value in os.environ.items() if name not in OUTSIDE}
    return subprocess.run(
        [*map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def install(folder: Path, python: object, *words: object) -> None:
    """Run pip, and skip if it can reach no index."""
    ended = call(folder, python, "-m", "pip", "-q", *words)
    if ended.returncode and any(text in ended.stderr for text in NO_INDEX):
        pytest.skip(f"pip reaches no package index: {ended.stderr.strip().splitlines()[-1]}")
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    install(folder, sys.executable, "wheel", "--no-deps", "-w", folder, REPOSITORY)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return install_wheel(tmp_path_factory.mktemp("base"), str(wheel))


@pytest.fixture(scope="module")
def server(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return install_wheel(tmp_path_factory.mktemp("server"), f"{wheel}[server]")


def install_wheel(folder: Path, wheel: str) -> Place:
    """Install ``wheel``, with or without an extra, in a new environment below ``folder``."""
    venv.create(folder / "venv", with_pip=True)
    programs, pins = folder / "venv/bin", REPOSITORY / "constraints.txt"
    install(folder, programs / "python", "install", "--no-compile", "-c", pins, wheel)
    return programs, folder


def tracked(*folders: str) -> set[str]:
    """The files below ``folders`` that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split() if (REPOSITORY / name).is_file()}


def test_the_wheel_holds_every_file_of_the_product(wheel: Path) -> None:
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    packaged = {f"workbench/{name}" for name in tracked(*PACKAGED)}
    assert held == tracked(*APPS) | packaged


@pytest.mark.full
def test_the_base_scores_files_without_django(base: Place) -> None:
    programs, folder = base
    (folder / "qrels").write_text(QRELS)
    (folder / "run").write_text(RUN)
    ended = call(folder, programs / "poolbench", "evaluate", "qrels", "run", "-m", "map", "-q")
    scores = evaluate(RUN.encode(), QRELS.encode(), ["map"])
    expected = [*scores.by_topic("map").items(), ("all", scores.mean("map"))]
    assert [line.split("\t")[1:] for line in ended.stdout.splitlines() if "map" in line] == [
        [topic, f"{value:.4f}"] for topic, value in expected
    ]
    assert call(folder, programs / "python", "-c", "import django").returncode == 1
    assert call(folder, programs / "python", "-c", LIGHT).stdout == "[]\n"


@pytest.mark.full
@pytest.mark.parametrize("command", ["serve", "demo", "manage"])
def test_the_base_names_the_extra_that_the_server_needs(base: Place, command: str) -> None:
    programs, folder = base
    ended = call(folder, programs / "poolbench", command)
    assert ended.returncode == 1
    assert 'pip install "poolbench[server]"' in ended.stderr


@pytest.mark.full
def test_the_server_builds_its_demo_and_renders_pages(server: Place) -> None:
    programs, folder = server
    ended = call(folder, programs / "poolbench", "demo", "--no-serve")
    assert ended.returncode == 0, ended.stderr
    assert "\nScores\n" in ended.stdout
    assert (folder / "var/demo/poolbench.sqlite3").is_file()
    page = call(folder, programs / "poolbench", "manage", "shell", "-v", "0", "-c", ASK_A_PAGE)
    assert page.stdout.split() == ["200", "de", "200", "True", "True"], page.stderr


ASK_A_PAGE = """
from django.test import Client
client = Client(HTTP_HOST="localhost", headers={"accept-language": "de"})
page = client.get("/")
print(page.status_code, page.content.decode().partition('lang="')[2][:2])
print(client.get("/static/css/app.css").status_code)
print('id="E07"' in client.get("/help/formats/").content.decode())
print('formats/#E07' in client.get("/help/?q=E07").content.decode())
"""
