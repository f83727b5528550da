"""Plain-text tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.models import ScoreSet

SHOWN = ("map", "ndcg_cut_10", "bpref", "bpref-10", "P_10", "recip_rank", "judged_10")


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """``rows`` below ``head``: columns that hold numbers to the right, others to the left."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    numeric = [all(is_number(row[i]) for row in rows) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        )
        return "  ".join(cells).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(head), rule, *map(line, rows)]) + "\n"


def is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).replace(",", "").isdigit() or text == "–"


def scores(score_set: ScoreSet) -> str:
    """Means by run, best first by the first measure shown, and the conditions."""
    measures = [name for name in SHOWN if name in score_set.measures]
    rows = sorted(
        score_set.runs.select_related("run__team"),
        key=lambda row: (-(row.means[measures[0]] or 0), row.run.tag),
    )
    cells = [
        [row.run.tag, row.run.team.name, *(shown(row.means[name]) for name in measures)]
        for row in rows
    ]
    return aligned(["run", "team", *measures], cells)


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
