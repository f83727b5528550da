"""Writing: a preview of a pool, and its freezing."""

from __future__ import annotations

from pooling.services.frames import frame_text
from pooling.services.freezing import freeze, newest_version
from pooling.services.previewing import FLOOR_AT, Floor, PoolPreview, preview

__all__ = ["FLOOR_AT", "Floor", "PoolPreview", "frame_text", "freeze", "newest_version", "preview"]
