from __future__ import annotations

JOBS = {}
