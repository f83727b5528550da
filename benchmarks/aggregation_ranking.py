"""What each policy does to the ranking of the 37 runs of TREC DL 2019, judged by eight assessors.

aggregation_ranking.py DATA   DATA has dl19-eight-assessors and trec-dl19-passage
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from campaigns.core.qrels import read_qrels  # noqa: E402
from campaigns.core.runs import read_run  # noqa: E402
from campaigns.core.streams import read_bytes  # noqa: E402
from campaigns.core.tables import QrelsTable  # noqa: E402
from evaluation.core import ScoringOptions  # noqa: E402
from evaluation.core.measures.names import parse_measure  # noqa: E402
from judging.core.aggregation.base import GoldCounts  # noqa: E402
from judging.core.aggregation.inputs import (  # noqa: E402
    build_matrix_from_labels,
    count_gold_from_matrix,
)
from judging.core.agreement.labels import graded_pairs, labels_from_qrels  # noqa: E402
from judging.core.policies import CROWD_POLICIES, decide_pairs, get_policy  # noqa: E402
from reliability.core.disagreement.ballots import (  # noqa: E402
    ABSENT,
    BallotTable,
    build_ballots,
    build_ballots_from_qrels,
    qrels_to_grades,
)
from reliability.core.disagreement.panel import (  # noqa: E402
    DisagreementPanel,
    build_panel_from_tables,
)
from reliability.core.disagreement.rankings import rank_by_values  # noqa: E402

MEASURE = "ndcg_cut_10"
NAMES = ["mean-floor", *(name for name in CROWD_POLICIES if not name.startswith("adjudicated-"))]
BASE = "crowd:majority"
TOP = 5


def read_judgments(folder: Path) -> dict[str, QrelsTable]:
    """The qrels of each assessor in ``folder``."""
    paths = sorted(folder.glob("assessor-*-qrels.txt"))
    return {path.name.removesuffix("-qrels.txt"): read_qrels(read_bytes(path)) for path in paths}


def read_gold(folder: Path) -> GoldCounts:
    """The pilot round, in which the official grades are known."""
    truth = graded_pairs(read_qrels(read_bytes(folder / "ground-truth-qrels.txt")))
    return count_gold_from_matrix(
        build_matrix_from_labels(labels_from_qrels(read_judgments(folder))), truth
    )


def build_panel(data: Path) -> DisagreementPanel:
    """The runs, over the pairs that anybody judged; the official grades are the reference."""
    dl19 = data / "trec-dl19-passage"
    runs = [read_run(read_bytes(path)) for path in sorted((dl19 / "runs-top100").iterdir())]
    official = qrels_to_grades(read_qrels(read_bytes(dl19 / "qrels.dl19-passage.txt")))
    ballots = build_ballots_from_qrels(read_judgments(data / "dl19-eight-assessors" / "main"))
    table = build_ballots(ballots, get_policy("mean-floor"), official)
    return build_panel_from_tables(runs, table, parse_measure(MEASURE)[0], ScoringOptions())


def grade_by_policy(
    data: Path, table: BallotTable, name: str
) -> tuple[np.ndarray, dict[str, object]]:
    """The grade of each row of ``table``, ABSENT if undecided or unjudged; and facts on it."""
    ballots = build_ballots_from_qrels(read_judgments(data / "dl19-eight-assessors" / "main"))
    gold = read_gold(data / "dl19-eight-assessors" / "pilot-round-01")
    outcome = decide_pairs(get_policy(name), ballots, gold)
    place = {pair: at for at, pair in enumerate(iter_pairs(table))}
    grades = np.full(len(table), ABSENT, np.int32)
    for topic, docno, grade in outcome.rows:
        grades[place[topic, docno]] = grade
    entropy = outcome.aggregated.mean_entropy if outcome.aggregated else None
    return grades, {"ties": outcome.ties, "undecided": len(outcome.undecided), "entropy": entropy}


def iter_pairs(table: BallotTable) -> list[tuple[str, str]]:
    """The pairs of the rows of ``table``."""
    return [
        (topic, docno)
        for at, topic in enumerate(table.topics)
        for docno in table.pairs.docnos[table.rows(at)]
    ]


def main() -> None:
    data = Path(sys.argv[1])
    panel = build_panel(data)
    made = {name: grade_by_policy(data, panel.ballots, name) for name in NAMES}
    official = panel.by_topic(panel.ballots.base)
    base_grades = made[BASE][0]
    base = panel.by_topic(base_grades)
    heads = ("policy", "differ from majority", "by tie rule", "undecided", "mean entropy",
             "tau to majority", "tau to official", "ranks changed", "largest drop from majority",
             "nDCG@10 of the official top 5")  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|---|{'--:|' * 7}---|---|")
    order = np.argsort(-panel.means(official))[:TOP]
    for name, (grades, facts) in made.items():
        scores = panel.by_topic(grades)
        to_base = rank_by_values(panel, (name, "policy"), 0, scores, base, "tau-ap-b")
        to_official = rank_by_values(panel, (name, "policy"), 0, scores, official, "tau-ap-b")
        before = rank_by_values(panel, (BASE, "policy"), 0, base, base, "tau-ap-b")
        moved = sum(a != b for a, b in zip(to_base.ranks, before.ranks, strict=True))
        differ = int((grades != base_grades).sum())
        drop = to_base.drop
        fall = f"{drop.tag} {drop.before} to {drop.after}" if drop else "–"
        taus = [r.coefficients["tau-b"].value or 0.0 for r in (to_base, to_official)]
        entropy = "–" if facts["entropy"] is None else f"{facts['entropy']:.3f}"
        top = ", ".join(f"{panel.means(scores)[run]:.4f}" for run in order)
        print(f"| `{name}` | {differ} | {facts['ties']} | {facts['undecided']} | {entropy} | "
              f"{taus[0]:.3f} | {taus[1]:.3f} | {moved} | {fall} | {top} |")  # fmt: skip
    print("\nofficial top 5:", ", ".join(panel.tags[run] for run in order),
          ", ".join(f"{panel.means(official)[run]:.4f}" for run in order))  # fmt: skip


if __name__ == "__main__":
    main()
