"""Preview and freeze pools."""

from __future__ import annotations

from pooling.services.frames import frame_text
from pooling.services.freeze import (
    check_unchanged,
    draft_pool,
    freeze_pool,
    latest_pool_version,
)
from pooling.services.preview import SHARE_DEPTH, PooledShare, PoolPreview, preview_pool

__all__ = [
    "SHARE_DEPTH",
    "PoolPreview",
    "PooledShare",
    "check_unchanged",
    "draft_pool",
    "frame_text",
    "freeze_pool",
    "latest_pool_version",
    "preview_pool",
]
