"""Operating characteristics of the stop rule, exact: ``python -m benchmarks.crowd_stop_rule``."""

from __future__ import annotations

import sys

from crowd.core.quality.operating import render_operating_table


def main() -> None:
    """Print the table of docs/crowd-quality.md."""
    sys.stdout.write(render_operating_table() + "\n")


if __name__ == "__main__":
    main()
