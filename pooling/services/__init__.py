"""Preview and freeze pools."""

from __future__ import annotations

from pooling.services.frames import frame_text
from pooling.services.freeze import freeze_pool, latest_pool_version
from pooling.services.preview import FLOOR_AT, PooledShare, PoolPreview, preview_pool

__all__ = [
    "FLOOR_AT",
    "PoolPreview",
    "PooledShare",
    "frame_text",
    "freeze_pool",
    "latest_pool_version",
    "preview_pool",
]
