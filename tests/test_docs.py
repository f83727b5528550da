"""The documentation agrees with the code: commands, options, variables, codes, names, links."""

import re
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from poolbench.__main__ import FILE_COMMANDS, build_file_parser, load_file_command
from poolbench.pooling.registry import METHODS
from poolbench.runs.qrels import MAX_GRADE
from poolbench.texts import documents, topics
from tests.conftest import REPOSITORY
from tests.house import APPS
from workbench.command_docs import ON_FILES, ON_INSTALLATION
from workbench.docs import BLOCKS, find_stale_blocks, list_blocks

DOCS = REPOSITORY / "docs"

OWN_COMMANDS = sorted(name for name, app in get_commands().items() if app in APPS)
ROOT_PAGES = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [*ROOT_PAGES, *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def source(*folders: str) -> str:
    paths = (path for folder in folders for path in (REPOSITORY / folder).rglob("*.py"))
    return "\n".join(path.read_text() for path in paths)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.full if page.stem == "crowd-quality" else ())
        for page in sorted(DOCS.glob("*.md"))
    ],
    ids=lambda path: path.name,
)
def test_no_block_is_stale(page):
    stale = find_stale_blocks(page.read_text(), BLOCKS)
    assert stale == [], f"run `make docs`: blocks of {page.name} are stale"


def test_every_block_stands_on_one_page():
    listed = [name for page in DOCS.glob("*.md") for name in list_blocks(page.read_text())]
    assert sorted(listed) == sorted(BLOCKS)


def test_the_blocks_are_filled_without_a_database(tmp_path):
    path = {"PYTHONPATH": str(REPOSITORY), "POOLBENCH_VAR": str(tmp_path)}
    nowhere = path | {"DATABASE_URL": "postgres://nobody@localhost:1/none"}
    code = (
        "from workbench import docs; from pathlib import Path; docs.DOCS = Path('.'); docs.main()"
    )
    (tmp_path / "page.md").write_text("<!-- begin: commands.tick -->\n<!-- end -->\n")
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=nowhere, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert told.stdout == "page.md: commands.tick\n"
    assert "### `tick`" in (tmp_path / "page.md").read_text()


def test_the_page_of_commands_has_each_command_once():
    files, _, installation = (DOCS / "commands.md").read_text().partition("## On an installation")
    head = re.compile(r"^### `([\w-]+)`", re.MULTILINE)
    assert sorted(head.findall(files)) == sorted(FILE_COMMANDS) == sorted(ON_FILES)
    assert sorted(head.findall(installation)) == OWN_COMMANDS == sorted(ON_INSTALLATION)


def list_options_of_section(side: str, heading: str) -> set[str]:
    page = (DOCS / "commands.md").read_text().partition(f"\n## {side}\n")[2]
    section = page.partition(f"\n### {heading}\n")[2]
    rows = re.findall(r"^\| `(-.*?)` \|", section.partition("\n### ")[0], re.MULTILINE)
    return {word for row in rows for word in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", row)}


def test_the_page_of_commands_lists_every_option_on_files():
    for command in FILE_COMMANDS:
        listed = list_options_of_section("On plain files", f"`{command}`")
        parser = build_file_parser(command, load_file_command(command))
        assert listed == option_strings(parser) - {"-h", "--help", "-v", "--verbosity"}, command


def test_the_page_of_commands_lists_every_option_on_an_installation():
    common = option_strings(BaseCommand().create_parser("manage.py", "any"))
    for command in OWN_COMMANDS:
        heading = f"`{command}` of a campaign" if command in FILE_COMMANDS else f"`{command}`"
        listed = list_options_of_section("On an installation", heading)
        loaded = load_command_class(get_commands()[command], command)
        parser = loaded.create_parser("manage.py", command)
        assert listed == option_strings(parser) - common, command


def option_strings(parser: ArgumentParser) -> set[str]:
    """Every spelling of each option."""
    return {option for action in parser._actions for option in action.option_strings}


def test_deployment_page_lists_the_variables_of_tests_and_nothing_else():
    page = (DOCS / "deployment.md").read_text()
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
    read = source(*APPS, "tests", "deploy") + (REPOSITORY / ".ci/run").read_text()
    named = set(
        re.findall(
            r"\b(?:POOLBENCH_[A-Z_]*[A-Z]|(?:CACHE|DATABASE|CELERY_BROKER|EMAIL)_URL)\b", read
        )
    )
    assert named == listed


def test_formats_page_lists_every_code_once():
    page = (DOCS / "formats.md").read_text()
    listed = re.findall(r"^\| ([EW][A-Z]?\d\d) \|", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(re.findall(r'"([EW][A-Z]?\d\d)"', source(*APPS)))


def test_pages_state_the_number_of_pooling_methods():
    for page in (DOCS / "pooling.md", REPOSITORY / "README.md"):
        assert f"{len(METHODS)} methods" in page.read_text(), page.name


def test_formats_page_states_the_limits():
    page = (DOCS / "formats.md").read_text()
    assert f"from -{MAX_GRADE} to {MAX_GRADE}" in page
    assert f"longer than {topics.CODES.max_id} characters" in page
    assert f"longer than {documents.CODES.max_id} characters" in page


def test_every_decision_is_in_the_list():
    pages = {path.name for path in (DOCS / "decisions").glob("0*.md")}
    listed = re.findall(r"\]\((0.*?\.md)\)", (DOCS / "decisions/README.md").read_text())
    assert sorted(listed) == sorted(pages)


@cache
def prose(page: Path) -> str:
    """The page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> set[str]:
    """As GitHub names them: a heading that occurs again gets a number."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    slugs = [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads]
    seen: Counter[str] = Counter()
    names = set()
    for slug in slugs:
        names.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return names


def test_links_lead_somewhere():
    links = [(page, *link.partition("#")) for page in PAGES for link in LINK.findall(prose(page))]
    for page, target, _, anchor in links:
        if "://" in target:
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(path), f"{page.name}: {target}#{anchor}"


def test_texts_of_the_product_name_pages_that_exist():
    paths = [path for app in APPS for path in (REPOSITORY / app).rglob("*.py")]
    paths += [REPOSITORY / "Makefile", *(REPOSITORY / "templates").rglob("*.html")]
    for path in paths:
        for name, anchor in re.findall(r"([\w./-]+\.md)(?:#([\w-]+))?", path.read_text()):
            page = next((p for p in (REPOSITORY / name, DOCS / name) if p.exists()), None)
            assert page, f"{path}: {name}"
            if anchor:
                assert anchor in anchors(page), f"{path}: {name}#{anchor}"


def test_every_page_ends_with_the_glossary_and_the_readme_links_it():
    readme = (REPOSITORY / "README.md").read_text()
    for page in DOCS.glob("*.md"):
        end = page.read_text()[-80:]
        assert page.name == "glossary.md" or "[glossary](glossary.md)." in end, page.name
        assert f"](docs/{page.name})" in readme


def test_python_names_of_the_pages_exist():
    pages = "\n".join(page.read_text() for page in PAGES if page.parent != DOCS / "decisions")
    imports = re.findall(rf"from ((?:{'|'.join(APPS)})[\w.]*) import ([\w, ]+)", pages)
    names = [f"{module}.{name.strip()}" for module, part in imports for name in part.split(",")]
    names += re.findall(rf"`((?:{'|'.join(APPS)})\.(?:views|\w+)\.[\w.]+)", pages)
    assert len(names) > 20
    for name in names:
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last) or import_module(name), name


def test_paths_of_the_pages_exist():
    pages = "\n".join(page.read_text() for page in PAGES if page.parent != DOCS / "decisions")
    paths = re.findall(
        rf"`((?:{'|'.join(APPS)}|tests|static|templates|benchmarks)/[\w./]+)`", pages
    )
    assert len(paths) > 40
    roots = REPOSITORY, REPOSITORY / "templates"
    assert [it for it in set(paths) if not any((root / it).exists() for root in roots)] == []
