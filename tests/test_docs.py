"""The pages in docs/ say what the code has: commands, options, variables, codes, links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandParser

from campaigns.core import documents, topics
from campaigns.core.qrels import MAX_GRADE
from tests.conftest import REPOSITORY

DOCS = REPOSITORY / "docs"
APPS = ("campaigns", "pooling", "judging", "evaluation", "replay", "workbench")
OWN_COMMANDS = sorted(name for name, app in get_commands().items() if app in APPS)
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def source(*folders: str) -> str:
    paths = (path for folder in folders for path in (REPOSITORY / folder).rglob("*.py"))
    return "\n".join(path.read_text() for path in paths)


def options_of(parser: CommandParser) -> set[str]:
    """The last spelling of each option."""
    return {action.option_strings[-1] for action in parser._actions if action.option_strings}


@pytest.mark.parametrize("command", OWN_COMMANDS)
def test_commands_page_lists_every_option(command):
    rows = re.findall(rf"^\| `{command}\b.*$", (DOCS / "commands.md").read_text(), re.MULTILINE)
    assert len(rows) == 1
    told = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", rows[0]))
    loaded = load_command_class(get_commands()[command], command)
    common = options_of(BaseCommand().create_parser("manage.py", command))
    assert told == options_of(loaded.create_parser("manage.py", command)) - common


def test_deployment_page_lists_the_variables_of_tests_and_nothing_else():
    page = (DOCS / "deployment.md").read_text()
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
    read = source(*APPS, "tests") + (REPOSITORY / ".ci/run").read_text()
    named = set(re.findall(r"\b(?:POOLBENCH_[A-Z_]*[A-Z]|DATABASE_URL|CELERY_BROKER_URL)\b", read))
    assert named == listed


def test_formats_page_lists_every_code_once():
    page = (DOCS / "formats.md").read_text()
    listed = re.findall(r"^\| ([EW][A-Z]?\d\d) \|", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(re.findall(r'"([EW][A-Z]?\d\d)"', source(*APPS)))


def test_formats_page_states_the_limits():
    page = (DOCS / "formats.md").read_text()
    assert f"from -{MAX_GRADE} to {MAX_GRADE}" in page
    assert f"longer than {topics.CODES.max_id} characters" in page
    assert f"longer than {documents.CODES.max_id} characters" in page


def test_every_decision_is_in_the_list():
    pages = {path.name for path in (DOCS / "decisions").glob("0*.md")}
    listed = re.findall(r"\]\((0.*?\.md)\)", (DOCS / "decisions/README.md").read_text())
    assert sorted(listed) == sorted(pages)


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page):
    for target, _, anchor in (
        link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    ):
        if "://" in target:
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), anchor
