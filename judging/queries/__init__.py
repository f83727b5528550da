"""Reading what assessors said, and how far they are."""

from __future__ import annotations

from judging.queries.judgments import current_judgments, qrels_table

__all__ = ["current_judgments", "qrels_table"]
