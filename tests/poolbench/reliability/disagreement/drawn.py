"""Small random campaigns in which several assessors judge, and scoring them the plain way."""

from collections.abc import Mapping

import numpy as np

from poolbench.evaluation import ScoringOptions, as_judged
from poolbench.evaluation.evaluate import score_batch
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.names import parse_measure
from poolbench.judging.policies import PairBallot, get_policy
from poolbench.reliability.disagreement.ballots import ABSENT, BallotTable, build_ballots
from poolbench.reliability.disagreement.panel import DisagreementPanel, build_panel_from_tables
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import RunTable

TOPICS = ("1", "2", "3")
DOCNOS = tuple(f"d{n}" for n in range(9))
PEOPLE = ("ada", "bob", "cyd")
Qrels = Mapping[tuple[str, str], int]


def drawn_runs(rng: np.random.Generator, runs: int = 5) -> list[RunTable]:
    tables = []
    for at in range(runs):
        answered = [topic for topic in TOPICS if rng.random() < 0.9] or [TOPICS[0]]
        rows = [
            (topic, docno, float(rng.random()))
            for topic in answered
            for docno in rng.permutation(DOCNOS)[: rng.integers(2, 9)]
        ]
        tables.append(run_from_rows(f"run-{at}", rows))
    return tables


def drawn_ballots(rng: np.random.Generator, adjudicated: float = 0.0) -> list[PairBallot]:
    found = []
    for topic in TOPICS:
        for docno in DOCNOS[:7]:
            grades = {who: int(rng.integers(0, 4)) for who in PEOPLE if rng.random() < 0.7}
            settled = int(rng.integers(0, 4)) if grades and rng.random() < adjudicated else None
            if grades:
                found.append(PairBallot(topic, docno, people=grades, adjudicated=settled))
    return found


def drawn_panel(
    seed: int, measure: str = "ndcg_cut_5", policy: str = "median-floor", *, level: int = 1
) -> tuple[DisagreementPanel, list[RunTable]]:
    rng = np.random.default_rng(seed)
    runs = drawn_runs(rng)
    ballots = build_ballots(drawn_ballots(rng, adjudicated=0.1), get_policy(policy))
    (parsed,) = parse_measure(measure)
    return build_panel_from_tables(runs, ballots, parsed, ScoringOptions(level=level)), runs


def panel_of_first(
    first: Mapping[str, tuple[str, ...]], said: list[PairBallot], policy: str = "maximum"
) -> DisagreementPanel:
    """Each run retrieves one document a topic, and is scored by P_1."""
    runs = [
        run_from_rows(tag, [(str(at), docno, 1.0) for at, docno in enumerate(docnos, 1)])
        for tag, docnos in first.items()
    ]
    ballots = build_ballots(said, get_policy(policy))
    return build_panel_from_tables(runs, ballots, parse_measure("P_1")[0], ScoringOptions())


def qrels_of(ballots: BallotTable, grades: np.ndarray) -> dict[tuple[str, str], int]:
    """The pairs that have a grade in ``grades``."""
    listed = zip(ballots.pairs, grades.tolist(), strict=True)
    return {pair: grade for pair, grade in listed if grade != ABSENT}


def plain_scores(panel: DisagreementPanel, runs: list[RunTable], qrels: Qrels) -> list[float]:
    """Each run scored by itself; NaN where undefined."""
    table = qrels_from_rows([(*pair, grade) for pair, grade in qrels.items()])
    judged = as_judged(table)
    batches = [batch_from_table(run, judged, panel.options) for run in runs]
    scored = [score_batch(batch, [panel.measure], "").overall[0] for batch in batches]
    return [np.nan if mean is None else mean for mean in scored]
