"""The packages of the product, for the tests that read all of its files."""

from __future__ import annotations

import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
APPS: tuple[str, ...] = tuple(PROJECT["tool"]["importlinter"]["root_packages"])
