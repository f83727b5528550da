"""The house's own rules, held by machine: who imports whom, how long things are, what is told."""

import ast
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from django.template.loader import get_template

from tests.conftest import REPOSITORY
from tests.house import APPS, list_nodes

CAP_FUNCTION, CAP_FILE, CAP_MEDIAN = 50, 400, 10
TEMPLATES = REPOSITORY / "templates"


def files(*folders: str, ending: str = "py") -> list[Path]:
    found = (path for folder in folders for path in (REPOSITORY / folder).rglob(f"*.{ending}"))
    return sorted(path for path in found if not {"migrations", "__pycache__"} & set(path.parts))


@lru_cache(maxsize=1)
def functions() -> list[tuple[str, int]]:
    """``(place, lines)`` of every function of the product, its docstring aside."""
    found = []
    for path, node in list_nodes()[ast.FunctionDef] + list_nodes()[ast.AsyncFunctionDef]:
        lines = (node.end_lineno or 0) - node.lineno + 1
        lines -= len((ast.get_docstring(node, clean=False) or "").splitlines())
        found.append((f"{path}:{node.lineno} {node.name}", lines))
    return found


def hits(pattern: str, paths: list[Path]) -> list[str]:
    """``file:line text`` of every line that ``pattern`` finds."""
    wanted = re.compile(pattern)
    return [
        f"{path.relative_to(REPOSITORY)}:{number} {line.strip()}"
        for path in paths
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if wanted.search(line)
    ]


def test_no_template_line_is_long():
    assert not hits(r"^.{121}", files("templates", ending="html"))


def test_imports_point_one_way():
    lint = Path(sys.executable).with_name("lint-imports")
    if not lint.exists():
        pytest.skip("import-linter is not installed")
    told = subprocess.run(
        [lint, "--no-cache"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout


def test_no_function_is_longer_than_the_cap():
    assert [place for place, lines in functions() if lines > CAP_FUNCTION] == []


def test_functions_are_short():
    assert statistics.median(lines for _, lines in functions()) <= CAP_MEDIAN


@pytest.mark.parametrize("folders", [APPS, ("tests", "benchmarks"), ("static",)])
def test_no_file_is_longer_than_the_cap(folders):
    paths = files(*folders) + files(*folders, ending="js")
    told = {str(path.relative_to(REPOSITORY)): len(path.read_text().splitlines()) for path in paths}
    assert {name: lines for name, lines in told.items() if lines > CAP_FILE} == {}


def test_nothing_is_left_to_do():
    words = "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "NotImplemented" + "Error"])
    paths = files(*APPS, "tests", "benchmarks") + files("templates", ending="html")
    paths += files("static", ending="js") + files("static", ending="css")
    assert hits(rf"\b({words})\b", paths) == []


def templates() -> list[str]:
    return [str(path.relative_to(TEMPLATES)) for path in files("templates", ending="html")]


def test_every_template_loads():
    assert all(map(get_template, templates()))


def test_pages_are_rendered_from_view_models():
    """Handlers give values to ``render_page``; only it calls Django's ``render``."""
    paths = [path for path in files(*APPS) if "/views" in str(path)]
    calls = hits(r"(?<![\w.])render\(", paths)
    assert [hit for hit in calls if not hit.startswith("campaigns/views/pages.py")] == [
        hit for hit in calls if " def render(" in hit
    ]


def test_templates_look_up_parts_by_name():
    numbered = hits(r"\{[{%][^}]*\w\.\d+(?![^}]*[\"'])\b[^}]*\}", files("templates", ending="html"))
    assert numbered == []


def test_templates_hold_nothing_that_a_strict_policy_forbids():
    paths = files("templates", ending="html")
    assert hits(r"<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|javascript:|hx-on", paths) == []
    assert hits(r"<script(?![^>]*\ssrc=)", paths) == []
    assert hits(r"(src|href)\s*=\s*[\"']https?:", paths) == []


def test_nothing_is_marked_safe_but_prose_and_pictures():
    # Help texts of fields are written by us, and Django's own hold lists. The settings have the
    # engine of mails, which are plain text.
    own = {"prose.py", "charts.py", "field.html", "helptext.html", "div.html", "settings.py"}
    python = [path for path in files(*APPS) if path.name not in own]
    pages = [path for path in files("templates", ending="html") if path.name not in own]
    assert hits(r"mark_safe|SafeString|format_html_join|autoescape", python) == []
    assert hits(r"\|\s*safe\b|autoescape", pages) == []


def test_apps_are_empty_at_their_root():
    assert {
        path: path.read_text()
        for app in APPS
        if app != "poolbench" and (path := REPOSITORY / app / "__init__.py").read_text()
    } == {}


def test_constraints_name_no_host():
    assert "://" not in (REPOSITORY / "constraints.txt").read_text()


def documented() -> str:
    pages = [REPOSITORY / "README.md", *files("docs", ending="md")]
    return "\n".join(page.read_text() for page in pages)


def commands() -> Iterator[str]:
    for path in files(*APPS):
        if path.parent.match("management/commands") and path.stem != "__init__":
            yield path.stem


def test_every_command_is_documented():
    words = set(re.findall(r"\w+", documented()))
    assert set(commands()) - words == set()


def test_every_setting_is_documented():
    settings = (REPOSITORY / "workbench/settings.py").read_text()
    named = set(re.findall(r"env(?:\.\w+)?\(\s*\"([A-Z_]+)\"", settings))
    told = (REPOSITORY / "docs/deployment.md").read_text()
    assert {name for name in named if f"`{name}`" not in told} == set()


def test_nothing_names_the_machine_it_was_written_on():
    pages = [REPOSITORY / name for name in ("README.md", "Makefile", "pyproject.toml")]
    paths = [path for path in pages if path.exists()] + files("docs", ending="md")
    paths += files(*APPS, "benchmarks", "tests")
    assert hits(r"(^|[\s\"'(=])/(work|root|home)/", paths) == []


CONFIRMED = (
    "release_scores freeze_pool freeze_qrels remove_member withdraw_run change_visibility"
    " close_submissions reopen_submissions close_plan end_round delete_all add_member"
)


def test_pages_api_and_commands_hand_over_a_decision():
    """Only a program that repeats decisions, such as a replay, leaves the consent out."""
    wanted, told, seen = set(CONFIRMED.split()), [], set()
    for path, node in list_nodes()[ast.Call]:
        if not re.search(r"/views|/api[/.]|/commands/", path) or path.startswith("replay/"):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        names = {keyword.arg for keyword in node.keywords}
        if name in wanted and "actor" in names:
            seen.add(name)
            # The fields of a ``ConfirmSerializer`` (**fields) hold the decision.
            told += [] if names & {"decision", None} else [f"{path}:{node.lineno} {name}"]
    assert told == []
    assert seen == wanted


def test_queries_never_write():
    """Services write: with a permission, in one transaction, noted in the log."""
    write = re.compile(
        r"\.(save|create|delete|bulk_create|bulk_update|get_or_create|update_or_create)\("
        r"|select_for_update|put_blob|transaction\.atomic"
    )
    assert {
        str(path): match[0]
        for app in APPS
        for path in (REPOSITORY / app / "queries").rglob("*.py")
        if (match := write.search(path.read_text()))
    } == {}


def test_services_never_render():
    """The import contract keeps report writers and charts out; this, Django's templates."""
    services = [path for path in files(*APPS) if "/services" in str(path)]
    assert hits(r"django\.(shortcuts|template)|render_to_string", services) == []
