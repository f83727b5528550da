"""What commands cannot pool from run files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from django.core.management.base import CommandError

from campaigns.core.tables import RunTable
from pooling.core.spec import PoolSpec, RunChoice


def check_run_choice(spec: PoolSpec, name: str = "") -> None:
    """Raise ``CommandError`` where ``spec`` chooses runs by what their files do not tell."""
    if replace(spec.runs, tags=()) != RunChoice():
        raise CommandError(
            f"{name}{': ' if name else ''}Run files tell no team, priority or kind: choose by "
            "`tags`, or name the files."
        )


def check_known_tags(spec: PoolSpec, tags: Collection[str]) -> None:
    """Raise ``CommandError`` naming the tags that ``spec`` chooses and no run has."""
    if lost := spec.runs.unknown(tags, ()):
        raise CommandError(f"No run has what the spec names: {', '.join(lost)}.")


def check_unique_tags(runs: Mapping[str, RunTable]) -> None:
    """Raise ``CommandError`` naming the files of every tag that stands in more than one."""
    files: dict[str, list[str]] = {}
    for path, run in runs.items():
        files.setdefault(run.tag, []).append(path)
    same = [f"{tag} in {', '.join(paths)}" for tag, paths in files.items() if len(paths) > 1]
    if same:
        raise CommandError(f"Runs of a pool need different tags: {'; '.join(same)}.")
