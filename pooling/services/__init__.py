"""Writing: a preview of a pool, and its freezing."""

from __future__ import annotations

from pooling.services.freezing import freeze, newest_version
from pooling.services.previewing import FLOOR_AT, Floor, PoolPreview, preview

__all__ = ["FLOOR_AT", "Floor", "PoolPreview", "freeze", "newest_version", "preview"]
