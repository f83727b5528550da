"""The packages of the product, for the tests that read all of its files."""

import ast
import tomllib
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
APPS: tuple[str, ...] = tuple(PROJECT["tool"]["importlinter"]["root_packages"])


@lru_cache(maxsize=1)
def parse_product() -> dict[str, ast.Module]:
    """The product's modules by path, migrations aside."""
    paths = (path for app in APPS for path in sorted((REPOSITORY / app).rglob("*.py")))
    return {
        path.relative_to(REPOSITORY).as_posix(): ast.parse(path.read_text())
        for path in paths
        if "migrations" not in path.parts
    }


@lru_cache(maxsize=1)
def list_nodes() -> dict[type[ast.AST], list[tuple[str, Any]]]:
    """All that stands in these modules, with the path, by kind."""
    found = defaultdict(list)
    for path, tree in parse_product().items():
        for node in ast.walk(tree):
            found[type(node)].append((path, node))
    return found
