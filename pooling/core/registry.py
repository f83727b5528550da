"""The table of pooling methods, chosen by the name that users type."""

from __future__ import annotations

from pooling.core.method import Method
from pooling.core.methods import depth, maxmean, take

LISTED = (depth.METHOD, take.METHOD, maxmean.METHOD)
METHODS: dict[str, Method] = {method.name: method for method in LISTED}
ALIASES = {"fairtake": "take"}
"""Other names that people type."""
