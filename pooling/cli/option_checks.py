"""Checks of specs and runs that commands pool from run files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from campaigns.cli.command import CliError
from campaigns.core.tables import RunTable
from pooling.core.spec import PoolSpec, RunChoice


def check_run_choice(spec: PoolSpec, name: str = "") -> None:
    """Raise ``CliError`` if ``spec`` selects runs by attributes that files do not have."""
    if replace(spec.runs, tags=()) != RunChoice():
        raise CliError(
            f"{name}{': ' if name else ''}Run files have no team, priority or type. Select runs by "
            "`tags`, or list the files."
        )


def check_known_tags(spec: PoolSpec, tags: Collection[str]) -> None:
    """Raise ``CliError`` with the tags in ``spec`` that no run has."""
    if missing := spec.runs.list_unknown(tags, ()):
        raise CliError(f"Not among the run files: {', '.join(missing)}.")


def check_unique_tags(runs: Mapping[str, RunTable]) -> None:
    """Raise ``CliError`` with the files of every tag that occurs in more than one."""
    files: dict[str, list[str]] = {}
    for path, run in runs.items():
        files.setdefault(run.tag, []).append(path)
    duplicates = [f"{tag} in {', '.join(paths)}" for tag, paths in files.items() if len(paths) > 1]
    if duplicates:
        raise CliError(f"Run tags must be unique in a pool: {'; '.join(duplicates)}.")
