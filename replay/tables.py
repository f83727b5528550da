"""The tables that the demo prints: scores, agreement and accounts as plain text."""

from __future__ import annotations

from campaigns.models import Campaign
from evaluation.models import ScoreSet
from judging.queries.agreement import load_labels
from poolbench.judging.agreement.formats import AGREEMENT_FORMATS
from poolbench.judging.agreement.panel import agreement_report
from poolbench.reports.report import Column, Table, make_columns
from poolbench.reports.text import write_text_table

TABLE_MEASURES = ("map", "ndcg_cut_10", "bpref", "bpref-10", "P_10", "recip_rank", "judged_10")


def format_scores_table(score_set: ScoreSet) -> str:
    """Means by run, sorted by the first measure shown."""
    measures = [name for name in TABLE_MEASURES if name in score_set.measures]
    rows = sorted(
        score_set.runs.select_related("run__team"),
        key=lambda row: (-(row.means[measures[0]] or 0), row.run.tag),
    )
    cells = [
        (f"{row.run.tag} ({row.run.team})", *(row.means[name] for name in measures)) for row in rows
    ]
    columns = make_columns(*measures, show="{:.4f}".format, undefined="–")
    label = f"{score_set.label}\n" if score_set.label else ""
    head = Column("run (team)", left=True)
    return label + write_text_table(Table("scores", (head, *columns), cells))


def format_agreement_table(campaign: Campaign) -> str:
    """Every coefficient at the campaign's relevance level, with n and reasons."""
    return AGREEMENT_FORMATS["table"](
        agreement_report(load_labels(campaign), campaign.relevance_level)
    )


def format_accounts_table(rows: list[tuple[str, str]], password: str) -> str:
    columns = (Column("role", left=True), *make_columns("name", "password"))
    return write_text_table(Table("accounts", columns, [(r, n, password) for r, n in rows]))
