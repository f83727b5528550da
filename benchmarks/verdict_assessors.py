"""The verdict on agreement by those who judged DL 2019: verdict_assessors.py DATA"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.verdict_campaigns import mask_grades  # noqa: E402
from benchmarks.verdict_real_campaigns import (  # noqa: E402
    DL19,
    load_real,
    own_grades,
    read_machines,
    read_people,
)
from benchmarks.verdict_scorer import ListScorer  # noqa: E402
from poolbench.judging.agreement.panel import agreement_report  # noqa: E402
from poolbench.judging.agreement.report import RankingEffect  # noqa: E402
from poolbench.reliability.verdicts.agreement import COEFFICIENT, judge_agreement  # noqa: E402
from poolbench.reliability.verdicts.ranking_draws import correlate_rankings, measure_second_opinions  # noqa: E402
from poolbench.statistics.draws import ResamplingOptions  # noqa: E402

DRAWS = 100


def print_assessors(data: Path) -> None:
    """The agreement verdict on real second judgments of DL 2019, over its 37 runs."""
    real = load_real(data, DL19)
    judged = [
        np.arange(len(own)) < len(docnos)
        for own, docnos in zip(real.truth, real.docnos, strict=True)
    ]
    print("\nAgreement on DL 2019, 37 runs by nDCG@10; tau with the ranking by NIST\n")
    print(
        "| judgments | documents | alpha | tau, second opinions | low | verdict | tau with NIST |"
    )
    print("|---|--:|--:|--:|--:|---|--:|")
    machines, people = read_machines(data), read_people(data)
    rows = [("8 people", list(people.values()))]
    names = sorted(machines)
    rows += [
        (f"{a[:28]} and {b[:28]}", [machines[a], machines[b]])
        for at, a in enumerate(names)
        for b in names[at + 1 :]
    ]
    scorer = ListScorer(real.listed, [*map(len, real.truth)], real.level, ("nDCG@10",))
    true = scorer.measure(mask_grades(real.truth, judged))["nDCG@10"]
    for name, tables in rows:
        own, labels = own_grades(tables, real.topics, real.docnos, real.truth)
        opinions = measure_second_opinions(scorer, own, labels, DRAWS, 0)
        report = agreement_report(labels, 1, draws=ResamplingOptions(0, 100), most_assessors=1)
        report = replace(report, effect=RankingEffect(opinions))
        verdict, alpha = judge_agreement(report), report.overall[COEFFICIENT]
        tau = float(correlate_rankings(true, scorer.measure(own)["nDCG@10"][None])[0])
        print(
            f"| {name} | {alpha.n} | {alpha.value:.2f} | {opinions.value:.2f} "
            f"| {opinions.low:.2f} | {verdict.state.value} | {tau:.2f} |"
        )


if __name__ == "__main__":
    print_assessors(Path(sys.argv[1]))
