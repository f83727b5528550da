"""All runs of a campaign with their metadata as one zip."""

import re
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from campaigns.models import Campaign, Run
from campaigns.services.run_files import read_original_file
from poolbench.files.streams import GZIP_MAGIC
from poolbench.replay.archive_folder import SUMS
from poolbench.reports.archive import ArchiveFiles
from poolbench.reports.csv import format_csv

UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)
COLUMNS = (
    *("file", "tag", "team", "kind", "priority", "description", "submitted_at", "lines"),
    *("after_release", "withdrawn_at", "sha256", "ranking_sha256"),
)


def write_runs_archive(campaign: Campaign, file: Path) -> None:
    """The runs that evaluations score, as they were submitted, and ``runs.csv``; the same bytes
    for the same runs.
    """
    runs = list(campaign.runs.scored().select_related("team").order_by("team__name", "tag"))
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        files = ArchiveFiles(archive, f"{campaign.slug}-runs")
        names = []
        for number, run in enumerate(runs, 1):
            data = read_original_file(run)
            names.append(name_run_file(number, run, data))
            files.add(names[-1], data)
        files.add("runs.csv", write_runs_table(campaign, runs, names))
        files.add_sums(SUMS)


def name_run_file(number: int, run: Run, data: bytes) -> str:
    ending = ".gz" if data.startswith(GZIP_MAGIC) else ""
    return f"runs/{number:04d}-{UNSAFE.sub('_', run.tag)}{ending}"


def write_runs_table(campaign: Campaign, runs: Sequence[Run], names: Sequence[str]) -> str:
    rows = [
        (
            *(name, run.tag, run.team.name, run.kind, run.priority, run.description),
            *(run.submitted_at.isoformat(), run.lines, "yes" if run.after_release else ""),
            run.withdrawn_at.isoformat() if run.withdrawn_at else "",
            *(run.sha256, run.normalised_hash),
        )
        for name, run in zip(names, runs, strict=True)
    ]
    return format_csv("runs", COLUMNS, rows, {"campaign": campaign.slug})
