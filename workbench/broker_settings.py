"""How long a broker may keep its clients waiting, for the settings."""

from __future__ import annotations

from pathlib import Path

SECONDS = {"socket_timeout": 3, "socket_connect_timeout": 2}
"""Redis that hangs must not hold web threads: the row of the job waits for a sweep."""


def build_broker_options(url: str, folder: Path) -> dict[str, str | int]:
    """Celery's transport options; ``folder`` is where the broker without a server has its files."""
    if url.startswith("filesystem:"):
        queue = str(folder / "queue")
        control = str(folder / "control")
        return {"data_folder_in": queue, "data_folder_out": queue, "control_folder": control}
    return dict(SECONDS) if url.startswith(("redis:", "rediss:")) else {}
