"""The tables that the demo prints: scores, agreement and accounts as plain text."""

from __future__ import annotations

from campaigns.models import Campaign
from evaluation.models import ScoreSet
from judging.core.agreement.formats import agreement_to_table, align_agreement_rows
from judging.core.agreement.panel import agreement_report
from judging.queries.agreement import load_labels

TABLE_MEASURES = ("map", "ndcg_cut_10", "bpref", "bpref-10", "P_10", "recip_rank", "judged_10")


def format_scores_table(score_set: ScoreSet) -> str:
    """Means by run, sorted by the first measure shown."""
    measures = [name for name in TABLE_MEASURES if name in score_set.measures]
    rows = sorted(
        score_set.runs.select_related("run__team"),
        key=lambda row: (-(row.means[measures[0]] or 0), row.run.tag),
    )
    cells = [
        (f"{row.run.tag} ({row.run.team})", *(format_value(row.means[name]) for name in measures))
        for row in rows
    ]
    label = f"{score_set.label}\n" if score_set.label else ""
    return label + align_agreement_rows([("run (team)", *measures), *cells])


def format_agreement_table(campaign: Campaign) -> str:
    """Every coefficient at the campaign's relevance level, with n and reasons."""
    return agreement_to_table(agreement_report(load_labels(campaign), campaign.relevance_level))


def format_accounts_table(rows: list[tuple[str, str]], password: str) -> str:
    return align_agreement_rows(
        [("role", "name", "password"), *((r, n, password) for r, n in rows)]
    )


def format_value(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
