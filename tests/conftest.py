"""Fixtures that every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data, which is no part of the repository."""
    default = REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get("POOLBENCH_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data in {folder}: set POOLBENCH_DATA to its folder")
    return folder
